"""How far two convex bodies are apart, or how deep in each other, and along what; compiled.

Distances by the algorithm of Gilbert, Johnson and Keerthi (1988), closest points of simplices after
Ericson ("Real-Time Collision Detection", 2005, 5.1). It knows no depth: so bodies that overlap are
first drawn apart along a guessed normal. Where the normal found is the guess, drawing apart has
changed nothing but the distance, and the depth is the least one nearby.
"""

from math import sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_pile_types import Pile, Shapes

__all__ = ["DRAWN", "find_gap", "gap_along"]

_ROUNDS = 24
"""Of the search for the closest points, at most."""
_ENOUGH = 1e-5
"""Share of the squared distance that further rounds could gain, when enough is known."""
_NOTHING = 1e-7
"""Bodies less apart are taken to meet [m]."""
DRAWN = 1e-3
"""How far bodies that meet are drawn apart at first [m]; twice as far each time they still meet."""
_DRAWS = 6
"""How often at most."""
_GUESSES = 4
"""Of the normal, at most."""
_SAME = 1.0 - 1e-3
"""Cosine between a guess and a normal found, from which on the depth is off by a micrometre."""


@compiled_as_numpy
def _walk(shapes: Shapes, first: int, x: float, y: float, z: float, here: int) -> int:
    """Walk along edges to the corner least far along a direction in principal axes."""
    corners, links, ends = shapes.corners, shapes.links, shapes.ends
    at = first + here
    far = corners[at, 0] * x + corners[at, 1] * y + corners[at, 2] * z
    best = here
    while True:
        for k in range(ends[first + here], ends[first + here + 1]):
            i = links[k]
            at = first + i
            other = corners[at, 0] * x + corners[at, 1] * y + corners[at, 2] * z
            if other < far:
                best, far = i, other
        if best == here:
            return int(best)
        here = best


@compiled_as_numpy
def _add_corner(
    shapes: Shapes, pile: Pile, convex: int, body: int, other: int, other_body: int, row: int
) -> None:
    """Put into a row of the simplex the difference least far along the way."""
    x, y, z = pile.way[0], pile.way[1], pile.way[2]
    r, q = pile.turns[body], pile.turns[other_body]
    first = shapes.first[convex]
    i = pile.walked[0] = _walk(
        shapes,
        first,
        r[0, 0] * x + r[1, 0] * y + r[2, 0] * z,
        r[0, 1] * x + r[1, 1] * y + r[2, 1] * z,
        r[0, 2] * x + r[1, 2] * y + r[2, 2] * z,
        pile.walked[0],
    )
    second = shapes.first[other]
    j = pile.walked[1] = _walk(
        shapes,
        second,
        -(q[0, 0] * x + q[1, 0] * y + q[2, 0] * z),
        -(q[0, 1] * x + q[1, 1] * y + q[2, 1] * z),
        -(q[0, 2] * x + q[1, 2] * y + q[2, 2] * z),
        pile.walked[1],
    )
    a, b = shapes.corners[first + i], shapes.corners[second + j]
    for k in range(3):
        on = pile.places[body, k] + r[k, 0] * a[0] + r[k, 1] * a[1] + r[k, 2] * a[2]
        off = pile.places[other_body, k] + q[k, 0] * b[0] + q[k, 1] * b[1] + q[k, 2] * b[2]
        pile.simplex_on[row, k] = off
        pile.simplex[row, k] = on - off + pile.drawn[k]


@compiled_as_numpy
def _keep(pile: Pile, from_row: int, to_row: int) -> None:
    if from_row != to_row:
        for k in range(3):
            pile.simplex[to_row, k] = pile.simplex[from_row, k]
            pile.simplex_on[to_row, k] = pile.simplex_on[from_row, k]


@compiled_as_numpy
def _nearest_of_segment(pile: Pile) -> int:
    """Weigh the corners of a segment for its point nearest the origin; return how many are left."""
    p = pile.simplex
    x, y, z = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
    along = -(p[0, 0] * x + p[0, 1] * y + p[0, 2] * z)
    length = x * x + y * y + z * z
    if along <= 0.0:
        pile.weights[0] = 1.0
        return 1
    if along >= length:
        _keep(pile, 1, 0)
        pile.weights[0] = 1.0
        return 1
    pile.weights[1] = along / length
    pile.weights[0] = 1.0 - pile.weights[1]
    return 2


@compiled_as_numpy
def _dots(pile: Pile, a: int, b: int, c: int) -> tuple[float, float, float, float, float, float]:
    """Return the products of edges ab and ac of a triangle with the ways from a, b and c home."""
    p = pile.simplex
    d1 = d2 = d3 = d4 = d5 = d6 = 0.0
    for k in range(3):
        ab, ac = p[b, k] - p[a, k], p[c, k] - p[a, k]
        d1 -= ab * p[a, k]
        d2 -= ac * p[a, k]
        d3 -= ab * p[b, k]
        d4 -= ac * p[b, k]
        d5 -= ab * p[c, k]
        d6 -= ac * p[c, k]
    return d1, d2, d3, d4, d5, d6


@compiled_as_numpy
def _weigh_triangle(pile: Pile, a: int, b: int, c: int) -> tuple[float, float, float]:
    """Return the weights of a triangle's corners for its point nearest the origin."""
    d1, d2, d3, d4, d5, d6 = _dots(pile, a, b, c)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3) if d1 > d3 else 0.0
        return 1.0 - v, v, 0.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6) if d2 > d6 else 0.0
        return 1.0 - w, 0.0, w
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        whole = (d4 - d3) + (d5 - d6)
        w = (d4 - d3) / whole if whole > 0.0 else 0.0
        return 0.0, 1.0 - w, w
    whole = va + vb + vc
    return va / whole, vb / whole, vc / whole


@compiled_as_numpy
def _reduce(pile: Pile, count: int) -> int:
    """Leave out corners without weight; return how many are left."""
    kept = 0
    for k in range(count):
        if pile.weights[k] > 0.0:
            _keep(pile, k, kept)
            pile.weights[kept] = pile.weights[k]
            kept += 1
    return kept


@compiled_as_numpy
def _outside(pile: Pile, a: int, b: int, c: int, d: int) -> bool:
    """Whether the origin and corner d are on different sides of the plane through the others."""
    p = pile.simplex
    ux, uy, uz = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], p[b, 2] - p[a, 2]
    vx, vy, vz = p[c, 0] - p[a, 0], p[c, 1] - p[a, 1], p[c, 2] - p[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    home = -(p[a, 0] * nx + p[a, 1] * ny + p[a, 2] * nz)
    side = (p[d, 0] - p[a, 0]) * nx + (p[d, 1] - p[a, 1]) * ny + (p[d, 2] - p[a, 2]) * nz
    return bool(home * side <= 0.0)


@compiled_as_numpy
def _nearest_of_tetrahedron(pile: Pile) -> int:
    """Weigh the corners of a tetrahedron; 4 are left if the origin is inside."""
    faces = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 3, 2, 0))
    p = pile.simplex
    best, found = 1e30, -1
    wu = wv = ww = 0.0
    for face in range(4):
        a, b, c, d = faces[face]
        if _outside(pile, a, b, c, d):
            u, v, w = _weigh_triangle(pile, a, b, c)
            size = 0.0
            for k in range(3):
                size += (u * p[a, k] + v * p[b, k] + w * p[c, k]) ** 2
            if size < best:
                best, found, wu, wv, ww = size, face, u, v, w
    if found < 0:
        return 4
    a, b, c, d = faces[found]
    pile.weights[a], pile.weights[b], pile.weights[c], pile.weights[d] = wu, wv, ww, 0.0
    return _reduce(pile, 4)


@compiled_as_numpy
def _nearest(pile: Pile, count: int) -> int:
    """Weigh the corners of a simplex for its point nearest the origin; return how many are left."""
    if count == 1:
        pile.weights[0] = 1.0
        return 1
    if count == 2:
        return _nearest_of_segment(pile)
    if count == 3:
        u, v, w = _weigh_triangle(pile, 0, 1, 2)
        pile.weights[0], pile.weights[1], pile.weights[2] = u, v, w
        return _reduce(pile, 3)
    return _nearest_of_tetrahedron(pile)


@compiled_as_numpy
def _distance(
    shapes: Shapes, pile: Pile, convex: int, body: int, other: int, other_body: int, enough: float
) -> float:
    """Return the distance of bodies drawn apart [m], 0 if they meet, or more than enough.

    The way between closest points, from the other body to this one, is left in `way`, and the
    point on the other in `point`.
    """
    way = pile.way
    count = 0
    for _ in range(_ROUNDS):
        _add_corner(shapes, pile, convex, body, other, other_body, count)
        new = pile.simplex[count]
        if count:
            size = way[0] ** 2 + way[1] ** 2 + way[2] ** 2
            least = new[0] * way[0] + new[1] * way[1] + new[2] * way[2]
            if least > 0.0 and least * least > enough * enough * size:
                return float(least / sqrt(size))
            if size - least <= _ENOUGH * size:
                break
        count = _nearest(pile, count + 1)
        if count == 4:
            return 0.0
        for k in range(3):
            way[k] = 0.0
            for row in range(count):
                way[k] += pile.weights[row] * pile.simplex[row, k]
        if way[0] ** 2 + way[1] ** 2 + way[2] ** 2 < _NOTHING * _NOTHING:
            return 0.0
    for k in range(3):
        pile.point[k] = 0.0
        for row in range(count):
            pile.point[k] += pile.weights[row] * pile.simplex_on[row, k]
    return sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)


@compiled_as_numpy
def find_gap(
    shapes: Shapes,
    pile: Pile,
    convex: int,
    body: int,
    other: int,
    other_body: int,
    enough: float,
    by: float,
) -> float:
    """Return how far two convex shapes are apart [m], below 0 where they overlap.

    The normal, towards the first body, is left in `normal`; what stands there is the first guess.
    The nearest point of the other is left in `point`. A gap above `enough` is only known to be so.
    The bodies are drawn apart by `by` at first, which saves a search where an overlap is likely.
    """
    normal, drawn, way = pile.normal, pile.drawn, pile.way
    pile.walked[0] = pile.walked[1] = 0
    gap = 0.0
    for _ in range(_GUESSES):
        for _ in range(_DRAWS):
            for k in range(3):
                drawn[k] = by * normal[k]
                way[k] = normal[k]
            gap = _distance(shapes, pile, convex, body, other, other_body, enough + by)
            if gap > 0.0:
                break
            by = 2.0 * by if by > 0.0 else DRAWN
        if gap > enough + by:
            size = sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
            for k in range(3):
                normal[k] = way[k] / size
            return gap - by
        if gap <= 0.0:
            return -by
        same = (way[0] * normal[0] + way[1] * normal[1] + way[2] * normal[2]) / gap
        for k in range(3):
            normal[k] = way[k] / gap
        gap -= by * same
        if by == 0.0 or same > _SAME:
            break
    return gap


@compiled_as_numpy
def gap_along(
    shapes: Shapes, pile: Pile, convex: int, body: int, other: int, other_body: int
) -> float:
    """Return how far two shapes are apart along `normal` [m], which is at most their gap."""
    for k in range(3):
        pile.way[k] = pile.normal[k]
        pile.drawn[k] = 0.0
    pile.walked[0] = pile.walked[1] = 0
    _add_corner(shapes, pile, convex, body, other, other_body, 0)
    n, apart = pile.normal, pile.simplex[0]
    return float(n[0] * apart[0] + n[1] * apart[1] + n[2] * apart[2])
