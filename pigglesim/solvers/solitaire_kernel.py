"""Sweeps over all rounds of the solitaire game; compiled.

One person decides, two imaginary players follow with turns whose gains are known beforehand. What
a position is worth is told at three moments of a round: before the person's turn, after it and
after the first imaginary player's.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.compiling import compiled
from pigglesim.solvers.turn_kernel import Dice, column

__all__ = ["Bots", "Rounds", "gain_shares", "last_round", "sweep_rounds"]

_Floats = NDArray[np.float64]


class Bots(NamedTuple):
    """What a turn of each imaginary player brings."""

    first: _Floats
    """Chance of each gain, none among them, shape [most + 1]."""
    first_reset: float
    second: _Floats
    second_reset: float


class Rounds(NamedTuple):
    """A bound on the chance to win, each of shape [target] * 3 by person, first and second."""

    before: _Floats
    after_person: _Floats
    after_first: _Floats


@compiled
def gain_shares(dice: Dice, stop_at: int, goal_gap: int) -> _Floats:  # noqa: D103
    # How often a turn that stops at a total, or at a gap to the goal, brings how much; the last
    # number is how often it costs everything. Only the first choice of dice is rolled.
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
    # last turns, shape [target, target, margin]. Who loses all is behind anyway, as with a bust.
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
def _follow(shares: _Floats, reset: float, points: int, worth: _Floats) -> float:
    # `worth` is what the points of who follows are worth; at the target or above, nothing.
    value = reset * float(worth[0])
    for gain in range(len(shares)):
        if points + gain < len(worth):
            value += float(shares[gain] * worth[points + gain])
    return value


@compiled
def sweep_rounds(  # noqa: D103
    rounds: Rounds, won: _Floats, bots: Bots, dice: Dice, repeats: int, top: int, end: int
) -> None:
    # Done are the sums of the others' scores from `top` down to `end`, which is left out.
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
