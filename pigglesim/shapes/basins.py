"""Basins of a height over the sphere: where their borders run, how large they are, when they join.

Two basins are parted by a ridge: from the saddle between them the steepest ascent runs to a peak
on either side. In the cell of a vertex w it is the great circle towards w / |w|. Where that point
lies in the cell it is the peak; else the path leaves the cell over an arc, always to a vertex that
lies farther out, so that it ends. All lines are arcs of great circles, and areas are exact.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.shapes.facets import Facets, Vector, dot, minus, unit

__all__ = ["Pass", "basin_shares", "merge_levels", "ridge_lines", "spilled"]

_SOMEWHERE: Vector = unit((0.412, -0.337, 0.847))
"""Where the triangles that areas are summed from have their common corner: off every symmetry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """A saddle between two poses that are not the same."""

    edge: int
    """The edge of the hull that the body tips over."""
    left: int
    """The pose on the side of the edge's first facet."""
    right: int
    """The pose on the side of its second."""


def basin_shares(
    w: Sequence[Vector], facets: Facets, passes: Sequence[Pass], count: int
) -> list[float] | None:
    """Return the share of the sphere that each basin holds; None if their borders do not close.

    They fail to close only where one saddle lies, to the last bit, on the ridge of another.

    Args:
        w: Corners of the hull, seen from the centre of mass.
        facets: The hull's facets and edges.
        passes: Every saddle that parts two poses.
        count: How many poses there are.
    """
    areas = [0.0] * count
    ends: dict[tuple[int, int], int] = {}
    ridges = [_ridge(w, facets, way.edge) for way in passes]
    swept = _swept([line for line, _, _ in ridges])
    for way, (_, first, last), area in zip(passes, ridges, swept, strict=True):
        for pose, sign in ((way.left, 1), (way.right, -1)):
            areas[pose] += sign * area
            ends[pose, first] = ends.get((pose, first), 0) - sign
            ends[pose, last] = ends.get((pose, last), 0) + sign
    if any(ends.values()):
        return None
    if count == 1:
        return [1.0]
    shares = [area / (4 * math.pi) % 1.0 for area in areas]
    return shares if abs(sum(shares) - 1.0) < 1e-9 else None


def ridge_lines(w: Sequence[Vector], facets: Facets, passes: Sequence[Pass]) -> list[list[Vector]]:
    """Return the border that runs over each saddle: turning points of arcs of great circles."""
    return [_ridge(w, facets, way.edge)[0] for way in passes]


def _ridge(w: Sequence[Vector], facets: Facets, edge: int) -> tuple[list[Vector], int, int]:
    """Return the ridge over a saddle, the edge's first facet on its left, and its two peaks."""
    a, b, left, right = facets.edges[edge]
    foot = facets.feet[edge]
    assert foot is not None
    top = unit(foot)
    to_left = minus(facets.planes[left][0], facets.planes[right][0])
    # Seen from outside, left of the way from b to a is top x (a - b).
    ab = minus(w[a], w[b])
    if _triple(top, ab, to_left) < 0:
        a, b = b, a
    behind, first = _ascent(w, facets, top, b)
    ahead, last = _ascent(w, facets, top, a)
    return [*reversed(behind), top, *ahead], first, last


def _ascent(
    w: Sequence[Vector], facets: Facets, start: Vector, vertex: int
) -> tuple[list[Vector], int]:
    """Return the turning points of steepest ascent from `start`, and the vertex of its peak."""
    points: list[Vector] = []
    n = start
    while True:
        goal = w[vertex]
        along = dot(goal, n)
        t = (goal[0] - along * n[0], goal[1] - along * n[1], goal[2] - along * n[2])
        size = math.sqrt(dot(t, t))
        nearest, edge = math.inf, -1
        for candidate, side in facets.spokes[vertex]:
            # Ascent leaves towards vertices beyond which the perpendicular's foot lies, and no
            # others: rounding cannot send it back.
            if dot(goal, side) >= 0.0:
                continue
            angle = math.atan2(max(0.0, dot(n, side)) * size, -dot(t, side))
            if angle < nearest:
                nearest, edge = angle, candidate
        if edge < 0:
            points.append(unit(goal))
            return points, vertex
        # Where the peak lies on the border of its cell, rounding may put the border behind it.
        nearest = min(nearest, math.atan2(size, along))
        c, s = math.cos(nearest), math.sin(nearest) / (size or 1.0)
        n = unit((c * n[0] + s * t[0], c * n[1] + s * t[1], c * n[2] + s * t[2]))
        points.append(n)
        first, second = facets.edges[edge][:2]
        vertex = second if vertex == first else first


def _swept(lines: Sequence[Sequence[Vector]]) -> list[float]:
    """Return for each line on the unit sphere the signed area of the triangles to one point.

    Summed over a closed border it is the area on the border's left, up to whole spheres (van
    Oosterom and Strackee 1983).
    """
    if not lines:
        return []
    r = np.array(_SOMEWHERE)
    points = np.array([point for line in lines for point in line])
    p, q = points[:-1], points[1:]
    flat = 1.0 + p @ r + q @ r + np.einsum("ij,ij->i", p, q)
    area = np.append(2.0 * np.arctan2(np.cross(p, q) @ r, flat), 0.0)
    ends = np.cumsum([len(line) for line in lines])
    area[ends - 1] = 0.0  # what leads from one line to the next
    found: list[float] = np.add.reduceat(area, np.append(0, ends[:-1])).tolist()
    return found


def _triple(a: Vector, b: Vector, c: Vector) -> float:
    return dot(a, (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]))


def merge_levels(classes: Sequence[object], ways: Iterable[tuple[float, int, int]]) -> list[float]:
    """Return the level at which each basin first joins one of another class; infinite if never.

    The water rises: at each way over, two lakes become one. Each lake keeps the basins that have
    met their own class only, and lets them go when another class comes.

    Args:
        classes: The class of each basin; compared by equality.
        ways: Height of each way over and the two basins it joins.
    """
    levels = [math.inf] * len(classes)
    lake = list(range(len(classes)))
    waiting = [[k] for k in range(len(classes))]

    def find(k: int) -> int:
        while lake[k] != k:
            lake[k] = lake[lake[k]]
            k = lake[k]
        return k

    for height, first, second in sorted(ways):
        small, large = find(first), find(second)
        if small == large:
            continue
        if len(waiting[small]) > len(waiting[large]):
            small, large = large, small
        both = (waiting[small], waiting[large])
        lake[small] = large
        # A lake that waits for nothing holds two classes already.
        if all(both) and classes[both[0][0]] == classes[both[1][0]]:
            waiting[large] += waiting[small]
            continue
        for member in (*both[0], *both[1]):
            levels[member] = height
        waiting[large] = []
    return levels


def spilled(
    bottoms: Mapping[int, float], ways: Iterable[tuple[float, int, int]], *, shallow: float
) -> dict[int, int]:
    """Return for each basin the one that holds it once all shallow ones have spilled over.

    The shallowest goes first, over its lowest way, until none is shallower than `shallow`.

    Args:
        bottoms: Height of the lowest point of each basin, by its number.
        ways: Height of each way over and the two basins it joins.
        shallow: Least depth of a basin that stays.
    """
    beside: dict[int, dict[int, float]] = {k: {} for k in bottoms}
    for height, a, b in ways:
        if a != b:
            beside[a][b] = beside[b][a] = min(height, beside[a].get(b, math.inf))

    def depth(k: int) -> float:
        return min(beside[k].values(), default=math.inf) - bottoms[k]

    queue = [(depth(k), k) for k in bottoms]
    heapq.heapify(queue)
    into: dict[int, int] = {}
    while queue:
        least, k = heapq.heappop(queue)
        if k in into or least != depth(k):
            continue  # it has gone, or grown deeper since
        if least >= shallow:
            break
        target = min(beside[k], key=lambda j: (beside[k][j], min(j, k), max(j, k)))
        for other, height in beside.pop(k).items():
            del beside[other][k]
            if other != target:
                lower = min(height, beside[target].get(other, math.inf))
                beside[target][other] = beside[other][target] = lower
        into[k] = target
        heapq.heappush(queue, (depth(target), target))
    return {k: _last(into, k) for k in bottoms}


def _last(into: Mapping[int, int], k: int) -> int:
    while k in into:
        k = into[k]
    return k
