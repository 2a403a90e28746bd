"""Throws of one die among flat plates on the floor, in a box that turns, or caught; compiled.

The die is stepped on the floor as in a drop, in pieces so short that it hardly enters a plate.
After each piece, plates are struck one by one: in the frame of a plate, a strike is an impact on a
level floor. The class of the pose is certain as early as in a drop, as plates add no energy.
"""

from math import pi, sqrt

from pigglesim.jit import compiled_as_numpy
from pigglesim.physics.early_stop import DECIDED, DESCENDED, TIMED_OUT, certain_pose, descend
from pigglesim.physics.impulse.drops import find_lowest
from pigglesim.physics.impulse.flight import (
    CONTACT_DISTANCE,
    advance_body,
    collect_vertices_below,
    load_motion,
    locate_vertex,
    lowest_vertex,
    normal_velocity,
    read_motion,
    sin_cos,
    store_motion,
    write_state_rotation,
)
from pigglesim.physics.impulse.solver import POSITION_CORRECTION, add_plane_contact, solve_impact
from pigglesim.physics.impulse.state import (
    LX,
    QW,
    QX,
    QY,
    QZ,
    STILL_TIME,
    VX,
    VZ,
    DropParams,
    PlateParams,
    Scratch,
    X,
    Y,
    Z,
)
from pigglesim.rotations import Array, Indices

_PIECES = 4
"""Pieces of a step near a plate."""
_SLOW = 5e-4
"""Kinetic energy as a height at which a vertex moves a fifth of a millimetre in a step [m]."""
_MAX_PENETRATION = 0.004
"""Depth below a plate beyond which a vertex has come from behind [m]."""
_HELD_ABOVE = 1e-3
"""Height of the lowest vertex above which a die at rest is held by a plate [m]."""


@compiled_as_numpy
def _strike(
    state: Array, local: Array, params: DropParams, scratch: Scratch, plate: Array, depth: float
) -> bool:
    """Resolve the impact of a body on a plate, and return whether it is closer than `depth` [m].

    Args:
        state: State of the body, changed, shape [STATE_SIZE].
        local: Receives its state in the frame of the plate, whose upper side is level.
        params: The body, and its contact with floor and plates.
        scratch: Working memory.
        plate: x, z, cosine, sine, length, and sine and cosine of half the angle, shape [7].
        depth: Distance from the bounding sphere that is close [m].
    """
    body, surface = params.body, params.surface
    c, s, radius = plate[2], plate[3], body.bounding_radius
    x, z = state[X] - plate[0], state[Z] + body.rounding - plate[1]
    local[X], local[Z] = c * x + s * z, c * z - s * x - body.rounding
    near = radius + body.rounding + depth
    if local[Z] > near or local[Z] < -near or local[X] < -near or local[X] > plate[4] + near:
        return False
    local[Y] = state[Y]
    local[VX], local[VX + 1] = c * state[VX] + s * state[VZ], state[VX + 1]
    local[VZ] = c * state[VZ] - s * state[VX]
    # The rotation into the frame is about y: quaternion (0, sine, 0, cosine) of half the angle.
    bx, by, bz, bw = state[QX], state[QY], state[QZ], state[QW]
    ay, aw = plate[5], plate[6]
    local[QX], local[QY] = aw * bx + ay * bz, aw * by + ay * bw
    local[QZ], local[QW] = aw * bz - ay * bx, aw * bw - ay * by
    for k in range(3):
        local[LX + k] = state[LX + k]
    write_state_rotation(local, scratch)
    up = scratch.up
    for k in range(3):
        up[k] = scratch.rotation_matrix[2, k]
    scratch.lowest_later = lowest_vertex(body, up, scratch.lowest_later)
    lowest = scratch.lowest_later
    candidate_count = collect_vertices_below(
        body, scratch, up, CONTACT_DISTANCE - local[Z], lowest, up, -1e9, lowest
    )
    if candidate_count == 0:
        return True
    load_motion(local, body, scratch)
    count, deepest = 0, 0.0
    for k in range(candidate_count):
        locate_vertex(body, scratch.candidates[k], scratch)
        along, separation = local[X] + scratch.vertex_offset[0], local[Z] + scratch.vertex_offset[2]
        if 0.0 <= along <= plate[4] and separation > -_MAX_PENETRATION:
            velocity = normal_velocity(scratch)
            rebounds = velocity < -surface.restitution_threshold
            target = -surface.restitution * velocity if rebounds else 0.0
            count = add_plane_contact(scratch, body.rounding, count, target)
            deepest = min(deepest, separation)
    if count == 0:
        return True
    solve_impact(body, surface, scratch, count)
    store_motion(local, body, scratch)
    lift = -POSITION_CORRECTION * deepest
    state[X] -= s * lift
    state[Z] += c * lift
    state[VX] = c * local[VX] - s * local[VZ]
    state[VX + 1] = local[VX + 1]
    state[VZ] = s * local[VX] + c * local[VZ]
    for k in range(3):
        state[LX + k] = local[LX + k]
    return True


@compiled_as_numpy
def _run_until_decided(
    state: Array,
    local: Array,
    params: DropParams,
    scratch: Scratch,
    around: PlateParams,
    catch_time: float,
) -> tuple[int, int, float]:
    """Step a die until its class is certain, it sleeps, is caught, or reaches the time limit.

    Returns:
        The pose, or -1; DECIDED, DESCENDED or TIMED_OUT; the time [s].
    """
    body, surface, criteria = params.body, params.surface, params.criteria
    time, still, near, max_step = 0.0, 0.0, True, params.max_step
    level_at = 0.5 * pi / around.turn_rate if around.turn_rate > 0.0 else 0.0
    limit = min(criteria.time_limit + level_at, catch_time)
    while time < limit:
        dt = min(max_step / _PIECES if near else max_step, limit - time)
        if time < level_at:
            sine, cosine = sin_cos(around.turn_rate * (level_at - time))
            state[VX] -= surface.gravity * sine * dt
            state[VZ] += surface.gravity * (1.0 - cosine) * dt
        # Its own count of this time ends with each call.
        state[STILL_TIME] = 0.0
        advance_body(state, body, surface, scratch, dt, dt, -1e9)
        time += dt
        near = False
        depth = max_step * sqrt(state[VX] ** 2 + state[VX + 1] ** 2 + state[VZ] ** 2)
        for k in range(len(around.plates)):
            close = _strike(state, local, params, scratch, around.plates[k], depth)
            near = near or close
        height, energy_height, x, y, z = read_motion(state, body, surface.gravity)
        near = near and energy_height > _SLOW
        if time < level_at or catch_time < criteria.time_limit:
            continue
        still = still + dt if energy_height <= surface.sleep_energy_height else 0.0
        asleep = still >= surface.time_to_sleep
        if not asleep and height + energy_height >= criteria.highest_certain:
            continue
        vertex = find_lowest(params, scratch, x, y, z)
        if asleep:
            v = body.vertices[vertex]
            if height + v[0] * x + v[1] * y + v[2] * z > _HELD_ABOVE:
                return -1, TIMED_OUT, time
            return descend(criteria, scratch.down, vertex), DESCENDED, time
        pose, _ = certain_pose(criteria, height, energy_height, scratch.down, vertex)
        if pose >= 0:
            return pose, DECIDED, time
    return -1, TIMED_OUT, time


@compiled_as_numpy
def run_throws(
    states: Array,
    local: Array,
    params: DropParams,
    scratch: Scratch,
    around: PlateParams,
    catch_times: Array,
    poses: Indices,
    endings: Indices,
    times: Array,
) -> None:
    """Step each die to the end of its throw, as `drops.run_drops` does.

    Args:
        states: State of each die, changed, shape [count, STATE_SIZE].
        local: Working memory, shape [STATE_SIZE].
        params: The die, its contact with floor and plates, and the conditions that end a throw.
        scratch: Working memory.
        around: What is around the die.
        catch_times: Time at which each is caught [s], infinite if it is not, shape [count].
        poses: Pose of each, shape [count]; written.
        endings: End of each, shape [count]; written.
        times: Time of each [s], shape [count]; written.
    """
    for k in range(len(states)):
        # The end of hill climbing may depend on its start.
        scratch.lowest_now = scratch.lowest_later = 0
        poses[k], endings[k], times[k] = _run_until_decided(
            states[k], local, params, scratch, around, catch_times[k]
        )
