"""Where a surface passes through itself: every pair of its triangles that could meet is tried."""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pigglesim.errors import SpecError
from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array

__all__ = ["crossing_faces"]

_FIRST_BATCH, _BATCH = 128, 20_000
"""Faces looked up at once, at first and at most."""
_PAIRS = 1_000_000
"""Pairs looked at together, roughly: a few hundred megabytes."""
_LEAST_BOUND, _PER_FACE = 5_000_000, 100
"""Pairs that are tried of any mesh, some seconds of work, and more for each of many faces: boxes of
small faces overlap in some 10."""
_SIEVED = 20
"""Pairs whose boxes are found apart in the time that it takes to try one pair."""
_OBLIQUE = np.linalg.qr(np.array([[3.0, 1.0, 2.0], [-1.0, 3.0, 1.0], [1.0, -2.0, 3.0]]))[0]
"""A view in which walls, floors and axes of a body are not seen edge-on: fewer boxes overlap."""
_ENOUGH = 100_000
"""Crossings after which no more are looked for."""
_DEPTH = 1e-4
"""A side that comes out less than this share of the body's size behind a face, some 3 um, is
what rounding and unions leave along sharp seams, and changes no throw."""
_GRAZE = 1e-10
"""Volumes smaller than this share of a cube about the two triangles are rounding: a touch."""


def crossing_faces(vertices: Array, faces: Indices) -> Indices:
    """Return the pairs of faces that cut through each other, shape [pair_count, 2].

    Two triangles cross where a side of one pierces the inside of the other. Triangles that only
    touch, lie in one plane or share a side do not count.

    Args:
        vertices: Any unit, shape [vertex_count, 3].
        faces: Triangles.

    Raises:
        SpecError: If more faces lie about one another than can be tried.
    """
    corners = vertices[faces]
    depth = _DEPTH * float(np.max(np.ptp(corners.reshape(-1, 3), axis=0)))
    found = [np.zeros((0, 2), dtype=np.int64)]
    for first, second in _near(corners):
        shared = sum(
            (faces[first, i] == faces[second, j]).astype(np.int64)
            for i, j in itertools.product(range(3), repeat=2)
        )
        keep = np.asarray(shared) < 2
        pair = first[keep], second[keep]
        for one, other in ((0, 1), (1, 0)):
            keep = _straddles(corners[pair[one]], corners[pair[other]])
            pair = pair[0][keep], pair[1][keep]
        cross = _cross(corners[pair[0]], corners[pair[1]], depth)
        found.append(np.column_stack([pair[0][cross], pair[1][cross]]))
        if sum(map(len, found)) > _ENOUGH:
            break
    return np.concatenate(found)


def _near(corners: Array) -> Iterator[tuple[Indices, Indices]]:
    """Yield the pairs of faces whose boxes overlap, the lower number first.

    How many faces are looked up together depends on how many were near those before.
    """
    from shapely import STRtree, box  # noqa: PLC0415  (slow to import, needed for scans only)

    turned = corners @ _OBLIQUE
    low, high = turned.min(axis=1), turned.max(axis=1)
    boxes = box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    tree = STRtree(boxes)
    most = max(_LEAST_BOUND, _PER_FACE * len(corners))
    start, count, work = 0, _FIRST_BATCH, 0
    while start < len(corners):
        first, second = tree.query(boxes[start : start + count]).astype(np.int64)
        first += start
        start += count
        count = max(1, min(_BATCH, 2 * count, int(count * _PAIRS / max(len(first), 1))))
        apart = (low[first, 2] > high[second, 2]) | (low[second, 2] > high[first, 2])
        keep = (first < second) & ~apart
        work += int(keep.sum()) + len(first) // _SIEVED
        if work > most:
            raise SpecError(
                f"faces that lie beside one another, up to {most:,} pairs of them near",
                got=f"more among the first {start:,} of {len(corners):,} faces",
                remedy="remesh it in a mesh editor, with faces of like sizes, and export it again",
            )
        yield first[keep], second[keep]


def _straddles(first: Array, second: Array) -> NDArray[np.bool_]:
    """Return where the plane of the first triangle has corners of the second on both sides."""
    normal = np.cross(first[:, 1] - first[:, 0], first[:, 2] - first[:, 0])
    side = np.einsum("ij,ikj->ik", normal, second - first[:, :1])
    found: NDArray[np.bool_] = (side.min(axis=1) < 0) & (side.max(axis=1) > 0)
    return found


def _cross(first: Array, second: Array, depth: float) -> NDArray[np.bool_]:
    """Return which of the pairs of triangles cross, each shape [pair_count, 3, 3]."""
    centre = first.mean(axis=1, keepdims=True)
    a, b = first - centre, second - centre
    reach = np.maximum(np.abs(a).max(axis=(1, 2)), np.abs(b).max(axis=(1, 2)))
    least = _GRAZE * reach**3
    found = np.zeros(len(a), dtype=bool)
    for one, other in ((a, b), (b, a)):
        for k in range(3):
            found |= _pierces(one[:, k], one[:, (k + 1) % 3], other, least, depth)
    return found


def _pierces(p: Array, q: Array, triangle: Array, least: Array, depth: float) -> NDArray[np.bool_]:
    """Return where the segment from p to q passes through the inside of the triangle."""
    a, b, c = np.moveaxis(triangle, 1, 0)
    normal = np.cross(b - a, c - a)
    before = np.einsum("ij,ij->i", normal, p - a)
    behind = np.einsum("ij,ij->i", normal, q - a)
    sides = [_volume(p, q, a, b), _volume(p, q, b, c), _volume(p, q, c, a)]
    margin = depth * np.linalg.norm(normal, axis=1)
    longest = np.max([np.linalg.norm(s, axis=1) for s in (b - a, c - b, a - c)], axis=0)
    through = np.linalg.norm(normal, axis=1) > depth * longest
    through &= (np.minimum(before, behind) < -margin) & (np.maximum(before, behind) > margin)
    # Over a side of the triangle counts, as symmetric bodies do it; over a corner is a touch.
    ahead = np.sum([side > least for side in sides], axis=0)
    behind_it = np.sum([side < -least for side in sides], axis=0)
    inside = (np.maximum(ahead, behind_it) >= 2) & (np.minimum(ahead, behind_it) == 0)
    found: NDArray[np.bool_] = through & inside
    return found


def _volume(p: Array, q: Array, a: Array, b: Array) -> Array:
    found: Array = np.einsum("ij,ij->i", np.cross(q - p, a - p), b - p)
    return found
