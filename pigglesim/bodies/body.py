"""Rigid bodies for physics and reading: skin, hull, convex parts, mass, and stable poses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import numpy as np

from pigglesim.bodies.mesh_error import folded_poses
from pigglesim.bodies.support import Rest, SupportFunction
from pigglesim.descent import Cells, Vector
from pigglesim.landing import Orientation
from pigglesim.pose_reading import EAR, ORIENTATIONS, OTHER, SNOUT, ReadBody, orientation_by_axes
from pigglesim.rotations import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Skin:
    """The outer surface: one watertight triangle mesh, each face owned by a named part.

    Just above that mesh a livery adds faces of the part "rune", and a numbered die has pips of
    the part "pip". Those are only drawn.
    Everything is in the body frame: origin at the belly's centre, +z the face, +y the crown,
    +x the body's own left.
    """

    vertices: Array
    """Points of the surface [m], shape [vertex_count, 3]."""
    faces: Indices
    """Indices of the corners, counter-clockwise from outside, shape [face_count, 3]."""
    face_parts: tuple[str, ...]
    """Name of the part that owns each face, length face_count."""
    face_materials: tuple[str, ...] = ()
    """Material that each face is painted with, length face_count; empty if unpainted."""
    colours: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    """Linear RGB in 0..1 of each material."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hull:
    """The convex hull, which is all that can touch a flat floor."""

    vertices: Array
    """Corners [m], shape [hull_vertex_count, 3], body frame."""
    faces: Indices
    """Triangles, counter-clockwise from outside, shape [hull_face_count, 3]."""
    vertex_parts: tuple[str, ...]
    """Name of the part that each corner belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConvexPart:
    """One convex piece of the collision compound."""

    name: str
    vertices: Array
    """Corners of the piece [m], shape [part_vertex_count, 3], body frame."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MassProperties:
    """Mass, centre of mass and inertia, ballast included."""

    mass: float
    """Mass [kg]."""
    centre: Array
    """Centre of mass [m], shape [3], body frame."""
    inertia: Array
    """Inertia about the centre of mass [kg m2], shape [3, 3], body axes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StablePose:
    """A stable equilibrium of the body alone on a flat floor."""

    name: str
    """Name, such as `"cheek-left"`. Poses that only the facets of a mesh distinguish share one."""
    orientation: Orientation | None
    """Orientation of the rules; None for a body that is not a pig."""
    down: Array
    """Unit vector towards the floor, shape [3], body frame."""
    height: float
    """Height of the centre of mass above the floor [m]."""
    escape: float
    """Height by which the centre must rise to tip out of this pose [m]."""
    parts: tuple[str, ...]
    """Parts that touch the floor, sorted."""
    face: str | None = None
    """Class named in the model file, such as `"side"`; None for pigs and numbered dice."""

    @property
    def label(self) -> str:
        """Displayed class: orientation of the rules, class of the model file, or number shown."""
        return self.orientation.label if self.orientation else self.face or self.name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A rigid body that can be thrown and read."""

    model: str
    """Id of the model, such as `"piggle"`."""
    skin: Skin
    hull: Hull
    parts: tuple[ConvexPart, ...]
    mass: MassProperties
    poses: tuple[StablePose, ...]
    sha256: str
    """Digest of the body's model: its file, mesh and parts."""
    rounding: float = 0.0
    """Radius of spheres around the vertices of `hull`, whose hull is the body [m]."""
    classed: bool = False
    """True if the model file gives the class of each pose; axes and parts then give none."""

    @property
    def pig(self) -> bool:
        """True if its poses have orientations of the rules; either all have or none."""
        return any(pose.orientation for pose in self.poses)

    @property
    def distinct_poses(self) -> tuple[StablePose, ...]:
        """The lowest pose of each name: those of the body, not of the facets of its mesh."""
        return tuple({pose.name: pose for pose in reversed(self.poses)}.values())[::-1]

    def __repr__(self) -> str:
        low, high = self.hull.vertices.min(axis=0), self.hull.vertices.max(axis=0)
        size = " x ".join(f"{side:.1f}" for side in (high - low) * 1e3)
        grams = self.mass.mass * 1e3
        return (
            f"Body({self.model}: {size} mm, {grams:.2f} g, {len(self.distinct_poses)} stable poses)"
        )


_TOUCH = 1e-5
"""Distance from the floor [m] within which parts support the body."""


def support_of(hull: Hull, centre: Array) -> SupportFunction:
    """Return the cached support function of a hull about its centre of mass [m], shape [3]."""
    x, y, z = centre.tolist()
    return _support(hull, (x, y, z))


def support_for(body: Body) -> SupportFunction:
    """Return the cached support function of a body."""
    return support_of(body.hull, body.mass.centre)


@lru_cache(maxsize=32)
def _support(hull: Hull, centre: Vector) -> SupportFunction:
    # By hull and centre, not by body: all liveries of a model share them.
    return SupportFunction(hull.vertices, hull.faces, np.array(centre))


def class_shares(body: Body) -> dict[str, float]:
    """Return the exact share of directions that roll without momentum into each class.

    Classes are those of the rules, of the body's file, or numbers; the largest comes first.
    """
    shares: dict[str, float] = {}
    for pose, share in zip(body.poses, support_for(body).shares(), strict=True):
        shares[pose.label] = shares.get(pose.label, 0.0) + share
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def pose_at(body: Body, down: Array) -> StablePose:
    """Return the stable pose that a body would descend into if left alone.

    The poses of a body are those of its support function, in the same order.

    `down` is a unit vector towards the floor, body frame, shape [3].
    """
    return body.poses[support_for(body).descend(down)]


def orientation_of(down: Array, parts: frozenset[str]) -> Orientation:
    """Return the class of a pose (R14, P12).

    `down` is a unit vector towards the floor, body frame, shape [3]; `parts` touch the floor.
    """
    numbers = {_part_number(part) for part in parts}
    y, z = float(down[1]), float(down[2])
    return ORIENTATIONS[orientation_by_axes(SNOUT in numbers, EAR in numbers, y, z)]


def _part_number(name: str) -> int:
    return SNOUT if name == "snout" else EAR if name.startswith("ear") else OTHER


def cells_of(body: Body) -> Cells:
    """Return the hull of a body for descent; only its corners if the body has no poses."""
    if body.poses:
        return support_for(body).cells
    corners = (body.hull.vertices - body.mass.centre).tolist()
    empty: dict[str, Any] = {name: [] for name in Cells._fields}
    empty |= {"corners": corners, "first": [0] * (len(corners) + 1), "grazing": 0.0}
    return Cells(**empty)


@cache
def read_body(body: Body) -> ReadBody:
    """Return a body as it is read at rest."""
    classes = [pose.orientation for pose in body.poses]
    return ReadBody(
        cells=cells_of(body),
        parts=[_part_number(part) for part in body.hull.vertex_parts],
        orientations=[-1 if each is None else ORIENTATIONS.index(each) for each in classes],
        classed=body.classed,
    )


def stable_poses(
    hull: Hull,
    centre: Array,
    *,
    faces_up: Mapping[str, Array] | None = None,
    classes: Sequence[tuple[Array, Orientation | str]] | None = None,
    skin: Skin | None = None,
) -> tuple[StablePose, ...]:
    """Return all stable poses of a body, lowest first.

    Args:
        hull: Its convex hull.
        centre: Centre of mass [m], shape [3].
        skin: Its surface, which decides what poses only the facets of the mesh distinguish; these
            share a name. None to give each pose a name of its own.
        faces_up: Body direction that is up when each number of a die is shown; None for a pig.
        classes: Directions down, shape [3] each, with the class of the pose that each leads to:
            one of the rules, or a name. Empty before classes are given; None for a Piggle, whose
            parts and axes decide.
    """
    support = support_of(hull, centre)
    pose_classes = None if classes is None else _pose_classes(support, classes)
    found: list[tuple[str, Orientation | None, str | None]] = []
    touching = [_touching(hull, centre, rest) for rest in support.poses]
    for number, rest in enumerate(support.poses):
        down = np.array(rest.down)
        orientation: Orientation | None = None
        face: str | None = None
        if faces_up:
            name = min(faces_up, key=lambda shown: float(faces_up[shown] @ down))
        elif pose_classes is not None:
            pose_class = pose_classes[number]
            if isinstance(pose_class, Orientation):
                orientation, name = pose_class, pose_class.label.lower()
            else:
                face, name = pose_class, pose_class or ""
        else:
            orientation = orientation_of(down, touching[number])
            name = _pose_name(down, touching[number], orientation)
        found.append((name, orientation, face))
    same = list(range(len(found)))
    if skin is not None:
        same = folded_poses(support, skin.vertices - centre, skin.faces, found)
    names = _pose_names([name for name, _, _ in found], same)
    return tuple(
        StablePose(
            name=name,
            orientation=orientation,
            face=face,
            down=np.array(rest.down),
            height=rest.height,
            escape=rest.escape,
            parts=tuple(sorted(parts)),
        )
        for rest, parts, name, (_, orientation, face) in zip(
            support.poses, touching, names, found, strict=True
        )
    )


def _pose_names(names: Sequence[str], same: Sequence[int]) -> list[str]:
    """Return a name for each pose; only those that are the same pose share one."""
    counts: dict[str, int] = {}
    unique: dict[int, str] = {}
    for number, name in enumerate(names):
        if same[number] == number:
            counts[name] = counts.get(name, 0) + 1
            plain = name or f"pose-{counts[name]}"
            unique[number] = plain if counts[name] == 1 or not name else f"{name}-{counts[name]}"
    return [unique[number] for number in same]


def _pose_classes(
    support: SupportFunction, classes: Sequence[tuple[Array, Orientation | str]]
) -> list[Orientation | str | None]:
    """Return the class of each pose: of the closest entry in its basin, else of the closest."""
    if not classes:
        return [None] * len(support.poses)
    units = np.array([np.asarray(down) / np.linalg.norm(down) for down, _ in classes])
    basins = np.array([support.descend(unit) for unit in units])
    closeness = np.array([rest.down for rest in support.poses]) @ units.T
    # An entry in the basin always precedes a closer one outside it.
    closeness[basins, np.arange(len(units))] += 4.0
    return [classes[int(closest)][1] for closest in np.argmax(closeness, axis=1)]


def _touching(hull: Hull, centre: Array, rest: Rest) -> frozenset[str]:
    heights = rest.height - (hull.vertices - centre) @ np.array(rest.down)
    touching = {*rest.vertices, *np.flatnonzero(heights < _TOUCH).tolist()}
    return frozenset(hull.vertex_parts[vertex] for vertex in touching)


def _pose_name(down: Array, parts: frozenset[str], orientation: Orientation | None) -> str:
    if orientation is Orientation.ON_THEIR_HEAD:
        return "on-their-head"
    if orientation is Orientation.SNOUT_UP:
        return "snout-up"
    if abs(down[0]) > 0.3:
        return "cheek-left" if down[0] > 0 else "cheek-right"
    if any(part.startswith("foot") for part in parts):
        return "nose-dive"
    return "snout-stand"
