"""The facets, edges and vertex cells of a convex hull, in plain tuples for quick walking."""

import math
from dataclasses import dataclass

import numpy as np

from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array

__all__ = ["Facets", "Vector", "cross", "dot", "merge_facets", "minus", "unit"]

Vector = tuple[float, float, float]

_FLAT = 3e-6
"""Triangles whose corners lie nearer to a plane than this share of the hull's size are one facet:
some 40 nm, a few times what rounding to a mesh file moves a point."""


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def unit(a: Vector) -> Vector:
    """Return a scaled to length 1."""
    size = math.sqrt(dot(a, a))
    return (a[0] / size, a[1] / size, a[2] / size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """A hull with coplanar triangles joined; offsets are from the centre of mass."""

    planes: list[tuple[Vector, tuple[int, ...]]]
    """Outward unit normal of each facet and its vertices, counter-clockwise from outside."""
    edges: list[tuple[int, int, int, int]]
    """Two vertices (the smaller first) and the two facets of each edge."""
    edge_between: dict[tuple[int, int], int]
    """The edge between two vertices, the smaller first."""
    feet: list[Vector | None]
    """Foot of the perpendicular from the centre to each edge where it lies inside it, else None."""
    spokes: list[list[tuple[int, Vector]]]
    """Edges at each vertex, with the vector from the edge's other end to it."""


def merge_facets(offsets: Array, faces: Indices) -> Facets:
    """Return the facets of a hull whose corners lie at `offsets` from the centre."""
    w: list[Vector] = [(x, y, z) for x, y, z in offsets.tolist()]
    corners = offsets[faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    planes = []
    for members in _groups(offsets, faces, areas):
        x, y, z = areas[members].sum(axis=0).tolist()
        planes.append((unit((x, y, z)), _loop(faces[members])))
    planes = _without_straight_corners(planes)
    sides: dict[tuple[int, int], list[int]] = {}
    for k, (_, loop) in enumerate(planes):
        for a, b in zip(loop, loop[1:] + loop[:1], strict=True):
            sides.setdefault((min(a, b), max(a, b)), []).append(k)
    edges = [(a, b, pair[0], pair[1]) for (a, b), pair in sorted(sides.items())]
    feet: list[Vector | None] = []
    spokes: list[list[tuple[int, Vector]]] = [[] for _ in w]
    for index, (a, b, _, _) in enumerate(edges):
        spokes[a].append((index, minus(w[a], w[b])))
        spokes[b].append((index, minus(w[b], w[a])))
        along = minus(w[b], w[a])
        share = -dot(w[a], along) / dot(along, along)
        wa = w[a]
        foot = (wa[0] + share * along[0], wa[1] + share * along[1], wa[2] + share * along[2])
        feet.append(foot if 0.0 < share < 1.0 else None)
    between = {(a, b): index for index, (a, b, _, _) in enumerate(edges)}
    return Facets(planes=planes, edges=edges, edge_between=between, feet=feet, spokes=spokes)


def _groups(offsets: Array, faces: Indices, area_vectors: Array) -> list[list[int]]:
    """Return lists of triangles, each list one plane."""
    corners = offsets[faces]
    areas = np.linalg.norm(area_vectors, axis=1)
    normals = area_vectors / np.maximum(areas, 1e-300)[:, None]
    neighbours: dict[tuple[int, int], list[int]] = {}
    for k, (a, b, c) in enumerate(faces.tolist()):
        for pair in ((a, b), (b, c), (c, a)):
            neighbours.setdefault((min(pair), max(pair)), []).append(k)
    beside: list[list[int]] = [[] for _ in faces]
    for first, second in neighbours.values():
        beside[first].append(second)
        beside[second].append(first)
    taken = np.zeros(len(faces), dtype=bool)
    groups = []
    size = float(np.max(np.abs(offsets)))
    # The largest triangle of a facet knows its plane best, so it gathers the others.
    for seed in np.argsort(-areas, kind="stable").tolist():
        if taken[seed]:
            continue
        taken[seed] = True
        members, front = [seed], [seed]
        while front:
            for other in beside[front.pop()]:
                if taken[other]:
                    continue
                lift = np.max(np.abs((corners[other] - corners[seed, 0]) @ normals[seed]))
                # The normal of a sliver means nothing.
                alike = areas[other] < 1e-6 * size**2 or normals[other] @ normals[seed] > 0
                if lift < _FLAT * size and alike:
                    taken[other] = True
                    members.append(other)
                    front.append(other)
        groups.append(members)
    return groups


def _loop(triangles: Indices) -> tuple[int, ...]:
    """Return the outline of a set of triangles that form one convex polygon."""
    sides = [(t[k], t[(k + 1) % 3]) for t in triangles.tolist() for k in range(3)]
    inner = {*sides}
    following = {a: b for a, b in sides if (b, a) not in inner}
    start = min(following)
    loop = [start]
    while following[loop[-1]] != start:
        loop.append(following[loop[-1]])
    return tuple(loop)


def _without_straight_corners(
    planes: list[tuple[Vector, tuple[int, ...]]],
) -> list[tuple[Vector, tuple[int, ...]]]:
    """Drop vertices where fewer than three facets meet: they lie inside an edge."""
    count: dict[int, int] = {}
    for _, loop in planes:
        for vertex in loop:
            count[vertex] = count.get(vertex, 0) + 1
    return [(n, tuple(v for v in loop if count[v] >= 3)) for n, loop in planes]
