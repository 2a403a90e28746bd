"""A body's principal axes, and the thinned hull that stands in for it in the cup."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from pigglesim.shapes.body import Body
from pigglesim.spatial import Array, from_matrix

__all__ = ["PrincipalFrame", "principal_frame", "thin_hull"]

_THIN_DIRECTIONS = 40
"""Directions whose farthest points make the thinned hull: some 36 points remain."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrincipalFrame:
    """The frame in which a body's inertia is diagonal: origin at its centre of mass."""

    centre: Array
    """Its origin in the body frame [m], shape [3]."""
    axes: Array
    """Its axes as columns in the body frame, shape [3, 3], right-handed."""
    moments: Array
    """Principal moments of inertia [kg m2], shape [3]."""
    orientation: Array
    """Quaternion from principal to body axes, shape [4]."""
    inverse: Array
    """The inverse of `orientation`, shape [4]."""

    def to_principal(self, points: Array) -> Array:
        """Return points of the body frame [m], shape [count, 3], in this frame."""
        moved: Array = (points - self.centre) @ self.axes
        return moved


@cache
def principal_frame(body: Body) -> PrincipalFrame:
    """Return the principal frame of a body."""
    moments, axes = np.linalg.eigh(body.mass.inertia)
    # Signs are free; fix them, so that the same body gives the same bits on any machine.
    for k in range(3):
        if axes[np.argmax(np.abs(axes[:, k])), k] < 0.0:
            axes[:, k] = -axes[:, k]
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    orientation = from_matrix(axes)
    return PrincipalFrame(
        centre=body.mass.centre,
        axes=axes,
        moments=moments,
        orientation=orientation,
        inverse=orientation * np.array([-1.0, -1.0, -1.0, 1.0]),
    )


@cache
def thin_hull(body: Body) -> Array:
    """Return the few hull points [m], shape [count, 3], that are farthest in spread directions.

    Directions of a Fibonacci lattice (Swinbank and Purser 2006), so the choice is reproducible.
    """
    i = np.arange(_THIN_DIRECTIONS) + 0.5
    polar = np.arccos(1.0 - 2.0 * i / _THIN_DIRECTIONS)
    azimuth = np.pi * (1.0 + 5.0**0.5) * i
    directions = np.column_stack(
        [np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)]
    )
    points = body.hull.vertices
    chosen = np.unique(np.argmax(directions @ points.T, axis=1))
    thin: Array = points[chosen]
    return thin
