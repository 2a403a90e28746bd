"""What a model file may say: TOML with the units in the keys."""

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.files import FileKind, parse_toml, wanted
from pigglesim.landing import Orientation

MODEL_FILE = FileKind(name="model", most_bytes=2 * 1024**2, text=512 * 1024)
"""The corners of a scanned hull are one long text."""
MESH_FILE = FileKind(name="mesh", most_bytes=64 * 1024**2)
COLOURS_FILE = FileKind(name="colours")

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e4, le=1e4)]
"""In millimetres, degrees or none: nothing here is as much as ten metres."""
Length = Annotated[float, Field(allow_inf_nan=False, ge=1e-3, le=1e3)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e4)]
DENSEST = 23_000
"""Nothing is denser [kg/m3]: osmium has 22,590."""
LIGHTEST = 1
"""Nothing solid is lighter [kg/m3]: a silica aerogel."""
Density = Annotated[float, Field(allow_inf_nan=False, gt=0, ge=LIGHTEST, le=DENSEST)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
CLASS_NAME = r"^[^\W_][\w .+-]{0,39}$"
ClassName = Annotated[str, Field(pattern=CLASS_NAME)]
"""The class of a pose of a body that is not a pig."""
Indexes = Annotated[str, Field(pattern=r"^[0-9]+( [0-9]+)*$")]
Point = tuple[Number, Number, Number]


def _checked_direction(way: tuple[float, float, float]) -> tuple[float, float, float]:
    if not math.hypot(*way) > 1e-6:
        raise ValueError("a direction must have a length")
    return way


Direction = Annotated[Point, AfterValidator(_checked_direction)]
"""Of any length but next to none."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BallastSpec(_Strict):
    """A denser ball or cylinder inside the skin."""

    form: Literal["ball", "cylinder"]
    material: Name = "metal"
    density_kg_m3: Density
    centre_mm: Point
    radius_mm: Length
    length_mm: Length | None = None
    axis: Direction = (0.0, 0.0, 1.0)

    @model_validator(mode="after")
    def _whole(self) -> "BallastSpec":
        if (self.form == "cylinder") != (self.length_mm is not None):
            raise ValueError("length_mm belongs to a cylinder, and to no ball")
        return self


class FaceSpec(_Strict):
    """A number on a die and the body direction that is up when it is shown."""

    name: Name
    up: Direction


class PoseClassSpec(_Strict):
    """The class of the stable pose that a body sinks into from a direction.

    A pig has an orientation of the rules there, any other body a name of its author's choice.
    A pose into whose basin no entry points is of the class of the entry nearest to it.
    """

    down: Direction
    """Points to the floor, in the axes of the mesh."""
    orientation: Orientation | None = None
    name: ClassName | None = None

    @model_validator(mode="after")
    def _one_class(self) -> "PoseClassSpec":
        if (self.orientation is None) == (self.name is None):
            raise ValueError("a pig's pose has an orientation, any other body's a name")
        return self


class PoseSpec(_Strict):
    """A stable pose, as derived."""

    name: Name
    orientation: Orientation | None = None
    face: ClassName | None = None
    down: Direction
    height_mm: Positive
    escape_mm: Positive
    parts: tuple[Name, ...]


class DerivedSpec(_Strict):
    """What follows from mesh, density and ballast; trusted only while `sha256` agrees."""

    sha256: str
    shape_sha256: str = ""
    mass_kg: Positive
    centre_mm: Point
    inertia_kg_m2: tuple[Point, Point, Point]
    poses: Annotated[tuple[PoseSpec, ...], Field(max_length=200)]
    hull_vertices: Indexes
    """Indices of the hull's corners in the mesh, one string: a list takes long to read."""
    hull_faces: Indexes
    """Triangles among those corners."""


class ModelSpec(_Strict):
    """A whole model file."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
    name: Name
    mesh: Name
    materials: Name | None = None
    parts: Name | None = None
    density_kg_m3: Density
    ballast: BallastSpec | None = None
    numbers: Annotated[tuple[FaceSpec, ...], Field(max_length=200)] = ()
    pose_class: Annotated[tuple[PoseClassSpec, ...], Field(max_length=200)] = ()
    shape: dict[str, Number | Annotated[tuple[Number, ...], Field(max_length=3)]] = {}
    derived: DerivedSpec | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "ModelSpec":
        if self.numbers and self.pose_class:
            raise ValueError("a die has numbers or pose classes, not both")
        if len({entry.orientation is None for entry in self.pose_class}) > 1:
            raise ValueError("every pose_class has an orientation, or every one a name")
        return self


def read_spec(text: str, *, name: str) -> ModelSpec:
    """Return what a model file says.

    Raises:
        SpecError: If it is no TOML, goes beyond the limits of model files, or a key is unknown,
            missing or out of range.
    """
    data = parse_toml(text, MODEL_FILE, where=name)
    try:
        return ModelSpec.model_validate(data)
    except ValidationError as fault:
        raise _plain(fault, name) from None


def _plain(fault: ValidationError, file: str) -> SpecError:
    """Return the first fault that pydantic found, in the words of this program."""
    error: dict[str, Any] = dict(fault.errors(include_url=False)[0])
    key = cut(".".join(str(word) for word in error["loc"])) or "the file"
    kind, limits = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        *table, word = error["loc"]
        tables: dict[tuple[Any, ...], type[BaseModel]] = {
            (): ModelSpec,
            ("ballast",): BallastSpec,
            ("derived",): DerivedSpec,
        }
        known = tables.get(tuple(table), ModelSpec).model_fields
        return unknown_name(f"key in {file}", str(word), known)
    if kind == "missing":
        return SpecError(f"a key {key} in {file}", got="none", remedy=f"add {key} = ...")
    if kind == "less_than_equal":
        densest = "give kg/m3: no metal is denser than osmium, 22,590 kg/m3"
        return SpecError(
            f"{key} up to {limits['le']:g} in {file}",
            got=cut(repr(error["input"])),
            remedy=densest if limits["le"] == DENSEST else f"make {key} smaller",
        )
    if kind in {"greater_than", "greater_than_equal"}:
        least = f"above {limits['gt']:g}" if "gt" in limits else f"of {limits['ge']:g} or more"
        return SpecError(
            f"{key} {least} in {file}",
            got=cut(repr(error["input"])),
            remedy=f"give {key} {'a positive' if limits.get('ge', 0) >= 0 else 'a larger'} number",
        )
    if kind == "value_error":
        return SpecError(f"{key} in {file} to hold together", got=wanted(error), remedy="change it")
    return SpecError(
        f"{key} in {file} to be {wanted(error)}",
        got=cut(repr(error["input"]), 60),
        remedy=f"change {key}",
    )


def toml_text(spec: ModelSpec) -> str:
    """Return a model file that reads back as `spec`."""
    data = spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    note = " After a change of [shape], run scripts/build_models." if spec.shape else ""
    lines = [f"# {spec.name}.{note}"]
    _table(lines, (), data)
    return "\n".join(lines) + "\n"


def _table(lines: list[str], path: tuple[str, ...], data: Mapping[str, Any]) -> None:
    nested = {k: v for k, v in data.items() if isinstance(v, dict) or _is_tables(v)}
    for key, value in data.items():
        if key not in nested:
            lines.append(f"{key} = {json.dumps(value)}")
    for key, value in nested.items():
        where = (*path, key)
        for row in [value] if isinstance(value, dict) else value:
            brackets = "[{}]" if isinstance(value, dict) else "[[{}]]"
            lines += ["", brackets.format(".".join(where))]
            _table(lines, where, row)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
