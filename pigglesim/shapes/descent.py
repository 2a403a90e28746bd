"""The steepest descent of the support function over the sphere, arc by arc.

Written in plain numbers, indices and no calls but of `math`: what drops dice by the million
compiles this same text, and everything else runs it as it stands.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pigglesim.shapes.facets import Facets, Vector

__all__ = ["Cells", "cells_of", "fall"]


class Cells(NamedTuple):
    """A hull as descent sees it; each a list, or an array of the same shape."""

    corners: Sequence[Vector]
    """From the centre of mass."""
    first: Sequence[int]
    """Where the spokes of each corner begin among all, and at last their number."""
    spokes: Sequence[int]
    """Edges at each corner, one corner's after another's."""
    sides: Sequence[Vector]
    """For each spoke, the vector from the edge's other end to the corner."""
    edges: Sequence[tuple[int, int, int, int]]
    """Two corners (the smaller first) and the two facets of each edge."""
    held: Sequence[bool]
    """Whether the foot of the perpendicular from the centre lies inside the edge."""
    feet: Sequence[Vector]
    """That foot, or zeros."""
    normals: Sequence[Vector]
    """Outward unit normal of each facet."""
    grazing: float
    """A way along an arc comes no nearer to it than this; it does not cross it."""


def cells_of(corners: Sequence[Vector], facets: Facets, *, grazing: float) -> Cells:
    """Return what descent needs of a hull.

    Args:
        corners: From the centre of mass [m].
        facets: Of the hull.
        grazing: As `Cells` has it.
    """
    first = [0]
    for at_corner in facets.spokes:
        first.append(first[-1] + len(at_corner))
    return Cells(
        corners=corners,
        first=first,
        spokes=[edge for at_corner in facets.spokes for edge, _ in at_corner],
        sides=[side for at_corner in facets.spokes for _, side in at_corner],
        edges=facets.edges,
        held=[foot is not None for foot in facets.feet],
        feet=[foot or (0.0, 0.0, 0.0) for foot in facets.feet],
        normals=[normal for normal, _ in facets.planes],
        grazing=grazing,
    )


def fall(
    cells: Cells, corner: int, x: float, y: float, z: float, limit: int
) -> tuple[int, int, float, float, float]:
    """Follow steepest descent from a direction in the cell of a corner.

    Args:
        cells: The hull.
        corner: Lowest with the direction down.
        x: Of the direction, which has length 1.
        y: The same.
        z: The same.
        limit: Arcs to cross at most.

    Returns:
        The first facet that the way reaches, or -1 if it crossed as many arcs as it may; then the
        corner and the direction where it stands, which is on the last arc crossed.
    """
    for _ in range(limit):
        a, b, c = cells.corners[corner][0], cells.corners[corner][1], cells.corners[corner][2]
        along = a * x + b * y + c * z
        tx, ty, tz = along * x - a, along * y - b, along * z - c
        size = math.sqrt(tx * tx + ty * ty + tz * tz)
        if size < 1e-14 * (1.0 + abs(along)):
            # On a maximum of h: off it along the body axis that the direction leans to least.
            if abs(x) <= abs(y) and abs(x) <= abs(z):
                tx, ty, tz = 0.0, z, -y
            elif abs(y) <= abs(z):
                tx, ty, tz = -z, 0.0, x
            else:
                tx, ty, tz = y, -x, 0.0
            size = math.sqrt(tx * tx + ty * ty + tz * tz)
        tx, ty, tz = tx / size, ty / size, tz / size
        best, edge = math.inf, -1
        for k in range(cells.first[corner], cells.first[corner + 1]):
            u, v, w = cells.sides[k][0], cells.sides[k][1], cells.sides[k][2]
            near, ahead = x * u + y * v + z * w, tx * u + ty * v + tz * w
            if ahead > cells.grazing:
                continue  # a way along an arc does not cross it
            angle = math.atan2(max(near, 0.0), -ahead)
            if angle < best:
                best, edge = angle, cells.spokes[k]
        cosine, sine = math.cos(best), math.sin(best)
        x, y, z = cosine * x + sine * tx, cosine * y + sine * ty, cosine * z + sine * tz
        size = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / size, y / size, z / size
        ends = cells.edges[edge]
        if cells.held[edge]:
            # It slides along the arc, away from the foot, to a facet at the arc's end.
            a, b, c = cells.feet[edge][0], cells.feet[edge][1], cells.feet[edge][2]
            along = a * x + b * y + c * z
            left, right = cells.normals[ends[2]], cells.normals[ends[3]]
            ahead = (
                (along * x - a) * (right[0] - left[0])
                + (along * y - b) * (right[1] - left[1])
                + (along * z - c) * (right[2] - left[2])
            )
            return (ends[3] if ahead > 0.0 else ends[2]), corner, x, y, z
        corner = ends[1] if corner == ends[0] else ends[0]
    return -1, corner, x, y, z
