"""Triangles to pixels with a depth buffer, in numpy alone."""

from dataclasses import dataclass

import numpy as np

from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array

__all__ = ["Coverage", "rasterize"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coverage:
    """What is seen at each pixel."""

    face: Indices
    """Row of the face in front, -1 where there is none, shape [height, width]."""
    weights: Array
    """Weights of the face's corners, shape [height, width, 3]."""
    depth: Array
    """Nearness to the eye; minus infinity where nothing is, shape [height, width]."""


def rasterize(points: Array, faces: Indices, *, width: int, height: int) -> Coverage:
    """Return what is seen of triangles whose corners are given in pixels.

    Args:
        points: Column, row and nearness to the eye, shape [point_count, 3]; pixel (0, 0) has its
            middle at column .5 and row .5.
        faces: Triangles; those without area on the picture are left out.
        width: Of the picture [pixels].
        height: Of the picture [pixels].
    """
    face = np.full((height, width), -1, dtype=np.int64)
    weights = np.zeros((height, width, 3))
    depth = np.full((height, width), -np.inf)
    corners = points[faces]
    a, b, c = np.moveaxis(corners[:, :, :2], 1, 0)
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    low = np.ceil(corners[:, :, :2].min(axis=1) - 0.5).astype(np.int64)
    high = np.floor(corners[:, :, :2].max(axis=1) - 0.5).astype(np.int64)
    low, high = np.maximum(low, 0), np.minimum(high, [width - 1, height - 1])
    seen = (np.abs(area) > 1e-9) & np.all(low <= high, axis=1)
    for k in np.flatnonzero(seen).tolist():
        (left, top), (right, bottom) = low[k].tolist(), high[k].tolist()
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[k].tolist()
        x = np.arange(left, right + 1) + 0.5
        y = (np.arange(top, bottom + 1) + 0.5)[:, None]
        scale = 1.0 / float(area[k])
        second = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) * scale
        third = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) * scale
        first = 1.0 - second - third
        near = first * az + second * bz + third * cz
        patch = (slice(top, bottom + 1), slice(left, right + 1))
        front = (first >= 0) & (second >= 0) & (third >= 0) & (near > depth[patch])
        if not front.any():
            continue
        depth[patch][front] = near[front]
        face[patch][front] = k
        weights[patch][front] = np.stack([first, second, third], axis=-1)[front]
    return Coverage(face=face, weights=weights, depth=depth)
