"""Contact manifolds of bodies with the board, each other and the cup; compiled.

Two convex shapes touch along the normal that GJK found, at a point or face on face. The faces are
the vertices near the support vertex, connected along edges. They are projected along the normal,
and contacts are the vertices of either inside the other, and the crossings of their edges: the
corners of the intersection (Ericson 2005, 5.5; in 2D, Catto's clipping in Box2D).
"""

from math import inf, sqrt

from pigglesim.jit import compiled_as_numpy, inlined
from pigglesim.physics.impulse.broad_phase import (
    may_touch_cup,
    may_touch_edge,
    store_normal,
    warm_start_normal,
)
from pigglesim.physics.impulse.cup import collide_cup, keep_deepest, whole_shape
from pigglesim.physics.impulse.flight import (
    SPECULATIVE_SHARE,
    collect_vertices_below,
    lowest_vertex,
)
from pigglesim.physics.impulse.gjk import (
    INITIAL_SHIFT,
    Pair,
    are_separated,
    climb_down,
    distance_along,
    signed_distance,
)
from pigglesim.physics.impulse.solver import add_contact, set_target_velocities
from pigglesim.physics.impulse.state import (
    BOARD,
    BOARD_CONTACT,
    BODY_CONTACT,
    CUP_CONTACT,
    IN_CUP,
    ConvexShapes,
    HullBody,
    SceneParams,
    Scratch,
    WorldState,
    X,
    Y,
    Z,
)

_FACE_TOLERANCE = 1e-4
"""Distance along the normal from the support vertex within which vertices form the face [m]."""
_NEARLY_OVERLAPPING = 1e-4
"""Separation below which a pair was close enough to be shifted apart at once [m]."""
_SPEED_AT_REST = 1.0
"""Speed that a search for contacts with a plane adds [m/s]: a body at rest keeps its contacts."""
_MAX_BOARD_CONTACTS = 6
"""Maximum contacts of a body with the board's top or the table; the deepest are kept."""

Axes = tuple[float, float, float, float, float, float]
"""Two unit vectors u and v = n x u across a normal n."""


@compiled_as_numpy
def _find_face(
    shapes: ConvexShapes, world: WorldState, side: int, shape: int, body: int, sign: float
) -> None:
    """List the vertices of a shape's touching face, by a flood fill along edges.

    Writes their positions [m], and their heights over the face [m], into `world.face_points`.

    `side` and `sign` are 0 and 1 for the first shape, whose face is lowest along the normal, and 1
    and -1 for the second.
    """
    first = shapes.first_vertex[shape]
    vertices, neighbours, start_of = shapes.vertices, shapes.neighbours, shapes.neighbour_start
    r, n = world.rotation_matrix[body], world.normal
    x = sign * (r[0, 0] * n[0] + r[1, 0] * n[1] + r[2, 0] * n[2])
    y = sign * (r[0, 1] * n[0] + r[1, 1] * n[1] + r[2, 1] * n[2])
    z = sign * (r[0, 2] * n[0] + r[1, 2] * n[1] + r[2, 2] * n[2])
    found = world.face_vertices[side]
    found[0], lowest = climb_down(shapes, shape, world.support_hint[side], x, y, z)
    count, done = 1, 0
    while done < count:
        here = found[done]
        done += 1
        for k in range(start_of[first + here], start_of[first + here + 1]):
            i = neighbours[k]
            row = first + i
            height = vertices[row, 0] * x + vertices[row, 1] * y + vertices[row, 2] * z - lowest
            skip = height > _FACE_TOLERANCE or count == len(found)
            for j in range(count):
                skip = skip or found[j] == i
            if not skip:
                found[count] = i
                count += 1
    world.face_size[side] = count
    for j in range(count):
        row = first + found[j]
        a, b, c = vertices[row, 0], vertices[row, 1], vertices[row, 2]
        point = world.face_points[side, j]
        for k in range(3):
            point[k] = world.position[body, k] + r[k, 0] * a + r[k, 1] * b + r[k, 2] * c
        point[3] = a * x + b * y + c * z - lowest


@compiled_as_numpy
def _project_face(world: WorldState, side: int, axes: Axes) -> None:
    """Project a face along the normal, and sort its vertices by their angle about the middle.

    The points of the face become coordinates along the axes [m], and a number that grows with the
    angle; `side` is 0 for the first shape and 1 for the second.
    """
    points, count = world.face_points[side], world.face_size[side]
    ux, uy, uz, vx, vy, vz = axes
    middle_u = middle_v = 0.0
    for j in range(count):
        x, y, z = points[j, 0], points[j, 1], points[j, 2]
        points[j, 0], points[j, 1] = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
        points[j, 2] = 0.0
        middle_u += points[j, 0] / count
        middle_v += points[j, 1] / count
    if count < 3:
        return
    for j in range(count):
        # Grows with the angle, from -2 to 2.
        u, v = points[j, 0] - middle_u, points[j, 1] - middle_v
        share = u / (abs(u) + abs(v)) if u != 0.0 or v != 0.0 else 1.0
        points[j, 2] = 1.0 - share if v >= 0.0 else share - 1.0
    # Insertion sort: the faces are small.
    for j in range(1, count):
        i = j
        while i > 0 and points[i - 1, 2] > points[i, 2]:
            for k in range(4):
                points[i - 1, k], points[i, k] = points[i, k], points[i - 1, k]
            i -= 1


@compiled_as_numpy
def _contains(world: WorldState, side: int, u: float, v: float) -> bool:
    """Return whether a projected point is inside a projected face of at least three vertices.

    The outline is assumed to be convex. That of a face with a rounded edge is not, as it includes
    vertices of the rounding. For two such faces little but the edge crossings is found.
    """
    points, count = world.face_points[side], world.face_size[side]
    for j in range(count):
        i = j + 1 if j + 1 < count else 0
        eu, ev = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1]
        if eu * (v - points[j, 1]) - ev * (u - points[j, 0]) < 0.0:
            return False
    return True


@compiled_as_numpy
def _add_projected(
    world: WorldState, pair: Pair, axes: Axes, level: float, u: float, v: float, separation: float
) -> None:
    """Add a contact at coordinates u and v along the axes and `level` along the normal [m]."""
    n = world.normal
    ux, uy, uz, vx, vy, vz = axes
    add_contact(
        world,
        pair.body_a,
        pair.body_b,
        u * ux + v * vx + level * n[0],
        u * uy + v * vy + level * n[1],
        u * uz + v * vz + level * n[2],
        separation,
    )


@compiled_as_numpy
def build_manifold(shapes: ConvexShapes, world: WorldState, pair: Pair, separation: float) -> None:
    """Add the contacts of two shapes whose separation [m] was just found.

    `world.normal` and `world.closest_point` are as `signed_distance` left them.
    """
    _find_face(shapes, world, 0, pair.shape_a, pair.body_a, 1.0)
    _find_face(shapes, world, 1, pair.shape_b, pair.body_b, -1.0)
    n, point, count_before = world.normal, world.closest_point, world.contact_count
    if world.face_size[0] > 1 and world.face_size[1] > 1:
        # Any unit vector u across the normal, and v = n x u.
        if abs(n[0]) < 0.6:
            ux, uy, uz = 0.0, n[2], -n[1]
        else:
            ux, uy, uz = -n[2], 0.0, n[0]
        norm = sqrt(ux * ux + uy * uy + uz * uz)
        ux, uy, uz = ux / norm, uy / norm, uz / norm
        vx, vy, vz = n[1] * uz - n[2] * uy, n[2] * ux - n[0] * uz, n[0] * uy - n[1] * ux
        axes = (ux, uy, uz, vx, vy, vz)
        level = point[0] * n[0] + point[1] * n[1] + point[2] * n[2]
        for side in range(2):
            _project_face(world, side, axes)
        for side in range(2):
            if world.face_size[1 - side] < 3:
                continue
            for j in range(world.face_size[side]):
                vertex = world.face_points[side, j]
                u, v, height = vertex[0], vertex[1], vertex[3]
                if _contains(world, 1 - side, u, v):
                    _add_projected(world, pair, axes, level, u, v, separation + height)
        _add_edge_crossings(world, pair, axes, level, separation)
    if world.contact_count == count_before:
        add_contact(world, pair.body_a, pair.body_b, point[0], point[1], point[2], separation)


@compiled_as_numpy
def _add_edge_crossings(
    world: WorldState, pair: Pair, axes: Axes, level: float, separation: float
) -> None:
    """Add a contact at each crossing of an edge of one projected face with one of the other.

    `separation` is the signed distance of the shapes [m], `level` the coordinate of the contacts
    along the normal [m].
    """
    face_a, face_b = world.face_points[0], world.face_points[1]
    size_a, size_b = world.face_size[0], world.face_size[1]
    for j in range(size_a if size_a > 2 else 1):
        i = j + 1 if j + 1 < size_a else 0
        au, av = face_a[i, 0] - face_a[j, 0], face_a[i, 1] - face_a[j, 1]
        for m in range(size_b if size_b > 2 else 1):
            k = m + 1 if m + 1 < size_b else 0
            bu, bv = face_b[k, 0] - face_b[m, 0], face_b[k, 1] - face_b[m, 1]
            determinant = au * bv - av * bu
            if determinant == 0.0:
                continue
            cu, cv = face_b[m, 0] - face_a[j, 0], face_b[m, 1] - face_a[j, 1]
            s, t = (cu * bv - cv * bu) / determinant, (cu * av - cv * au) / determinant
            if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
                height = face_a[j, 3] + s * (face_a[i, 3] - face_a[j, 3])
                height += face_b[m, 3] + t * (face_b[k, 3] - face_b[m, 3])
                u, v = face_a[j, 0] + s * au, face_a[j, 1] + s * av
                _add_projected(world, pair, axes, level, u, v, separation + height)


@inlined
def hull_body(shapes: ConvexShapes, world: WorldState, body: int) -> HullBody:
    """Return a body of a world in the form that functions for one body on a plane take."""
    shape = shapes.hull_shape[world.body_kind[body]]
    first, last = shapes.first_vertex[shape], shapes.first_vertex[shape + 1]
    inv_inertia = world.inv_inertia[body]
    return HullBody(
        vertices=shapes.vertices[first:last],
        neighbours=shapes.neighbours,
        neighbour_start=shapes.neighbour_start[first : last + 1],
        visit_stamp=shapes.visit_stamp[first:last],
        inv_mass=world.inv_mass[body],
        inv_inertia=(inv_inertia[0], inv_inertia[1], inv_inertia[2]),
        bounding_radius=world.bounding_radius[body],
        rounding=0.0,
    )


@compiled_as_numpy
def _set_normal_up(world: WorldState) -> None:
    """Set `world.normal` to straight up."""
    world.normal[0] = world.normal[1] = 0.0
    world.normal[2] = 1.0


@compiled_as_numpy
def _set_normal_of_nearest_face(shapes: ConvexShapes, world: WorldState, pair: Pair) -> None:
    """Set `world.normal` to that of the board's top or side that overlaps a body least.

    GJK finds the normal of an overlap near its first guess: up, for a body that is a tenth of a
    millimetre in a side, would lift it onto the board.
    """
    state, axis, nearest = world.states[pair.body_a], world.search_direction, -inf
    for k in (Z, X, Y):
        axis[X] = axis[Y] = axis[Z] = 0.0
        axis[k] = -1.0 if k != Z and state[k] < 0.0 else 1.0
        distance = distance_along(shapes, world, pair, axis)
        if distance > nearest:
            nearest = distance
            for m in range(3):
                world.normal[m] = axis[m]


@inlined
def _collide_board(
    shapes: ConvexShapes,
    world: WorldState,
    scratch: Scratch,
    scene: SceneParams,
    body: int,
    half_dt: float,
) -> None:
    """Add contacts of a body with the board's top or, outside it, with its edges and the table."""
    state = world.states[body]
    reach = SPECULATIVE_SHARE * half_dt * world.point_speed[body]
    if state[Z] > world.bounding_radius[body] + reach:
        return
    at_edge = may_touch_edge(world, scene, body, reach)
    beside = at_edge or max(abs(state[X]), abs(state[Y])) > scene.board_half_side
    plane = -scene.board_thickness if beside else 0.0
    if at_edge:
        board, shape = shapes.board_shape, shapes.hull_shape[world.body_kind[body]]
        pair = Pair(shape, body, board, BOARD)
        _set_normal_of_nearest_face(shapes, world, pair)
        separation = signed_distance(shapes, world, pair, reach, 0.0)
        if separation < reach:
            build_manifold(shapes, world, pair, separation)
    hull = hull_body(shapes, world, body)
    up = scratch.up
    for k in range(3):
        up[k] = world.rotation_matrix[body, 2, k]
    world.lowest_vertex[body] = lowest_vertex(hull, up, world.lowest_vertex[body])
    height = state[Z] - plane
    level = reach - height
    lowest = world.lowest_vertex[body]
    level += SPECULATIVE_SHARE * half_dt * _SPEED_AT_REST
    candidate_count = collect_vertices_below(hull, scratch, up, level, lowest, up, -inf, lowest)
    _set_normal_up(world)
    _add_plane_contacts(world, hull, scratch, body, candidate_count, height, plane)


@compiled_as_numpy
def _add_plane_contacts(
    world: WorldState,
    hull: HullBody,
    scratch: Scratch,
    body: int,
    candidate_count: int,
    height: float,
    plane: float,
) -> None:
    """Add contacts with a level plane at the deepest of the candidate vertices.

    `height` is that of the centre of mass above the plane [m], and `plane` that of the plane [m].
    """
    deepest, count = world.deepest_on_plane, 0
    r = world.rotation_matrix[body]
    for j in range(candidate_count):
        i = scratch.candidates[j]
        a, b, c = hull.vertices[i, 0], hull.vertices[i, 1], hull.vertices[i, 2]
        count = keep_deepest(
            deepest,
            count,
            _MAX_BOARD_CONTACTS,
            height + a * r[2, 0] + b * r[2, 1] + c * r[2, 2],
            a * r[0, 0] + b * r[0, 1] + c * r[0, 2],
            a * r[1, 0] + b * r[1, 1] + c * r[1, 2],
            0.0,
        )
    for j in range(count):
        x = world.position[body, 0] + deepest[j, 1]
        y = world.position[body, 1] + deepest[j, 2]
        add_contact(world, body, BOARD, x, y, plane, deepest[j, 0])


@inlined
def _collide_bodies(
    shapes: ConvexShapes, world: WorldState, body: int, other: int, half_dt: float
) -> None:
    """Add contacts of two bodies: whole in the cup, convex part by part outside it."""
    speed = world.point_speed[body] + world.point_speed[other]
    reach = SPECULATIVE_SHARE * half_dt * speed
    whole, other_whole = whole_shape(shapes, world, body), whole_shape(shapes, world, other)
    first, last = _part_range(shapes, world, body)
    other_first, other_last = _part_range(shapes, world, other)
    warm_start_normal(world, body, other)
    pair = Pair(whole, body, other_whole, other)
    if first == last and other_first == other_last:
        overlap = world.cached_separation[body, other] < _NEARLY_OVERLAPPING
        separation = signed_distance(shapes, world, pair, reach, INITIAL_SHIFT if overlap else 0.0)
        store_normal(world, body, other, separation)
        if separation < reach:
            build_manifold(shapes, world, pair, separation)
        return
    if are_separated(shapes, world, pair, reach):
        store_normal(world, body, other, reach)
        return
    # Without parts, a body is its whole shape.
    if first == last:
        first, last = whole, whole + 1
    if other_first == other_last:
        other_first, other_last = other_whole, other_whole + 1
    for i in range(first, last):
        if _is_apart(shapes, world, Pair(i, body, other_whole, other), reach):
            continue
        for j in range(other_first, other_last):
            pair = Pair(i, body, j, other)
            if _is_apart(shapes, world, pair, reach):
                continue
            separation = signed_distance(shapes, world, pair, reach, 0.0)
            if separation < reach:
                build_manifold(shapes, world, pair, separation)


@compiled_as_numpy
def _part_range(shapes: ConvexShapes, world: WorldState, body: int) -> tuple[int, int]:
    """Return a body's first convex part and one past the last; the same if it has none now."""
    kind = world.body_kind[body]
    first, last = shapes.part_range[kind, 0], shapes.part_range[kind, 1]
    return (first, first) if world.mode[body] == IN_CUP else (first, last)


@inlined
def _is_apart(shapes: ConvexShapes, world: WorldState, pair: Pair, reach: float) -> bool:
    """Return whether the bounding spheres of two shapes are farther apart than a distance [m].

    If not, `world.normal` becomes the direction between their centres.
    """
    a, b = pair.body_a, pair.body_b
    ra, rb = world.rotation_matrix[a], world.rotation_matrix[b]
    sphere, other_sphere = (
        shapes.bounding_sphere[pair.shape_a],
        shapes.bounding_sphere[pair.shape_b],
    )
    x = world.position[a, 0] - world.position[b, 0]
    y = world.position[a, 1] - world.position[b, 1]
    z = world.position[a, 2] - world.position[b, 2]
    for m in range(3):
        x += ra[0, m] * sphere[m] - rb[0, m] * other_sphere[m]
        y += ra[1, m] * sphere[m] - rb[1, m] * other_sphere[m]
        z += ra[2, m] * sphere[m] - rb[2, m] * other_sphere[m]
    squared = x * x + y * y + z * z
    farthest = sphere[3] + other_sphere[3] + reach
    if squared > farthest * farthest:
        return True
    scale = 1.0 / sqrt(squared)
    world.normal[0], world.normal[1], world.normal[2] = x * scale, y * scale, z * scale
    return False


@inlined
def find_contacts(
    shapes: ConvexShapes,
    world: WorldState,
    scratch: Scratch,
    scene: SceneParams,
    half_dt: float,
) -> None:
    """Find all contacts of bodies that are stepped together, and their target velocities.

    The bodies are in the middle of a substep, of which `half_dt` [s] is left.
    """
    threshold = scene.surface.restitution_threshold
    world.contact_count = 0
    for body in range(scene.body_count):
        if world.step_mode[body]:
            _collide_board(shapes, world, scratch, scene, body, half_dt)
    _set_contact_kind(world, 0, BOARD_CONTACT)
    set_target_velocities(world, scene.surface.restitution, threshold, half_dt, 0)
    start = world.contact_count
    for row in range(world.pair_count):
        _collide_bodies(shapes, world, world.pairs[row, 0], world.pairs[row, 1], half_dt)
    _set_contact_kind(world, start, BODY_CONTACT)
    set_target_velocities(world, scene.body_restitution, threshold, half_dt, start)
    start = world.contact_count
    if world.has_cup:
        for body in range(scene.body_count):
            if world.step_mode[body] and may_touch_cup(world, scene, body, 0.0):
                collide_cup(shapes, world, scene, body, half_dt)
    _set_contact_kind(world, start, CUP_CONTACT)
    set_target_velocities(world, scene.cup_restitution, threshold, half_dt, start)


@compiled_as_numpy
def _set_contact_kind(world: WorldState, start: int, kind: int) -> None:
    """Set the kind of every contact from `start` on."""
    for i in range(start, world.contact_count):
        world.contact_kind[i] = kind
