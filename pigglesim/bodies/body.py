"""A rigid body as physics and reading see it: skin, hull, convex parts, mass, stable poses."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pigglesim.landing import Orientation
from pigglesim.rotations import Array

Indices = NDArray[np.int64]
"""Corner indices of triangles, counter-clockwise from outside, shape [face_count, 3]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Skin:
    """The outer surface: one watertight triangle mesh, each face owned by a named part.

    A livery lays faces of its own, of the part "rune", just above that mesh, and a numbered die
    has pips there, of the part "pip": for eyes only.
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
    """Name of the material each face is painted with, length face_count; empty if unpainted."""
    colours: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    """Linear RGB in 0..1 of each material."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hull:
    """The convex hull: all that a flat floor ever touches."""

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
    """[kg]"""
    centre: Array
    """Centre of mass [m], shape [3], body frame."""
    inertia: Array
    """Inertia about the centre of mass [kg m2], shape [3, 3], body axes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StablePose:
    """A way the body can rest alone on a flat floor."""

    name: str
    """Such as `"cheek-left"`."""
    orientation: Orientation | None
    """The class of the rules that this pose belongs to; None for a body that is not a pig."""
    down: Array
    """Unit vector of the body frame that points to the floor, shape [3]."""
    height: float
    """Height of the centre of mass above the floor [m]."""
    escape: float
    """How far the centre must rise to tip out of this pose [m]."""
    parts: tuple[str, ...]
    """Parts that touch the floor, sorted."""
    face: str | None = None
    """The class that its file names, such as `"side"`, where a body is neither pig nor number."""

    @property
    def label(self) -> str:
        """Its class for people: of the rules, as its file names it, or the number that it shows."""
        return self.orientation.label if self.orientation else self.face or self.name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A thing that can be thrown and read."""

    model: str
    """Id of the model, such as `"piggle"`."""
    skin: Skin
    hull: Hull
    parts: tuple[ConvexPart, ...]
    mass: MassProperties
    poses: tuple[StablePose, ...]
    sha256: str
    """Digest of the model that the body was made from: its file, mesh and parts."""
    classed: bool = False
    """Whether its file says the class of each pose; then its axes and parts say none."""

    @property
    def pig(self) -> bool:
        """Whether its poses have the classes of the rules; each of its poses has, or none."""
        return any(pose.orientation for pose in self.poses)

    def __repr__(self) -> str:
        low, high = self.hull.vertices.min(axis=0), self.hull.vertices.max(axis=0)
        size = " x ".join(f"{side:.1f}" for side in (high - low) * 1e3)
        grams = self.mass.mass * 1e3
        return f"Body({self.model}: {size} mm, {grams:.2f} g, {len(self.poses)} stable poses)"
