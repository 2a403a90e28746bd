"""Signed distance of two convex shapes; compiled.

Distances are found by the algorithm of Gilbert, Johnson and Keerthi (1988), with support vertices
by hill climbing and closest points of simplices after Ericson ("Real-Time Collision Detection",
2005, 5.1). GJK gives no penetration depth. So shapes that overlap are first shifted apart along a
guessed normal. If the normal found equals the guess, the shift has changed only the distance,
and the depth is a local minimum over directions.

Functions take a shape and the row of its body, first of `a` and then of `b`. The Minkowski
difference is a - b, so normals point from b towards a.
"""

from math import sqrt

from pigglesim.jit import compiled_as_numpy
from pigglesim.physics.impulse.state import ConvexShapes, WorldState

_MAX_ITERATIONS = 24
"""Maximum iterations of GJK."""
_RELATIVE_TOLERANCE = 1e-5
"""Convergence tolerance of GJK: possible further gain, as a share of the squared distance."""
_TOUCHING = 1e-7
"""Distance below which shapes count as overlapping [m]."""
INITIAL_SHIFT = 1e-3
"""First shift of shapes that overlap [m]; doubled until they no longer do."""
_MAX_SHIFTS = 6
"""Maximum number of shifts along one normal."""
_MAX_NORMAL_UPDATES = 4
"""Maximum number of guesses of the normal."""
_SAME_DIRECTION = 1.0 - 1e-3
"""Cosine between a guessed and a found normal above which the depth is right to a micrometre."""


@compiled_as_numpy
def _support_vertex(
    shapes: ConvexShapes, first_vertex: int, x: float, y: float, z: float, start: int
) -> int:
    """Return a shape's support vertex against a direction, by hill climbing along edges.

    The direction x, y, z is in principal axes; `start` is the vertex to start from.
    """
    vertices, neighbours, start_of = shapes.vertices, shapes.neighbours, shapes.neighbour_start
    here = start
    row = first_vertex + here
    lowest = vertices[row, 0] * x + vertices[row, 1] * y + vertices[row, 2] * z
    best = here
    while True:
        for k in range(start_of[first_vertex + here], start_of[first_vertex + here + 1]):
            i = neighbours[k]
            row = first_vertex + i
            height = vertices[row, 0] * x + vertices[row, 1] * y + vertices[row, 2] * z
            if height < lowest:
                best, lowest = i, height
        if best == here:
            return int(best)
        here = best


@compiled_as_numpy
def _add_support_point(
    shapes: ConvexShapes,
    world: WorldState,
    shape_a: int,
    body_a: int,
    shape_b: int,
    body_b: int,
    row: int,
) -> None:
    """Store the support point of the Minkowski difference against `world.search_direction`.

    It goes into a row of the simplex.
    """
    d = world.search_direction
    x, y, z = d[0], d[1], d[2]
    ra, rb = world.rotation_matrix[body_a], world.rotation_matrix[body_b]
    first_a = shapes.first_vertex[shape_a]
    i = world.support_hint[0] = _support_vertex(
        shapes,
        first_a,
        ra[0, 0] * x + ra[1, 0] * y + ra[2, 0] * z,
        ra[0, 1] * x + ra[1, 1] * y + ra[2, 1] * z,
        ra[0, 2] * x + ra[1, 2] * y + ra[2, 2] * z,
        world.support_hint[0],
    )
    first_b = shapes.first_vertex[shape_b]
    j = world.support_hint[1] = _support_vertex(
        shapes,
        first_b,
        -(rb[0, 0] * x + rb[1, 0] * y + rb[2, 0] * z),
        -(rb[0, 1] * x + rb[1, 1] * y + rb[2, 1] * z),
        -(rb[0, 2] * x + rb[1, 2] * y + rb[2, 2] * z),
        world.support_hint[1],
    )
    va, vb = shapes.vertices[first_a + i], shapes.vertices[first_b + j]
    for k in range(3):
        on_a = world.position[body_a, k] + ra[k, 0] * va[0] + ra[k, 1] * va[1] + ra[k, 2] * va[2]
        on_b = world.position[body_b, k] + rb[k, 0] * vb[0] + rb[k, 1] * vb[1] + rb[k, 2] * vb[2]
        world.simplex_on_b[row, k] = on_b
        world.simplex[row, k] = on_a - on_b + world.shift[k]


@compiled_as_numpy
def _copy_simplex_vertex(world: WorldState, from_row: int, to_row: int) -> None:
    """Copy a vertex of the simplex into another row."""
    if from_row != to_row:
        for k in range(3):
            world.simplex[to_row, k] = world.simplex[from_row, k]
            world.simplex_on_b[to_row, k] = world.simplex_on_b[from_row, k]


@compiled_as_numpy
def _closest_on_segment(world: WorldState) -> int:
    """Reduce a segment to the vertices of its point closest to the origin; return their number."""
    p = world.simplex
    x, y, z = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
    along = -(p[0, 0] * x + p[0, 1] * y + p[0, 2] * z)
    squared_length = x * x + y * y + z * z
    if along <= 0.0:
        world.barycentric[0] = 1.0
        return 1
    if along >= squared_length:
        _copy_simplex_vertex(world, 1, 0)
        world.barycentric[0] = 1.0
        return 1
    world.barycentric[1] = along / squared_length
    world.barycentric[0] = 1.0 - world.barycentric[1]
    return 2


@compiled_as_numpy
def _edge_dots(
    world: WorldState, a: int, b: int, c: int
) -> tuple[float, float, float, float, float, float]:
    """Return the products of the edges ab and ac with -a, -b and -c, as Ericson's d1 to d6."""
    p = world.simplex
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
def _triangle_barycentric(world: WorldState, a: int, b: int, c: int) -> tuple[float, float, float]:
    """Return barycentric coordinates of a triangle's point closest to the origin.

    It tests the Voronoi regions of its vertices, edges and face (Ericson 2005, 5.1.5).
    """
    d1, d2, d3, d4, d5, d6 = _edge_dots(world, a, b, c)
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
        total = (d4 - d3) + (d5 - d6)
        w = (d4 - d3) / total if total > 0.0 else 0.0
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    return va / total, vb / total, vc / total


@compiled_as_numpy
def _drop_unused_vertices(world: WorldState, count: int) -> int:
    """Remove vertices with coordinate 0 from the simplex; return how many are left."""
    kept = 0
    for k in range(count):
        if world.barycentric[k] > 0.0:
            _copy_simplex_vertex(world, k, kept)
            world.barycentric[kept] = world.barycentric[k]
            kept += 1
    return kept


@compiled_as_numpy
def _origin_beyond_face(world: WorldState, a: int, b: int, c: int, d: int) -> bool:
    """Return whether the plane of a, b and c separates the origin from vertex d of the simplex."""
    p = world.simplex
    ux, uy, uz = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], p[b, 2] - p[a, 2]
    vx, vy, vz = p[c, 0] - p[a, 0], p[c, 1] - p[a, 1], p[c, 2] - p[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin_side = -(p[a, 0] * nx + p[a, 1] * ny + p[a, 2] * nz)
    d_side = (p[d, 0] - p[a, 0]) * nx + (p[d, 1] - p[a, 1]) * ny + (p[d, 2] - p[a, 2]) * nz
    return bool(origin_side * d_side <= 0.0)


@compiled_as_numpy
def _closest_on_tetrahedron(world: WorldState) -> int:
    """Reduce a tetrahedron likewise; 4 vertices are left if the origin is inside."""
    faces = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 3, 2, 0))
    p = world.simplex
    best, found = 1e30, -1
    best_u = best_v = best_w = 0.0
    for face in range(4):
        a, b, c, d = faces[face]
        if _origin_beyond_face(world, a, b, c, d):
            u, v, w = _triangle_barycentric(world, a, b, c)
            squared_distance = 0.0
            for k in range(3):
                squared_distance += (u * p[a, k] + v * p[b, k] + w * p[c, k]) ** 2
            if squared_distance < best:
                best, found, best_u, best_v, best_w = squared_distance, face, u, v, w
    if found < 0:
        return 4
    a, b, c, d = faces[found]
    world.barycentric[a], world.barycentric[b] = best_u, best_v
    world.barycentric[c], world.barycentric[d] = best_w, 0.0
    return _drop_unused_vertices(world, 4)


@compiled_as_numpy
def _closest_on_simplex(world: WorldState, count: int) -> int:
    """Reduce the simplex to the vertices of its point closest to the origin.

    Writes that point's barycentric coordinates, and returns the number of vertices.
    """
    if count == 1:
        world.barycentric[0] = 1.0
        return 1
    if count == 2:
        return _closest_on_segment(world)
    if count == 3:
        u, v, w = _triangle_barycentric(world, 0, 1, 2)
        world.barycentric[0], world.barycentric[1], world.barycentric[2] = u, v, w
        return _drop_unused_vertices(world, 3)
    return _closest_on_tetrahedron(world)


@compiled_as_numpy
def _gjk_distance(
    shapes: ConvexShapes,
    world: WorldState,
    shape_a: int,
    body_a: int,
    shape_b: int,
    body_b: int,
    max_distance: float,
) -> float:
    """Return the distance of shapes, with a shifted by `world.shift` [m]; 0 if they overlap.

    A distance above `max_distance` is returned as a lower bound. The vector from the closest point
    of b to that of a is left in `world.search_direction`, and the point on b in `closest_point`.
    """
    d = world.search_direction
    count = 0
    for _ in range(_MAX_ITERATIONS):
        _add_support_point(shapes, world, shape_a, body_a, shape_b, body_b, count)
        new = world.simplex[count]
        if count:
            squared_distance = d[0] ** 2 + d[1] ** 2 + d[2] ** 2
            bound = new[0] * d[0] + new[1] * d[1] + new[2] * d[2]
            if bound > 0.0 and bound * bound > max_distance * max_distance * squared_distance:
                return float(bound / sqrt(squared_distance))
            if squared_distance - bound <= _RELATIVE_TOLERANCE * squared_distance:
                break
        count = _closest_on_simplex(world, count + 1)
        if count == 4:
            return 0.0
        for k in range(3):
            d[k] = 0.0
            for row in range(count):
                d[k] += world.barycentric[row] * world.simplex[row, k]
        if d[0] ** 2 + d[1] ** 2 + d[2] ** 2 < _TOUCHING * _TOUCHING:
            return 0.0
    for k in range(3):
        world.closest_point[k] = 0.0
        for row in range(count):
            world.closest_point[k] += world.barycentric[row] * world.simplex_on_b[row, k]
    return sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)


@compiled_as_numpy
def signed_distance(
    shapes: ConvexShapes,
    world: WorldState,
    shape_a: int,
    body_a: int,
    shape_b: int,
    body_b: int,
    max_distance: float,
    shift: float,
) -> float:
    """Return the distance of two convex shapes [m], below 0 where they overlap.

    `world.normal` is the first guess of the normal, and afterwards the normal found;
    `world.closest_point` is the closest point of b.

    Args:
        shapes: All shapes.
        world: Positions and rotations of the bodies, and working memory.
        shape_a: First shape.
        body_a: Row of its body.
        shape_b: Second shape.
        body_b: Row of its body.
        max_distance: Distance above which a lower bound is enough [m].
        shift: First shift along the normal [m], which saves a search where overlap is likely.
    """
    normal, d = world.normal, world.search_direction
    world.support_hint[0] = world.support_hint[1] = 0
    distance = 0.0
    for _ in range(_MAX_NORMAL_UPDATES):
        for _ in range(_MAX_SHIFTS):
            for k in range(3):
                world.shift[k] = shift * normal[k]
                d[k] = normal[k]
            distance = _gjk_distance(
                shapes, world, shape_a, body_a, shape_b, body_b, max_distance + shift
            )
            if distance > 0.0:
                break
            shift = 2.0 * shift if shift > 0.0 else INITIAL_SHIFT
        if distance > max_distance + shift:
            norm = sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
            for k in range(3):
                normal[k] = d[k] / norm
            return distance - shift
        if distance <= 0.0:
            return -shift
        cosine = (d[0] * normal[0] + d[1] * normal[1] + d[2] * normal[2]) / distance
        for k in range(3):
            normal[k] = d[k] / distance
        distance -= shift * cosine
        if shift == 0.0 or cosine > _SAME_DIRECTION:
            break
    return distance


@compiled_as_numpy
def separation_along(
    shapes: ConvexShapes, world: WorldState, shape_a: int, body_a: int, shape_b: int, body_b: int
) -> float:
    """Return the separation of two shapes along `world.normal` [m]: at most their distance."""
    for k in range(3):
        world.search_direction[k] = world.normal[k]
        world.shift[k] = 0.0
    world.support_hint[0] = world.support_hint[1] = 0
    _add_support_point(shapes, world, shape_a, body_a, shape_b, body_b, 0)
    n, point = world.normal, world.simplex[0]
    return float(n[0] * point[0] + n[1] * point[1] + n[2] * point[2])
