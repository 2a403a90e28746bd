"""Which body a pixel shows: the line of sight against convex hulls, which is all a Piggle fills."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from pigglesim.films.film import Still
from pigglesim.shapes.body import Body, Hull, MassProperties
from pigglesim.spatial import Array, rotate

__all__ = ["picked"]

_PARALLEL = 1e-12


def picked(eye: Array, direction: Array, bodies: Sequence[Body], still: Still) -> int | None:
    """Return the number of the first body that a line of sight meets, or None.

    Args:
        eye: Where it begins [m], shape [3].
        direction: Unit vector, shape [3].
        bodies: What could be met, in the order of the still.
        still: Where everything is.
    """
    met = [
        (distance, number)
        for number, body in enumerate(bodies)
        if (distance := _distance(eye, direction, body, still, number)) is not None
    ]
    return min(met)[1] if met else None


def _distance(eye: Array, direction: Array, body: Body, still: Still, number: int) -> float | None:
    """Return how far off a body is met [m]."""
    position, orientation = still.positions[number], still.orientations[number]
    # Far from most bodies nothing more need be asked.
    beside = np.linalg.norm(np.cross(position - eye, direction))
    if beside > _reach(body.hull, body.mass):
        return None
    back = orientation * np.array([-1.0, -1.0, -1.0, 1.0])
    start, way = rotate(back, np.array([eye - position, direction]))
    return _enters(start + body.mass.centre, way, body.hull)


@cache
def _reach(hull: Hull, mass: MassProperties) -> float:
    """Return how far the hull reaches from the centre of mass [m]."""
    return float(np.linalg.norm(hull.vertices - mass.centre, axis=1).max())


def _enters(start: Array, way: Array, hull: Hull) -> float | None:
    """Return where a line enters a hull, in lengths of `way`: it is inside all of its planes."""
    first, second, third = (hull.vertices[hull.faces[:, k]] for k in range(3))
    normals = np.cross(second - first, third - first)
    above = np.einsum("ij,ij->i", normals, start - first)
    climb = normals @ way
    scale = np.linalg.norm(normals, axis=1)
    level = np.abs(climb) <= _PARALLEL * scale
    if np.any(level & (above > 0.0)):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -above / climb
    enter = float(np.max(crossing[(climb < 0.0) & ~level], initial=0.0))
    leave = float(np.min(crossing[(climb > 0.0) & ~level], initial=np.inf))
    return enter if enter <= leave else None
