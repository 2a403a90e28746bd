"""Looks at a recorded throw, and copies of what they show, thrown on to rest; compiled.

A look is the state of one body in a frame of its motion. The body is then alone on an endless
floor. `pigglesim.experiments.decided` says what copies are good for.
"""

from math import sqrt

from pigglesim import trig
from pigglesim.jit import compiled_as_numpy
from pigglesim.physics.impulse.drops import run_drops
from pigglesim.physics.impulse.flight import lowest_vertex, write_state_rotation
from pigglesim.physics.impulse.state import (
    LX,
    QW,
    QX,
    QY,
    QZ,
    STILL_TIME,
    VX,
    DropParams,
    Scratch,
    X,
    Y,
    Z,
)
from pigglesim.physics.looks import (
    AFTER_BOUNCE,
    BOUNCES,
    STATE,
    TIME,
    HandError,
    LookParams,
)
from pigglesim.rotations import Array, Indices

_INTERVAL = 0.03
"""Time between two looks where no bounce is, roughly [s]."""
_MIN_FLIGHT = 0.01
"""Shortest flight between two bounces [s]: shorter ones are rattling."""
_CALMEST = 4
"""Frames among which a look between bounces takes the one with the steadiest velocity."""

atan2 = compiled_as_numpy(trig.atan2)


@compiled_as_numpy
def _left_cup(places: Array, cup: Array, has_cup: Indices, number: int, params: LookParams) -> int:
    """Return the first frame in which a body has left the cup for good."""
    for row in range(len(places) - 1, -1, -1):
        if has_cup[row] == 0:
            continue
        x, y, z = cup[row, 3], cup[row, 4], cup[row, 5]
        w = cup[row, 6]
        dx = places[row, number, 0] - cup[row, 0]
        dy = places[row, number, 1] - cup[row, 1]
        dz = places[row, number, 2] - cup[row, 2]
        # Along the axis of the cup, which is the last column of its rotation matrix.
        along = 2 * (x * z + y * w) * dx + 2 * (y * z - x * w) * dy
        along += (1 - 2 * (x * x + y * y)) * dz
        off = dx * dx + dy * dy + dz * dz - along * along
        inside = abs(along) < params.cup_half_depth + params.reach
        if inside and off < params.cup_radius * params.cup_radius:
            return row + 1
    return 0


@compiled_as_numpy
def _rests_from(places: Array, number: int, params: LookParams) -> int:
    """Return the first frame from which a body visibly rests as in the last one."""
    last = len(places) - 1
    near = params.rest_distance * params.rest_distance
    for row in range(last - 1, -1, -1):
        distance, cosine = 0.0, 0.0
        for k in range(3):
            apart = places[row, number, k] - places[last, number, k]
            distance += apart * apart
        for k in range(3, 7):
            cosine += places[row, number, k] * places[last, number, k]
        if distance > near or abs(cosine) < params.rest_cosine:
            return row + 1
    return 0


@compiled_as_numpy
def _jump(places: Array, times: Array, number: int, row: int) -> float:
    """Return how much the upward velocity changes in a frame [m/s]; infinite in the last one."""
    if row >= len(times) - 1:
        return float("inf")
    rise = (places[row + 1, number, 2] - places[row, number, 2]) / (times[row + 1] - times[row])
    before = (places[row, number, 2] - places[row - 1, number, 2]) / (times[row] - times[row - 1])
    return float(rise - before)


@compiled_as_numpy
def _next_flight(
    places: Array, times: Array, number: int, row: int, end: int, gravity: float
) -> int:
    """Return the next frame up to `end` in which a flying body begins to fly again; -1 if none.

    In flight the upward velocity falls by gravity; the floor makes it fall less. Flights shorter
    than `_MIN_FLIGHT` do not count.
    """
    flew, begun = True, -1
    for at in range(row + 1, len(times)):
        step = times[at] - times[at - 1]
        flies = _jump(places, times, number, at) < -0.5 * gravity * step
        if flies and not flew:
            begun = at
            if begun > end:
                return -1
        if begun >= 0 and times[at] - times[begun] >= _MIN_FLIGHT:
            return begun
        if not flies:
            begun = -1
        flew = flies
    return -1


@compiled_as_numpy
def _calmest(places: Array, times: Array, number: int, row: int) -> int:
    """Return the frame of a few with the steadiest velocity until the next: without an impact."""
    best, least = row, float("inf")
    for at in range(row, row + _CALMEST):
        jumps = abs(_jump(places, times, number, at)) + abs(_jump(places, times, number, at + 1))
        if jumps < least:
            best, least = at, jumps
    return best


@compiled_as_numpy
def _look(
    places: Array, times: Array, number: int, row: int, params: LookParams, look: Array
) -> None:
    """Write the state of a body in a frame, with its velocities from there to the next frame."""
    after = min(row + 1, len(times) - 1)
    time = max(times[after] - times[row], 1e-9)
    here, there, state = places[row, number], places[after, number], look[STATE:]
    look[TIME] = times[row]
    state[STILL_TIME] = 0.0
    for k in range(3):
        state[X + k] = here[k]
        state[VX + k] = (there[k] - here[k]) / time
    ax, ay, az, aw = there[3], there[4], there[5], there[6]
    bx, by, bz, bw = -here[3], -here[4], -here[5], here[6]
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    w = aw * bw - ax * bx - ay * by - az * bz
    sine = sqrt(x * x + y * y + z * z)
    # Quaternions of either sign are the same rotation.
    spin = 2.0 * atan2(sine, abs(w)) / time / sine if sine > 0.0 else 0.0
    spin = -spin if w < 0.0 else spin
    state[LX], state[LX + 1], state[LX + 2] = spin * x, spin * y, spin * z
    ax, ay, az, aw = here[3], here[4], here[5], here[6]
    bx, by, bz, bw = params.turn
    state[QX] = aw * bx + ax * bw + ay * bz - az * by
    state[QY] = aw * by - ax * bz + ay * bw + az * bx
    state[QZ] = aw * bz + ax * by - ay * bx + az * bw
    state[QW] = aw * bw - ax * bx - ay * by - az * bz


@compiled_as_numpy
def find_looks(
    places: Array,
    cup: Array,
    has_cup: Indices,
    times: Array,
    number: int,
    params: LookParams,
    looks: Array,
    counts: Indices,
) -> None:
    """Write the looks at a body: after it has left the cup, after each bounce, and at rest.

    More looks are between these, so that two are never much more than 30 ms apart.

    Args:
        places: Position [m] and rotation of each body in each frame, shape [frame_count,
            body_count, 7].
        cup: The same of the cup, shape [frame_count, 7].
        has_cup: 1 in each frame with a cup, else 0, shape [frame_count].
        times: Time of each frame [s], shape [frame_count].
        number: Number of the body.
        params: The body and its table.
        looks: Looks, shape [MAX_LOOKS, LOOK_SIZE]; written.
        counts: Number of the looks at each body, shape [body_count]; written at `number`.
    """
    rows, count, bounces = len(times), 0, 0
    here = max(0, min(_left_cup(places, cup, has_cup, number, params), rows - 3))
    end = max(here, _rests_from(places, number, params))
    bounced = False
    while count < len(looks):
        # The last look is that at rest, however many there were before.
        here = end if count == len(looks) - 1 else here
        _look(places, times, number, here, params, looks[count])
        looks[count, BOUNCES], looks[count, AFTER_BOUNCE] = bounces, bounced
        count += 1
        if here >= end:
            break
        flight = _next_flight(places, times, number, here, end, params.gravity)
        bounced = flight >= 0
        next_one = flight if bounced else end
        start, span, row = times[here], times[next_one] - times[here], here
        parts = max(1, int(span / _INTERVAL + 0.5))
        for part in range(1, parts):
            while times[row] < start + part * span / parts:
                row += 1
            between = _calmest(places, times, number, row)
            if here < between < next_one and count < len(looks) - 1:
                here = between
                _look(places, times, number, here, params, looks[count])
                looks[count, BOUNCES], looks[count, AFTER_BOUNCE] = bounces, False
                count += 1
        bounces += bounced
        here = next_one
    counts[number] = count


@compiled_as_numpy
def throw_copies(
    look: Array,
    displacements: Array,
    error: HandError,
    params: DropParams,
    scratch: Scratch,
    states: Array,
    poses: Indices,
    endings: Indices,
    times: Array,
) -> None:
    """Displace copies of a look by the errors of a hand, and throw each on until its class is sure.

    A copy that would be in the floor is lifted until it touches it.

    Args:
        look: The look, shape [LOOK_SIZE].
        displacements: Standard normal numbers, shape [count, DISPLACEMENT_SIZE].
        error: Errors of the hand.
        params: The body, the floor, and the conditions that end a throw.
        scratch: Working memory.
        states: State of each copy, shape [count, STATE_SIZE]; written, and changed.
        poses: Pose of each, as `run_drops` writes it, shape [count].
        endings: Its ending, shape [count].
        times: Its time [s], shape [count].
    """
    seen, body, half = look[STATE:], params.body, 0.5 * error.angle
    bx, by, bz, bw = seen[QX], seen[QY], seen[QZ], seen[QW]
    speed, spin = 0.0, 0.0
    for k in range(3):
        speed += seen[VX + k] * seen[VX + k]
        spin += seen[LX + k] * seen[LX + k]
    speed, spin = error.speed * sqrt(speed), error.spin * sqrt(spin)
    for copy in range(len(states)):
        state, by_hand = states[copy], displacements[copy]
        ax, ay, az = half * by_hand[1], half * by_hand[2], half * by_hand[3]
        scale = 1.0 / sqrt(ax * ax + ay * ay + az * az + 1.0)
        ax, ay, az, aw = ax * scale, ay * scale, az * scale, scale
        state[QX] = aw * bx + ax * bw + ay * bz - az * by
        state[QY] = aw * by - ax * bz + ay * bw + az * bx
        state[QZ] = aw * bz + ax * by - ay * bx + az * bw
        state[QW] = aw * bw - ax * bx - ay * by - az * bz
        write_state_rotation(state, scratch)
        axes, up = scratch.rotation_matrix, scratch.up
        for k in range(3):
            up[k] = axes[2, k]
        vertex = lowest_vertex(body, up, 0)
        lowest = 0.0
        for k in range(3):
            lowest += body.vertices[vertex, k] * up[k]
        state[X], state[Y], state[STILL_TIME] = 0.0, 0.0, 0.0
        state[Z] = max(seen[Z] - body.rounding + error.position * by_hand[0], -lowest)
        for k in range(3):
            state[VX + k] = seen[VX + k] + speed * by_hand[4 + k]
            turned = 0.0
            for row in range(3):
                turned += axes[row, k] * (seen[LX + row] + spin * by_hand[7 + row])
            state[LX + k] = turned / body.inv_inertia[k]
    run_drops(states, params, scratch, poses, endings, times)
