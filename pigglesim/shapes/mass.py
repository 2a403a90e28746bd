"""Mass, centre and inertia of a solid, and of a denser thing cast into it."""

from dataclasses import dataclass
from enum import StrEnum, unique

import numpy as np

from pigglesim.shapes.body import Indices, MassProperties
from pigglesim.spatial import Array

__all__ = ["Ballast", "BallastForm", "mass_of", "with_ballast"]


@unique
class BallastForm(StrEnum):
    """The kinds of ballast."""

    BALL = "ball"
    CYLINDER = "cylinder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballast:
    """A homogeneous ball or cylinder inside the body, in place of the plastic."""

    form: BallastForm
    density: float
    """[kg/m3]"""
    centre: tuple[float, float, float]
    """[m], body frame."""
    radius: float
    """[m]"""
    length: float = 0.0
    """Of a cylinder, along its axis [m]."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Of a cylinder, body frame; any length but zero."""

    @property
    def volume(self) -> float:
        """[m3]."""
        if self.form is BallastForm.BALL:
            return 4 / 3 * np.pi * self.radius**3
        return float(np.pi * self.radius**2 * self.length)

    def inertia(self, mass: float) -> Array:
        """Return the inertia [kg m2], shape [3, 3], about its own centre, for a `mass` [kg]."""
        if self.form is BallastForm.BALL:
            return np.eye(3) * (0.4 * mass * self.radius**2)
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        along = mass * self.radius**2 / 2
        across = mass * (3 * self.radius**2 + self.length**2) / 12
        return across * np.eye(3) + (along - across) * np.outer(axis, axis)


def mass_of(
    vertices: Array, faces: Indices, *, density: float, ballast: Ballast | None = None
) -> MassProperties:
    """Return the mass properties of a homogeneous closed surface with its ballast.

    Args:
        vertices: [m], shape [vertex_count, 3].
        faces: Triangles of a watertight surface.
        density: Of what the surface encloses [kg/m3].
        ballast: What replaces part of it, wholly inside.
    """
    from trimesh import Trimesh  # noqa: PLC0415  (slow to import, needed to build only)

    # In millimetres the numbers are near one and Trimesh's own tolerances do no harm.
    mesh = Trimesh(vertices=vertices * 1e3, faces=faces, process=False)
    plain = MassProperties(
        mass=float(mesh.volume) * 1e-9 * density,
        centre=np.array(mesh.center_mass) * 1e-3,
        inertia=np.array(mesh.moment_inertia) * 1e-15 * density,
    )
    return plain if ballast is None else with_ballast(plain, ballast, density=density)


def with_ballast(plain: MassProperties, ballast: Ballast, *, density: float) -> MassProperties:
    """Return the properties once `ballast` stands in place of stuff of `density` [kg/m3]."""
    extra = ballast.volume * (ballast.density - density)
    mass = plain.mass + extra
    place = np.array(ballast.centre)
    centre = (plain.mass * plain.centre + extra * place) / mass
    inertia = (
        plain.inertia
        + _shift(plain.mass, plain.centre - centre)
        + ballast.inertia(extra)
        + _shift(extra, place - centre)
    )
    return MassProperties(mass=mass, centre=centre, inertia=inertia)


def _shift(mass: float, arm: Array) -> Array:
    """Return what the parallel-axis theorem adds [kg m2] for an `arm` [m]."""
    return mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))
