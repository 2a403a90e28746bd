"""Optimal play of push-your-luck dice games: one turn, two players, and the solitaire game."""

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, reduce
from hashlib import sha256
from itertools import product
from operator import add, mul
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from pigglesim.arguments import JsonResult, checked
from pigglesim.data_files import user_cache
from pigglesim.durable_io import atomic_file
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.piggy_six import Ending, Fate, fate_of
from pigglesim.limits import Limits
from pigglesim.rotations import Array
from pigglesim.solvers.kernel import (
    Bots,
    DiceTable,
    Rounds,
    SolverTable,
    column,
    gain_shares,
    last_round,
    last_turn,
    score_sums,
    sweep,
    sweep_rounds,
)


@dataclass(frozen=True, kw_only=True)
class DiceGame:
    """Choices of fair dice and the results of their rolls."""

    name: str
    dice: tuple[int, ...]
    """Number of dice of each choice."""
    fate: Callable[[Sequence[int]], Fate]
    """Function that returns the result of a roll."""

    @cached_property
    def gains(self) -> Array:
        """Probability of each gain without a bust, by choice, shape [choice_count, most + 1]."""
        found = np.zeros((len(self.dice), 6 * max(self.dice) + 1))
        for row, number in enumerate(self.dice):
            for faces in product(range(1, 7), repeat=number):
                if self.fate(faces) is Fate.POINTS:
                    found[row, sum(faces)] += 1.0
            found[row] /= 6.0**number
        last = int(np.flatnonzero(found.sum(axis=0))[-1])
        shown: Array = np.ascontiguousarray(found[:, : last + 1])
        return shown

    @cached_property
    def busts(self) -> Array:
        """Probability that the turn's points are lost, by choice, shape [choice_count]."""
        return self._share(Fate.BUST)

    @cached_property
    def resets(self) -> Array:
        """Probability that all points are lost, by choice, shape [choice_count]."""
        return self._share(Fate.RESET)

    def table(self, *, must_roll: bool) -> DiceTable:
        """Return the dice as compiled code takes them."""
        return DiceTable(self.gains, self.busts, self.resets, must_roll)

    @property
    def most(self) -> int:
        """Maximum gain of a roll [points]."""
        return int(self.gains.shape[1]) - 1

    def _share(self, wanted: Fate) -> Array:
        return np.array(
            [
                sum(self.fate(faces) is wanted for faces in product(range(1, 7), repeat=number))
                / 6**number
                for number in self.dice
            ]
        )


def dice_game(numbers: tuple[int, ...]) -> DiceGame:
    """Return Piggy Six with the numbers of dice that each roll can choose."""
    return DiceGame(name=f"dice-{'-'.join(map(str, numbers))}", dice=numbers, fate=fate_of)


PIGGY_SIX = DiceGame(name="two-dice", dice=(2,), fate=fate_of)
THREE_DICE = DiceGame(name="three-dice", dice=(1, 2, 3), fate=fate_of)
"""Piggy Six with one die, two or three, chosen for each roll."""
PIG = DiceGame(name="pig", dice=(1,), fate=lambda faces: Fate.BUST if 1 in faces else Fate.POINTS)
"""Pig, whose published values (Neller and Presser 2004) verify the solver."""

_GAMES = MappingProxyType({game.name: game for game in (PIGGY_SIX, THREE_DICE, PIG)})


def find_dice_game(name: str) -> DiceGame:
    """Return the game of a name: `two-dice`, `three-dice` or `pig`.

    Raises:
        SpecError: If there is none.
    """
    if name not in _GAMES:
        raise unknown_name("variant", name, _GAMES)
    return _GAMES[name]


ENDINGS = MappingProxyType({each.value.replace("_", "-"): each for each in Ending})
"""Endings by the names that people type."""


def find_ending(name: str) -> Ending:
    """Return the ending of a name: `equal-turns` or `race`.

    Raises:
        SpecError: If there is none.
    """
    if name not in ENDINGS:
        raise unknown_name("ending", name, ENDINGS)
    return ENDINGS[name]


Arrays = Mapping[str, Array]
"""Bounds on values, by name."""
TOLERANCE = 1e-9
"""Maximum distance between the bounds of a solved game."""


@dataclass(frozen=True, kw_only=True)
class Bounds(JsonResult):
    """Quality of a solution."""

    bound: float
    """Maximum distance between a value and the true one."""
    sweeps: int
    seconds: float
    """Solving time [s]; 0 if the solution was read from disk."""

    @property
    def solved(self) -> bool:
        """True if the bounds have met; false after an interrupt."""
        return self.bound <= TOLERANCE

    @property
    def effort(self) -> dict[str, Any]:
        """Quality and cost of the solution as JSON values."""
        return {
            "bound": self.bound,
            "solved": self.solved,
            "sweeps": self.sweeps,
            "seconds": self.seconds,
            "from_cache": self.seconds == 0.0,
        }


def solutions_folder() -> Path | None:
    """Return the folder of cached solutions; None for a user without a home folder."""
    own = user_cache()
    return own / "solutions" if own else None


def _load(key: str, shapes: Mapping[str, tuple[int, ...]]) -> tuple[Arrays, int] | None:
    """Return cached arrays and the number of their sweeps; None if absent or damaged.

    The key holds everything on which the arrays depend.
    """
    if (path := _file(key)) is None:
        return None
    try:
        # The file is opened first, so that it is closed even if it is damaged.
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in (*shapes, "sweeps", "key")}
            arrays |= {name: np.ascontiguousarray(arrays[name], float) for name in shapes}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    # Comparing keys detects two keys with the same digest.
    fitting = all(arrays[name].shape == shape for name, shape in shapes.items())
    return (arrays, int(arrays["sweeps"])) if fitting and str(arrays["key"]) == key else None


def _save(key: str, arrays: Arrays, sweeps: int) -> None:
    """Cache arrays under a key, unless the folder cannot be written."""
    if (target := _file(key)) is None:
        return
    named: dict[str, Any] = {"key": np.array(key), "sweeps": np.array(sweeps), **arrays}
    # Concurrent readers see either the complete old file or the complete new one.
    with suppress(OSError, SpecError):
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as part:
            np.savez_compressed(part, **named)


def _file(key: str) -> Path | None:
    own = solutions_folder()
    return own and own / f"{sha256(key.encode()).hexdigest()[:24]}.npz"


def _solve(
    key: str,
    shapes: Mapping[str, tuple[int, ...]],
    initial: Callable[[], Arrays],
    sweep: Callable[[Arrays], object],
    gap: Callable[[Arrays], float],
    holds: Callable[[Arrays], bool],
    on_progress: Callable[[float], object] | None,
    *,
    recompute: bool = False,
) -> tuple[Arrays, dict[str, Any]]:
    """Return solved bounds, from disk if they were solved before and hold.

    After Ctrl-C it returns the current bounds. After each sweep, `gap`, the distance between the
    bounds, is passed to `on_progress`.
    """
    start, sweeps = perf_counter(), 0
    cached = None if recompute else _load(key, shapes)
    if cached is not None and gap(cached[0]) <= TOLERANCE and holds(cached[0]):
        return cached[0], {"bound": gap(cached[0]), "sweeps": cached[1], "seconds": 0.0}
    arrays = initial()
    with suppress(KeyboardInterrupt):
        while sweeps == 0 or gap(arrays) > TOLERANCE:
            sweep(arrays)
            sweeps += 1
            if on_progress is not None:
                on_progress(gap(arrays))
    bound = gap(arrays)
    if bound <= TOLERANCE:
        _save(key, {name: arrays[name] for name in shapes}, sweeps)
    return arrays, {"bound": bound, "sweeps": sweeps, "seconds": perf_counter() - start}


def _narrowed(low: Array, high: Array, swept_low: Array, swept_high: Array) -> bool:
    """Return whether a sweep lowered no lower bound and raised no upper bound.

    Then both are bounds: more sweeps would only bring them closer to the value.
    """
    return bool(np.all(swept_low >= low - _ROUNDING) and np.all(swept_high <= high + _ROUNDING))


def _first_stop(own: int, rolls: Array, stops: Array, *, must_roll: bool) -> int:
    """Return the minimum turn total at which a stop is as good as a roll, or the top."""
    better = np.flatnonzero(stops[own + must_roll :] >= rolls[own + must_roll :])
    return must_roll + int(better[0]) if len(better) else len(stops) - own


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


def solve_turn(dice: DiceGame, *, bank: int = 0) -> OneTurn:
    """Return the plan for one turn, of at least one roll, that maximises the expected score.

    With two dice and a bank of b points, one more roll at turn total k changes the score by
    (150 - 11 k - b) / 36 on average: 25/36 of the rolls bring 6 points, 11/36 lose k, 1/36 lose b
    as well. The mean falls as k grows, so a stop is best at the first k at which it is at most 0.

    A reset takes the points of the bank.
    """
    stops = np.arange(_TOP, dtype=np.float64)
    rolls, values = np.zeros(_TOP), np.zeros(_TOP + dice.gains.shape[1])
    table = dice.table(must_roll=True)
    expected = column(0, stops, 0.0, float(-bank), float(_TOP), table, -1, _TOP, rolls, values)
    # The tolerance makes a roll of zero mean gain equal to a stop despite rounding.
    stop_at = _first_stop(0, rolls - _ROUNDING, stops, must_roll=True)
    rolled = [
        dice.busts * 0.0 - dice.resets * bank + dice.gains @ values[k : k + dice.most + 1]
        for k in range(stop_at)
    ]
    plan = tuple(dice.dice[int(np.argmax(each))] for each in rolled)
    return OneTurn(expected=float(expected), stop_at=stop_at, plan=plan)


TARGET = Limits(1, 300)
"""Points that end the game; time grows with the cube of the target."""
HOLD = Limits(1, 10_000)
"""Fixed turn total at which both stop."""
_REPEATS = 2
"""Iterations per pair of turns, because a lost turn leads back to the same pair."""
_MARGIN_ROLLS = 8
"""Number of best rolls above the target for which the first player's scores are distinct. Values
above are bounded by 1 and by the value there; a stop is better long before."""
_BEST = -1
"""Code of no fixed stop in compiled code."""
_BOUNDS = ("first_low", "first_high", "second_low", "second_high")
_ENDS = ("low", "high")


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
        TARGET.expect("target", self.target)
        HOLD.expect("hold", self.hold)

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


class TurnValues(NamedTuple):
    """Win probabilities in a turn, by the player's points with those of the turn."""

    dice: DiceGame
    stops: Array
    """Values of a stop; with more points than its length the player has won."""
    bust: float
    reset: float
    best_rolls: Array
    """Values of the best roll, as long as `stops`."""
    values: Array
    """Values of the best action, longer by the largest roll."""

    def rolls(self, points: int) -> dict[int, float]:
        """Return the value of a roll by its number of dice."""
        dice, after = self.dice, self._values_from(points).tolist()
        values = (dice.busts * self.bust + dice.resets * self.reset).tolist()
        # In the order of compiled code, so that a page without it has the same bits.
        return {
            number: reduce(add, map(mul, gains[1:], after[1:]), value)
            for number, value, gains in zip(dice.dice, values, dice.gains.tolist(), strict=True)
        }

    def after(self, points: int, faces: Sequence[int]) -> float:
        """Return the value of one outcome of a roll."""
        match self.dice.fate(faces):
            case Fate.BUST:
                return self.bust
            case Fate.RESET:
                return self.reset
            case Fate.POINTS:
                return float(self._values_from(points)[sum(faces)])

    def _values_from(self, points: int) -> Array:
        """Return the values of these points and more, up to the largest roll."""
        most = self.dice.most
        # Every score above the top of a column wins.
        won = points >= len(self.stops)
        return np.ones(most + 1) if won else self.values[points : points + most + 1]


@dataclass(frozen=True, kw_only=True)
class Solution(Bounds):
    """Bounds on the value of every turn."""

    match: DuelResult
    table: SolverTable = field(repr=False)

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

    def document(self, state: DuelState | None = None) -> dict[str, Any]:
        """Return the solution as JSON values, with the values of a state if one is given.

        Raises:
            SpecError: If the match has no such state.
        """
        match, turn = self.match, solve_turn(self.match.dice)
        document = {
            "game": "piggy_six",
            "variant": match.dice.name,
            "target": match.target,
            "ending": str(match.ending).replace("_", "-"),
            "hold": match.hold,
            "first_player_win": self.first_player_win,
            "second_player_win": 1.0 - self.first_player_win,
            "opening_stop": self.stop_total(0, 0, first=True),
            "one_turn": {"stop_at": turn.stop_at, "expected": turn.expected},
            "states": self.states,
            **self.effort,
        }
        if state is not None:
            values = self.action_values(state, rolled=state.total > 0)
            document["position"] = {
                "own": state.own,
                "other": state.other,
                "total": state.total,
                "to_move": "first" if state.first else "second",
                "best": "stop" if values.best is None else "roll",
                "dice": values.best,
                "stop": values.stop,
                "roll": max(values.rolls.values()),
                "rolls": {str(dice): value for dice, value in values.rolls.items()},
            }
        return document

    def action_values(self, state: DuelState, *, rolled: bool) -> ActionValues:
        """Return the win probability of each action in a state; `rolled`: in this turn already.

        Raises:
            SpecError: If the match has no such state.
        """
        state.check(self.match)
        points = state.own + state.total
        turn = self.turn(state.own, state.other, first=state.first)
        stop = float(turn.stops[points]) if points < len(turn.stops) else 1.0
        return ActionValues(
            stop=stop if rolled or not self.match.must_roll else None, rolls=turn.rolls(points)
        )

    def stop_total(self, own: int, other: int, *, first: bool) -> int:
        """Return the minimum turn total at which a stop is as good as a roll, or the top."""
        turn = self.turn(own, other, first=first)
        return _first_stop(own, turn.best_rolls, turn.stops, must_roll=self.match.must_roll)

    def stop_totals(self, *, first: bool) -> Array:
        """Return `stop_total` for all scores below the target, shape [own score, other's]."""
        scores = range(self.match.target)
        return np.array(
            [[self.stop_total(own, other, first=first) for other in scores] for own in scores]
        )

    def turn(self, own: int, other: int, *, first: bool) -> TurnValues:
        """Return the values of a turn, from the banked points of its player and of the other."""
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
        return TurnValues(self.match.dice, stops, bust, reset, rolls, values)


def solve_match(
    match: DuelResult,
    *,
    on_progress: Callable[[float], object] | None = None,
    recompute: bool = False,
) -> Solution:
    """Return a match solved to `TOLERANCE`, from disk if it was solved before.

    After Ctrl-C it returns the current bounds, which are valid too. After each sweep, the distance
    between the bounds is passed to `on_progress`. If `recompute`, a solution on disk is ignored.
    """
    shapes = dict.fromkeys(_BOUNDS, (match.target, match.target))
    shapes["reach"] = (match.target, match.margin)

    def table_of(arrays: Arrays) -> SolverTable:
        return SolverTable(**{name: arrays[name] for name in shapes}, reach_high=1.0)

    def initial() -> Arrays:
        return match.fresh_table()._asdict()

    def sweep_once(arrays: Arrays) -> None:
        stop = match.stop_at
        for top, end in score_sums(match.target):
            sweep(table_of(arrays), match.dice_table, stop, stop, _REPEATS, top, end)

    def gap(arrays: Arrays) -> float:
        return max(
            float(np.max(arrays[f"{player}_high"] - arrays[f"{player}_low"]))
            for player in ("first", "second")
        )

    def holds(arrays: Arrays) -> bool:
        swept = {name: array.copy() for name, array in arrays.items() if name in shapes}
        sweep_once(swept)
        reach = match.fresh_table().reach
        return bool(np.allclose(arrays["reach"], reach, rtol=0.0, atol=_ROUNDING)) and all(
            _narrowed(*(table[f"{player}_{end}"] for table in (arrays, swept) for end in _ENDS))
            for player in ("first", "second")
        )

    arrays, quality = _solve(
        match.key, shapes, initial, sweep_once, gap, holds, on_progress, recompute=recompute
    )
    return Solution(match=match, table=table_of(arrays), **quality)


@checked
def solve(
    target: int = 100,
    *,
    ending: Literal["equal-turns", "race"] = "equal-turns",
    variant: str = "two-dice",
    hold: int | None = None,
    recompute: bool = False,
    on_progress: Callable[[float], object] | None = None,
) -> Solution:
    """Solve Piggy Six for two players exactly, to a billionth; or read the solution from disk.

    Ctrl-C returns the current bounds, which are valid too.

    Args:
        target: Points that end the game, 1 to 300.
        ending: Ending: `equal-turns` (the round is completed) or `race` (the first to reach the
            target wins).
        variant: Variant: `two-dice`, `three-dice` (one, two or three for each roll) or `pig` (one
            die; a one ends the turn).
        hold: Turn total at which both players stop. Default: best play.
        recompute: Whether to solve it again, even if a solution is cached.
        on_progress: Function called after each sweep with the distance between the bounds.

    Returns:
        The value of every turn: win probabilities, and when to stop.

    Raises:
        SpecError: If a name is unknown, or a number is out of range.

    Examples:
        >>> import pigglesim
        >>> pigglesim.solve(20, variant="pig").stop_total(0, 0, first=True)
    """
    match = DuelResult(
        dice=find_dice_game(variant), target=target, ending=find_ending(ending), hold=hold
    )
    return solve_match(match, on_progress=on_progress, recompute=recompute)


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
        return _first_stop(own, rolls, stops, must_roll=self.game.must_roll)

    def document(self, state: Sequence[int] = ()) -> dict[str, Any]:
        """Return the solution as JSON values, with the values of a state if one is given.

        A state is the points of the person, of the first and the second, and of the turn.
        """
        document: dict[str, Any] = {
            "game": "piggy_six",
            "variant": "solitaire",
            "stops": list(self.game.stops),
            "target": self.game.target,
            "ending": str(self.game.ending).replace("_", "-"),
            "win": self.win,
            "opening_stop": self.stop_total(0, 0, 0),
            **self.effort,
        }
        if state:
            roll, stop = self.action_values(*state)
            best = "roll" if roll > stop or not state[3] else "stop"
            document["position"] = {"roll": roll, "stop": stop if state[3] else None, "best": best}
        return document

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


def _rounds_of(before: Array, bots: Bots) -> Rounds:
    """Return the values after each turn of a round, given those of the next round."""

    def turn(shares: Array, reset: float, values: Array) -> Array:
        # The last axis is the score of the imaginary player whose turn it is.
        after: Array = np.broadcast_to(reset * values[..., :1], values.shape).copy()
        for gain, share in enumerate(shares[: values.shape[-1]]):
            after[..., : values.shape[-1] - gain] += share * values[..., gain:]
        return after

    after_first = turn(bots.second, bots.second_reset, before)
    turned = turn(bots.first, bots.first_reset, after_first.swapaxes(1, 2))
    return Rounds(before, np.ascontiguousarray(turned.swapaxes(1, 2)), after_first)


def solve_solitaire(
    game: Solitaire, *, on_progress: Callable[[float], object] | None = None
) -> SolitaireSolution:
    """Return the solitaire game solved to `TOLERANCE`, from disk if it was solved before.

    After Ctrl-C it returns the current bounds, which are valid too. After each sweep, the distance
    between the bounds is passed to `on_progress`.
    """
    size = (game.target,) * 3
    low = Rounds(np.zeros(size), np.zeros(size), np.zeros(size))
    high = Rounds(np.ones(size), np.ones(size), np.ones(size))

    def sweep_both(bounds: Iterable[Rounds]) -> None:
        for bound in bounds:
            for top, end in score_sums(game.target):
                sweep_rounds(bound, game.won, game.bots, game.dice_table, 1, top, end)

    def once(arrays: Arrays) -> None:
        del arrays
        sweep_both((low, high))

    def holds(arrays: Arrays) -> bool:
        swept = [_rounds_of(arrays[end].copy(), game.bots) for end in _ENDS]
        sweep_both(swept)
        return _narrowed(*(arrays[end] for end in _ENDS), *(bound.before for bound in swept))

    arrays, quality = _solve(
        game.key,
        {"low": size, "high": size},
        lambda: {"low": low.before, "high": high.before},
        once,
        lambda arrays: float(np.max(arrays["high"] - arrays["low"])),
        holds,
        on_progress,
    )
    return SolitaireSolution(game=game, low=arrays["low"], high=arrays["high"], **quality)
