"""Optimal play of one person against two imaginary players who stop at fixed totals (R5).

The person goes first in each round and rolls two dice; ties are shared. Only the person decides, so
values increase with the values that follow, and iterations from 0 and from 1 bound them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.piggy_six import Ending
from pigglesim.rotations import Array
from pigglesim.solvers.dice_game import (
    PIGGY_SIX,
    Bounds,
    load_solution,
    save_solution,
    sweep_until_solved,
)
from pigglesim.solvers.kernel import (
    Bots,
    DiceTable,
    Rounds,
    column,
    gain_shares,
    last_round,
    score_sums,
    sweep_rounds,
)

MAX_SOLITAIRE_TARGET = 100
"""Maximum target; memory grows with its cube, time with its fourth power."""


@dataclass(frozen=True, kw_only=True)
class Solitaire:
    """One person and two imaginary players."""

    stops: tuple[int, int]
    """Turn totals at which the imaginary players stop."""
    target: int = 100
    ending: Ending = Ending.EQUAL_TURNS
    must_roll: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.target <= MAX_SOLITAIRE_TARGET:
            raise SpecError(
                f"invalid target {self.target} of a solitaire game",
                expected=f"1 to {MAX_SOLITAIRE_TARGET}",
                fix="use --target 50",
            )
        if not all(1 <= stop <= 1000 for stop in self.stops):
            raise SpecError(
                f"invalid stopping points {', '.join(map(str, self.stops))}",
                expected="two numbers from 1 to 1000",
                fix="use --solitaire 8,14",
            )

    @property
    def key(self) -> str:
        """Text of everything on which the values depend."""
        first, second = self.stops
        return (
            f"solitaire 1: stops {first} and {second}, to {self.target}, {self.ending}, "
            f"must_roll={self.must_roll}"
        )

    def check(self, own: int, first: int, second: int, total: int) -> None:
        """Raise `SpecError` if the person has no decision in such a state."""
        if not (all(0 <= score < self.target for score in (own, first, second)) and total >= 0):
            raise SpecError(
                f"no decision is due at {own}, {first}, {second}, {total}",
                expected=f"scores from 0 to {self.target - 1} and a turn total of 0 or more",
                fix="use --position 40,30,50,12",
            )

    @cached_property
    def dice_table(self) -> DiceTable:
        """Dice as compiled code takes them."""
        return PIGGY_SIX.table(must_roll=self.must_roll)

    @cached_property
    def bots(self) -> Bots:
        """Gains of turns of the imaginary players."""
        never = 10**9
        first, second = (gain_shares(self.dice_table, stop, never) for stop in self.stops)
        return Bots(first[:-1], float(first[-1]), second[:-1], float(second[-1]))

    @cached_property
    def won(self) -> Array:
        """Values of points from the target up after the person has stopped."""
        if self.ending is Ending.RACE:
            return np.ones((self.target, self.target, 0))
        # No imaginary player reaches more, so with more points the person has won.
        margin = max(self.stops) + PIGGY_SIX.most
        won: Array = last_round(self.target, margin, self.bots)
        return won


@dataclass(frozen=True, kw_only=True)
class SolitaireSolution(Bounds):
    """Bounds on the value of each state before the person's turn."""

    game: Solitaire
    low: Array
    """Lower bound by points of the person, the first and the second, shape [target] * 3."""
    high: Array

    @property
    def win(self) -> float:
        """Share of the win of the person at the start."""
        return float(self.low[0, 0, 0] + self.high[0, 0, 0]) / 2.0

    def stop_total(self, own: int, first: int, second: int) -> int:
        """Return the minimum turn total at which a stop is best, before anyone has the target."""
        rolls, stops = self._column(own, first, second)
        least = 1 if self.game.must_roll else 0
        better = np.flatnonzero(stops[own + least :] >= rolls[own + least :])
        return least + int(better[0]) if len(better) else len(stops) - own

    def action_values(self, own: int, first: int, second: int, total: int) -> tuple[float, float]:
        """Return the values of a roll and of a stop at a turn total."""
        rolls, stops = self._column(own, first, second)
        at = own + total
        return (float(rolls[at]), float(stops[at])) if at < len(stops) else (0.0, 1.0)

    @cached_property
    def _values(self) -> Array:
        return (self.low + self.high) / 2.0

    def _column(self, own: int, first: int, second: int) -> tuple[Array, Array]:
        """Return the values of a roll and of a stop, by score."""
        values, bots, dice = self._values, self.game.bots, self.game.dice_table
        followed = [_followed(values[score], first, second, bots) for score in range(len(values))]
        stops = np.concatenate([followed, self.game.won[first, second]])
        rolls, room = np.zeros(len(stops)), np.zeros(len(stops) + dice.gains.shape[1])
        target = self.game.target
        column(own, stops, stops[own], stops[0], 1.0, dice, -1, target, rolls, room)
        return rolls, stops


def _followed(values: Array, first: int, second: int, bots: Bots) -> float:
    """Return the value after the person's turn, given those of the next round."""
    target = len(values)

    def points_after(shares: Array, reset: float, points: int) -> Array:
        lands = np.zeros(target)
        lands[0] += reset
        reached = shares[: target - points]
        lands[points : points + len(reached)] += reached
        return lands

    one = points_after(bots.first, bots.first_reset, first)
    two = points_after(bots.second, bots.second_reset, second)
    return float(one @ values @ two)


def solve_solitaire(
    game: Solitaire, *, tell: Callable[[float], None] | None = None
) -> SolitaireSolution:
    """Return the solitaire game solved to `TOLERANCE`, from disk if it was solved before.

    After Ctrl-C it returns the current bounds, which are valid too. After each sweep, the distance
    between the bounds is passed to `tell`.
    """
    begun, size = perf_counter(), (game.target,) * 3
    kept = load_solution(game.key, {"low": size, "high": size})
    if kept is not None:
        arrays, sweeps = kept
        found = _solution(game, arrays["low"], arrays["high"], sweeps, 0.0)
        if found.solved:
            return found
    low = Rounds(np.zeros(size), np.zeros(size), np.zeros(size))
    high = Rounds(np.ones(size), np.ones(size), np.ones(size))

    def once() -> float:
        for bound in (low, high):
            for top, end in score_sums(game.target):
                sweep_rounds(bound, game.won, game.bots, game.dice_table, 1, top, end)
        return float(np.max(high.before - low.before))

    sweeps = sweep_until_solved(once, tell)
    found = _solution(game, low.before, high.before, sweeps, perf_counter() - begun)
    if found.solved:
        save_solution(game.key, {"low": found.low, "high": found.high}, sweeps)
    return found


def _solution(
    game: Solitaire, low: Array, high: Array, sweeps: int, seconds: float
) -> SolitaireSolution:
    apart = float(np.max(high - low))
    return SolitaireSolution(
        game=game, low=low, high=high, bound=apart, sweeps=sweeps, seconds=seconds
    )
