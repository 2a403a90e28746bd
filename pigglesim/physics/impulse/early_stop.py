"""Drops of one die, stopped as soon as the class of its pose is certain; compiled.

On a passive floor energy only falls. With body direction n pointing down, a die's centre of mass
is at least as high as its support function h(n). So the die can only reach directions with h below
its energy as a height, E / (m g). Once that is below every saddle of h that leads out of its basin
to another class, the class is certain, even if the die still rocks. The saddles come from
`bodies.support`; other engines stop their drops by the same function, `certain_pose`.
"""

from math import sqrt

from pigglesim.descent import fall, lowest_corner, nearest_facet, pose_below
from pigglesim.jit import compiled_as_numpy, usable_when_compiled
from pigglesim.physics.impulse.flight import advance_body, lowest_vertex, observe
from pigglesim.physics.impulse.state import (
    STILL_TIME,
    HullBody,
    Scratch,
    StopCriteria,
    SurfaceParams,
)
from pigglesim.rotations import Array, Indices

DECIDED, DESCENDED, TIMED_OUT = 0, 1, 2
"""Reasons why a drop ended, in the order of `drop.Ending`."""
_TIME_TOLERANCE = 1e-9
"""Rounding of a sum of steps [s]."""

for _function in (fall, lowest_corner, nearest_facet, pose_below):
    usable_when_compiled(_function)


@compiled_as_numpy
def descend(criteria: StopCriteria, down: Array, vertex: int) -> int:
    """Return the pose to which steepest descent of the support function leads from a direction."""
    cells, x, y, z = criteria.cells, down[0], down[1], down[2]
    # A vertex inside a facet or an edge has no cell of its own.
    if cells.first[vertex] == cells.first[vertex + 1]:
        vertex = lowest_corner(cells, x, y, z)
    return int(pose_below(cells, vertex, x, y, z))


@compiled_as_numpy
def certain_pose(
    criteria: StopCriteria, height: float, energy_height: float, down: Array, vertex: int
) -> tuple[int, float]:
    """Return a pose of the class that is certain now, and the energy at which to check again.

    The class is certain; the pose within it may still change.

    Args:
        criteria: Energies below which classes are certain.
        height: Height of the centre of mass [m].
        energy_height: Kinetic energy as a height [m].
        down: Unit vector down, body axes, shape [3].
        vertex: Lowest vertex of the hull.

    Returns:
        The pose, or -1, and the energy as a height below which a class may be certain [m]. It may
        be certain earlier if the die moves to another basin.
    """
    energy = energy_height + criteria.energy_margin * sqrt(energy_height)
    highest = criteria.highest_certain
    if height + energy >= highest:
        return -1, highest
    # A die that overlaps the floor will be lifted out of it.
    at = criteria.cells.corners[vertex]
    lift = max(0.0, at[0] * down[0] + at[1] * down[1] + at[2] * down[2] - height)
    if height + lift + energy >= highest:
        return -1, highest - lift
    pose = descend(criteria, down, vertex)
    below = criteria.certain_below[pose] - lift
    return (pose if height + energy < below else -1), below


@compiled_as_numpy
def _run_until_decided(
    state: Array,
    body: HullBody,
    surface: SurfaceParams,
    scratch: Scratch,
    criteria: StopCriteria,
    body_axes: Array,
    max_step: float,
) -> tuple[int, int, float]:
    """Step a die until its class is certain, it sleeps, or it reaches the time limit.

    Returns:
        The pose, or -1; DECIDED, DESCENDED or TIMED_OUT; the time [s].
    """
    time, span, below = 0.0, criteria.time_limit, criteria.highest_certain
    down = scratch.down
    while True:
        time += advance_body(state, body, surface, scratch, max_step, span, below)
        height, energy_height, x, y, z = observe(state, body, surface.gravity)
        for k in range(3):
            down[k] = -(body_axes[k, 0] * x + body_axes[k, 1] * y + body_axes[k, 2] * z)
        up = scratch.up
        up[0], up[1], up[2] = x, y, z
        vertex = lowest_vertex(body, up, scratch.lowest_now)
        pose, below = certain_pose(criteria, height, energy_height, down, vertex)
        if pose >= 0:
            return pose, DECIDED, time
        if state[STILL_TIME] >= surface.time_to_sleep - _TIME_TOLERANCE:
            return descend(criteria, down, vertex), DESCENDED, time
        if time >= criteria.time_limit - _TIME_TOLERANCE:
            return -1, TIMED_OUT, time
        span = min(criteria.recheck_interval, criteria.time_limit - time)


@compiled_as_numpy
def run_drops(
    states: Array,
    body: HullBody,
    surface: SurfaceParams,
    scratch: Scratch,
    criteria: StopCriteria,
    body_axes: Array,
    max_step: float,
    poses: Indices,
    endings: Indices,
    times: Array,
) -> None:
    """Step each die to the end of its drop, as if it were alone.

    Args:
        states: State of each die, changed, shape [count, STATE_SIZE].
        body: The die.
        surface: Its contact with the floor.
        scratch: Working memory.
        criteria: Conditions that end a drop.
        body_axes: Matrix from principal to body axes, shape [3, 3].
        max_step: Longest step [s].
        poses: Pose of each, -1 for none, shape [count]; written.
        endings: DECIDED, DESCENDED or TIMED_OUT for each, shape [count]; written.
        times: Time of each [s], shape [count]; written.
    """
    for k in range(len(states)):
        # The end of hill climbing may depend on its start.
        scratch.lowest_now = scratch.lowest_later = 0
        poses[k], endings[k], times[k] = _run_until_decided(
            states[k], body, surface, scratch, criteria, body_axes, max_step
        )
