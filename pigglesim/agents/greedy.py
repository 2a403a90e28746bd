"""The greedy agent of Piggles: it takes the action of the largest value."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from pigglesim.agents.agent import A, OneStepAgent
from pigglesim.chance.odds import Odds
from pigglesim.games.game import Game
from pigglesim.games.piggles.areas import Load, may_leave_mud, tally_of
from pigglesim.games.piggles.effects import EffectOptions, EffectVerb, declare, effect_request
from pigglesim.games.piggles.game import PigglesObservation, is_piggles
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    Act,
    Done,
    KitchenPenalty,
    ModernRules,
    PigglesPhase,
    PigglesRules,
    PigglesState,
)
from pigglesim.landing import ZONE_POINTS, CupHold, Landing, Orientation, Seat
from pigglesim.rng import Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class RollShares:
    """Assumed outcome probabilities of a rolled Piggle."""

    up: float = 0.51
    """Share of rolls that end Snout-Up."""
    down: float = 0.41
    head: float = 0.08
    zone_points: float = 2.2
    """Mean points of the zone of a Snout-Up Piggle."""


def roll_shares(odds: Odds) -> RollShares:
    """Return the outcome probabilities of a Piggle in a throw of six; off the board counts as down.

    Both lead to the Mud.
    """
    shares = odds.of_throw(PEN_SIZE).shares
    total = sum(shares.values())

    def share(wanted: Orientation) -> float:
        return sum(weight for (at, _), weight in shares.items() if at is wanted) / total

    up, head = share(Orientation.SNOUT_UP), share(Orientation.ON_THEIR_HEAD)
    points = sum(
        weight * ZONE_POINTS[zone]
        for (at, zone), weight in shares.items()
        if at is Orientation.SNOUT_UP
    )
    zone_points = points / total / up if up else 0.0
    return RollShares(up=up, down=1.0 - up - head, head=head, zone_points=zone_points)


def charged_tallies(round_number: int, rules: PigglesRules) -> int:
    """Return the number of Tallies that charge a Piggle which is rolled now and lands on its head.

    They are those after this one (R11), or one of them under `kitchen_penalty=once`.
    """
    later = rules.rounds - round_number
    return min(later, 1) if rules.kitchen_penalty is KitchenPenalty.ONCE else later


def expected_gain(round_number: int, rules: PigglesRules, odds: RollShares) -> float:
    """Return the expected change of the final score from rolling one Piggle now.

    With n own Tallies after this one, a Snout-Up Piggle stays and pays its zone in all n + 1
    (R13), and one on its head costs a point in the c Tallies that charge it, usually n:

        up * zone_points * (n + 1) - head * c

    Knocks, the score's lower limit and second rolls of Piggles back from the Mud are left out. The
    first two are small, and the last only raises the gain.
    """
    tallies = rules.rounds - round_number + 1
    return odds.up * odds.zone_points * tallies - odds.head * charged_tallies(round_number, rules)


def expected_swing(
    state: PigglesState, act: Act, options: EffectOptions, odds: RollShares
) -> float:
    """Return the expected change of the lead by an effect, as if both had a Tally right after.

    Knocks by a reroll and later consequences of the effect are left out.
    """
    seat = state.active
    declared = declare(state, act, options)
    swing = _lead(declared, seat, options.rules) - _lead(state, seat, options.rules)
    if declared.pending is None:
        return swing
    request = effect_request(declared, options)
    before, spot = state.landing(act.target), request.set_down
    if spot is None:
        after = odds.up * odds.zone_points
    else:
        after = _points(Landing(orientation=spot.orientation, zone=spot.zone))
    gain = after - (_points(before) if before else 0.0)
    return gain if state.controller(act.target) is seat else -gain


def later_gain(state: PigglesState, act: Act, options: EffectOptions) -> float:
    """Return what an effect gains after the next Tally, which decides among equal swings.

    A Piggle out of the Mud is worth a point if it could not return in the next round anyway. Other
    effects gain nothing.
    """
    following, rules, seat = state.round + 1, options.rules, state.active
    if options.verb(act.piggle) is not EffectVerb.RESCUE or following > rules.rounds:
        return 0.0
    mud = state.side(seat).mud
    returns = {entry.piggle for entry in mud if may_leave_mud(entry, following, rules)}
    return float(act.target not in returns)


def _points(landing: Landing) -> float:
    return ZONE_POINTS[landing.zone] if landing.orientation is Orientation.SNOUT_UP else 0.0


def _lead(state: PigglesState, seat: Seat, rules: PigglesRules) -> float:
    """Return the lead of `seat` after a Tally of both, without the lower limit of zero."""

    def points(side: Seat) -> int:
        counted = tally_of(state, side, rules)
        return counted.zones + counted.mud_bonus + counted.kitchen_bonus - counted.penalty

    return float(points(seat) - points(seat.other))


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy(OneStepAgent):
    """A greedy agent: it loads the Piggles of positive expected gain if their sum suffices.

    The gain of a load is the sum over its Piggles, so of one model it loads the whole Pen or
    nothing. In Sudden Snout-Up it rolls the Piggle that most often lands Snout-Up. In Modern it
    takes the effect with the best swing, then with the best `later_gain`, then the first. It
    declines effects that gain nothing.
    """

    title: ClassVar = "Piggles"
    observes: ClassVar = PigglesObservation

    odds: RollShares = field(default_factory=RollShares)
    """Shares of a Piggle of the plain model."""
    of_piggles: Mapping[str, RollShares] = field(default_factory=dict)
    """Shares of Piggles of other models, by id."""
    threshold: float = 0.0
    """Gain that a load must exceed [points]; `expected_gain` leaves out the losses of own Piggles
    that already score."""

    hold: CupHold | None = None
    """Hold of the cup; None for the scene's own. Rolls by odds do not depend on it."""

    def shares_of(self, piggle: str) -> RollShares:
        """Return the assumed outcome probabilities of a Piggle."""
        return self.of_piggles.get(piggle, self.odds)

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Return the action of the highest value, with the hold if it is a load for a roll."""
        action = super(Greedy, self).choose(observation, legal_actions, rng=rng)
        phase = self.observed(observation).state.phase
        if phase is PigglesPhase.LOAD and isinstance(action, Load) and action.piggles:
            return cast("A", replace(action, hold=self.hold))
        return action

    def value_function(self, observation: PigglesObservation) -> Callable[[Any], Any]:
        """Return the expected gain of loads, or the expected swing of effects, by action."""
        if observation.state.phase is PigglesPhase.ACTION_REACTION:
            return self._effect_value(observation)
        gain = self._gains(observation.state.round, observation.rules)

        def value(action: object) -> float:
            # Conceding gains nothing and loses the game.
            if not isinstance(action, Load):
                return -math.inf
            if observation.state.phase is PigglesPhase.SUDDEN:
                return self.shares_of(action.piggles[0]).up
            pays = math.fsum(gain(piggle) for piggle in action.piggles)
            return pays if pays > self.threshold or not action.piggles else -math.inf

        return value

    def _gains(self, round_number: int, rules: PigglesRules) -> Callable[[str], float]:
        """Return the function that gives the expected gain of a Piggle."""
        common = expected_gain(round_number, rules, self.odds)
        gains = {
            piggle: expected_gain(round_number, rules, shares)
            for piggle, shares in self.of_piggles.items()
        }
        return lambda piggle: gains.get(piggle, common)

    def shortlist(self, game: Game[Any, Any], state: PigglesState) -> Sequence[Any]:
        """Return the empty load and that of the largest gain; in other phases all legal actions."""
        if state.phase is not PigglesPhase.LOAD:
            return game.legal_actions(state)
        pen = state.side(state.active).pen
        assert is_piggles(game)
        gain = self._gains(state.round, game.rules)
        best = sorted((p for p in pen if gain(p) > 0.0), key=gain, reverse=True)[:PEN_SIZE]
        return (Load(), Load(tuple(piggle for piggle in pen if piggle in best)))

    def _effect_value(
        self, observation: PigglesObservation
    ) -> Callable[[object], tuple[float, float, bool]]:
        assert isinstance(observation.rules, ModernRules)
        options = EffectOptions(rules=observation.rules, lineup=observation.lineup)
        state = observation.state

        def value(action: object) -> tuple[float, float, bool]:
            match action:
                case Act(target=target):
                    swing = expected_swing(state, action, options, self.shares_of(target))
                    return swing, later_gain(state, action, options), False
                case Done():
                    # Of equal values, it is better to be done.
                    return 0.0, 0.0, True
                case _:
                    return -math.inf, 0.0, False

        return value
