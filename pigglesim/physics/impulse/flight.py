"""One convex body on a plane: free flight, impacts and resting contact; compiled.

Flight is exact: a parabola, and free rotation by a splitting into rotations about the principal
axes, which conserves angular momentum (Dullweber, Leimkuhler and McLachlan 1997). An impact happens
at its own time, with the vertex on the plane and not below it. Impacts are solved at once, or in
stages, in terms of velocities, with Newton's restitution and Coulomb's cone (Mirtich and Canny
1995, "Impulse-based simulation of rigid bodies"). Resting contact is stepped by Moreau's midpoint
rule (1988): half a step of motion, impulses at the geometry there, the other half. Rolling and
spinning resistance are angular impulses, bounded by a lever times the normal impulse.
"""

from math import factorial, sqrt

from pigglesim import trig
from pigglesim.jit import compiled_as_numpy
from pigglesim.physics.impulse.solver import (
    POSITION_CORRECTION,
    add_plane_contact,
    solve_impact,
    solve_plane_contacts,
)
from pigglesim.physics.impulse.state import (
    LX,
    QW,
    QX,
    QY,
    QZ,
    STILL_TIME,
    VX,
    VY,
    VZ,
    HullBody,
    Scratch,
    SurfaceParams,
    X,
    Y,
    Z,
)
from pigglesim.rotations import Array

CONTACT_DISTANCE = 5e-5
"""Height at or below which a vertex touches the plane [m]: half the rounding of a moulded edge.
Vertices a few micrometres apart would otherwise strike one after another and bounce differently
than together, and shares would depend on the step."""
_FLIGHT_ANGLE = 0.1
"""Rotation in a step of free flight up to which it may be longer than other steps [rad]."""
_MIN_STEP = 2e-5
"""Shortest step to an impact [s]."""
_MAX_IMPACTS = 8
"""Maximum impacts in a row without time between; the next step treats the rest as contact."""
SPECULATIVE_SHARE = 0.1
"""Share of a vertex' motion in half a step that impulses at other contacts may add to its fall."""
_TIME_TOLERANCE = 1e-12
"""Rounding of a sum of steps [s]."""

_S3, _S5, _S7, _S9, _S11 = (1.0 / factorial(n) for n in (3, 5, 7, 9, 11))
_C4, _C6, _C8, _C10 = (1.0 / factorial(n) for n in (4, 6, 8, 10))

sin_cos = compiled_as_numpy(trig.sin_cos)


@compiled_as_numpy
def _rotate_about_axis(
    qi: float, qj: float, qk: float, qw: float, lj: float, lk: float, angle: float
) -> tuple[float, float, float, float, float, float]:
    """Return quaternion and angular momentum after a rotation about principal axis i.

    The momentum is fixed in space, and its component along the axis does not change. i, j and k are
    x, y and z, or y, z and x, or z, x and y; the angle is in rad.
    """
    # The quaternion q (sin h, 0, 0, cos h), and the momentum turned by -2 h in the body's axes.
    h = 0.5 * angle
    x = h * h
    if x < 0.25:
        # The Taylor series to the last digit: it needs no reduction to a quadrant.
        s = h - h * x * (_S3 - x * (_S5 - x * (_S7 - x * (_S9 - x * _S11))))
        c = 1.0 - x * (0.5 - x * (_C4 - x * (_C6 - x * (_C8 - x * _C10))))
    else:
        s, c = sin_cos(h)
    c2, s2 = c * c - s * s, 2.0 * s * c
    return (
        qi * c + qw * s,
        qj * c + qk * s,
        qk * c - qj * s,
        qw * c - qi * s,
        lj * c2 + lk * s2,
        lk * c2 - lj * s2,
    )


@compiled_as_numpy
def integrate_rotation(state: Array, inv_inertia: tuple[float, float, float], dt: float) -> None:
    """Rotate a free body for `dt` [s] by Strang splitting over its principal axes."""
    half_dt = 0.5 * dt
    a, b, c = inv_inertia
    x, y, z, w = state[QX], state[QY], state[QZ], state[QW]
    lx, ly, lz = state[LX], state[LX + 1], state[LX + 2]
    x, y, z, w, ly, lz = _rotate_about_axis(x, y, z, w, ly, lz, half_dt * lx * a)
    y, z, x, w, lz, lx = _rotate_about_axis(y, z, x, w, lz, lx, half_dt * ly * b)
    z, x, y, w, lx, ly = _rotate_about_axis(z, x, y, w, lx, ly, dt * lz * c)
    y, z, x, w, lz, lx = _rotate_about_axis(y, z, x, w, lz, lx, half_dt * ly * b)
    x, y, z, w, ly, lz = _rotate_about_axis(x, y, z, w, ly, lz, half_dt * lx * a)
    scale = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    state[QX], state[QY], state[QZ], state[QW] = x * scale, y * scale, z * scale, w * scale
    state[LX], state[LX + 1], state[LX + 2] = lx, ly, lz


@compiled_as_numpy
def write_state_rotation(state: Array, scratch: Scratch) -> None:
    """Write the rotation matrix of a state, from principal to world axes."""
    x, y, z, w = state[QX], state[QY], state[QZ], state[QW]
    out = scratch.rotation_matrix
    out[0, 0], out[0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w)
    out[1, 0], out[1, 1] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z)
    out[2, 0], out[2, 1] = 2 * (x * z - y * w), 2 * (y * z + x * w)
    out[0, 2], out[1, 2] = 2 * (x * z + y * w), 2 * (y * z - x * w)
    out[2, 2] = 1 - 2 * (x * x + y * y)


@compiled_as_numpy
def damp(state: Array, damping: float, dt: float) -> None:
    """Scale velocity and angular momentum by viscous damping [1/s] for a time [s]."""
    share = max(0.0, 1.0 - damping * dt)
    for k in range(3):
        state[VX + k] *= share
        state[LX + k] *= share


@compiled_as_numpy
def lowest_vertex(body: HullBody, up: Array, start: int) -> int:
    """Return the support vertex against a direction, by hill climbing along edges.

    A vertex without a lower neighbour is the lowest, as the hull is convex (Ericson 2005, 9.5.4).
    `up` is a unit vector in principal axes, shape [3].
    """
    x, y, z = up[0], up[1], up[2]
    vertices, neighbours, start_of = body.vertices, body.neighbours, body.neighbour_start
    best = here = start
    lowest = vertices[best, 0] * x + vertices[best, 1] * y + vertices[best, 2] * z
    while True:
        for k in range(start_of[here], start_of[here + 1]):
            i = neighbours[k]
            height = vertices[i, 0] * x + vertices[i, 1] * y + vertices[i, 2] * z
            if height < lowest:
                best, lowest = i, height
        if best == here:
            return int(best)
        here = best


@compiled_as_numpy
def collect_vertices_below(
    body: HullBody,
    scratch: Scratch,
    up: Array,
    level: float,
    lowest: int,
    up_later: Array,
    level_later: float,
    lowest_later: int,
) -> int:
    """List the vertices not above either of two levels in `scratch.candidates`.

    A flood fill along edges begins at the support vertices against both directions.

    Args:
        body: The body.
        scratch: Working memory.
        up: Direction, principal axes, shape [3].
        level: Height along it [m].
        lowest: Lowest vertex along it.
        up_later: Another direction.
        level_later: Height along that [m]; -inf for no second level.
        lowest_later: Lowest vertex along that.

    Returns:
        The number of candidates, each once.
    """
    x, y, z = up[0], up[1], up[2]
    xl, yl, zl = up_later[0], up_later[1], up_later[2]
    vertices, neighbours, start_of = body.vertices, body.neighbours, body.neighbour_start
    candidates, visited, room = scratch.candidates, body.visit_stamp, len(scratch.candidates)
    scratch.visit_stamp += 1
    stamp, count, done = scratch.visit_stamp, 0, 0
    i = lowest
    if vertices[i, 0] * x + vertices[i, 1] * y + vertices[i, 2] * z <= level:
        visited[i] = stamp
        candidates[count] = i
        count += 1
    i = lowest_later
    later = vertices[i, 0] * xl + vertices[i, 1] * yl + vertices[i, 2] * zl
    if later <= level_later and visited[i] != stamp:
        visited[i] = stamp
        candidates[count] = i
        count += 1
    while done < count:
        here = candidates[done]
        done += 1
        for k in range(start_of[here], start_of[here + 1]):
            i = neighbours[k]
            if visited[i] != stamp and count < room:
                visited[i] = stamp
                a, b, c = vertices[i, 0], vertices[i, 1], vertices[i, 2]
                if a * x + b * y + c * z <= level or a * xl + b * yl + c * zl <= level_later:
                    candidates[count] = i
                    count += 1
    return count


@compiled_as_numpy
def locate_vertex(body: HullBody, vertex: int, scratch: Scratch) -> None:
    """Write a vertex' offset from the centre of mass [m], in world axes."""
    x, y, z = body.vertices[vertex, 0], body.vertices[vertex, 1], body.vertices[vertex, 2]
    axes = scratch.rotation_matrix
    for k in range(3):
        scratch.vertex_offset[k] = x * axes[k, 0] + y * axes[k, 1] + z * axes[k, 2]


@compiled_as_numpy
def normal_velocity(scratch: Scratch) -> float:
    """Return the upward velocity of the vertex located last [m/s]."""
    v, w, r = scratch.velocity, scratch.angular_velocity, scratch.vertex_offset
    return float(v[2] + w[0] * r[1] - w[1] * r[0])


@compiled_as_numpy
def _energy_height(state: Array, body: HullBody, gravity: float) -> float:
    """Return the kinetic energy as a height, E / (m g) [m]."""
    linear = state[VX] ** 2 + state[VY] ** 2 + state[VZ] ** 2
    angular = 0.0
    for k in range(3):
        angular += state[LX + k] ** 2 * body.inv_inertia[k]
    return float((linear + angular * body.inv_mass) / (2.0 * gravity))


@compiled_as_numpy
def read_motion(
    state: Array, body: HullBody, gravity: float
) -> tuple[float, float, float, float, float]:
    """Return the height of the centre of mass and of the energy [m], and up in principal axes."""
    x, y, z, w = state[QX], state[QY], state[QZ], state[QW]
    return (
        state[Z],
        _energy_height(state, body, gravity),
        2 * (x * z - y * w),
        2 * (y * z + x * w),
        1 - 2 * (x * x + y * y),
    )


@compiled_as_numpy
def load_motion(state: Array, body: HullBody, scratch: Scratch) -> None:
    """Write velocity, angular velocity and inverse inertia in world axes, from the state."""
    axes, inv_inertia = scratch.rotation_matrix, body.inv_inertia
    for i in range(3):
        scratch.velocity[i] = state[VX + i]
        scratch.angular_velocity[i] = 0.0
        for k in range(3):
            scratch.angular_velocity[i] += axes[i, k] * state[LX + k] * inv_inertia[k]
        for j in range(3):
            scratch.inv_inertia_world[i, j] = (
                axes[i, 0] * axes[j, 0] * inv_inertia[0]
                + axes[i, 1] * axes[j, 1] * inv_inertia[1]
                + axes[i, 2] * axes[j, 2] * inv_inertia[2]
            )


@compiled_as_numpy
def store_motion(state: Array, body: HullBody, scratch: Scratch) -> None:
    """Write velocity and angular momentum back into the state."""
    for k in range(3):
        state[VX + k] = scratch.velocity[k]
        principal = 0.0
        for i in range(3):
            principal += scratch.rotation_matrix[i, k] * scratch.angular_velocity[i]
        state[LX + k] = principal / body.inv_inertia[k]


@compiled_as_numpy
def _slide(state: Array, dt: float) -> None:
    """Move the body along the plane for a time [s]."""
    state[X] += state[VX] * dt
    state[Y] += state[VY] * dt


@compiled_as_numpy
def _fly(state: Array, body: HullBody, gravity: float, dt: float) -> None:
    """Advance the body in free flight for a time [s]."""
    state[Z] += state[VZ] * dt - 0.5 * gravity * dt * dt
    state[VZ] -= gravity * dt
    _slide(state, dt)
    integrate_rotation(state, body.inv_inertia, dt)


@compiled_as_numpy
def _find_candidates(
    state: Array, body: HullBody, surface: SurfaceParams, scratch: Scratch, dt: float
) -> int:
    """List the vertices on the plane, and those that would be below it after a time [s].

    The velocity of a vertex is linear in its position, so the lowest vertices then are support
    vertices too, of another direction, and connected along edges.
    """
    write_state_rotation(state, scratch)
    up, up_later = scratch.up, scratch.up_later
    # In principal axes, for this search only.
    spin = scratch.angular_velocity
    for k in range(3):
        up[k] = scratch.rotation_matrix[2, k]
        spin[k] = state[LX + k] * body.inv_inertia[k]
    up_later[0] = up[0] + dt * (up[1] * spin[2] - up[2] * spin[1])
    up_later[1] = up[1] + dt * (up[2] * spin[0] - up[0] * spin[2])
    up_later[2] = up[2] + dt * (up[0] * spin[1] - up[1] * spin[0])
    scratch.lowest_now = lowest_vertex(body, up, scratch.lowest_now)
    scratch.lowest_later = lowest_vertex(body, up_later, scratch.lowest_later)
    height = state[Z]
    later = height + state[VZ] * dt - 0.5 * surface.gravity * dt * dt
    spin_squared = spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2
    speculative = (
        SPECULATIVE_SHARE * dt * sqrt(spin_squared * body.bounding_radius**2 + state[VZ] ** 2)
    )
    return collect_vertices_below(
        body,
        scratch,
        up,
        CONTACT_DISTANCE - height,
        scratch.lowest_now,
        up_later,
        speculative - later,
        scratch.lowest_later,
    )


@compiled_as_numpy
def _time_of_impact(
    height: float,
    body: HullBody,
    surface: SurfaceParams,
    scratch: Scratch,
    candidate_count: int,
    dt: float,
) -> float:
    """Return the time to the next impact of a vertex [s]; 0 if one is due now, `dt` if none."""
    soonest = dt
    for k in range(candidate_count):
        locate_vertex(body, scratch.candidates[k], scratch)
        separation, velocity = height + scratch.vertex_offset[2], normal_velocity(scratch)
        if separation <= CONTACT_DISTANCE:
            if velocity < -surface.restitution_threshold:
                return 0.0
        elif separation + velocity * dt - 0.5 * surface.gravity * dt * dt < 0.0:
            impact_speed = sqrt(velocity * velocity + 2.0 * surface.gravity * separation)
            if impact_speed > surface.restitution_threshold:
                soonest = min(soonest, (velocity + impact_speed) / surface.gravity)
    return max(soonest, min(dt, _MIN_STEP))


@compiled_as_numpy
def _resolve_impact(
    state: Array, body: HullBody, surface: SurfaceParams, scratch: Scratch, candidate_count: int
) -> None:
    """Apply the impulses of the vertices that strike the plane now, without advancing time."""
    count = 0
    for k in range(candidate_count):
        locate_vertex(body, scratch.candidates[k], scratch)
        if state[Z] + scratch.vertex_offset[2] <= CONTACT_DISTANCE:
            velocity = normal_velocity(scratch)
            rebounds = velocity < -surface.restitution_threshold
            target = -surface.restitution * velocity if rebounds else 0.0
            count = add_plane_contact(scratch, body.rounding, count, target)
    solve_impact(body, surface, scratch, count)
    store_motion(state, body, scratch)


@compiled_as_numpy
def _step_in_contact(
    state: Array,
    body: HullBody,
    surface: SurfaceParams,
    scratch: Scratch,
    candidate_count: int,
    dt: float,
) -> None:
    """Advance by one Moreau midpoint step, with candidates that may touch the plane within it."""
    half_dt = 0.5 * dt
    state[Z] += state[VZ] * half_dt
    _slide(state, half_dt)
    integrate_rotation(state, body.inv_inertia, half_dt)
    write_state_rotation(state, scratch)
    state[VZ] -= surface.gravity * dt
    load_motion(state, body, scratch)
    count, deepest = 0, 0.0
    # A speculative contact: without the other impulses the vertex would pass below the plane.
    spin = scratch.angular_velocity
    reach = (
        SPECULATIVE_SHARE
        * half_dt
        * sqrt((spin[0] ** 2 + spin[1] ** 2) * body.bounding_radius**2 + scratch.velocity[2] ** 2)
    )
    for k in range(candidate_count):
        locate_vertex(body, scratch.candidates[k], scratch)
        separation = state[Z] + scratch.vertex_offset[2]
        deepest = min(deepest, separation)
        if separation + normal_velocity(scratch) * half_dt < reach:
            count = add_plane_contact(
                scratch, body.rounding, count, -max(separation, 0.0) / half_dt
            )
    if count:
        solve_plane_contacts(body, surface, surface.sliding_friction, scratch, count)
        store_motion(state, body, scratch)
    state[Z] += state[VZ] * half_dt - POSITION_CORRECTION * deepest
    _slide(state, half_dt)
    integrate_rotation(state, body.inv_inertia, half_dt)


@compiled_as_numpy
def _fall_time(distance: float, speed: float, gravity: float) -> float:
    """Return the time of a fall through a distance [m] from a downward speed [m/s], in s."""
    return float((sqrt(speed * speed + 2.0 * gravity * distance) - speed) / gravity)


@compiled_as_numpy
def _time_of_flight(
    state: Array, body: HullBody, surface: SurfaceParams, scratch: Scratch, max_step: float
) -> float:
    """Return a time in which no vertex can come near the plane [s].

    `scratch.lowest_now` is the lowest vertex.
    """
    low, up = scratch.lowest_now, scratch.up
    height = state[Z] + (
        body.vertices[low, 0] * up[0]
        + body.vertices[low, 1] * up[1]
        + body.vertices[low, 2] * up[2]
    )
    # The angular velocity changes in free flight, but not the angular momentum.
    momentum = sqrt(state[LX] ** 2 + state[LX + 1] ** 2 + state[LX + 2] ** 2)
    largest = max(body.inv_inertia[0], max(body.inv_inertia[1], body.inv_inertia[2]))
    spin_speed = momentum * largest * body.bounding_radius
    # What a search for candidates looks ahead, in a flight of a twentieth of a second.
    ahead = SPECULATIVE_SHARE * max_step * (spin_speed + abs(state[VZ]) + 0.05 * surface.gravity)
    clearance = height - CONTACT_DISTANCE - ahead
    if clearance <= 0.0:
        return 0.0
    return min(0.05, _fall_time(clearance, spin_speed - state[VZ], surface.gravity))


@compiled_as_numpy
def advance_body(
    state: Array,
    body: HullBody,
    surface: SurfaceParams,
    scratch: Scratch,
    max_step: float,
    time: float,
    stop_below: float,
) -> float:
    """Advance one body on a plane and return the time that passed [s].

    Args:
        state: State of the body, changed, shape [STATE_SIZE].
        body: The body.
        surface: Its contact with the plane.
        scratch: Working memory.
        max_step: Longest step [s].
        time: Time to advance [s].
        stop_below: Height of the centre of mass with all energy turned into height, below which to
            stop at once [m]. A body that falls asleep stops too.
    """
    passed, impacts, measured_at, clear_until = 0.0, 0, 0.0, 0.0
    while passed < time - _TIME_TOLERANCE:
        energy_height = _energy_height(state, body, surface.gravity)
        energy = state[Z] + energy_height
        if energy < stop_below:
            energy += surface.energy_margin * sqrt(energy_height)
            if energy < stop_below:
                break
        still = energy_height <= surface.sleep_energy_height
        state[STILL_TIME] = state[STILL_TIME] + passed - measured_at if still else 0.0
        measured_at = passed
        if state[STILL_TIME] >= surface.time_to_sleep:
            break
        height = state[Z]
        dt = min(max_step, time - passed)
        spin_squared = 0.0
        for k in range(3):
            spin_squared += (state[LX + k] * body.inv_inertia[k]) ** 2
        if height > body.bounding_radius and passed >= clear_until:
            clearance = height - body.bounding_radius
            clear_until = passed + _fall_time(clearance, -state[VZ], surface.gravity)
        if passed + dt < clear_until:
            # Splitting is exact enough for longer steps where the body turns slowly.
            dt = min(clear_until, time) - passed
            dt = min(dt, max(max_step, _FLIGHT_ANGLE / sqrt(spin_squared)))
            _fly(state, body, surface.gravity, dt)
            passed += dt
            continue
        candidate_count = _find_candidates(state, body, surface, scratch, dt)
        if candidate_count == 0:
            clear_until = passed + _time_of_flight(state, body, surface, scratch, max_step)
            _fly(state, body, surface.gravity, dt)
            passed += dt
            continue
        load_motion(state, body, scratch)
        impact_time = _time_of_impact(height, body, surface, scratch, candidate_count, dt)
        if impact_time == 0.0 and impacts < _MAX_IMPACTS:
            _resolve_impact(state, body, surface, scratch, candidate_count)
            impacts += 1
            continue
        dt = impact_time if impact_time > 0.0 else dt
        impacts = 0
        _step_in_contact(state, body, surface, scratch, candidate_count, dt)
        passed += dt
    return passed


@compiled_as_numpy
def record_motion(
    states: Array,
    body: HullBody,
    surface: SurfaceParams,
    scratch: Scratch,
    max_step: float,
    frame_time: float,
    frames: Array,
) -> None:
    """Advance bodies, each alone on the plane, and record them at equal times.

    Args:
        states: State of each at the first frame, changed, shape [count, STATE_SIZE].
        body: The body.
        surface: Its contact with the plane.
        scratch: Working memory.
        max_step: Longest step [s].
        frame_time: Time between two frames [s].
        frames: Receives position [m] and quaternion, shape [count, frame_count, 7].
    """
    for i in range(len(states)):
        state = states[i]
        # The end of hill climbing may depend on its start.
        scratch.lowest_now = scratch.lowest_later = 0
        for frame in range(frames.shape[1]):
            if frame:
                advance_body(state, body, surface, scratch, max_step, frame_time, 0.0)
            for k in range(3):
                frames[i, frame, k] = state[X + k]
            for k in range(4):
                frames[i, frame, 3 + k] = state[QX + k]
