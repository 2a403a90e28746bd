"""Steps of many bodies: alone, as drops are, or together where they may meet; compiled.

A body that meets nothing but the board's top, or the table, is stepped by `impulse_steps.advance`,
on its plane, with every impact in its own time. The others are stepped together by Moreau's
midpoint rule (1988): half the way, impulses at the geometry there, the other half.
"""

from math import ceil

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_cup import aim_cup, move_cup
from pigglesim.physics.impulse_motion import least, turn, write_axes
from pigglesim.physics.impulse_pile_types import MOST_BODIES, Pile, Room, Shapes, Table
from pigglesim.physics.impulse_reach import STANDING, pair_up
from pigglesim.physics.impulse_solve import lift, solve
from pigglesim.physics.impulse_steps import advance
from pigglesim.physics.impulse_touch import collect, die_of
from pigglesim.physics.impulse_types import Ground, Work
from pigglesim.spatial import Array

__all__ = ["advance_all"]

_WAY = 1e-3
"""No point of a body outside the cup goes farther in a piece of a step [m]."""
_PIECES = 8
"""Of a step, at most."""
_TOUCH = 1e-4
"""A body whose lowest corner is this near to its plane is held by it [m]."""


@compiled_as_numpy
def _look(pile: Pile, work: Work, body: int) -> None:
    """Write a body's place, turn, motion and inverse inertia in world axes from its state."""
    state, rates = pile.states[body], pile.rates[body]
    pile.places[body, 0], pile.places[body, 1] = state[12], state[13]
    pile.places[body, 2] = state[0]
    write_axes(state, work)
    axes, inverse = work.axes, pile.inverses[body]
    for i in range(3):
        pile.velocities[body, i] = state[1 + i]
        pile.spins[body, i] = 0.0
        for k in range(3):
            pile.turns[body, i, k] = axes[i, k]
            pile.spins[body, i] += axes[i, k] * state[8 + k] * rates[k]
        for j in range(3):
            inverse[i, j] = (
                axes[i, 0] * axes[j, 0] * rates[0]
                + axes[i, 1] * axes[j, 1] * rates[1]
                + axes[i, 2] * axes[j, 2] * rates[2]
            )


@compiled_as_numpy
def _store(pile: Pile, body: int) -> None:
    """Write a body's motion back into its state."""
    state = pile.states[body]
    for k in range(3):
        state[1 + k] = pile.velocities[body, k]
        own = 0.0
        for i in range(3):
            own += pile.turns[body, i, k] * pile.spins[body, i]
        state[8 + k] = own / pile.rates[body, k]
    state[11] = 0.0


@compiled_as_numpy
def _drift(pile: Pile, body: int, time: float) -> None:
    state, rates = pile.states[body], pile.rates[body]
    state[0] += state[3] * time
    state[12] += state[1] * time
    state[13] += state[2] * time
    turn(state, (rates[0], rates[1], rates[2]), time)


@compiled_as_numpy
def _piece(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
    damping: float,
    bodies: int,
    time: float,
) -> None:
    """Step all bodies that are stepped together by a piece of a step."""
    half = 0.5 * time
    for body in range(bodies):
        if pile.joint[body]:
            _drift(pile, body, half)
            pile.states[body, 3] -= ground.gravity * time
            for k in range(6):
                at = 1 + k if k < 3 else 5 + k
                pile.states[body, at] *= max(0.0, 1.0 - damping * time)
            _look(pile, work, body)
    if pile.has_cup[0]:
        move_cup(pile, half)
    collect(shapes, pile, work, ground, table, bodies, half)
    for row in range(len(pile.lightness)):
        for k in range(3):
            pile.pushes[row, k] = 0.0
    solve(pile, ground, table, bodies)
    _note_meetings(pile)
    lift(pile)
    for body in range(bodies):
        if pile.joint[body]:
            _store(pile, body)
            _drift(pile, body, half)
            pile.states[body, 12] += pile.pushes[body, 0]
            pile.states[body, 13] += pile.pushes[body, 1]
            pile.states[body, 0] += pile.pushes[body, 2]
    if pile.has_cup[0]:
        move_cup(pile, half)


@compiled_as_numpy
def _note_meetings(pile: Pile) -> None:
    """Note which bodies have pushed each other: a blow is over long before anybody looks."""
    for i in range(pile.count[0]):
        a, b = pile.first[i], pile.second[i]
        if b < MOST_BODIES and pile.push[i] > 0.0:
            pile.met[a, b] = 1
            for k in range(3):
                pile.met_at[a, b, k] = pile.at[i, k]


@compiled_as_numpy
def _step_alone(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
    damping: float,
    body: int,
    time: float,
) -> None:
    """Step a body that meets nothing but a plane."""
    state = pile.states[body]
    floor = -table.thickness if max(abs(state[12]), abs(state[13])) > table.half else 0.0
    die = die_of(shapes, pile, body)
    state[0] -= floor
    work.marks[1] = work.marks[2] = pile.marks[body, 0]
    if damping > 0.0:
        for k in range(6):
            at = 1 + k if k < 3 else 5 + k
            state[at] *= max(0.0, 1.0 - damping * time)
    advance(state, die, ground, work, time, time, 0.0)
    up = work.ways[0]
    write_axes(state, work)
    for k in range(3):
        up[k] = work.axes[2, k]
    low = pile.marks[body, 0] = least(die, up, pile.marks[body, 0])
    at = die.corners[low, 0] * up[0] + die.corners[low, 1] * up[1] + die.corners[low, 2] * up[2]
    pile.held[body] = state[0] + at < _TOUCH
    state[0] += floor


@compiled_as_numpy
def _step(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
    damping: float,
    bodies: int,
    time: float,
) -> None:
    """Advance all bodies of a world by a step."""
    top = pair_up(shapes, pile, table, bodies, time)
    together = False
    for body in range(bodies):
        if pile.joint[body]:
            together = True
        elif pile.forms[body] != STANDING:
            _step_alone(shapes, pile, work, ground, table, damping, body, time)
            _look(pile, work, body)
    pile.count[0] = 0
    if not together:
        return
    pieces = min(_PIECES, max(1, ceil(top * time / _WAY)))
    for _ in range(pieces):
        _piece(
            shapes,
            pile,
            work,
            ground,
            table,
            damping,
            bodies,
            time / pieces,
        )
    for body in range(bodies):
        if pile.joint[body]:
            pile.held[body] = 0
            _look(pile, work, body)
    for i in range(pile.count[0]):
        pile.held[pile.first[i]] = 1
        if pile.second[i] < bodies:
            pile.held[pile.second[i]] = 1


@compiled_as_numpy
def advance_all(
    shapes: Shapes,
    room: Room,
    ground: Ground,
    table: Table,
    damping: float,
    way: Array,
    count: int,
    bodies: int,
    time: float,
) -> None:
    """Advance all bodies of a world by some steps.

    Args:
        shapes: What they look like.
        room: The bodies, changed in place.
        ground: How bodies and board act on each other, resistance as it is now.
        table: What else there is.
        damping: Rate at which motion dies [1/s].
        way: Places and quaternions of the cup before the first step and after each, shape
            [count + 1, 7]; without a cup [0, 7].
        count: How many steps.
        bodies: How many bodies there are.
        time: Of a step [s].
    """
    pile, work = room.pile[0], room.work[0]
    pile.met[:, :] = 0
    for k in range(count):
        pile.has_cup[0] = len(way)
        if len(way):
            aim_cup(pile, way, k, 1.0 / time)
        _step(shapes, pile, work, ground, table, damping, bodies, time)
