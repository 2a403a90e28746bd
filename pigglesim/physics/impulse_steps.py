"""A convex die on a plane, by impulses: the compiled part of engine `impulse`.

Flight is exact: a parabola, and free rotation by a splitting that keeps angular momentum
(Dullweber, Leimkuhler and McLachlan 1997). An impact happens at its own time, with the corner on
the plane and not below it; impacts are solved at once, at velocities, with Newton's restitution
and Coulomb's cone (Mirtich and Canny 1995, "Impulse-based simulation of rigid bodies"). Lasting
contact is stepped by Moreau's midpoint rule (1988): half the way, impulses at the geometry there,
the other half. Rolling and spinning resistance are impulses of turning, bounded by a lever times
the normal impulse.
"""

from math import sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_contacts import keep_contact, solve
from pigglesim.physics.impulse_motion import (
    gather,
    least,
    normal_speed,
    place,
    turn,
    write_axes,
)
from pigglesim.physics.impulse_types import Die, Ground, Work
from pigglesim.spatial import Array

__all__ = ["advance", "stance"]

_TOUCH = 5e-5
"""A corner this near to the plane, or below it, is on it [m]: half the rounding of a moulded edge.
Corners that struck one after the other for being some micrometres apart would bounce otherwise
than together, and shares would hang on the step."""
_LEAST_STEP = 2e-5
"""No step to an impact is shorter [s]."""
_IMPACTS = 8
"""Impacts in a row with no time between; then the next step takes what is left as lasting."""
_SLACK = 0.1
"""How much of the way of a corner in a half step others' impulses may add to its fall."""
_LIFT = 0.2
"""Share of an overlap that a step takes away, without giving the die speed."""


@compiled_as_numpy
def _climb(state: Array, die: Die, gravity: float) -> float:
    """Return how far the kinetic energy could lift the die [m]."""
    moving = state[1] ** 2 + state[2] ** 2 + state[3] ** 2
    turning = 0.0
    for k in range(3):
        turning += state[8 + k] ** 2 * die.rates[k]
    return float((moving + turning * die.lightness) / (2.0 * gravity))


@compiled_as_numpy
def stance(state: Array, die: Die, gravity: float) -> tuple[float, float, float, float, float]:
    """Return the height of the centre, how far it could climb [m], and up in principal axes."""
    x, y, z, w = state[4], state[5], state[6], state[7]
    return (
        state[0],
        _climb(state, die, gravity),
        2 * (x * z - y * w),
        2 * (y * z + x * w),
        1 - 2 * (x * x + y * y),
    )


@compiled_as_numpy
def _look(state: Array, die: Die, work: Work) -> None:
    """Write velocity, spin and inverse inertia in world axes, from the state and its axes."""
    axes, rates = work.axes, die.rates
    for i in range(3):
        work.velocity[i] = state[1 + i]
        work.spin[i] = 0.0
        for k in range(3):
            work.spin[i] += axes[i, k] * state[8 + k] * rates[k]
        for j in range(3):
            work.inverse[i, j] = (
                axes[i, 0] * axes[j, 0] * rates[0]
                + axes[i, 1] * axes[j, 1] * rates[1]
                + axes[i, 2] * axes[j, 2] * rates[2]
            )


@compiled_as_numpy
def _store(state: Array, die: Die, work: Work) -> None:
    """Write velocity and spin back into the state."""
    for k in range(3):
        state[1 + k] = work.velocity[k]
        own = 0.0
        for i in range(3):
            own += work.axes[i, k] * work.spin[i]
        state[8 + k] = own / die.rates[k]


@compiled_as_numpy
def _go_along(state: Array, time: float) -> None:
    """Move the die along the plane."""
    state[12] += state[1] * time
    state[13] += state[2] * time


@compiled_as_numpy
def _fly(state: Array, die: Die, gravity: float, time: float) -> None:
    """Let the die fly."""
    state[0] += state[3] * time - 0.5 * gravity * time * time
    state[3] -= gravity * time
    _go_along(state, time)
    turn(state, die.rates, time)


@compiled_as_numpy
def _near(state: Array, die: Die, ground: Ground, work: Work, time: float) -> int:
    """List the corners on the plane, and those that would be below it after a time.

    The speed of a corner is linear in its place: so the lowest then are those least far along a
    direction too, and hang together along edges.
    """
    write_axes(state, work)
    up, then = work.ways[0], work.ways[1]
    spin = work.spin
    for k in range(3):
        up[k] = work.axes[2, k]
        spin[k] = state[8 + k] * die.rates[k]
    then[0] = up[0] + time * (up[1] * spin[2] - up[2] * spin[1])
    then[1] = up[1] + time * (up[2] * spin[0] - up[0] * spin[2])
    then[2] = up[2] + time * (up[0] * spin[1] - up[1] * spin[0])
    work.marks[1] = least(die, up, work.marks[1])
    work.marks[2] = least(die, then, work.marks[2])
    height = state[0]
    later = height + state[3] * time - 0.5 * ground.gravity * time * time
    size = spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2
    slack = _SLACK * time * sqrt(size * die.radius**2 + state[3] ** 2)
    count = gather(die, work, up, work.marks[1], _TOUCH - height, 0)
    return gather(die, work, then, work.marks[2], slack - later, count)


@compiled_as_numpy
def _next_impact(
    height: float, die: Die, ground: Ground, work: Work, near: int, time: float
) -> float:
    """Return when the next corner strikes the plane [s]; 0 if one does now, `time` if none will."""
    soonest = time
    for k in range(near):
        place(die, work.near[k], work)
        gap, speed = height + work.place[2], normal_speed(work)
        if gap <= _TOUCH:
            if speed < -ground.no_bounce:
                return 0.0
        elif gap + speed * time - 0.5 * ground.gravity * time * time < 0.0:
            arriving = sqrt(speed * speed + 2.0 * ground.gravity * gap)
            if arriving > ground.no_bounce:
                soonest = min(soonest, (speed + arriving) / ground.gravity)
    return max(soonest, min(time, _LEAST_STEP))


@compiled_as_numpy
def _strike(state: Array, die: Die, ground: Ground, work: Work, near: int) -> None:
    """Have the corners on the plane strike it, in no time."""
    count = 0
    for k in range(near):
        place(die, work.near[k], work)
        if state[0] + work.place[2] <= _TOUCH:
            speed = normal_speed(work)
            aim = -ground.restitution * speed if speed < -ground.no_bounce else 0.0
            count = keep_contact(work, count, aim)
    solve(die, ground, work, count)
    _store(state, die, work)


@compiled_as_numpy
def _press(state: Array, die: Die, ground: Ground, work: Work, near: int, time: float) -> None:
    """Step with corners that may lie on the plane, or come to lie on it, within the step."""
    half = 0.5 * time
    state[0] += state[3] * half
    _go_along(state, half)
    turn(state, die.rates, half)
    write_axes(state, work)
    state[3] -= ground.gravity * time
    _look(state, die, work)
    count, deepest = 0, 0.0
    # A corner is kept that would pass below the plane, were it not for the others.
    reach = (
        _SLACK
        * half
        * sqrt((work.spin[0] ** 2 + work.spin[1] ** 2) * die.radius**2 + work.velocity[2] ** 2)
    )
    for k in range(near):
        place(die, work.near[k], work)
        gap = state[0] + work.place[2]
        deepest = min(deepest, gap)
        if gap + normal_speed(work) * half < reach:
            count = keep_contact(work, count, -max(gap, 0.0) / half)
    if count:
        solve(die, ground, work, count)
        _store(state, die, work)
    state[0] += state[3] * half - _LIFT * deepest
    _go_along(state, half)
    turn(state, die.rates, half)


@compiled_as_numpy
def advance(
    state: Array,
    die: Die,
    ground: Ground,
    work: Work,
    step: float,
    time: float,
    below: float,
) -> float:
    """Advance a die and return the time that passed [s].

    Args:
        state: Changed in place.
        die: The die.
        ground: The plane.
        work: Room to work in.
        step: No step is longer [s].
        time: How far to advance [s].
        below: Stop as soon as the energy, as a height, is below this [m], or all is quiet.
    """
    passed, impacts, since = 0.0, 0, 0.0
    while passed < time - 1e-12:
        climb = _climb(state, die, ground.gravity)
        if state[0] + climb + ground.creep * sqrt(climb) < below:
            break
        state[11] = state[11] + passed - since if climb <= ground.still else 0.0
        since = passed
        if state[11] >= ground.rest:
            break
        height = state[0]
        left = min(step, time - passed)
        turning = 0.0
        for k in range(3):
            turning += (state[8 + k] * die.rates[k]) ** 2
        # No corner falls farther than this in the step.
        way = (sqrt(turning) * die.radius - state[3] + ground.gravity * left) * left
        if height - die.radius > way:
            _fly(state, die, ground.gravity, left)
            passed += left
            continue
        near = _near(state, die, ground, work, left)
        if near == 0:
            _fly(state, die, ground.gravity, left)
            passed += left
            continue
        _look(state, die, work)
        until = _next_impact(height, die, ground, work, near, left)
        if until == 0.0 and impacts < _IMPACTS:
            _strike(state, die, ground, work, near)
            impacts += 1
            continue
        until = until if until > 0.0 else left
        impacts = 0
        _press(state, die, ground, work, near, until)
        passed += until
    return passed
