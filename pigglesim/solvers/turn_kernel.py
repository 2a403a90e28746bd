"""One turn of a dice game by backward induction, and sweeps over all turns of two; compiled.

A turn is a column of scores: `own` with nothing rolled yet, and up from there by what is rolled.
As every roll adds, a column is solved from its top down in one pass. What a stop, a bust and a
reset are worth is given; `beyond` is what a score at or above the top is worth.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.compiling import compiled

__all__ = ["Dice", "Table", "column", "last_turn", "score_sums", "sweep"]

_Floats = NDArray[np.float64]
_AT_ONCE = 8
"""Sums of scores in a part of a sweep."""


class Dice(NamedTuple):
    """What rolls do, and what is asked of a turn."""

    gains: _Floats
    """Shape [choice_count, most + 1]."""
    busts: _Floats
    """Shape [choice_count]."""
    resets: _Floats
    """Shape [choice_count]."""
    must_roll: bool


class Table(NamedTuple):
    """Bounds on what turns are worth to who is about to take them, each of shape [target] * 2.

    The first index is the score of who is to move, the second that of the other.
    """

    first_low: _Floats
    first_high: _Floats
    second_low: _Floats
    second_high: _Floats
    reach: _Floats
    """What it is worth to the first player to stop at the target or above, by the other's score
    and by points above the target, shape [target, margin]."""
    reach_high: float
    """What a score beyond those can be worth at most."""


def score_sums(target: int) -> Iterator[tuple[int, int]]:
    """Yield the sums of two scores below a target, highest first, as parts of a sweep.

    A part is done in some tenth of a second at most: between two of them Ctrl-C is heard.
    """
    for top in range(2 * target - 2, -1, -_AT_ONCE):
        yield top, max(top - _AT_ONCE, -1)


@compiled
def column(  # noqa: D103 (a compiled function: see the module)
    own: int,
    stops: _Floats,
    bust: float,
    reset: float,
    beyond: float,
    dice: Dice,
    stop_at: int,
    goal: int,
    rolls: _Floats,
    values: _Floats,
) -> float:
    # `stops[s]` is what stopping at score s is worth, `values` has room for the greatest gain
    # above the top; what rolling on is worth at s is left in `rolls[s]`. Below 0, `stop_at` means
    # the best choice; otherwise the turn stops at that total, and at the goal.
    top, most = len(stops), dice.gains.shape[1] - 1
    for s in range(top, top + most):
        values[s] = beyond
    for s in range(top - 1, own - 1, -1):
        best = -np.inf
        for choice in range(dice.gains.shape[0]):
            value = dice.busts[choice] * bust + dice.resets[choice] * reset
            for gain in range(1, most + 1):
                value += dice.gains[choice, gain] * values[s + gain]
            best = max(best, value)
        rolls[s] = best
        if s == own and dice.must_roll:
            values[s] = best
        elif stop_at < 0:
            values[s] = max(best, stops[s])
        else:
            values[s] = stops[s] if s - own >= stop_at or s >= goal else best
    return float(values[own])


@compiled
def last_turn(own: int, other: int, dice: Dice, stop_at: int, goal: int) -> float:  # noqa: D103
    # The second player's last turn: more than the other's score wins, as much is half a win.
    stops = np.zeros(other + 1)
    stops[other] = 0.5
    room = np.zeros(other + 1 + dice.gains.shape[1])
    return column(own, stops, 0.0, 0.0, 1.0, dice, stop_at, goal, np.zeros_like(stops), room)


@compiled
def _turn(
    own: int,
    other: int,
    replies: _Floats,
    reach: _Floats,
    beyond: float,
    dice: Dice,
    stop_at: int,
    room: _Floats,
    rolls: _Floats,
    values: _Floats,
) -> float:
    # `replies[o, s]` is what the other's turn is worth to the other, who has o while we have s.
    goal, margin = replies.shape[1], len(reach)
    stops = room[: goal + margin]
    for s in range(own, goal):
        stops[s] = 1.0 - replies[other, s]
    for s in range(margin):
        stops[goal + s] = reach[s]
    bust, reset = 1.0 - replies[other, own], 1.0 - replies[other, 0]
    return column(own, stops, bust, reset, beyond, dice, stop_at, goal, rolls, values)


@compiled
def sweep(  # noqa: D103
    table: Table, dice: Dice, first_stop: int, second_stop: int, repeats: int, top: int, end: int
) -> float:
    # Both bounds of every turn, each from the newest bounds of what follows, highest scores first:
    # only lost turns and lost points lead back. Returns how far the bounds are apart at most. Done
    # are the sums of both scores from `top` down to `end`, which is left out.
    target, margin = table.reach.shape
    size = target + margin + dice.gains.shape[1]
    room, rolls, values = np.zeros(size), np.zeros(size), np.zeros(size)
    won = np.ones(0)
    apart = 0.0
    for total in range(top, end, -1):
        for x in range(max(0, total - target + 1), min(target - 1, total) + 1):
            y = total - x
            reach = table.reach[y]
            beyond = reach[margin - 1] if margin else 1.0
            for _ in range(repeats):
                table.first_low[x, y] = _turn(
                    x, y, table.second_high, reach, beyond, dice, first_stop, room, rolls, values
                )
                table.first_high[x, y] = _turn(
                    x, y, table.second_low, reach, table.reach_high, dice, first_stop,
                    room, rolls, values,
                )  # fmt: skip
                table.second_low[y, x] = _turn(
                    y, x, table.first_high, won, 1.0, dice, second_stop, room, rolls, values
                )
                table.second_high[y, x] = _turn(
                    y, x, table.first_low, won, 1.0, dice, second_stop, room, rolls, values
                )
                gap = max(
                    table.first_high[x, y] - table.first_low[x, y],
                    table.second_high[y, x] - table.second_low[y, x],
                )
            apart = max(apart, gap)
    return apart
