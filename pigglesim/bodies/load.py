"""Models by name or file: their keys, the bodies derived from them, and measured shares."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from pigglesim.arguments import checked
from pigglesim.bodies.body import (
    Body,
    ConvexPart,
    Hull,
    MassProperties,
    Skin,
    StablePose,
    stable_poses,
)
from pigglesim.bodies.infill import Infill, with_infill
from pigglesim.bodies.livery import dress
from pigglesim.bodies.mesh import (
    Ballast,
    BallastForm,
    Mesh,
    convex_hull,
    hull_of,
    icosphere,
    mass_of,
    owners,
    signed_volume,
)
from pigglesim.bodies.mesh_files import ObjMesh, read_mtl, read_obj
from pigglesim.data_files import model_file
from pigglesim.errors import SpecError
from pigglesim.files import FileKind, parse_toml, read_beside, read_json, read_text, validated
from pigglesim.landing import Orientation
from pigglesim.markings import split_livery
from pigglesim.rotations import Array, Indices

MEASURED_FILE = "measured.json"
"""Name of the file next to the models: not TOML, as each TOML file in that folder is a model."""


Text = Annotated[str, Field(max_length=80)]
Count = Annotated[int, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
_KIND = FileKind(name="measurements")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactShare:
    """A share with its 95 % interval."""

    value: Fraction
    low: Fraction
    high: Fraction

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredModel:
    """Counts of a model's landings, and everything that they depend on."""

    model: Text
    model_sha256: Text
    date: Text
    """Date of the measurement, such as `2026-11-21`."""
    pours: Count
    throws: Count
    """Number of Piggles poured, including those that left the board."""
    off: Count
    """Number of Piggles that left the board, which have no class."""
    seed: Count
    scene: Text
    scene_sha256: Text
    engine: Text
    engine_version: Text
    shares: dict[Orientation, ContactShare]
    """Shares of the Piggles on the board."""

    def __post_init__(self) -> None:
        if absent := [str(at) for at in Orientation if at not in self.shares]:
            raise ValueError(f"no share of {', '.join(absent)}")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Everything that the shares depend on, except chance."""
        return (self.model_sha256, self.scene_sha256, self.engine, self.engine_version)


@dataclass(frozen=True, slots=True)
class _MeasuredFile:
    models: list[MeasuredModel]


def read_measured(file: Path) -> dict[str, MeasuredModel]:
    """Return the row of each model in a file; none if there is no file.

    Raises:
        SpecError: If it cannot be read.
    """
    if not file.is_file():
        return {}
    file_content = validated(
        TypeAdapter(_MeasuredFile).validate_json,
        read_json(file, _KIND),
        expected=f"measured shares in {file.name}, as scripts/measure_models writes them",
        fix="remove the file and run scripts/measure_models",
    )
    return {row.model: row for row in file_content.models}


def measured_text(rows: Mapping[str, MeasuredModel]) -> str:
    """Return the text of a file that reads back as `rows`."""
    models = [asdict(row) for _, row in sorted(rows.items())]
    return json.dumps({"models": models}, indent=1) + "\n"


MODEL_FILE = FileKind(name="model", max_bytes=2 * 1024**2, text=512 * 1024)
"""Model file; its text limit allows for the corners of a scanned hull, one long text."""
MESH_FILE = FileKind(name="mesh", max_bytes=64 * 1024**2)
COLOURS_FILE = FileKind(name="colours")

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e4, le=1e4)]
"""Number in millimetres, degrees or without unit: no length here reaches ten metres."""
Length = Annotated[float, Field(allow_inf_nan=False, ge=1e-3, le=1e3)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e4)]
DENSEST = 23_000
"""Maximum density [kg/m3]: osmium has 22,590."""
LIGHTEST = 1
"""Minimum density [kg/m3]: a silica aerogel, the lightest solid."""
Density = Annotated[float, Field(allow_inf_nan=False, gt=0, ge=LIGHTEST, le=DENSEST)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
CLASS_NAME = r"^[^\W_][\w .+-]{0,39}$"
ClassName = Annotated[str, Field(pattern=CLASS_NAME)]
"""Class of a pose of a body that is not a pig."""
Indexes = Annotated[str, Field(pattern=r"^[0-9]+( [0-9]+)*$")]
Point = tuple[Number, Number, Number]


def _checked_direction(direction: tuple[float, float, float]) -> tuple[float, float, float]:
    if not math.hypot(*direction) > 1e-6:
        raise ValueError("a direction must have a length")
    return direction


Direction = Annotated[Point, AfterValidator(_checked_direction)]
"""A direction: a vector of any length above 1e-6."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


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
    def _length_fits_form(self) -> "BallastSpec":
        if (self.form == "cylinder") != (self.length_mm is not None):
            raise ValueError("length_mm belongs to a cylinder, not to a ball")
        return self


class InfillSpec(_Strict):
    """Inside of a 3D print: sparse infill within solid walls and layers."""

    share: Fraction
    wall_mm: Annotated[float, Field(allow_inf_nan=False, ge=0, le=100)]
    cover_mm: Annotated[float, Field(allow_inf_nan=False, ge=0, le=100)]


class FaceSpec(_Strict):
    """A number on a die and the body direction that is up when it is shown."""

    name: Name
    up: Direction


class PoseClassSpec(_Strict):
    """The class of the stable pose that a body descends into from a direction.

    A pig has an orientation of the rules there, any other body a name of its author's choice.
    A pose without an entry in its basin has the class of the closest entry.
    """

    down: Direction
    """Direction towards the floor, in the axes of the mesh."""
    orientation: Orientation | None = None
    name: ClassName | None = None

    @model_validator(mode="after")
    def _one_class(self) -> "PoseClassSpec":
        if (self.orientation is None) == (self.name is None):
            raise ValueError("a pig's pose has an orientation, any other body's a name")
        return self


class PoseSpec(_Strict):
    """A stable pose, derived from mesh and mass."""

    name: Name
    orientation: Orientation | None = None
    face: ClassName | None = None
    down: Direction
    height_mm: Positive
    escape_mm: Positive
    parts: tuple[Name, ...]


class DerivedSpec(_Strict):
    """Results derived from mesh, density and ballast; valid only while `sha256` agrees."""

    sha256: str
    shape_sha256: str = ""
    mass_kg: Positive
    centre_mm: Point
    inertia_kg_m2: tuple[Point, Point, Point]
    poses: Annotated[tuple[PoseSpec, ...], Field(max_length=200)]
    hull_vertices: Indexes
    """Indices of the hull's corners in the mesh, as one string: a list is slow to read."""
    hull_faces: Indexes
    """Triangles among those corners."""


class ModelSpec(_Strict):
    """The contents of a model file."""

    id: Annotated[str, Field(pattern=r"^[^\W_][\w-]{0,39}$")]
    name: Name
    mesh: Name
    materials: Name | None = None
    parts: Name | None = None
    density_kg_m3: Density
    ballast: BallastSpec | None = None
    infill: InfillSpec | None = None
    numbers: Annotated[tuple[FaceSpec, ...], Field(max_length=200)] = ()
    pose_class: Annotated[tuple[PoseClassSpec, ...], Field(max_length=200)] = ()
    shape: dict[str, Number | Annotated[tuple[Number, ...], Field(max_length=3)]] = {}
    derived: DerivedSpec | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "ModelSpec":
        if self.numbers and self.pose_class:
            raise ValueError("a die has numbers or pose classes, not both")
        if len({entry.orientation is None for entry in self.pose_class}) > 1:
            raise ValueError("all entries of pose_class have an orientation, or all have a name")
        return self


def read_spec(text: str, *, name: str) -> ModelSpec:
    """Return the contents of a model file.

    Raises:
        SpecError: If it is not TOML, exceeds the limits of model files, or a key is unknown,
            missing or out of range.
    """
    data = parse_toml(text, MODEL_FILE, where=name)
    return validated(ModelSpec.model_validate_json, data, expected=f"a valid model file {name}")


def toml_text(spec: ModelSpec) -> str:
    """Return the text of a model file that reads back as `spec`."""
    data = spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    note = " After a change of [shape], run scripts/build_models." if spec.shape else ""
    lines = [f"# {spec.name}.{note}"]
    _append_table(lines, (), data)
    return "\n".join(lines) + "\n"


def _append_table(lines: list[str], path: tuple[str, ...], data: Mapping[str, Any]) -> None:
    nested = {k: v for k, v in data.items() if isinstance(v, dict) or _is_table_list(v)}
    for key, value in data.items():
        if key not in nested:
            lines.append(f"{key} = {json.dumps(value)}")
    for key, value in nested.items():
        where = (*path, key)
        for row in [value] if isinstance(value, dict) else value:
            brackets = "[{}]" if isinstance(value, dict) else "[[{}]]"
            lines += ["", brackets.format(".".join(where))]
            _append_table(lines, where, row)


def _is_table_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


SMALLEST, LARGEST = 2e-3, 0.2
"""Minimum and maximum size [m] of a die: a seed and a melon."""
MAX_POSES = 200
"""Maximum number of poses. A Piggle has six; a ball of triangles has one per triangle."""


def check_mesh(vertices: Array, faces: Indices, *, name: str) -> None:
    """Raise unless the surface [m] is closed, faces outward and has a die's size.

    Raises:
        SpecError: If not, with the defect and a remedy.
    """
    size = float(np.max(np.ptp(vertices[faces.reshape(-1)], axis=0)))
    if not SMALLEST <= size <= LARGEST:
        raise SpecError(
            f"{name} is {size * 1e3:.4g} mm wide",
            expected=f"{SMALLEST * 1e3:g} to {LARGEST * 1e3:g} mm",
            fix="export the mesh in millimetres",
        )
    open_edges = _unpaired_edges(faces)
    if open_edges:
        raise SpecError(
            f"{name} has {open_edges} edges without exactly one partner",
            fix="close the holes, turn all faces one way and export it again",
        )
    volume = signed_volume(vertices, faces)
    if abs(volume) < 1e-6 * size**3:
        raise no_volume(name)
    if volume < 0:
        raise SpecError(f"{name} is inside out", fix="flip its normals and export it again")


def no_volume(name: str) -> SpecError:
    """Return the error for a flat mesh."""
    return SpecError(f"{name} has no volume", fix="give it thickness")


def _unpaired_edges(faces: Indices) -> int:
    """Return the number of edges without exactly one partner of the other direction."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    span = int(faces.max()) + 1
    unique_sides, count = np.unique(sides[:, 0] * span + sides[:, 1], return_counts=True)
    reversed_sides = sides[:, 1] * span + sides[:, 0]
    return int(np.sum(count != 1) + np.sum(~np.isin(unique_sides, reversed_sides)))


def check_poses(poses: Sequence[StablePose], *, name: str) -> None:
    """Raise if a body has too many or too few poses to be a die."""
    count = len({pose.name for pose in poses})
    if len(poses) > MAX_POSES or count < 2 <= len(poses):
        raise artefacts(len(poses), name=name)
    if count < 2:
        raise SpecError(
            f"{name} has {count:,} stable poses", expected="at least 2", fix=_FLAT_SIDES
        )


_FLAT_SIDES = "give it flat or hollow sides to rest on"


def artefacts(count: int, *, name: str) -> SpecError:
    """Return the error for a body that rests only on facets of its mesh, as a ball does."""
    return SpecError(
        f"{name} has {count:,} stable poses, like a ball: facets of its mesh, not of its shape",
        expected="2 poses or more that do not depend on the mesh",
        fix=_FLAT_SIDES,
    )


def check_ballast(vertices: Array, faces: Indices, ballast: Ballast, *, name: str) -> None:
    """Raise unless the whole surface of the ballast lies inside the skin.

    Raises:
        SpecError: If some of it is outside.
    """
    outside = winding(vertices, faces, _surface(ballast)) < 0.5
    if np.any(outside):
        raise SpecError(
            f"{np.mean(outside):.0%} of the ballast's surface is outside {name}",
            fix="make the ballast smaller or move its centre_mm inwards",
        )


def _surface(ballast: Ballast) -> Array:
    """Return points spread over the ballast's surface [m], shape [point_count, 3]."""
    if ballast.form is BallastForm.BALL:
        return icosphere(2).vertices * ballast.radius + ballast.centre
    axis = np.array(ballast.axis) / np.linalg.norm(ballast.axis)
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = np.cross(axis, helper)
    across /= np.linalg.norm(across)
    upward = np.cross(axis, across)
    turn = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
    ring = np.outer(np.cos(turn), across) + np.outer(np.sin(turn), upward)
    rims = [
        ballast.radius * scale * ring + axis * (ballast.length * end)
        for end, scale in ((-0.5, 0.5), (-0.5, 1.0), (0.0, 1.0), (0.5, 1.0), (0.5, 0.5))
    ]
    return np.vstack(rims) + ballast.centre


def winding(vertices: Array, faces: Indices, points: Array) -> Array:
    """Return the winding number of the surface about each point: 1 inside, 0 outside.

    The solid angles of all faces are summed (van Oosterom and Strackee 1983).
    """
    first, second, third = vertices[faces].transpose(1, 0, 2)
    normals = np.cross(second - first, third - first).T
    corners = faces.T
    result = np.zeros(len(points))
    for index, point in enumerate(points):
        away = (vertices - point).T
        length = np.sqrt(np.einsum("ij,ij->j", away, away))
        a, b, c = (away[:, corner] for corner in corners)
        la, lb, lc = (length[corner] for corner in corners)
        volume = np.einsum("ij,ij->j", a, normals)
        flat = (
            la * lb * lc
            + np.einsum("ij,ij->j", a, b) * lc
            + np.einsum("ij,ij->j", b, c) * la
            + np.einsum("ij,ij->j", c, a) * lb
        )
        result[index] = np.sum(np.arctan2(volume, flat)) / (2 * np.pi)
    return result


_Kind = TypeVar("_Kind", bound=np.generic)


def digest_of(spec: ModelSpec, *files: bytes) -> str:
    """Return the SHA-256 of a model: all its numbers, including derived ones, and its files."""
    plain = spec.model_dump(mode="json")
    # A key at its default does not count: models older than the key have the same digest.
    if plain["derived"] is not None:
        plain["derived"].pop("sha256")
        for pose in plain["derived"]["poses"]:
            if pose["face"] is None:
                pose.pop("face")
    for key in ("pose_class", "infill"):
        if not plain[key]:
            plain.pop(key)
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
    for data in files:
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()


def shape_digest(spec: ModelSpec) -> str:
    """Return the SHA-256 of the numbers that a parametric mesh was built from."""
    if not spec.shape:
        return ""
    plain = spec.model_dump(mode="json", include={"shape"})
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def ballast_of(spec: BallastSpec) -> Ballast:
    """Return the ballast of a model file, in SI units."""
    x, y, z = spec.centre_mm
    return Ballast(
        form=BallastForm(spec.form),
        density=spec.density_kg_m3,
        centre=(x * 1e-3, y * 1e-3, z * 1e-3),
        radius=spec.radius_mm * 1e-3,
        length=(spec.length_mm or 0.0) * 1e-3,
        axis=spec.axis,
    )


def derive(spec: ModelSpec, skin: Skin, *files: bytes) -> ModelSpec:
    """Return `spec` with all derived values computed from the skin and checked.

    Raises:
        SpecError: If the mesh or the ballast cannot be a die.
    """
    check_mesh(skin.vertices, skin.faces, name=spec.mesh)
    ballast = ballast_of(spec.ballast) if spec.ballast else None
    if ballast:
        check_ballast(skin.vertices, skin.faces, ballast, name=spec.id)
    mass = mass_of(skin.vertices, skin.faces, density=spec.density_kg_m3, ballast=ballast)
    if spec.infill:
        mass = with_infill(
            mass,
            Mesh(vertices=skin.vertices, faces=skin.faces),
            Infill(
                share=spec.infill.share,
                wall=spec.infill.wall_mm * 1e-3,
                cover=spec.infill.cover_mm * 1e-3,
            ),
            density=spec.density_kg_m3,
            inside=convex_hull(_surface(ballast)) if ballast else None,
        )
    hull, indices = hull_of(skin)
    poses = poses_of(spec, hull, mass.centre, skin)
    check_poses(poses, name=spec.mesh)
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = mass.inertia.tolist()
    derived = DerivedSpec(
        sha256="",
        shape_sha256=shape_digest(spec),
        mass_kg=mass.mass,
        centre_mm=(mass.centre * 1e3).tolist(),
        inertia_kg_m2=((ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz)),
        poses=tuple(
            PoseSpec(
                name=pose.name,
                orientation=pose.orientation,
                face=pose.face,
                down=pose.down.tolist(),
                height_mm=pose.height * 1e3,
                escape_mm=pose.escape * 1e3,
                parts=pose.parts,
            )
            for pose in poses
        ),
        hull_vertices=" ".join(map(str, indices.tolist())),
        hull_faces=" ".join(map(str, hull.faces.reshape(-1).tolist())),
    )
    unsigned = spec.model_copy(update={"derived": derived})
    signed = derived.model_copy(update={"sha256": digest_of(unsigned, *files)})
    return spec.model_copy(update={"derived": signed})


def poses_of(
    spec: ModelSpec, hull: Hull, centre: Array, skin: Skin | None = None
) -> tuple[StablePose, ...]:
    """Return the stable poses of a hull about a centre of mass [m], named as a model says.

    With its skin, poses that only the facets of the mesh distinguish share a name.
    """
    numbers = {number.name: np.array(number.up) for number in spec.numbers}
    classes = [
        (np.array(entry.down), entry.orientation or str(entry.name)) for entry in spec.pose_class
    ]
    return stable_poses(hull, centre, faces_up=numbers or None, classes=classes or None, skin=skin)


def derived_text(spec: ModelSpec, mesh: str, parts: str, *, name: str) -> str:
    """Return the text of a new model's file, with all derived values.

    Args:
        spec: The model.
        mesh: Text of its mesh.
        parts: Text of its convex parts; may be empty.
        name: Name of the file.

    Raises:
        SpecError: If it cannot be a die.
    """
    # Derived values must agree with the file when it is read again.
    again = read_spec(toml_text(spec), name=name)
    skin = skin_from(read_obj(mesh, name=again.mesh), {})
    return toml_text(derive(again, skin, mesh.encode(), parts.encode()))


def title_of(model: str) -> str:
    """Return the displayed name of a new model, made from its id."""
    return model.replace("_", " ").replace("-", " ").capitalize()


def body_from(
    spec: ModelSpec, derived: DerivedSpec, skin: Skin, pieces: tuple[ConvexPart, ...]
) -> Body:
    """Return the body of a derived model, with read-only arrays."""
    indices = np.array(derived.hull_vertices.split(), dtype=np.int64)
    names = owners(skin)
    hull = Hull(
        vertices=_fixed(skin.vertices[indices]),
        faces=_fixed(np.array(derived.hull_faces.split(), dtype=np.int64).reshape(-1, 3)),
        vertex_parts=tuple(names[index] for index in indices.tolist()),
    )
    poses = tuple(
        StablePose(
            name=pose.name,
            orientation=pose.orientation,
            face=pose.face,
            down=_fixed(np.array(pose.down)),
            height=pose.height_mm * 1e-3,
            escape=pose.escape_mm * 1e-3,
            parts=pose.parts,
        )
        for pose in derived.poses
    )
    mass = MassProperties(
        mass=derived.mass_kg,
        centre=_fixed(np.array(derived.centre_mm) * 1e-3),
        inertia=_fixed(np.array(derived.inertia_kg_m2)),
    )
    return Body(
        model=spec.id,
        skin=skin,
        hull=hull,
        parts=pieces or (ConvexPart(name="hull", vertices=hull.vertices),),
        mass=mass,
        poses=poses,
        sha256=derived.sha256,
        classed=bool(spec.pose_class),
    )


def _fixed(array: NDArray[_Kind]) -> NDArray[_Kind]:
    array.setflags(write=False)
    return array


_MASS_TOLERANCE = 1e-6
"""Relative tolerance of the mass: both are sums over the same triangles."""


def check_claims(
    derived: DerivedSpec,
    skin: Skin,
    *,
    density: float,
    ballast: Ballast | None,
    infill: InfillSpec | None = None,
    name: str,
) -> None:
    """Raise if derived numbers cannot belong to a body of this mesh.

    Even in an edited file, indices must be within the mesh, the mass must be that of the mesh, and
    the inertia must be possible for a body of its size. Hull and poses are not checked.

    Raises:
        SpecError: If they cannot, with the defect; removing `[derived]` corrects it.
    """
    corners, triangles = derived.hull_vertices.split(), derived.hull_faces.split()
    if not _within(corners, len(skin.vertices)):
        raise _false_claim(name, "the hull has vertices that the mesh lacks")
    if len(triangles) % 3 or not _within(triangles, len(corners)):
        raise _false_claim(name, "a triangle has corners that the hull lacks")
    plastic = density * signed_volume(skin.vertices, skin.faces)
    mass = plastic + ((ballast.density - density) * ballast.volume if ballast else 0.0)
    # Infill makes the inside lighter; how large the inside is follows from slicing, which is slow.
    least = mass - (1.0 - infill.share) * plastic if infill else mass
    margin = _MASS_TOLERANCE * mass
    if not least - margin <= derived.mass_kg <= mass + margin:
        problem = f"the mass is {derived.mass_kg:.6g} kg where the mesh has {mass:.6g} kg"
        raise _false_claim(name, problem)
    low, high = skin.vertices.min(axis=0), skin.vertices.max(axis=0)
    centre = np.array(derived.centre_mm) * 1e-3
    if not (np.all(low <= centre) and np.all(centre <= high)):
        raise _false_claim(name, f"the centre of mass {derived.centre_mm} mm is outside the mesh")
    inertia = np.array(derived.inertia_kg_m2)
    size = float(np.linalg.norm(high - low))
    moments = np.linalg.eigvalsh(inertia) / (mass * size**2)
    if not (np.allclose(inertia, inertia.T) and moments[0] > 1e-9 and moments[-1] <= 1.0):
        raise _false_claim(name, "no body of this size can have the inertia")


def _within(indices: list[str], count: int) -> bool:
    """Return whether all of these indices are below `count`; none may have more digits than it."""
    digits = len(str(count))
    return all(len(index) <= digits and int(index) < count for index in indices)


def _false_claim(name: str, problem: str) -> SpecError:
    return SpecError(
        f"{problem}, in [derived] of {name}",
        fix="remove the table [derived], which is then computed again",
    )


_CACHE_SIZE = 8
"""Number of models whose bodies a process caches: more than a throw has, and few are large."""


@checked
def load_model(name_or_path: str) -> Body:
    """Return the body of a model that comes with pigglesim, or of a TOML file.

    Derived values (mass, hull, poses) are read from the file while its digest agrees with mesh
    and numbers; after any edit they are computed again and checked.

    Args:
        name_or_path: Model id such as `"piggle"`, or a path that ends in `.toml`; optionally with
            a livery after a plus sign, such as `"piggle+blue"` or `"piggle+blue+left"`.

    Returns:
        Its skin, hull, convex parts, mass and stable poses, in SI units.

    Raises:
        SpecError: If there is no such model or livery, or it cannot be a die.

    Examples:
        >>> import pigglesim
        >>> pigglesim.load_model("premium").mass.mass
    """
    return load_models([name_or_path])[name_or_path]


def load_models(names: Iterable[str]) -> dict[str, Body]:
    """Return the bodies of many models, by name; all liveries of a model share physical data.

    Raises:
        SpecError: If there is no such model or livery, or it cannot be a die.
    """
    plain: dict[str, Body] = {}
    bodies: dict[str, Body] = {}
    for name in names:
        model, livery = split_livery(name)
        if model not in plain:
            plain[model] = _load_plain(model)
        bodies[name] = dress(plain[model], livery) if livery else plain[model]
    return bodies


def load_ballasted(name_or_path: str, grams: float) -> Body:
    """Return the body of a model with another mass of its ballast [g].

    The ballast has the same position and size: it is another alloy. All derived values are
    computed again, which takes a second.

    Raises:
        SpecError: If the model has no ballast, or no material is dense enough for that mass.
    """
    model, livery = split_livery(name_or_path)
    body = _load_plain(model, grams=grams)
    return dress(body, livery) if livery else body


def _load_plain(name_or_path: str, *, grams: float | None = None) -> Body:
    path = model_file(name_or_path)
    text = read_text(path, MODEL_FILE)
    spec = _spec(text, path.name)
    mesh = read_beside(path, spec.mesh, MESH_FILE)
    parts = read_beside(path, spec.parts, MESH_FILE) if spec.parts else b""
    colours = read_beside(path, spec.materials, COLOURS_FILE) if spec.materials else b""
    return body_of_files(text, path.name, mesh, parts, colours, grams)


@lru_cache(maxsize=_CACHE_SIZE)
def _spec(text: str, name: str) -> ModelSpec:
    return read_spec(text, name=name)


@lru_cache(maxsize=_CACHE_SIZE)
def body_of_files(
    text: str, name: str, mesh: bytes, parts: bytes, colours: bytes, grams: float | None
) -> Body:
    """Return the body of a model's files; it is cached, with everything that depends on it."""
    spec = _spec(text, name)
    if grams is not None:
        spec = _with_ballast_mass(spec, grams)
    inks = read_mtl(colours.decode(errors="replace"), name=spec.materials) if spec.materials else {}
    skin = skin_from(read_obj(mesh.decode(errors="replace"), name=spec.mesh), inks)
    pieces = _convex_parts(parts.decode(errors="replace"), spec.parts) if spec.parts else ()
    derived = spec.derived
    if derived is None or derived.sha256 != digest_of(spec, mesh, parts):
        _check_shape(spec, name)
        spec = derive(spec, skin, mesh, parts)
        derived = spec.derived
    assert derived is not None
    ballast = ballast_of(spec.ballast) if spec.ballast else None
    check_claims(
        derived,
        skin,
        density=spec.density_kg_m3,
        ballast=ballast,
        infill=spec.infill,
        name=name,
    )
    return body_from(spec, derived, skin, pieces)


def _with_ballast_mass(spec: ModelSpec, grams: float) -> ModelSpec:
    """Return the model with a ballast of the same size and a mass of `grams` [g]."""
    if spec.ballast is None:
        raise SpecError(f"{spec.id} has no ballast", fix="use premium")
    volume = ballast_of(spec.ballast).volume
    max_grams = DENSEST * volume * 1e3
    if not 0.0 < grams <= max_grams:
        raise SpecError(
            f"{spec.id} cannot hold {grams:g} g of ballast",
            expected=f"more than 0 and at most {max_grams:.2f} g",
            fix=f"set ballast_g = {DENSEST * volume * 0.5e3:.1f}",
        )
    ballast = spec.ballast.model_copy(update={"density_kg_m3": grams * 1e-3 / volume})
    return spec.model_copy(update={"ballast": ballast})


def skin_from(mesh: ObjMesh, colours: dict[str, tuple[float, float, float]]) -> Skin:
    """Return the skin in a mesh file [mm], in metres."""
    vertices = mesh.vertices * 1e-3
    vertices.setflags(write=False)
    mesh.faces.setflags(write=False)
    return Skin(
        vertices=vertices,
        faces=mesh.faces,
        face_parts=mesh.groups,
        face_materials=mesh.materials,
        colours=colours,
    )


def _convex_parts(text: str, name: str) -> tuple[ConvexPart, ...]:
    mesh = read_obj(text, name=name)
    groups = np.array(mesh.groups)
    parts = []
    for group in dict.fromkeys(mesh.groups):
        corners = np.unique(mesh.faces[groups == group])
        vertices = mesh.vertices[corners] * 1e-3
        vertices.setflags(write=False)
        parts.append(ConvexPart(name=group, vertices=vertices))
    return tuple(parts)


def _check_shape(spec: ModelSpec, name: str) -> None:
    """Raise if the numbers of a parametric shape were edited but its mesh was not rebuilt."""
    if spec.derived and spec.derived.shape_sha256 != shape_digest(spec):
        raise SpecError(
            f"[shape] in {name} was changed after its mesh was built",
            fix="run scripts/build_models",
        )
