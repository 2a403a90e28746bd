"""The best play of one person against two imaginary players who stop at fixed totals (R5).

The person goes first in each round and rolls two dice; ties are shared. Only the person decides,
so what a position is worth grows with what follows, and bounds from 0 and from 1 close in on it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.piggy_six.house_rules import Ending
from pigglesim.rotations import Array
from pigglesim.solvers.dice_game import PIGGY_SIX, keep, kept
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

TOLERANCE = 1e-9
MAX_SOLITAIRE_TARGET = 100
"""Greatest target; memory grows with its cube, time with its fourth power."""
_REPEATS = 1


@dataclass(frozen=True, kw_only=True)
class Solitaire:
    """One person and two imaginary players."""

    stops: tuple[int, int]
    """The turn totals at which they stop."""
    target: int = 100
    ending: Ending = Ending.EQUAL_TURNS
    must_roll: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.target <= MAX_SOLITAIRE_TARGET:
            raise SpecError(
                f"a target from 1 to {MAX_SOLITAIRE_TARGET} for the solitaire game",
                got=str(self.target),
                remedy="--target 50",
            )
        if not all(1 <= stop <= 1000 for stop in self.stops):
            raise SpecError(
                "two stopping points from 1 to 1000",
                got=", ".join(map(str, self.stops)),
                remedy="--solitaire 8,14",
            )

    @property
    def key(self) -> str:
        """Everything that the values depend on, as text."""
        first, second = self.stops
        return (
            f"solitaire 1: stops {first} and {second}, to {self.target}, {self.ending}, "
            f"must_roll={self.must_roll}"
        )

    def check(self, own: int, first: int, second: int, total: int) -> None:
        """Raise `SpecError` if the person has no such decision to make."""
        if not (all(0 <= score < self.target for score in (own, first, second)) and total >= 0):
            raise SpecError(
                f"scores from 0 to {self.target - 1} and a turn total of 0 or more",
                got=f"{own}, {first}, {second}, {total}",
                remedy="--position 40,30,50,12",
            )

    def kernel_dice(self) -> DiceTable:
        """Return the dice as the compiled code takes them."""
        return DiceTable(PIGGY_SIX.gains, PIGGY_SIX.busts, PIGGY_SIX.resets, self.must_roll)

    def bots(self) -> Bots:
        """Return what turns of the imaginary players bring."""
        never = 10**9
        first, second = (gain_shares(self.kernel_dice(), stop, never) for stop in self.stops)
        return Bots(first[:-1], float(first[-1]), second[:-1], float(second[-1]))

    def won(self) -> Array:
        """Return what points at the target and above are worth once the person has stopped."""
        if self.ending is Ending.RACE:
            return np.ones((self.target, self.target, 0))
        # No imaginary player comes further: with more the person has won.
        margin = max(self.stops) + PIGGY_SIX.most
        won: Array = last_round(self.target, margin, self.bots())
        return won


@dataclass(frozen=True, kw_only=True)
class SolitaireSolution:
    """What each position before the person's turn is worth, between bounds."""

    game: Solitaire
    low: Array
    """Shape [target] * 3: points of the person, of the first and of the second."""
    high: Array
    bound: float
    """No value is further than this from the true one."""
    sweeps: int
    seconds: float

    @property
    def solved(self) -> bool:
        """Whether the bounds have met."""
        return self.bound <= TOLERANCE

    @property
    def win(self) -> float:
        """The person's share of the win at the start."""
        return float(self.low[0, 0, 0] + self.high[0, 0, 0]) / 2.0

    def stop_total(self, own: int, first: int, second: int) -> int:
        """Return the least turn total at which a stop is best, before anyone has the target."""
        rolls, stops = self._column(own, first, second)
        least = 1 if self.game.must_roll else 0
        better = np.flatnonzero(stops[own + least :] >= rolls[own + least :])
        return least + int(better[0]) if len(better) else len(stops) - own

    def weigh(self, own: int, first: int, second: int, total: int) -> tuple[float, float]:
        """Return what rolling and stopping are worth at a turn total."""
        rolls, stops = self._column(own, first, second)
        at = own + total
        return (float(rolls[at]), float(stops[at])) if at < len(stops) else (0.0, 1.0)

    @cached_property
    def _values(self) -> Array:
        return (self.low + self.high) / 2.0

    @cached_property
    def _bots(self) -> Bots:
        return self.game.bots()

    @cached_property
    def _won(self) -> Array:
        return self.game.won()

    def _column(self, own: int, first: int, second: int) -> tuple[Array, Array]:
        """Return what rolling on and stopping are worth, by score."""
        values, bots, dice = self._values, self._bots, self.game.kernel_dice()
        stops = np.concatenate(
            [
                [_followed(values[score], first, second, bots) for score in range(len(values))],
                self._won[first, second],
            ]
        )
        rolls, room = np.zeros(len(stops)), np.zeros(len(stops) + dice.gains.shape[1])
        target = self.game.target
        column(own, stops, stops[own], stops[0], 1.0, dice, -1, target, rolls, room)
        return rolls, stops


def _followed(worth: Array, first: int, second: int, bots: Bots) -> float:
    """Return what a position is worth after the person's turn, given that of the next round."""
    target = len(worth)

    def ways(shares: Array, reset: float, points: int) -> Array:
        lands = np.zeros(target)
        lands[0] += reset
        reached = shares[: target - points]
        lands[points : points + len(reached)] += reached
        return lands

    one = ways(bots.first, bots.first_reset, first)
    two = ways(bots.second, bots.second_reset, second)
    return float(one @ worth @ two)


def solve_solitaire(
    game: Solitaire, *, tell: Callable[[float], None] | None = None
) -> SolitaireSolution:
    """Return the solitaire game solved to a billionth, from disk if it was solved before.

    Stopped by Ctrl-C it returns the bounds as they are then, which hold as well.

    Args:
        game: What to solve.
        tell: Called after each sweep with how far the bounds are apart.
    """
    begun, found = perf_counter(), _kept(game)
    if found is not None:
        return found
    size = (game.target,) * 3
    low = Rounds(np.zeros(size), np.zeros(size), np.zeros(size))
    high = Rounds(np.ones(size), np.ones(size), np.ones(size))
    won, bots, dice = game.won(), game.bots(), game.kernel_dice()
    apart, sweeps = 1.0, 0
    try:
        while apart > TOLERANCE:
            for bound in (low, high):
                for top, end in score_sums(game.target):
                    sweep_rounds(bound, won, bots, dice, _REPEATS, top, end)
            apart = float(np.max(high.before - low.before))
            sweeps += 1
            if tell is not None:
                tell(apart)
        keep(game.key, {"low": low.before, "high": high.before, "sweeps": np.array(sweeps)})
    except KeyboardInterrupt:
        pass
    return SolitaireSolution(
        game=game,
        low=low.before,
        high=high.before,
        bound=apart,
        sweeps=sweeps,
        seconds=perf_counter() - begun,
    )


def _kept(game: Solitaire) -> SolitaireSolution | None:
    arrays = kept(game.key)
    if arrays is None or {"low", "high", "sweeps"} - arrays.keys():
        return None
    low, high = arrays["low"], arrays["high"]
    if low.shape != (game.target,) * 3 or high.shape != low.shape:
        return None
    apart = float(np.max(high - low))
    found = SolitaireSolution(
        game=game, low=low, high=high, bound=apart, sweeps=int(arrays["sweeps"]), seconds=0.0
    )
    return found if found.solved else None
