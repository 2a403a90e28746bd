"""Real bodies that people threw and counted: one folder each, with a `die.toml`."""

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from pigglesim.bodies.body import Body, Skin
from pigglesim.bodies.load import check_mesh
from pigglesim.bodies.mesh import convex_hull, hull_of, mass_of
from pigglesim.bodies.poses import support_for
from pigglesim.bodies.support import SupportFunction
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, decoded, parse_toml, read_beside, read_file, validated

_DIE_FILE = FileKind(name="die", values=5_000)
_MESH_FILE = FileKind(name="mesh", most_bytes=64 * 1024**2)
_MESH_SORTS = frozenset({"obj", "off", "ply", "stl"})
"""One file each and nothing packed: others may lead to more files, or unpack to any size."""
_SHALLOW = 1e-4
"""A pose that no outcome lists and that is shallower than this [m] is none: a printed layer is as
deep. A die that seems to stand there counts for the pose into which it would spill."""
_UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
_DENSITIES = {"plastic": 1100.0, "steel": 7850.0}
"""Density by material [kg/m3]; a die alone on a floor moves alike at any density."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Side = Annotated[float, Field(ge=1e-3, le=1e6, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Word = Annotated[str, Field(min_length=1, max_length=80)]


class _CountTable(BaseModel):
    # What others note beside their counts is theirs to note.
    model_config = ConfigDict(extra="ignore", frozen=True)


class _OutcomeTable(_CountTable):
    label: Word
    count: Count | None = None
    down: Annotated[tuple[tuple[Number, Number, Number], ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _lengths(self) -> "_OutcomeTable":
        if any(not np.linalg.norm(way) > 1e-9 for way in self.down):
            raise ValueError(f"a direction of length zero in outcome {self.label!r}")
        return self


class _DieFile(_CountTable):
    name: Word
    mesh: Word | None = None
    mesh_unit: Literal["mm", "cm", "m", "in"] = "mm"
    box_mm: tuple[Side, Side, Side] | None = None
    material: Word = "plastic"
    source: str = ""
    throw_count: Count | None = None
    labels_known: bool = True
    trend_only: bool = False
    counts: tuple[Count, ...] | None = None
    outcome: Annotated[tuple[_OutcomeTable, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _whole(self) -> "_DieFile":
        if (self.mesh is None) == (self.box_mm is None):
            raise ValueError("either mesh or box_mm, and not both")
        own = [outcome.count for outcome in self.outcome]
        if self.counts is None and any(count is None for count in own):
            raise ValueError("a count is missing: give each outcome its count, or all in counts")
        if self.counts is not None and len(self.counts) != len(self.outcome):
            raise ValueError(f"{len(self.counts)} counts for {len(self.outcome)} outcomes")
        total = sum(self.counted())
        if total == 0:
            raise ValueError("no throw was counted")
        if self.throw_count not in {None, total}:
            raise ValueError(f"throw_count is {self.throw_count}, the counts add up to {total}")
        return self

    def counted(self) -> tuple[int, ...]:
        return self.counts or tuple(outcome.count or 0 for outcome in self.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class DieOutcome:
    """One of the ways in which the die was counted."""

    label: str
    count: int
    poses: tuple[int, ...]
    """Indices of the poses of the support function that belong to it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedDie:
    """A body, its stable poses, and how often people saw it lie in them."""

    name: str
    source: str
    material: str
    body: Body
    support: SupportFunction
    outcomes: tuple[DieOutcome, ...]
    labels_known: bool
    """True if it is known which count belongs to which outcome."""
    trend_only: bool
    """True if too little is known of the throw for more than a trend."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of times that each outcome was seen."""
        return tuple(outcome.count for outcome in self.outcomes)

    def classes(self) -> list[int]:
        """Return for each pose the index of its outcome; -1 where none lists it."""
        classes = [-1] * len(self.support.poses)
        for index, outcome in enumerate(self.outcomes):
            for pose in outcome.poses:
                classes[pose] = index
        return classes


def counted_dice(folder: Path) -> list[CountedDie]:
    """Return every die counted in a folder or below it, by the order of their paths.

    Raises:
        SpecError: If there is none, or one of them is faulty.
    """
    files = [folder] if folder.is_file() else sorted(folder.rglob("die.toml"))
    if not files:
        raise SpecError(
            f"{folder}" if folder.is_dir() else f"no folder {str(folder)!r}",
            expected="a folder with die.toml files below it",
            fix="give the folder that holds one folder a die",
        )
    return [read_die(path) for path in files]


def read_die(path: Path) -> CountedDie:
    """Return the die that a `die.toml` describes.

    Raises:
        SpecError: If the file or its mesh is faulty.
    """
    where = f"{path.parent.name}/{path.name}"
    data = read_file(path, _DIE_FILE)
    plain = parse_toml(decoded(data, _DIE_FILE, where=where), _DIE_FILE, where=where)
    table = validated(
        _DieFile.model_validate,
        plain,
        expected=f"a sound die file {where}",
        fix="give name, mesh or box_mm, and every outcome its label, count and down",
    )
    skin = _box(table.box_mm) if table.box_mm else _mesh(path, table)
    check_mesh(skin.vertices, skin.faces, name=where)
    body = _body(table, skin, data)
    support = support_for(body)
    outcomes = tuple(
        DieOutcome(label=outcome.label, count=count, poses=poses)
        for outcome, count, poses in zip(
            table.outcome, table.counted(), _poses_of(table, support, where), strict=True
        )
    )
    return CountedDie(
        name=table.name,
        source=table.source,
        material=table.material,
        body=body,
        support=support,
        outcomes=outcomes,
        labels_known=table.labels_known,
        trend_only=table.trend_only,
    )


def _poses_of(table: _DieFile, support: SupportFunction, where: str) -> list[tuple[int, ...]]:
    """Return the poses of each outcome: those in whose basins its directions lie.

    A shallow pose that no direction leads to belongs to the outcome into which it spills.
    """
    owner: dict[int, int] = {}
    for index, outcome in enumerate(table.outcome):
        for way in outcome.down:
            pose = support.descend(np.array(way))
            if owner.setdefault(pose, index) != index:
                other = table.outcome[owner[pose]].label
                raise SpecError(
                    f"{outcome.label!r} and {other!r} both roll into pose {pose}",
                    expected=f"outcomes of {where} that are different poses",
                    fix="mend their directions down, or make them one outcome",
                )
    listed = dict(owner)
    for pose, rest in enumerate(support.poses):
        if pose not in owner and rest.escape < _SHALLOW:
            owner[pose] = listed[_spills_into(support, pose, set(listed))]
    return [
        tuple(sorted(pose for pose, at in owner.items() if at == index))
        for index in range(len(table.outcome))
    ]


def _spills_into(support: SupportFunction, pose: int, goals: set[int]) -> int:
    """Return the goal to which the way from a pose is lowest."""
    reached = {k: {k} for k in range(len(support.poses))}
    for saddle in support.saddles:
        joined = reached[saddle.first] | reached[saddle.second]
        for member in joined:
            reached[member] = joined
        if reached[pose] & goals:
            break
    return min(reached[pose] & goals)


def _body(table: _DieFile, skin: Skin, data: bytes) -> Body:
    density = _DENSITIES.get(table.material, 1000.0)
    hull, _ = hull_of(skin)
    digest = hashlib.sha256(data + skin.vertices.tobytes() + skin.faces.tobytes()).hexdigest()
    return Body(
        model=table.name,
        skin=skin,
        hull=hull,
        parts=(),
        mass=mass_of(skin.vertices, skin.faces, density=density, ballast=None),
        poses=(),
        sha256=digest,
    )


def _box(sides: tuple[float, float, float]) -> Skin:
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    mesh = convex_hull(signs * np.array(sides) * 1e-3)
    return Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=("box",) * len(mesh.faces))


def _mesh(path: Path, table: _DieFile) -> Skin:
    import trimesh  # noqa: PLC0415 (slow to import)

    assert table.mesh is not None
    data = read_beside(path, table.mesh, _MESH_FILE)
    sort = Path(table.mesh).suffix[1:].lower()
    if sort not in _MESH_SORTS:
        raise SpecError(
            cut(repr(table.mesh)),
            expected=f"a mesh that ends in {', '.join(sorted(_MESH_SORTS))}",
            fix="export it as STL",
        )
    try:
        mesh: Any = trimesh.load_mesh(io.BytesIO(data), file_type=sort)
        vertices = np.asarray(mesh.vertices, dtype=float) * _UNITS[table.mesh_unit]
        faces = np.asarray(mesh.faces, dtype=np.int64)
        if not len(faces):
            raise ValueError("no faces")
    except Exception as fault:
        # Readers of mesh files fail in as many ways as there are broken files.
        raise SpecError(
            cut(f"{type(fault).__name__}: {fault}"),
            expected=f"a mesh in {table.mesh}",
            fix="export anew",
        ) from None
    return Skin(vertices=vertices, faces=faces, face_parts=("die",) * len(faces))
