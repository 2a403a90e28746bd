"""Triangles to pixels with a depth buffer, in numpy alone.

All triangles are cut into rows of pixels at once, and all rows into pixels: no loop runs over
triangles. An edge is cut the same way from both of its sides, so that no gap opens along it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array

__all__ = ["Coverage", "corner_weights", "rasterize"]

_ROWS, _PIXELS = 2**18, 2**20
"""At most so many rows, and pixels, are worked on at once: some 100 MB."""
_THIN = 1e-9
"""Twice the area [pixels] below which a triangle is an edge, seen from its side."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coverage:
    """What is seen at each pixel."""

    face: Indices
    """Row of the face in front, -1 where there is none, shape [height, width]."""
    depth: Array
    """Nearness to the eye; minus infinity where nothing is, shape [height, width]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Spans:
    """Rows of pixels that triangles cover, each array of shape [span_count]."""

    owner: Indices
    row: Indices
    first: Indices
    """First column."""
    count: Indices
    """How many columns."""
    near: Array
    """Nearness at the middle of the first pixel."""
    slope: Array
    """Nearness gained per column."""


def rasterize(
    points: Array,
    faces: Indices,
    *,
    width: int,
    height: int,
    only: Indices | None = None,
    known: Coverage | None = None,
) -> Coverage:
    """Return what is seen of triangles whose corners are given in pixels.

    Of faces equally near, the one of the lowest row is seen.

    Args:
        points: Column, row and nearness to the eye, shape [point_count, 3]; pixel (0, 0) has its
            middle at column .5 and row .5.
        faces: Triangles; those without area on the picture are left out.
        width: Of the picture [pixels].
        height: Of the picture [pixels].
        only: The rows of the faces to enter, ascending; all if absent.
        known: What was seen before; what is nearer covers it.
    """
    face = np.full(width * height, -1, dtype=np.int64)
    depth = np.full(width * height, -np.inf)
    if known is not None:
        face, depth = known.face.ravel().copy(), known.depth.ravel().copy()
    chosen = np.arange(len(faces)) if only is None else only
    corners = points[faces[chosen]]
    low = np.ceil(corners[:, :, :2].min(axis=1) - 0.5)
    high = np.floor(corners[:, :, :2].max(axis=1) - 0.5)
    low, high = np.maximum(low, 0), np.minimum(high, [width - 1, height - 1])
    seen = (np.abs(_areas(corners)) > _THIN) & np.all(low <= high, axis=1)
    chosen, corners = chosen[seen], corners[seen]
    top = low[seen, 1].astype(np.int64)
    rows = high[seen, 1].astype(np.int64) - top + 1
    for part in _portions(rows, _ROWS):
        spans = _cut(corners[part], top[part], rows[part], width)
        for some in _portions(spans.count, _PIXELS):
            _enter(spans, some, chosen[part], width, face, depth)
    return Coverage(face=face.reshape(height, width), depth=depth.reshape(height, width))


def corner_weights(cover: Coverage, points: Array, faces: Indices) -> Array:
    """Return how much each corner of the face in front counts, where there is one.

    Args:
        cover: What is seen of these faces.
        points: As they were rasterized, shape [point_count, 3].
        faces: Triangles, shape [face_count, 3].

    Returns:
        Weights of 0 to 1 in the order of the pixels that show a face, shape [shown_count, 3].
    """
    row, column = np.nonzero(cover.face >= 0)
    face = cover.face[row, column]
    corners = points[faces][:, :, :2]
    ax, ay = corners[:, 0].T
    area = _areas(corners)
    scale = 1.0 / np.where(np.abs(area) > _THIN, area, np.inf)
    # Two sides of each face, in pixels over twice its area.
    (bx, by), (cx, cy) = ((corners[:, k] - corners[:, 0]).T * scale for k in (1, 2))
    x, y = column + 0.5 - ax[face], row + 0.5 - ay[face]
    second = np.clip(x * cy[face] - y * cx[face], 0.0, 1.0)
    third = np.clip(bx[face] * y - by[face] * x, 0.0, 1.0 - second)
    return np.stack([1.0 - second - third, second, third], axis=1)


def _areas(corners: Array) -> Array:
    """Return twice the area of triangles on the picture, signed; corners [count, 3, 2 or 3]."""
    across, down = (corners[:, k, :2] - corners[:, 0, :2] for k in (1, 2))
    found: Array = across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0]
    return found


def _portions(counts: Indices, limit: int) -> Iterator[slice]:
    """Yield slices of items that together count `limit` or less, or are one item."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(ends):
        done = ends[start] - counts[start]
        stop = max(start + 1, int(np.searchsorted(ends, done + limit, side="right")))
        yield slice(start, stop)
        start = stop


def _unrolled(counts: Indices) -> tuple[Indices, Indices]:
    """Return for each of many things the item it belongs to, and its number there."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def _cut(corners: Array, top: Indices, rows: Indices, width: int) -> _Spans:
    """Return the rows of pixels whose middles lie in triangles, shape [count, 3, 3]."""
    owner, number = _unrolled(rows)
    row = top[owner] + number
    y = row + 0.5
    columns, nears = np.full((2, 3, len(owner)), np.nan)
    for k in range(3):
        a, b = corners[:, k], corners[:, (k + 1) % 3]
        # From top to bottom, whichever way round the triangle goes: so two neighbours agree.
        swap = (a[:, 1] > b[:, 1])[:, None]
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        tall = b[:, 1] - a[:, 1]
        slope = (b - a)[:, [0, 2]] / np.where(tall > 0, tall, 1.0)[:, None]
        below = y - a[owner, 1]
        meets = (below >= 0) & (y <= b[owner, 1]) & (tall[owner] > 0)
        columns[k] = np.where(meets, a[owner, 0] + below * slope[owner, 0], np.nan)
        nears[k] = a[owner, 2] + below * slope[owner, 1]
    left, right = np.fmin.reduce(columns), np.fmax.reduce(columns)
    first = np.maximum(np.ceil(left - 0.5), 0)
    last = np.minimum(np.floor(right - 0.5), width - 1)
    kept = np.flatnonzero(last >= first)
    owner, row, first, last, left, right = (
        each[kept] for each in (owner, row, first, last, left, right)
    )
    columns, nears = columns[:, kept], nears[:, kept]
    at = np.arange(len(kept))
    near_left = nears[np.nanargmin(columns, axis=0), at] if len(kept) else left
    near_right = nears[np.nanargmax(columns, axis=0), at] if len(kept) else right
    slope = (near_right - near_left) / np.where(right > left, right - left, np.inf)
    return _Spans(
        owner=owner,
        row=row,
        first=first.astype(np.int64),
        count=(last - first).astype(np.int64) + 1,
        near=near_left + (first + 0.5 - left) * slope,
        slope=slope,
    )


def _enter(
    spans: _Spans, some: slice, chosen: Indices, width: int, face: Indices, depth: Array
) -> None:
    """Enter the pixels of some spans, wherever they are nearer than what was entered before."""
    span, number = _unrolled(spans.count[some])
    pixel = (spans.row[some] * width + spans.first[some])[span] + number
    near = spans.near[some][span] + number * spans.slope[some][span]
    ahead = np.flatnonzero(near > depth[pixel])
    pixel, near = pixel[ahead], near[ahead]
    np.maximum.at(depth, pixel, near)
    wins = np.flatnonzero(near == depth[pixel])[::-1]
    # Of equals the last assignment holds, which is the first face.
    face[pixel[wins]] = chosen[spans.owner[some][span[ahead[wins]]]]
