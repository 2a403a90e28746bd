"""Value iteration of dice games in compiled code: one turn, and sweeps over all turns.

A turn is a column of scores: `own` before any roll, then higher scores by its rolls. Every roll
adds to the score, so one pass from the top down solves a column, given the values of a stop, a bust
and a reset. `beyond` is the value of a score at or above the top.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.jit import compiled

_Floats = NDArray[np.float64]
_AT_ONCE = 8
"""Number of score sums per part of a sweep."""


class DiceTable(NamedTuple):
    """Probabilities of rolls, and a flag for turns that need a roll."""

    gains: _Floats
    """Probability of each gain, shape [choice_count, most + 1]."""
    busts: _Floats
    """Probability of a bust, shape [choice_count]."""
    resets: _Floats
    """Probability of a reset, shape [choice_count]."""
    must_roll: bool


class SolverTable(NamedTuple):
    """Bounds on values of turns for the player to move, by own score and the other's.

    Each has shape [target] * 2.
    """

    first_low: _Floats
    first_high: _Floats
    second_low: _Floats
    second_high: _Floats
    reach: _Floats
    """Value for the first player of a stop at the target or above, by the other's score and the
    points above the target, shape [target, margin]."""
    reach_high: float
    """Upper bound on the value of a score above those."""


def score_sums(target: int) -> Iterator[tuple[int, int]]:
    """Yield the sums of two scores below a target, highest first, as parts of a sweep.

    A part takes at most 0.1 s, and Ctrl-C is checked between parts.
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
    dice: DiceTable,
    stop_at: int,
    goal: int,
    rolls: _Floats,
    values: _Floats,
) -> float:
    # `stops[s]` is the value of a stop at score s, and `rolls[s]` becomes that of another roll.
    # `values` has room for the largest gain above the top. A negative `stop_at` means the best
    # choice; otherwise the turn stops at that total, and at the goal.
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
def last_turn(own: int, other: int, dice: DiceTable, stop_at: int, goal: int) -> float:  # noqa: D103
    # In the second player's last turn, more than the other's score wins and a tie is half a win.
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
    dice: DiceTable,
    stop_at: int,
    room: _Floats,
    rolls: _Floats,
    values: _Floats,
) -> float:
    # `replies[o, s]` is the other's value of its turn with o points, when the mover has s.
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
    table: SolverTable,
    dice: DiceTable,
    first_stop: int,
    second_stop: int,
    repeats: int,
    top: int,
    end: int,
) -> float:
    # Update both bounds of every turn from the newest bounds of its successors, highest scores
    # first: only lost turns and lost points lead back. Return the maximum distance between the
    # bounds. The sums of both scores run from `top` down to `end`, exclusive.
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


class Bots(NamedTuple):
    """Gains of a turn of each imaginary player."""

    first: _Floats
    """Probability of each gain from 0, shape [most + 1]."""
    first_reset: float
    second: _Floats
    second_reset: float


class Rounds(NamedTuple):
    """A bound on win probabilities, each of shape [target] * 3 by person, first and second."""

    before: _Floats
    after_person: _Floats
    after_first: _Floats


@compiled
def gain_shares(dice: DiceTable, stop_at: int, goal_gap: int) -> _Floats:  # noqa: D103
    # Probability of each gain of a turn that stops at a total, or at a gap to the goal. The last
    # number is the probability of a reset. Only the first choice of dice is rolled.
    most = dice.gains.shape[1] - 1
    shares = np.zeros(stop_at + most + 1)
    under_way = np.zeros(stop_at + most)
    under_way[0] = 1.0
    for total in range(min(stop_at, goal_gap)):
        for gain in range(1, most + 1):
            share = under_way[total] * dice.gains[0, gain]
            if total + gain >= stop_at or total + gain >= goal_gap:
                shares[total + gain] += share
            else:
                under_way[total + gain] += share
        shares[0] += under_way[total] * dice.busts[0]
        shares[-1] += under_way[total] * dice.resets[0]
    return shares


@compiled
def last_round(target: int, margin: int, bots: Bots) -> _Floats:  # noqa: D103
    # The person's share of the win with `target + m` points, by the others' points before their
    # last turns, shape [target, target, margin]. A reset, like a bust, leaves the other behind.
    won = np.zeros((target, target, margin))
    for first in range(target):
        for second in range(target):
            for above in range(margin):
                own, share = target + above, 0.0
                for gain in range(-1, len(bots.first)):
                    chance = bots.first_reset if gain < 0 else bots.first[gain]
                    one = first + max(gain, 0)
                    if one > own or chance == 0.0:
                        continue
                    for other in range(-1, len(bots.second)):
                        also = bots.second_reset if other < 0 else bots.second[other]
                        two = second + max(other, 0)
                        if two <= own:
                            share += chance * also / (1.0 + (one == own) + (two == own))
                won[first, second, above] = share
    return won


@compiled
def _follow(shares: _Floats, reset: float, points: int, next_values: _Floats) -> float:
    # `next_values` are values by points of the next player; at the target or above they are 0.
    value = reset * float(next_values[0])
    for gain in range(len(shares)):
        if points + gain < len(next_values):
            value += float(shares[gain] * next_values[points + gain])
    return value


@compiled
def sweep_rounds(  # noqa: D103
    rounds: Rounds, won: _Floats, bots: Bots, dice: DiceTable, repeats: int, top: int, end: int
) -> None:
    # The sums of the others' scores run from `top` down to `end`, exclusive.
    target, margin = won.shape[0], won.shape[2]
    size = target + margin + dice.gains.shape[1]
    stops, rolls, values = np.zeros(target + margin), np.zeros(size), np.zeros(size)
    for total in range(top, end, -1):
        for first in range(max(0, total - target + 1), min(target - 1, total) + 1):
            second = total - first
            stops[target:] = won[first, second]
            for _ in range(repeats):
                for own in range(target):
                    rounds.after_first[own, first, second] = _follow(
                        bots.second, bots.second_reset, second, rounds.before[own, first]
                    )
                    rounds.after_person[own, first, second] = _follow(
                        bots.first, bots.first_reset, first, rounds.after_first[own, :, second]
                    )
                    stops[own] = rounds.after_person[own, first, second]
                for own in range(target - 1, -1, -1):
                    rounds.before[own, first, second] = column(
                        own, stops, stops[own], stops[0], 1.0, dice, -1, target, rolls, values
                    )
