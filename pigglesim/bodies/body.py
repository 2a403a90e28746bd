"""Rigid bodies for physics and reading: skin, hull, convex parts, mass, stable poses."""

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
    """Name, such as `"cheek-left"`."""
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
    classed: bool = False
    """True if the model file gives the class of each pose; axes and parts then give none."""

    @property
    def pig(self) -> bool:
        """True if its poses have orientations of the rules; either all have or none."""
        return any(pose.orientation for pose in self.poses)

    def __repr__(self) -> str:
        low, high = self.hull.vertices.min(axis=0), self.hull.vertices.max(axis=0)
        size = " x ".join(f"{side:.1f}" for side in (high - low) * 1e3)
        grams = self.mass.mass * 1e3
        return f"Body({self.model}: {size} mm, {grams:.2f} g, {len(self.poses)} stable poses)"
