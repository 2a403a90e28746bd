"""The turn that brings most points on average, whatever the others do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.piggy_six.house_rules import Ending
from pigglesim.rotations import Array
from pigglesim.solvers.dice_game import DiceGame, keep, kept
from pigglesim.solvers.kernel import DiceTable, SolverTable, column, last_turn, score_sums, sweep

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
    kernel = DiceTable(dice.gains, dice.busts, dice.resets, must_roll)
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


TOLERANCE = 1e-9
"""How far bounds may be apart when a game counts as solved."""
MAX_TARGET = 300
"""Greatest target; time grows with its cube."""
_REPEATS = 2
"""How often a pair of turns is improved before the next: a lost turn leads straight back to it."""
_MARGIN_ROLLS = 8
"""Best rolls above the target up to which the first player's scores are told apart. What lies
above is bounded by 1 and by the value there; a stop is better long before."""
_BEST = -1
"""For the compiled code: no fixed stop."""
_BOUNDS = ("first_low", "first_high", "second_low", "second_high")


@dataclass(frozen=True, kw_only=True)
class DuelResult:
    """Two players, one game of dice, one target; a tie is half a win for each (PS2)."""

    dice: DiceGame
    target: int = 100
    ending: Ending = Ending.EQUAL_TURNS
    must_roll: bool = True
    """Whether a turn has at least one roll (PS1)."""
    hold: int | None = None
    """Both stop at this turn total, and at the target; None for the best play of both."""

    def __post_init__(self) -> None:
        if not 1 <= self.target <= MAX_TARGET:
            raise SpecError(
                f"a target from 1 to {MAX_TARGET}", got=str(self.target), remedy="--target 100"
            )
        if self.hold is not None and self.hold < 1:
            raise SpecError("a turn total of 1 or more", got=str(self.hold), remedy="--hold 20")

    @property
    def key(self) -> str:
        """Everything that the values depend on, as text."""
        return (
            f"match 1: {self.dice.name} to {self.target}, {self.ending}, "
            f"must_roll={self.must_roll}, hold={self.hold}"
        )

    @property
    def stop_at(self) -> int:
        """The turn total at which both stop, as the compiled code takes it."""
        return _BEST if self.hold is None else self.hold

    def kernel_dice(self) -> DiceTable:
        """Return the dice as the compiled code takes them."""
        return DiceTable(self.dice.gains, self.dice.busts, self.dice.resets, self.must_roll)

    def fresh_table(self) -> SolverTable:
        """Return bounds of which nothing is known yet."""
        size = (self.target, self.target)
        dice = self.kernel_dice()
        margin = _MARGIN_ROLLS * self.dice.most if self.ending is Ending.EQUAL_TURNS else 0
        reach = np.zeros((self.target, margin))
        for other in range(self.target):
            for above in range(margin):
                score = self.target + above
                answer = last_turn(other, score, dice, self.stop_at, self.target)
                reach[other, above] = 1.0 - answer
        return SolverTable(np.zeros(size), np.ones(size), np.zeros(size), np.ones(size), reach, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelState:
    """Where a player is to decide."""

    own: int
    """Points written down of who is to move."""
    other: int
    """Points written down of the other; at the target or above only for the second player, who
    then has the last turn."""
    total: int
    """Points of this turn so far."""
    first: bool
    """Whether who is to move began the game."""

    def check(self, match: DuelResult) -> None:
        """Raise `SpecError` if the match has no such position."""
        target = match.target
        last_turn_due = not self.first and match.ending is Ending.EQUAL_TURNS
        reached = self.other >= target
        scores = 0 <= self.own < target and min(self.other, self.total) >= 0
        if not scores or (reached and not last_turn_due):
            known = f"scores from 0 to {target - 1} and a turn total of 0 or more"
            raise SpecError(
                f"{known}; the other's at the target in the second player's last turn alone",
                got=f"{self.own}, {self.other}, {self.total}",
                remedy="--position 40,60,12, with --second where the second player is to move",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a player to move can do, and the chance to win with it; half a tie counts as a win."""

    stop: float | None
    """None where a roll must come first."""
    rolls: Mapping[int, float]
    """By number of dice."""

    @property
    def best(self) -> int | None:
        """How many dice to roll, None to stop; of equals to stop, else the fewest dice."""
        dice = max(self.rolls, key=lambda number: self.rolls[number])
        return dice if self.stop is None or self.rolls[dice] > self.stop else None

    @property
    def win(self) -> float:
        """The chance to win with the best of them."""
        best = self.best
        return self.rolls[best] if best is not None else float(self.stop or 0.0)


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What every turn is worth, between bounds."""

    match: DuelResult
    table: SolverTable
    bound: float
    """No value is further than this from the true one."""
    sweeps: int
    seconds: float
    """What the solving took; 0 where it was kept."""

    @property
    def solved(self) -> bool:
        """Whether the bounds have met; not where somebody stopped before that."""
        return self.bound <= TOLERANCE

    @property
    def first_player_win(self) -> float:
        """The chance to win of whoever begins, with best play of both or as they hold."""
        return float(self.first[0, 0])

    @property
    def states(self) -> int:
        """How many decisions there are: a turn total and both scores, for either player."""
        target, margin = self.table.reach.shape
        return int(target * (target * (target + 1) + target * margin))

    @cached_property
    def first(self) -> Array:
        """What a turn is worth to the first player, by own score and the other's."""
        values: Array = (self.table.first_low + self.table.first_high) / 2.0
        return values

    @cached_property
    def second(self) -> Array:
        """The same for the second player, by own score and the other's."""
        values: Array = (self.table.second_low + self.table.second_high) / 2.0
        return values

    def weigh(self, position: DuelState, *, rolled: bool) -> Weighed:
        """Return what can be done in a position.

        Args:
            position: Where.
            rolled: Whether this turn has had a roll.

        Raises:
            SpecError: If no game has such a position.
        """
        position.check(self.match)
        own, total = position.own, position.total
        stops, bust, reset, _, values = self._column(own, position.other, first=position.first)
        at, dice = own + total, self.match.dice
        # Above the top of a column everything is won.
        after = values[at : at + dice.most + 1] if at < len(stops) else np.ones(dice.most + 1)
        worth = dice.busts * bust + dice.resets * reset + dice.gains @ after
        stop = float(stops[at]) if at < len(stops) else 1.0
        return Weighed(
            stop=stop if rolled or not self.match.must_roll else None,
            rolls=dict(zip(dice.dice, worth.tolist(), strict=True)),
        )

    def stop_total(self, own: int, other: int, *, first: bool) -> int:
        """Return the least turn total at which a stop is best, or as good as a roll.

        Where it is at no total below the top of the column, the distance to the top is given.
        """
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
        """Return worth of stops by score, of a bust and of a reset, of rolls and of positions."""
        target, dice = self.match.target, self.match.kernel_dice()
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

    Stopped by Ctrl-C it returns the bounds as they are then, which hold as well.

    Args:
        match: What to solve.
        tell: Called after each sweep with how far the bounds are apart.
        afresh: Whether to solve it even if it was solved before.
    """
    begun = perf_counter()
    found = None if afresh else _kept(match)
    if found is not None:
        return found
    table, dice = match.fresh_table(), match.kernel_dice()
    apart, sweeps = 1.0, 0
    try:
        while apart > TOLERANCE:
            apart = max(
                sweep(table, dice, match.stop_at, match.stop_at, _REPEATS, top, end)
                for top, end in score_sums(match.target)
            )
            sweeps += 1
            if tell is not None:
                tell(apart)
    except KeyboardInterrupt:
        return _solution(match, table, sweeps, perf_counter() - begun)
    arrays: dict[str, Array] = {name: getattr(table, name) for name in (*_BOUNDS, "reach")}
    keep(match.key, arrays | {"sweeps": np.array(sweeps)})
    return _solution(match, table, sweeps, perf_counter() - begun)


def _solution(match: DuelResult, table: SolverTable, sweeps: int, seconds: float) -> Solution:
    apart = max(
        float(np.max(table.first_high - table.first_low)),
        float(np.max(table.second_high - table.second_low)),
    )
    return Solution(match=match, table=table, bound=apart, sweeps=sweeps, seconds=seconds)


def _kept(match: DuelResult) -> Solution | None:
    """Return the solution on disk, if it is there and is one."""
    arrays = kept(match.key)
    if arrays is None or {*_BOUNDS, "reach", "sweeps"} - arrays.keys():
        return None
    size = (match.target, match.target)
    if any(arrays[name].shape != size for name in _BOUNDS):
        return None
    first_low, first_high, second_low, second_high = (arrays[name] for name in _BOUNDS)
    table = SolverTable(first_low, first_high, second_low, second_high, arrays["reach"], 1.0)
    found = _solution(match, table, int(arrays["sweeps"]), 0.0)
    return found if found.solved else None
