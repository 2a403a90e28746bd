"""The cup: its motion, and contacts of bodies with its wall, floor and rim; compiled.

The inside is a regular prism of flat facets, so a vertex inside it touches at most one facet
and the floor. The rim is a ring of flat trapezoids, which GJK collides with whole bodies.
"""

from math import sqrt

from pigglesim import trig
from pigglesim.jit import compiled_as_numpy, inlined
from pigglesim.physics.impulse.flight import SPECULATIVE_SHARE, sin_cos
from pigglesim.physics.impulse.gjk import Pair, distance_along, signed_distance
from pigglesim.physics.impulse.solver import add_contact
from pigglesim.physics.impulse.state import CUP, IN_CUP, ConvexShapes, SceneParams, WorldState
from pigglesim.rotations import Array

_MAX_PENETRATION = 0.008
"""Depth in the cup's wall or floor beyond which a vertex has come from outside [m]."""
_MAX_CUP_CONTACTS = 6
"""Maximum contacts of a body with the cup's floor, and with its wall; the deepest are kept."""

_atan2 = compiled_as_numpy(trig.atan2)


@compiled_as_numpy
def set_cup_motion(world: WorldState, path: Array, k: int, rate: float) -> None:
    """Set the cup's transform to that before a step, and the velocities that lead to the next one.

    `path` has position [m] and rotation of the cup before the first step and after each, shape
    [steps + 1, 7]; `rate` is the number of steps per second.
    """
    for j in range(3):
        world.cup_position[j] = path[k, j]
        world.cup_velocity[j] = (path[k + 1, j] - path[k, j]) * rate
    for j in range(4):
        world.cup_rotation[j] = path[k, 3 + j]
    # The rotation of the step, next * conjugate(this), as a rotation vector.
    bx, by, bz, bw = path[k, 3], path[k, 4], path[k, 5], path[k, 6]
    ax, ay, az, aw = path[k + 1, 3], path[k + 1, 4], path[k + 1, 5], path[k + 1, 6]
    x = -aw * bx + ax * bw - ay * bz + az * by
    y = -aw * by + ax * bz + ay * bw - az * bx
    z = -aw * bz - ax * by + ay * bx + az * bw
    w = aw * bw + ax * bx + ay * by + az * bz
    sine = sqrt(x * x + y * y + z * z)
    # Below this the angle is twice the sine to the last bit.
    angle = 2.0 * _atan2(sine, abs(w)) / sine if sine > 1e-9 else 2.0
    angle = angle * rate if w >= 0.0 else -angle * rate
    spin = world.cup_angular_velocity
    spin[0], spin[1], spin[2] = x * angle, y * angle, z * angle


@compiled_as_numpy
def advance_cup(world: WorldState, dt: float) -> None:
    """Move the cup by its velocities for a time [s], and write its row of the bodies."""
    spin, rotation = world.cup_angular_velocity, world.cup_rotation
    rate = sqrt(spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2)
    for k in range(3):
        world.cup_position[k] += world.cup_velocity[k] * dt
    if rate > 0.0:
        s, c = sin_cos(0.5 * rate * dt)
        ax, ay, az = spin[0] / rate * s, spin[1] / rate * s, spin[2] / rate * s
        x, y, z, w = rotation[0], rotation[1], rotation[2], rotation[3]
        rotation[0] = c * x + ax * w + ay * z - az * y
        rotation[1] = c * y - ax * z + ay * w + az * x
        rotation[2] = c * z + ax * y - ay * x + az * w
        rotation[3] = c * w - ax * x - ay * y - az * z
    x, y, z, w = rotation[0], rotation[1], rotation[2], rotation[3]
    out = world.rotation_matrix[CUP]
    out[0, 0], out[0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w)
    out[1, 0], out[1, 1] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z)
    out[2, 0], out[2, 1] = 2 * (x * z - y * w), 2 * (y * z + x * w)
    out[0, 2], out[1, 2] = 2 * (x * z + y * w), 2 * (y * z - x * w)
    out[2, 2] = 1 - 2 * (x * x + y * y)
    for k in range(3):
        world.position[CUP, k] = world.cup_position[k]
        world.velocity[CUP, k] = world.cup_velocity[k]
        world.angular_velocity[CUP, k] = spin[k]


@compiled_as_numpy
def keep_deepest(
    deepest: Array, count: int, max_count: int, separation: float, x: float, y: float, z: float
) -> int:
    """Insert a point into the list of the deepest ones; return the length of the list.

    Each row of `deepest` has separation and position [m]; with `max_count` rows, the shallowest is
    replaced.
    """
    slot = count
    if count == max_count:
        slot = 0
        for k in range(1, max_count):
            if deepest[k, 0] > deepest[slot, 0]:
                slot = k
        if deepest[slot, 0] <= separation:
            return count
    row = deepest[slot]
    row[0], row[1], row[2], row[3] = separation, x, y, z
    return count + 1 if slot == count else count


@compiled_as_numpy
def whole_shape(shapes: ConvexShapes, world: WorldState, body: int) -> int:
    """Return the one shape of a body: its hull, thinned in the cup, where detail is not needed."""
    kind = world.body_kind[body]
    in_cup = world.mode[body] == IN_CUP
    return int(shapes.thin_shape[kind] if in_cup else shapes.hull_shape[kind])


@compiled_as_numpy
def _position_in_cup(world: WorldState, body: int, k: int) -> float:
    """Return one coordinate of a body's centre of mass in the cup's frame [m]."""
    coordinate = 0.0
    for j in range(3):
        coordinate += world.rotation_matrix[CUP, j, k] * (
            world.position[body, j] - world.position[CUP, j]
        )
    return coordinate


@compiled_as_numpy
def _rotation_in_cup(world: WorldState, body: int, k: int, m: int) -> float:
    """Return one entry of the matrix from a body's principal axes to the cup's axes."""
    entry = 0.0
    for j in range(3):
        entry += world.rotation_matrix[CUP, j, k] * world.rotation_matrix[body, j, m]
    return entry


@inlined
def _wall_direction(
    shapes: ConvexShapes, scene: SceneParams, x: float, y: float
) -> tuple[float, float]:
    """Return the direction out of the facet of the wall at a point of the cup's frame [m]."""
    facet = round(_atan2(y, x) / scene.cup_facet_angle) + len(shapes.wall_directions) // 2
    return shapes.wall_directions[facet, 0], shapes.wall_directions[facet, 1]


@compiled_as_numpy
def collide_cup(
    shapes: ConvexShapes, world: WorldState, scene: SceneParams, body: int, half_dt: float
) -> None:
    """Add contacts of a body with the cup's wall, floor and rim, half a substep [s] ahead."""
    reach = SPECULATIVE_SHARE * half_dt * world.point_speed[body]
    radius, half_depth = scene.cup_radius, scene.cup_half_depth
    shape = whole_shape(shapes, world, body)
    # The body's transform in the cup's frame, as scalars: the loop below is then faster.
    px = _position_in_cup(world, body, 0)
    py = _position_in_cup(world, body, 1)
    pz = _position_in_cup(world, body, 2)
    clear = radius - reach - world.bounding_radius[body] - 1e-6
    within = clear > 0.0 and px * px + py * py < clear * clear
    if within and abs(pz) < half_depth - world.bounding_radius[body] - reach - 1e-6:
        return
    xa = _rotation_in_cup(world, body, 0, 0)
    xb = _rotation_in_cup(world, body, 0, 1)
    xc = _rotation_in_cup(world, body, 0, 2)
    ya = _rotation_in_cup(world, body, 1, 0)
    yb = _rotation_in_cup(world, body, 1, 1)
    yc = _rotation_in_cup(world, body, 1, 2)
    za = _rotation_in_cup(world, body, 2, 0)
    zb = _rotation_in_cup(world, body, 2, 1)
    zc = _rotation_in_cup(world, body, 2, 2)
    wall_count = floor_count = 0
    lowest, highest = 1e9, -1e9
    wall, floor, vertices = world.deepest_on_wall, world.deepest_on_plane, shapes.vertices
    inner, outer = (radius - reach) ** 2, (radius + _MAX_PENETRATION) ** 2
    for i in range(shapes.first_vertex[shape], shapes.first_vertex[shape + 1]):
        a, b, c = vertices[i, 0], vertices[i, 1], vertices[i, 2]
        x = px + xa * a + xb * b + xc * c
        y = py + ya * a + yb * b + yc * c
        z = pz + za * a + zb * b + zc * c
        lowest, highest = min(lowest, z), max(highest, z)
        squared = x * x + y * y
        if squared > outer or z > half_depth or z < -half_depth - _MAX_PENETRATION:
            continue
        if squared > inner:
            cosine, sine = _wall_direction(shapes, scene, x, y)
            separation = radius - x * cosine - y * sine
            if separation < reach:
                wall_count = keep_deepest(wall, wall_count, _MAX_CUP_CONTACTS, separation, x, y, z)
        if z + half_depth < reach:
            floor_count = keep_deepest(
                floor, floor_count, _MAX_CUP_CONTACTS, z + half_depth, x, y, z
            )
    for j in range(wall_count):
        x, y, z = wall[j, 1], wall[j, 2], wall[j, 3]
        cosine, sine = _wall_direction(shapes, scene, x, y)
        _add_cup_contact(world, body, x, y, z, -cosine, -sine, 0.0, wall[j, 0])
    for j in range(floor_count):
        x, y, z = floor[j, 1], floor[j, 2], floor[j, 3]
        _add_cup_contact(world, body, x, y, z, 0.0, 0.0, 1.0, floor[j, 0])
    if lowest < half_depth < highest:
        _collide_rim(shapes, world, body, reach)


@compiled_as_numpy
def _add_cup_contact(
    world: WorldState,
    body: int,
    x: float,
    y: float,
    z: float,
    nx: float,
    ny: float,
    nz: float,
    separation: float,
) -> None:
    """Add a contact whose point [m] and normal are given in the cup's frame."""
    r, point = world.rotation_matrix[CUP], world.closest_point
    for k in range(3):
        world.normal[k] = r[k, 0] * nx + r[k, 1] * ny + r[k, 2] * nz
        point[k] = world.position[CUP, k] + r[k, 0] * x + r[k, 1] * y + r[k, 2] * z
    add_contact(world, body, CUP, point[0], point[1], point[2], separation)


@compiled_as_numpy
def _collide_rim(shapes: ConvexShapes, world: WorldState, body: int, reach: float) -> None:
    """Add contacts with the facets of the cup's rim that are closer than `reach` [m]."""
    r = world.rotation_matrix[CUP]
    shape = whole_shape(shapes, world, body)
    body_reach = world.bounding_radius[body] + reach
    for facet in range(shapes.first_rim_shape, len(shapes.first_vertex) - 1):
        sphere = shapes.bounding_sphere[facet]
        squared = 0.0
        for k in range(3):
            centre = r[k, 0] * sphere[0] + r[k, 1] * sphere[1] + r[k, 2] * sphere[2]
            squared += (world.position[CUP, k] + centre - world.position[body, k]) ** 2
        if squared > (body_reach + sphere[3]) ** 2:
            continue
        # A body that overlaps the rim is assumed to have come from inside and above.
        scale = sqrt(0.5 / (sphere[0] ** 2 + sphere[1] ** 2))
        for k in range(3):
            inwards = -scale * (r[k, 0] * sphere[0] + r[k, 1] * sphere[1])
            world.normal[k] = inwards + sqrt(0.5) * r[k, 2]
        pair = Pair(shape, body, facet, CUP)
        axis = world.rim_axis[body, facet - shapes.first_rim_shape]
        if distance_along(shapes, world, pair, axis) > reach + 1e-9:
            continue
        separation = signed_distance(shapes, world, pair, reach, 0.0)
        if separation >= reach:
            for k in range(3):
                axis[k] = world.normal[k]
        if separation < reach and separation > -_MAX_PENETRATION:
            point = world.closest_point
            add_contact(world, body, CUP, point[0], point[1], point[2], separation)
