"""The turn that brings most points on average, whatever the others do."""

from dataclasses import dataclass

import numpy as np

from pigglesim.solvers.dice_game import DiceGame
from pigglesim.solvers.turn_kernel import Dice, column

__all__ = ["OneTurn", "solve_turn"]

_TOP = 400
"""Turn total at which a stop is best whatever the dice: a bust alone costs more than any roll."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTurn:
    """The best plan for one turn."""

    expected: float
    """Points that it changes the score by, on average."""
    stop_at: int
    """Least turn total at which a stop is best."""
    plan: tuple[int, ...]
    """How many dice to roll at each turn total below that."""


def solve_turn(dice: DiceGame, *, bank: int = 0, must_roll: bool = True) -> OneTurn:
    """Return the plan for one turn that changes the score by most on average.

    With two dice and a bank of b points, one more roll at turn total k changes the score by
    (150 - 11 k - b) / 36 on average: 25/36 of the rolls bring 6 points, 11/36 lose k, 1/36 lose b
    as well. That falls as k grows, so to stop at the first k at which it is not above 0 is best.

    Args:
        dice: What rolls do.
        bank: Points that a reset would take.
        must_roll: Whether a turn has at least one roll.
    """
    stops = np.arange(_TOP, dtype=np.float64)
    rolls, values = np.zeros(_TOP), np.zeros(_TOP + dice.gains.shape[1])
    kernel = Dice(dice.gains, dice.busts, dice.resets, must_roll)
    expected = column(0, stops, 0.0, float(-bank), float(_TOP), kernel, -1, _TOP, rolls, values)
    start = 1 if must_roll else 0
    # Where a roll changes nothing on average, rounding must not tell it from a stop.
    stop_at = start + int(np.flatnonzero(stops[start:] >= rolls[start:] - _ROUNDING)[0])
    worth = [
        dice.busts * 0.0 - dice.resets * bank + dice.gains @ values[k : k + dice.most + 1]
        for k in range(stop_at)
    ]
    plan = tuple(dice.dice[int(np.argmax(each))] for each in worth)
    return OneTurn(expected=float(expected), stop_at=stop_at, plan=plan)
