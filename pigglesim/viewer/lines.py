"""Lines over the table as triangles of the graphics card: so many pixels wide at any distance."""

from collections.abc import Sequence

import numpy as np

from pigglesim.spatial import Array
from pigglesim.viewer.marks import Line
from pigglesim.viewer.palette import srgb

__all__ = ["line_triangles"]

_NEAR = 1e-3
"""A point with less than this before the eye is not drawn."""
_TOWARDS = 2e-4
"""Share of the depth by which a line is nearer than what it lies on."""


def line_triangles(lines: Sequence[Line], whole: Array, size: tuple[int, int]) -> Array:
    """Return lines as triangles.

    Args:
        lines: In the world.
        whole: From the world to clip space, shape [4, 4].
        size: Width and height of the picture in pixels.

    Returns:
        Place in clip space and colour of each corner, shape [corner_count, 7]; three corners are
        a triangle.
    """
    rows = [_strip(line, whole, np.array(size, dtype=float)) for line in lines]
    return np.vstack(rows) if rows else np.zeros((0, 7))


def _strip(line: Line, whole: Array, size: Array) -> Array:
    points = np.column_stack([line.points, np.ones(len(line.points))]) @ whole.T
    starts, ends = points[:-1], points[1:]
    seen = (starts[:, 3] > _NEAR) & (ends[:, 3] > _NEAR)
    starts, ends = starts[seen], ends[seen]
    # As seen in pixels, for the width to be the same all along.
    first, last = (each[:, :2] / each[:, 3:] * size / 2.0 for each in (starts, ends))
    way = last - first
    length = np.linalg.norm(way, axis=1, keepdims=True)
    way = np.divide(way, length, out=np.zeros_like(way), where=length > 1e-9)
    side = np.column_stack([-way[:, 1], way[:, 0]]) * line.width
    # Half a width longer at both ends, so that corners close.
    beyond = way * line.width / 2.0
    corners = [
        _moved(at, sign * side + onward, size)
        for at, onward in ((starts, -beyond), (ends, beyond))
        for sign in (-0.5, 0.5)
    ]
    order = [corners[k] for k in (0, 1, 2, 2, 1, 3)]
    places = np.stack(order, axis=1).reshape(-1, 4)
    return np.hstack([places, np.broadcast_to(srgb(line.colour), (len(places), 3))])


def _moved(points: Array, pixels: Array, size: Array) -> Array:
    """Return points of clip space moved by pixels of the picture, and a little nearer."""
    moved = np.array(points)
    moved[:, :2] += pixels / size * 2.0 * points[:, 3:]
    moved[:, 2] -= _TOWARDS * points[:, 3]
    return moved
