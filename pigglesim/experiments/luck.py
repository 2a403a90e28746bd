"""Luck of matches, and their results without it.

The luck of a chance event is the value of its outcome, less the mean value over all outcomes:

    luck = V(outcome) - sum over outcomes of probability * V

Given all that happened before, its mean is zero, for any V and any agents. So the luck L of a match
has mean zero too, and Y - b L has the mean of the result Y for any b. Its variance is the smaller,
the better V predicts Y: L is a control variate (Lavenberg and Welch 1981), as in the variance
reduction of backgammon programs.

V may be rough, but the sum must be exact: over the very distribution of the outcomes. So luck is
known for rolls by odds and for fair dice, not for physics.

Piggles: V is the probability to win if every Piggle is thrown as soon as it can be, and no later
throw knocks any. The final lead is then a sum of independent whole numbers, one for each Piggle:

    V = P(lead + c_1 + ... + c_12 > 0) + P(lead + c_1 + ... + c_12 = 0) / 2

Odds throw and knock each Piggle independently of all others. So the sum over outcomes replaces the
number of each Piggle in the throw by the mixture over its own outcomes. Characteristic functions
multiply where independent numbers are added.

Piggy Six: V is the exact solution of the game.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pigglesim.chance.odds import Odds, Place
from pigglesim.chance.tabular import FairChance, TabularChance
from pigglesim.chance_types import DiceResult
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import mean_without, share_without
from pigglesim.games.game import Game
from pigglesim.games.piggles.areas import KITCHEN_BONUS, MUD_BONUS, MUD_DELAY, may_leave_mud
from pigglesim.games.piggles.game import is_piggles
from pigglesim.games.piggles.state import PigglesPhase, PigglesRules, PigglesState
from pigglesim.games.piggy_six import PiggySix, PiggySixState
from pigglesim.landing import (
    ZONE_POINTS,
    Landing,
    Orientation,
    RollResult,
    Seat,
    half_turned,
)
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent

if TYPE_CHECKING:
    from pigglesim.solvers.dice_game import Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Luck:
    """Luck of a side; that of the other side is its negative."""

    points: float = 0.0
    """Share of a win that luck gave."""
    lead: float | None = None
    """Points of the lead that luck gave; None where only wins have a value."""

    def __add__(self, other: "Luck") -> "Luck":
        """Return the luck of both events."""
        known = self.lead is not None and other.lead is not None
        lead = (self.lead or 0.0) + (other.lead or 0.0) if known else None
        return Luck(points=self.points + other.points, lead=lead)

    def of(self, seat: Seat) -> "Luck":
        """Return the luck of a seat, where this is that of seat A."""
        return self.times(1.0 if seat is Seat.A else -1.0)

    def times(self, factor: float) -> "Luck":
        """Return this luck multiplied."""
        return Luck(
            points=self.points * factor, lead=None if self.lead is None else self.lead * factor
        )


class LuckMeter(Protocol):
    """Luck of single chance events of a game."""

    nothing: Luck
    """Luck of no event."""

    def luck(self, state: Any, outcome: Any) -> Luck:  # noqa: ANN401 (of any game)
        """Return the luck of seat A in the outcome of a chance event; its mean is exactly zero."""


_LONGEST = 100
"""Longest game of Piggy Six that is solved for its luck [points]."""


def luck_meter(
    game: Game[Any, Any],
    chance: object,
    *,
    on_progress: Callable[[float], None] | None = None,
) -> LuckMeter | None:
    """Return the meter of a game and its chance; None where luck is not known exactly.

    Piggy Six is solved, if its target is at most 100: solving takes its fourth power. While
    it is solved, `on_progress` is called as by `solve_match`.
    """
    if is_piggles(game) and isinstance(chance, TabularChance):
        return PigglesLuck(game.rules, chance)
    if isinstance(game, PiggySix) and isinstance(chance, FairChance):
        from pigglesim.agents.piggy_six import (  # noqa: PLC0415 (compiles)
            match_solution,
            why_unsolved,
        )

        rules = game.rules
        if not rules.solitaire and why_unsolved(rules) is None and rules.target <= _LONGEST:
            return PiggySixLuck(match_solution(rules, on_progress=on_progress))
    return None


class LuckRecorder:
    """Observer of a match that adds up its luck."""

    def __init__(self, meter: LuckMeter | None) -> None:
        self._meter = meter
        self._total = meter.nothing if meter else Luck()

    def __call__(self, event: MatchEvent[Any]) -> None:
        """Add the luck of an event, if it is an outcome of chance."""
        if self._meter is not None and isinstance(event.entry, MatchOutcome):
            self._total += self._meter.luck(event.before, event.entry.result)

    def of(self, seat: Seat) -> Luck | None:
        """Return the luck of a seat in all events so far; None without a meter."""
        if self._meter is None:
            return None
        total = self._total.of(seat)
        # Last bits of complex arithmetic differ between machines.
        lead = None if total.lead is None else round(total.lead, _PLACES)
        return Luck(points=round(total.points, _PLACES), lead=lead)


_PLACES = 9
_ROLLED = 6
"""Number of Piggles whose odds V uses for later throws."""
_CACHE = 1 << 25
"""Maximum bytes of the characteristic functions that a process stores."""
_Spectrum: TypeAlias = NDArray[np.complex128]


class _Gain(NamedTuple):
    """Change of A's final lead by one Piggle: a random whole number."""

    spectrum: _Spectrum
    """Its characteristic function, shape [frequency_count]."""
    mean: float


class _Fate(NamedTuple):
    """Everything about a landing that V depends on."""

    orientation: Orientation | None
    points: int
    """Points of the zone."""
    bonus: int = 0
    """Points of the thrower for a knock."""


class _Turn(NamedTuple):
    """The throw of one player, as one side of the board sees it."""

    thrower: Seat
    round: int
    side: Seat
    tallies: int
    """Number of Tallies of this side after the throw."""
    following: int
    """Round of the side's next turn after the throw."""


class PigglesLuck:
    """Luck of throws of Piggles by odds.

    Effects of Modern, second rolls of a turn and Sudden Snout-Up count as no luck of their own.
    """

    nothing = Luck(lead=0.0)

    def __init__(self, rules: PigglesRules, chance: TabularChance) -> None:
        self._rules, self._chance = rules, chance
        # Leads wrap around the lattice. It is wide enough that this hardly ever matters; V may be
        # rough anyway.
        size = 1 << (32 * rules.rounds - 1).bit_length()
        self._widest = size // 4
        self._steps = np.arange(size // 2 + 1) * (-2j * np.pi / size)
        won = np.zeros(size)
        won[1 : size // 2], won[[0, size // 2]] = 1.0, 0.5
        # By Parseval's theorem, P(lead > 0) + P(lead = 0) / 2 is a sum over frequencies.
        self._won = np.conj(np.fft.rfft(won)) / size
        self._won[1:-1] *= 2.0
        self._gains: dict[object, _Gain] = {}
        self._most = max(1, _CACHE // self._won.nbytes)
        self._rates: dict[object, float] = {}

    def luck(self, state: PigglesState, outcome: RollResult) -> Luck:
        """Return the luck of seat A in the outcome of a throw."""
        if state.phase is not PigglesPhase.ROLL or state.pending is not None:
            return self.nothing
        turns = self._turns(state)
        after = before = self._other_gains(state, turns)
        lead = 0.0
        for got, expected in self._thrown_gains(state, turns, outcome):
            after, before = after * got.spectrum, before * expected.spectrum
            lead += got.mean - expected.mean
        return Luck(points=float((self._won @ (after - before)).real), lead=lead)

    def _turns(self, state: PigglesState) -> dict[Seat, _Turn]:
        """Return the throw that is due, as each side sees it."""
        thrower, number = state.active, state.round
        left = self._rules.rounds - number
        waits = thrower is self._rules.first_in(number)
        """True if the other player's turn of this round follows."""
        own = _Turn(thrower, number, thrower, left + 1, number + 1)
        other = _Turn(thrower, number, thrower.other, left + waits, number + (not waits))
        return {thrower: own, thrower.other: other}

    def _other_gains(self, state: PigglesState, turns: Mapping[Seat, _Turn]) -> _Spectrum:
        """Return the distribution of the final lead without the Piggles of the throw."""
        lead = state.a.score - state.b.score
        total = self._whole(max(-self._widest, min(self._widest, lead))).spectrum
        for seat, turn in turns.items():
            side = state.side(seat)
            rounds = [(piggle, turn.following) for piggle in side.pen]
            for entry in side.mud:
                back = range(turn.following, self._rules.rounds + 1)
                later = (each for each in back if may_leave_mud(entry, each, self._rules))
                rounds.append((entry.piggle, next(later, self._rules.rounds + 1)))
            for piggle, number in rounds:
                total = total * self._seen(seat, self._odds(piggle), number).spectrum
            if side.kitchen:
                cost = len(side.kitchen) * turn.tallies
                total = total * self._whole(_signed(-cost, seat)).spectrum
        return total

    def _thrown_gains(
        self, state: PigglesState, turns: Mapping[Seat, _Turn], outcome: RollResult
    ) -> Iterable[tuple[_Gain, _Gain]]:
        """Yield the gain of each Piggle of a throw: after the outcome, and expected before."""
        before = dict(state.board)
        knocked = {knock.struck for knock in outcome.knocks}
        rolled, standing = len(outcome.landings) - len(before), len(before)
        for piggle, landing in outcome.landings:
            turn, odds = turns[state.controller(piggle)], self._odds(piggle)
            start = before.get(piggle)
            if start is None:
                fate = _Fate(landing.orientation, ZONE_POINTS[landing.zone])
                yield self._landed(turn, odds, fate), self._thrown(turn, odds, rolled)
            else:
                fate = _fate(turn, start, landing, knocked=piggle in knocked)
                expected = self._stood(turn, odds, rolled, standing, start)
                yield self._landed(turn, odds, fate), expected

    def _odds(self, piggle: str) -> Odds:
        return self._chance.of_piggles.get(piggle, self._chance.odds)

    def _thrown(self, turn: _Turn, odds: Odds, rolled: int) -> _Gain:
        """Return the gain expected of a thrown Piggle."""
        fates = (
            (_Fate(orientation, ZONE_POINTS[zone]), share)
            for (orientation, zone), share in odds.of_throw(rolled).shares.items()
        )
        return self._stored((turn, odds.model, rolled), lambda: self._mixture(turn, odds, fates))

    def _stood(self, turn: _Turn, odds: Odds, rolled: int, standing: int, start: Landing) -> _Gain:
        """Return the gain expected of a Piggle that stands on the board during a throw."""
        zone = start.zone if turn.thrower is Seat.A else half_turned(start.zone)
        place = start.orientation, zone
        stays = self._landed(turn, odds, _fate(turn, start, start, knocked=False))
        rate = self._rate(odds, rolled, standing, place)
        if not rate:
            return stays
        fates = (
            (_fate(turn, start, Landing(orientation=at, zone=zone), knocked=True), share)
            for (at, zone), share in odds.knocks.standing[place].after.items()
        )
        moved = self._stored((turn, odds.model, place), lambda: self._mixture(turn, odds, fates))
        return _Gain(
            stays.spectrum * (1.0 - rate) + moved.spectrum * rate,
            stays.mean * (1.0 - rate) + moved.mean * rate,
        )

    def _rate(self, odds: Odds, rolled: int, standing: int, place: Place) -> float:
        """Return the share of Piggles in a place that a throw knocks."""
        key = (odds.model, rolled, standing, place)
        if key not in self._rates:
            self._rates[key] = odds.knock_rate(rolled, standing, place)
        return self._rates[key]

    def _mixture(self, turn: _Turn, odds: Odds, fates: Iterable[tuple[_Fate, float]]) -> _Gain:
        """Return the gain of a Piggle that has one of several fates, with their weights."""
        weights: dict[_Fate, float] = {}
        for fate, weight in fates:
            weights[fate] = weights.get(fate, 0.0) + weight
        total = sum(weights.values())
        shares = np.array([*weights.values()]) / total
        gains = [self._landed(turn, odds, fate) for fate in weights]
        return _Gain(
            shares @ np.array([gain.spectrum for gain in gains]),
            float(shares @ np.array([gain.mean for gain in gains])),
        )

    def _landed(self, turn: _Turn, odds: Odds, fate: _Fate) -> _Gain:
        """Return the gain of a Piggle after a throw of the turn."""

        def gain() -> _Gain:
            bonus = self._whole(_signed(fate.bonus, turn.thrower))
            later = self._later(turn, odds, fate)
            return _Gain(bonus.spectrum * later.spectrum, bonus.mean + later.mean)

        return self._stored((turn, odds.model, fate), gain)

    def _later(self, turn: _Turn, odds: Odds, fate: _Fate) -> _Gain:
        match fate.orientation:
            case Orientation.SNOUT_UP:
                return self._whole(_signed(fate.points * turn.tallies, turn.side))
            case Orientation.ON_THEIR_HEAD:
                # It goes to the Kitchen at this round's Resolve.
                return self._whole(_signed(turn.round - self._rules.rounds, turn.side))
            case _:
                return self._seen(turn.side, odds, turn.round + MUD_DELAY)

    def _seen(self, side: Seat, odds: Odds, number: int) -> _Gain:
        """Return the gain of a Piggle of a side that is thrown in a round, and not before."""
        if number > self._rules.rounds:
            return self._whole(0)
        left = self._rules.rounds - number
        return self._thrown(_Turn(side, number, side, left + 1, number + 1), odds, _ROLLED)

    def _whole(self, gain: int) -> _Gain:
        """Return the gain of a known number of points."""
        return self._stored(gain, lambda: _Gain(np.exp(self._steps * gain), float(gain)))

    def _stored(self, key: object, make: Callable[[], _Gain]) -> _Gain:
        """Return the gain of a key, made if it is not stored; the oldest gives way to it."""
        gain = self._gains.get(key)
        if gain is None:
            gain = make()
            while len(self._gains) >= self._most:
                del self._gains[next(iter(self._gains))]
            self._gains[key] = gain
        return gain


def _signed(gain: int, seat: Seat) -> int:
    """Return a gain of a seat as one of A's lead."""
    return gain if seat is Seat.A else -gain


def _fate(turn: _Turn, start: Landing, landing: Landing, *, knocked: bool) -> _Fate:
    """Return the fate of a Piggle that stood on the board; knocking an opposing one pays (R11)."""
    bonus = 0
    if knocked and turn.side is not turn.thrower:
        turned = landing.orientation is not start.orientation
        bonuses = {
            None: MUD_BONUS,
            Orientation.SNOUT_DOWN: MUD_BONUS * turned,
            Orientation.ON_THEIR_HEAD: KITCHEN_BONUS * turned,
        }
        bonus = bonuses.get(landing.orientation, 0)
    return _Fate(landing.orientation, ZONE_POINTS[landing.zone], bonus)


class PiggySixLuck:
    """Luck of dice of Piggy Six between two players.

    A match of two optimal players is all luck: its result is the value of the start plus its luck.
    """

    nothing = Luck()

    def __init__(self, solution: "Solution") -> None:
        self._solution = solution
        # A turn has several rolls.
        self._turn = lru_cache(maxsize=64)(solution.turn)

    def luck(self, state: PiggySixState, outcome: DiceResult) -> Luck:
        """Return the luck of seat A in the outcome of a roll."""
        first = state.active is Seat.A
        own, other = state.bank if first else state.bank[::-1]
        turn = self._turn(own, other, first=first)
        value = turn.after(own + state.total, outcome.faces)
        luck = value - turn.rolls(own + state.total)[state.dice]
        return Luck(points=luck if first else -luck)


_MIN_CLUSTERS = 10
"""Minimum number of pairs or matches from which a slope is estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutLuck:
    """Mean points and mean lead without the luck of the matches."""

    points: Interval
    points_narrower: float
    """Width of the interval with luck over that without."""
    lead: Interval | None = None
    """None where only wins have a value."""
    lead_narrower: float | None = None


def without_luck(
    luck: Sequence[Luck | None],
    *,
    points: Sequence[float],
    points_raw: Interval,
    lead: Sequence[float],
    lead_raw: Interval,
) -> WithoutLuck | None:
    """Return mean points, from 0 to 1, and mean lead without luck.

    It is None for fewer than ten results, or where luck is not known. Luck and results are those of
    independent pairs or matches; the intervals with luck have the level.
    """
    known = [each for each in luck if each is not None]
    if len(known) < len(luck) or len(luck) < _MIN_CLUSTERS:
        return None
    share = share_without(points, [each.points for each in known], level=points_raw.level)
    narrower = _narrower(points_raw, share)
    leads = [each.lead for each in known if each.lead is not None]
    if len(leads) < len(luck):
        return WithoutLuck(points=share, points_narrower=narrower)
    ahead = mean_without(lead, leads, level=lead_raw.level)
    return WithoutLuck(
        points=share,
        points_narrower=narrower,
        lead=ahead,
        lead_narrower=_narrower(lead_raw, ahead),
    )


def _narrower(raw: Interval, found: Interval) -> float:
    width = found.high - found.low
    return (raw.high - raw.low) / width if width else 1.0
