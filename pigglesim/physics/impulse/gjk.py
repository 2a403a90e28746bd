"""Signed distance of two convex shapes; compiled.

Distances are found by the algorithm of Gilbert, Johnson and Keerthi (1988). Support vertices come
from hill climbing that begins at an entry of a table, and closest points of simplices are those of
Ericson ("Real-Time Collision Detection", 2005, 5.1). GJK gives no penetration depth. So shapes that
overlap are first shifted apart along a guessed normal. If the normal found equals the guess, the
shift has changed only the distance, and the depth is a local minimum over directions.

The Minkowski difference is a - b, so normals point from b towards a.
"""

from math import inf, sqrt
from typing import NamedTuple

from pigglesim.jit import compiled_as_numpy, inlined
from pigglesim.physics.impulse.state import CELLS_PER_SIDE, ConvexShapes, WorldState
from pigglesim.rotations import Array


class Pair(NamedTuple):
    """Two convex shapes of bodies."""

    shape_a: int
    body_a: int
    """Row of the body that has the first shape."""
    shape_b: int
    body_b: int
    """Row of the body that has the second shape."""


Vector = tuple[float, float, float]
Point = tuple[float, float, float, int, int]
"""Point of a Minkowski difference [m], and the vertices of a and b that give it."""
Face = tuple[float, Point, Point, Point, float, float, float]
"""Squared distance of a triangle from the origin [m2], its corners, and the barycentric coordinates
of its closest point."""

_HALF_SIDE = 0.5 * CELLS_PER_SIDE

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


@inlined
def climb_down(
    shapes: ConvexShapes, shape: int, start: int, x: float, y: float, z: float
) -> tuple[int, float]:
    """Return a shape's support vertex against a direction, and its coordinate along that.

    By hill climbing along edges from the vertex `start`. The direction x, y, z is in principal
    axes; vertices are numbered within the shape.
    """
    vertices, neighbours, start_of = shapes.vertices, shapes.neighbours, shapes.neighbour_start
    first, positions = shapes.first_vertex[shape], shapes.neighbour_positions
    here, row = start, first + start
    lowest = vertices[row, 0] * x + vertices[row, 1] * y + vertices[row, 2] * z
    while True:
        lower = -1
        for k in range(start_of[first + here], start_of[first + here + 1]):
            height = positions[k, 0] * x + positions[k, 1] * y + positions[k, 2] * z
            if height < lowest:
                lower, lowest = k, height
        if lower < 0:
            return int(here), float(lowest)
        here = neighbours[lower]


@inlined
def support_vertex(shapes: ConvexShapes, shape: int, x: float, y: float, z: float) -> int:
    """Return a shape's support vertex against a direction x, y, z, principal axes.

    The climb begins at the support vertex of the middle of the direction's cell on a cube, from a
    table.
    """
    ax, ay, az = abs(x), abs(y), abs(z)
    start = 0
    # What is not a number would be a cell outside the table.
    if 0.0 < ax + ay + az < inf:
        if ax >= ay and ax >= az:
            face, scale, u, v = (0 if x > 0.0 else 1), _HALF_SIDE / ax, y, z
        elif ay >= az:
            face, scale, u, v = (2 if y > 0.0 else 3), _HALF_SIDE / ay, z, x
        else:
            face, scale, u, v = (4 if z > 0.0 else 5), _HALF_SIDE / az, x, y
        row = min(int(u * scale + _HALF_SIDE), CELLS_PER_SIDE - 1)
        column = min(int(v * scale + _HALF_SIDE), CELLS_PER_SIDE - 1)
        start = shapes.near_support[shape, face, row, column]
    return climb_down(shapes, shape, start, x, y, z)[0]


@inlined
def _world_point(
    shapes: ConvexShapes, world: WorldState, shape: int, body: int, vertex: int
) -> Vector:
    """Return the position of a shape's vertex [m]."""
    r, position = world.rotation_matrix[body], world.position[body]
    row = shapes.first_vertex[shape] + vertex
    x, y, z = shapes.vertices[row, 0], shapes.vertices[row, 1], shapes.vertices[row, 2]
    return (
        position[0] + r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        position[1] + r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        position[2] + r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )


@inlined
def _support_point(
    shapes: ConvexShapes, world: WorldState, pair: Pair, x: float, y: float, z: float
) -> Point:
    """Return the support point of the Minkowski difference against a direction x, y, z.

    `world.shift` is added to it.
    """
    ra, rb = world.rotation_matrix[pair.body_a], world.rotation_matrix[pair.body_b]
    i = support_vertex(
        shapes,
        pair.shape_a,
        ra[0, 0] * x + ra[1, 0] * y + ra[2, 0] * z,
        ra[0, 1] * x + ra[1, 1] * y + ra[2, 1] * z,
        ra[0, 2] * x + ra[1, 2] * y + ra[2, 2] * z,
    )
    j = support_vertex(
        shapes,
        pair.shape_b,
        -(rb[0, 0] * x + rb[1, 0] * y + rb[2, 0] * z),
        -(rb[0, 1] * x + rb[1, 1] * y + rb[2, 1] * z),
        -(rb[0, 2] * x + rb[1, 2] * y + rb[2, 2] * z),
    )
    ax, ay, az = _world_point(shapes, world, pair.shape_a, pair.body_a, i)
    bx, by, bz = _world_point(shapes, world, pair.shape_b, pair.body_b, j)
    shift = world.shift
    return ax - bx + shift[0], ay - by + shift[1], az - bz + shift[2], i, j


@inlined
def distance_along(shapes: ConvexShapes, world: WorldState, pair: Pair, axis: Array) -> float:
    """Return the distance of two shapes along a unit vector towards a [m], below 0 if they overlap.

    The vector has shape [3]; for one of zeros the distance is 0.
    """
    for k in range(3):
        world.shift[k] = 0.0
    x, y, z, _, _ = _support_point(shapes, world, pair, axis[0], axis[1], axis[2])
    return float(x * axis[0] + y * axis[1] + z * axis[2])


@compiled_as_numpy
def _closest_on_segment(a: Point, b: Point) -> tuple[float, float]:
    """Return barycentric coordinates of a segment's point closest to the origin."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    along = -(a[0] * x + a[1] * y + a[2] * z)
    squared_length = x * x + y * y + z * z
    if along <= 0.0:
        return 1.0, 0.0
    if along >= squared_length:
        return 0.0, 1.0
    share = along / squared_length
    return 1.0 - share, share


@compiled_as_numpy
def _closest_on_triangle(a: Point, b: Point, c: Point) -> Vector:
    """Return barycentric coordinates of a triangle's point closest to the origin.

    It tests the Voronoi regions of its vertices, edges and face (Ericson 2005, 5.1.5).
    """
    abx, aby, abz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    acx, acy, acz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    d1 = -(abx * a[0] + aby * a[1] + abz * a[2])
    d2 = -(acx * a[0] + acy * a[1] + acz * a[2])
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3 = -(abx * b[0] + aby * b[1] + abz * b[2])
    d4 = -(acx * b[0] + acy * b[1] + acz * b[2])
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    d5 = -(abx * c[0] + aby * c[1] + abz * c[2])
    d6 = -(acx * c[0] + acy * c[1] + acz * c[2])
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
def _weighted_sum(a: Point, b: Point, c: Point, u: float, v: float, w: float) -> Vector:
    """Return the point with barycentric coordinates u, v and w [m]."""
    return (
        u * a[0] + v * b[0] + w * c[0],
        u * a[1] + v * b[1] + w * c[1],
        u * a[2] + v * b[2] + w * c[2],
    )


@compiled_as_numpy
def _closer_face(best: Face, a: Point, b: Point, c: Point, d: Point) -> Face:
    """Return the face a, b, c if it parts the origin from d and is closer to it, else `best`."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin_side = -(a[0] * nx + a[1] * ny + a[2] * nz)
    d_side = (d[0] - a[0]) * nx + (d[1] - a[1]) * ny + (d[2] - a[2]) * nz
    if origin_side * d_side <= 0.0:
        u, v, w = _closest_on_triangle(a, b, c)
        x, y, z = _weighted_sum(a, b, c, u, v, w)
        squared_distance = x * x + y * y + z * z
        if squared_distance < best[0]:
            return squared_distance, a, b, c, u, v, w
    return best


@inlined
def _gjk_distance(
    shapes: ConvexShapes, world: WorldState, pair: Pair, touching: float, max_distance: float
) -> float:
    """Return the distance of shapes, with a shifted by `world.shift` [m]; 0 below `touching`.

    A distance above `max_distance` is returned as a lower bound. The vector from the closest point
    of b to that of a is left in `world.search_direction`, and the point on b in `closest_point`.

    The simplex is in local variables, for speed: the first `count` of the points a, b and c, with
    barycentric coordinates u, v and w.
    """
    search = world.search_direction
    x, y, z = search[0], search[1], search[2]
    a = b = c = (0.0, 0.0, 0.0, 0, 0)
    u, v, w = 1.0, 0.0, 0.0
    count, lower_bound = 0, 0.0
    for _ in range(_MAX_ITERATIONS):
        new = _support_point(shapes, world, pair, x, y, z)
        world.support_hint[0], world.support_hint[1] = new[3], new[4]
        squared_distance = x * x + y * y + z * z
        bound = new[0] * x + new[1] * y + new[2] * z
        if bound > 0.0 and bound * bound > max_distance * max_distance * squared_distance:
            lower_bound = bound / sqrt(squared_distance)
            break
        if count == 0:
            a = new
        else:
            if squared_distance - bound <= _RELATIVE_TOLERANCE * squared_distance:
                break
            if count == 1:
                b = new
                u, v = _closest_on_segment(a, b)
            elif count == 2:
                c = new
                u, v, w = _closest_on_triangle(a, b, c)
            else:
                best = _closer_face((inf, a, b, c, u, v, w), a, b, c, new)
                best = _closer_face(best, a, c, new, b)
                best = _closer_face(best, a, new, b, c)
                best = _closer_face(best, b, new, c, a)
                if best[0] == inf:
                    # The origin is inside the tetrahedron.
                    return 0.0
                _, a, b, c, u, v, w = best
        # Drop the points that have no part in the closest one.
        count = min(count + 1, 3)
        if count == 3 and w <= 0.0:
            count = 2
        elif count == 3 and v <= 0.0:
            b, v, w, count = c, w, 0.0, 2
        elif count == 3 and u <= 0.0:
            a, u, b, v, w, count = b, v, c, w, 0.0, 2
        if count == 2 and v <= 0.0:
            count = 1
        elif count == 2 and u <= 0.0:
            a, u, v, count = b, v, 0.0, 1
        x, y, z = _weighted_sum(a, b, c, u, v, w)
        # Not where they overlap, and not where the simplex has no area.
        if not x * x + y * y + z * z >= touching * touching:
            return 0.0
    search[0], search[1], search[2] = x, y, z
    if lower_bound > 0.0:
        return float(lower_bound)
    ax, ay, az = _world_point(shapes, world, pair.shape_b, pair.body_b, a[4])
    bx, by, bz = _world_point(shapes, world, pair.shape_b, pair.body_b, b[4])
    cx, cy, cz = _world_point(shapes, world, pair.shape_b, pair.body_b, c[4])
    point = world.closest_point
    point[0] = u * ax + v * bx + w * cx
    point[1] = u * ay + v * by + w * cy
    point[2] = u * az + v * bz + w * cz
    return sqrt(x * x + y * y + z * z)


@compiled_as_numpy
def signed_distance(
    shapes: ConvexShapes, world: WorldState, pair: Pair, max_distance: float, shift: float
) -> float:
    """Return the distance of two convex shapes [m], below 0 where they overlap.

    `world.normal` is the first guess of the normal, and afterwards the normal found;
    `world.closest_point` is the closest point of b.

    Args:
        shapes: All shapes.
        world: Positions and rotations of the bodies, and working memory.
        pair: The two shapes.
        max_distance: Distance above which a lower bound is enough [m].
        shift: First shift along the normal [m], which saves a search where overlap is likely.
    """
    normal, d = world.normal, world.search_direction
    distance = 0.0
    for _ in range(_MAX_NORMAL_UPDATES):
        for _ in range(_MAX_SHIFTS):
            for k in range(3):
                world.shift[k] = shift * normal[k]
                d[k] = normal[k]
            distance = _gjk_distance(shapes, world, pair, _TOUCHING, max_distance + shift)
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
def are_separated(shapes: ConvexShapes, world: WorldState, pair: Pair, distance: float) -> bool:
    """Return whether two shapes are farther apart than a distance [m].

    `world.normal` is the first search direction, and if they are, afterwards a separating axis.
    """
    normal, d = world.normal, world.search_direction
    for k in range(3):
        world.shift[k] = 0.0
        d[k] = normal[k]
    if _gjk_distance(shapes, world, pair, max(distance, _TOUCHING), distance) <= distance:
        return False
    norm = sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
    for k in range(3):
        normal[k] = d[k] / norm
    return True
