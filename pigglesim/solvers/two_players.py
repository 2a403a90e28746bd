"""Optimal turns, and optimal play of two players, by value iteration with bounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.piggy_six import Ending
from pigglesim.rotations import Array
from pigglesim.solvers.dice_game import (
    Bounds,
    DiceGame,
    load_solution,
    save_solution,
    sweep_until_solved,
)
from pigglesim.solvers.kernel import DiceTable, SolverTable, column, last_turn, score_sums, sweep

_TOP = 400
"""Turn total at which a stop is optimal with any dice: a bust costs more than a roll gains."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTurn:
    """Optimal plan for one turn."""

    expected: float
    """Mean change of the score [points]."""
    stop_at: int
    """Minimum turn total at which a stop is optimal."""
    plan: tuple[int, ...]
    """Number of dice to roll at each lower turn total."""


def solve_turn(dice: DiceGame, *, bank: int = 0, must_roll: bool = True) -> OneTurn:
    """Return the plan for one turn that maximises the expected score.

    With two dice and a bank of b points, one more roll at turn total k changes the score by
    (150 - 11 k - b) / 36 on average: 25/36 of the rolls bring 6 points, 11/36 lose k, 1/36 lose b
    as well. The mean falls as k grows, so a stop is best at the first k at which it is at most 0.

    A reset takes the points of the bank.
    """
    stops = np.arange(_TOP, dtype=np.float64)
    rolls, values = np.zeros(_TOP), np.zeros(_TOP + dice.gains.shape[1])
    table = dice.table(must_roll=must_roll)
    expected = column(0, stops, 0.0, float(-bank), float(_TOP), table, -1, _TOP, rolls, values)
    start = 1 if must_roll else 0
    # The tolerance makes a roll of zero mean gain equal to a stop despite rounding.
    stop_at = start + int(np.flatnonzero(stops[start:] >= rolls[start:] - _ROUNDING)[0])
    rolled = [
        dice.busts * 0.0 - dice.resets * bank + dice.gains @ values[k : k + dice.most + 1]
        for k in range(stop_at)
    ]
    plan = tuple(dice.dice[int(np.argmax(each))] for each in rolled)
    return OneTurn(expected=float(expected), stop_at=stop_at, plan=plan)


MAX_TARGET = 300
"""Maximum target; time grows with its cube."""
_REPEATS = 2
"""Iterations per pair of turns, because a lost turn leads back to the same pair."""
_MARGIN_ROLLS = 8
"""Number of best rolls above the target for which the first player's scores are distinct. Values
above are bounded by 1 and by the value there; a stop is better long before."""
_BEST = -1
"""Code of no fixed stop in compiled code."""
_BOUNDS = ("first_low", "first_high", "second_low", "second_high")


@dataclass(frozen=True, kw_only=True)
class DuelResult:
    """Two players, one game of dice, one target; a tie is half a win for each (PS2)."""

    dice: DiceGame
    target: int = 100
    ending: Ending = Ending.EQUAL_TURNS
    must_roll: bool = True
    """True if a turn has at least one roll (PS1)."""
    hold: int | None = None
    """Turn total at which both stop, besides the target; None if both play optimally."""

    def __post_init__(self) -> None:
        if not 1 <= self.target <= MAX_TARGET:
            raise SpecError(
                f"invalid target {self.target}",
                expected=f"1 to {MAX_TARGET}",
                fix="use --target 100",
            )
        if self.hold is not None and self.hold < 1:
            raise SpecError(f"invalid hold {self.hold}", expected="1 or more", fix="use --hold 20")

    @property
    def key(self) -> str:
        """Text of everything on which the values depend."""
        return (
            f"match 1: {self.dice.name} to {self.target}, {self.ending}, "
            f"must_roll={self.must_roll}, hold={self.hold}"
        )

    @property
    def stop_at(self) -> int:
        """Turn total at which both stop, as compiled code takes it."""
        return _BEST if self.hold is None else self.hold

    @cached_property
    def dice_table(self) -> DiceTable:
        """Dice as compiled code takes them."""
        return self.dice.table(must_roll=self.must_roll)

    @property
    def margin(self) -> int:
        """Number of distinct scores from the target up."""
        return _MARGIN_ROLLS * self.dice.most if self.ending is Ending.EQUAL_TURNS else 0

    def fresh_table(self) -> SolverTable:
        """Return the initial bounds, 0 and 1."""
        size, dice = (self.target, self.target), self.dice_table
        reach = np.zeros((self.target, self.margin))
        for other, above in np.ndindex(reach.shape):
            score = self.target + above
            reach[other, above] = 1.0 - last_turn(other, score, dice, self.stop_at, self.target)
        return SolverTable(np.zeros(size), np.ones(size), np.zeros(size), np.ones(size), reach, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelState:
    """A state in which a player decides."""

    own: int
    """Banked points of the player to move."""
    other: int
    """Banked points of the other; at the target or above only in the second player's last turn."""
    total: int
    """Points of this turn so far."""
    first: bool
    """True if the player to move began the game."""

    def check(self, match: DuelResult) -> None:
        """Raise `SpecError` if the match has no such state."""
        target = match.target
        last_turn_due = not self.first and match.ending is Ending.EQUAL_TURNS
        reached = self.other >= target
        scores = 0 <= self.own < target and min(self.other, self.total) >= 0
        if not scores or (reached and not last_turn_due):
            raise SpecError(
                f"no decision is due at {self.own}, {self.other}, {self.total}",
                expected=f"scores from 0 to {target - 1} and a turn total of 0 or more",
                fix="use --position 40,60,12, with --second if the second player is to move",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionValues:
    """Win probability of each action of the player to move; a tie counts half."""

    stop: float | None
    """Win probability of a stop; None if a roll must come first."""
    rolls: Mapping[int, float]
    """Win probability by number of dice."""

    @property
    def best(self) -> int | None:
        """Number of dice to roll, None to stop; among equals a stop, else the fewest dice."""
        dice = max(self.rolls, key=lambda number: self.rolls[number])
        return dice if self.stop is None or self.rolls[dice] > self.stop else None

    @property
    def win(self) -> float:
        """Win probability of the best action."""
        best = self.best
        return self.rolls[best] if best is not None else float(self.stop or 0.0)


@dataclass(frozen=True, kw_only=True)
class Solution(Bounds):
    """Bounds on the value of every turn."""

    match: DuelResult
    table: SolverTable

    @property
    def first_player_win(self) -> float:
        """Win probability of the player who begins."""
        return float(self.first[0, 0])

    @property
    def states(self) -> int:
        """Number of states with a decision, by turn total, both scores and player."""
        target, margin = self.table.reach.shape
        return int(target * (target * (target + 1) + target * margin))

    @cached_property
    def first(self) -> Array:
        """Value of a turn for the first player, by own score and the other's."""
        values: Array = (self.table.first_low + self.table.first_high) / 2.0
        return values

    @cached_property
    def second(self) -> Array:
        """Value of a turn for the second player, by own score and the other's."""
        values: Array = (self.table.second_low + self.table.second_high) / 2.0
        return values

    def action_values(self, state: DuelState, *, rolled: bool) -> ActionValues:
        """Return the win probability of each action in a state.

        Args:
            state: The state.
            rolled: Whether this turn already had a roll.

        Raises:
            SpecError: If the match has no such state.
        """
        state.check(self.match)
        own, total = state.own, state.total
        stops, bust, reset, _, values = self._column(own, state.other, first=state.first)
        at, dice = own + total, self.match.dice
        # Every score above the top of a column wins.
        after = values[at : at + dice.most + 1] if at < len(stops) else np.ones(dice.most + 1)
        rolls = dice.busts * bust + dice.resets * reset + dice.gains @ after
        stop = float(stops[at]) if at < len(stops) else 1.0
        return ActionValues(
            stop=stop if rolled or not self.match.must_roll else None,
            rolls=dict(zip(dice.dice, rolls.tolist(), strict=True)),
        )

    def stop_total(self, own: int, other: int, *, first: bool) -> int:
        """Return the minimum turn total at which a stop is as good as a roll, or the top."""
        stops, _, _, rolls, _ = self._column(own, other, first=first)
        least = 1 if self.match.must_roll else 0
        better = np.flatnonzero(stops[own + least :] >= rolls[own + least :])
        return least + int(better[0]) if len(better) else len(stops) - own

    def stop_totals(self, *, first: bool) -> Array:
        """Return `stop_total` for all scores below the target, shape [own score, other's]."""
        scores = range(self.match.target)
        return np.array(
            [[self.stop_total(own, other, first=first) for other in scores] for own in scores]
        )

    def _column(
        self, own: int, other: int, *, first: bool
    ) -> tuple[Array, float, float, Array, Array]:
        """Return values of stops by score, of a bust and a reset, of rolls, and of states."""
        target, dice = self.match.target, self.match.dice_table
        if other >= target:
            stops = np.zeros(other + 1)
            stops[other], bust, reset = 0.5, 0.0, 0.0
        else:
            replies = self.second if first else self.first
            reach = self.table.reach[other] if first else np.zeros(0)
            stops = np.concatenate([1.0 - replies[other], reach])
            bust, reset = 1.0 - float(replies[other, own]), 1.0 - float(replies[other, 0])
        values = np.zeros(len(stops) + dice.gains.shape[1])
        rolls = np.zeros(len(stops))
        stop_at = self.match.stop_at
        column(own, stops, bust, reset, 1.0, dice, stop_at, target, rolls, values)
        return stops, bust, reset, rolls, values


def solve_match(
    match: DuelResult, *, tell: Callable[[float], None] | None = None, afresh: bool = False
) -> Solution:
    """Return a match solved to `TOLERANCE`, from disk if it was solved before.

    After Ctrl-C it returns the current bounds, which are valid too. After each sweep, the distance
    between the bounds is passed to `tell`. If `afresh`, a solution on disk is ignored.
    """
    begun = perf_counter()
    shapes = dict.fromkeys(_BOUNDS, (match.target, match.target))
    shapes["reach"] = (match.target, match.margin)
    kept = None if afresh else load_solution(match.key, shapes)
    if kept is not None:
        arrays, sweeps = kept
        first_low, first_high, second_low, second_high = (arrays[name] for name in _BOUNDS)
        table = SolverTable(first_low, first_high, second_low, second_high, arrays["reach"], 1.0)
        found = _solution(match, table, sweeps, 0.0)
        if found.solved:
            return found
    table, dice, stop = match.fresh_table(), match.dice_table, match.stop_at

    def once() -> float:
        return max(
            sweep(table, dice, stop, stop, _REPEATS, top, end)
            for top, end in score_sums(match.target)
        )

    sweeps = sweep_until_solved(once, tell)
    found = _solution(match, table, sweeps, perf_counter() - begun)
    if found.solved:
        save_solution(match.key, {name: getattr(table, name) for name in shapes}, sweeps)
    return found


def _solution(match: DuelResult, table: SolverTable, sweeps: int, seconds: float) -> Solution:
    apart = max(
        float(np.max(table.first_high - table.first_low)),
        float(np.max(table.second_high - table.second_low)),
    )
    return Solution(match=match, table=table, bound=apart, sweeps=sweeps, seconds=seconds)
