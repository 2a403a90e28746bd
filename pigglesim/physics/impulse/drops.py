"""Drops of one die, stopped as soon as the class of its pose is certain; compiled."""

from pigglesim import descent
from pigglesim.jit import compiled_as_numpy, usable_when_compiled
from pigglesim.physics import early_stop
from pigglesim.physics.early_stop import (
    DECIDED,
    DESCENDED,
    TIME_TOLERANCE,
    TIMED_OUT,
    certain_pose,
    descend,
)
from pigglesim.physics.impulse.flight import advance_body, lowest_vertex, read_motion
from pigglesim.physics.impulse.state import STILL_TIME, DropParams, Scratch
from pigglesim.rotations import Array, Indices

usable_when_compiled(descent)
usable_when_compiled(early_stop)


@compiled_as_numpy
def find_lowest(params: DropParams, scratch: Scratch, x: float, y: float, z: float) -> int:
    """Return the lowest vertex with x, y, z up in principal axes, and set `scratch.down`."""
    axes, up = params.body_axes, scratch.up
    for k in range(3):
        scratch.down[k] = -(axes[k, 0] * x + axes[k, 1] * y + axes[k, 2] * z)
    up[0], up[1], up[2] = x, y, z
    return int(lowest_vertex(params.body, up, scratch.lowest_now))


@compiled_as_numpy
def _run_until_decided(
    state: Array, params: DropParams, scratch: Scratch
) -> tuple[int, int, float]:
    """Step a die until its class is certain, it sleeps, or it reaches the time limit.

    Returns:
        The pose, or -1; DECIDED, DESCENDED or TIMED_OUT; the time [s].
    """
    body, surface, criteria = params.body, params.surface, params.criteria
    time, span, below = 0.0, criteria.time_limit, criteria.highest_certain
    while True:
        time += advance_body(state, body, surface, scratch, params.max_step, span, below)
        height, energy_height, x, y, z = read_motion(state, body, surface.gravity)
        vertex = find_lowest(params, scratch, x, y, z)
        pose, below = certain_pose(criteria, height, energy_height, scratch.down, vertex)
        if pose >= 0:
            return pose, DECIDED, time
        if state[STILL_TIME] >= surface.time_to_sleep - TIME_TOLERANCE:
            return descend(criteria, scratch.down, vertex), DESCENDED, time
        if time >= criteria.time_limit - TIME_TOLERANCE:
            return -1, TIMED_OUT, time
        span = min(criteria.recheck_interval, criteria.time_limit - time)


@compiled_as_numpy
def run_drops(
    states: Array,
    params: DropParams,
    scratch: Scratch,
    poses: Indices,
    endings: Indices,
    times: Array,
) -> None:
    """Step each die to the end of its drop, as if it were alone.

    Args:
        states: State of each die, changed, shape [count, STATE_SIZE].
        params: The die, the floor, and the conditions that end a drop.
        scratch: Working memory.
        poses: Pose of each, -1 for none, shape [count]; written.
        endings: DECIDED, DESCENDED or TIMED_OUT for each, shape [count]; written.
        times: Time of each [s], shape [count]; written.
    """
    for k in range(len(states)):
        # The end of hill climbing may depend on its start.
        scratch.lowest_now = scratch.lowest_later = 0
        poses[k], endings[k], times[k] = _run_until_decided(states[k], params, scratch)
