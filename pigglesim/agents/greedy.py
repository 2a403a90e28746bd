"""The greedy agent of Piggles: it takes the load or effect of the largest expected gain."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pigglesim.agents.agent import OneStepAgent
from pigglesim.errors import SpecError
from pigglesim.games.game import Game
from pigglesim.games.piggles.areas import ZONE_POINTS, Load, tally_of
from pigglesim.games.piggles.effects import EffectOptions, declare, effect_request
from pigglesim.games.piggles.game import PigglesObservation
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
from pigglesim.landing import Landing, Orientation, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class RollShares:
    """Assumed outcome probabilities of a rolled Piggle."""

    up: float = 0.51
    """Share of rolls that end Snout-Up."""
    down: float = 0.41
    head: float = 0.08
    zone_points: float = 2.2
    """Mean points of the zone of a Snout-Up Piggle."""

    def __post_init__(self) -> None:
        shares = (self.up, self.down, self.head)
        if min(shares) < 0.0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-9):
            raise SpecError(
                f"invalid shares of up, down and head {', '.join(map(str, shares))}",
                expected="numbers that add up to 1",
                fix="divide each by their sum",
            )
        if not 0.0 <= self.zone_points <= 3.0:
            raise SpecError(
                f"invalid zone_points {self.zone_points}", expected="0 to 3", fix="use 2.2"
            )


def expected_gain(round_number: int, rules: PigglesRules, odds: RollShares) -> float:
    """Return the expected change of the final score from rolling one Piggle now.

    With n own Tallies after this one, a Snout-Up Piggle stays and pays its zone in all n + 1
    (R13), and one on its head costs a point in each of the n (R11), or in one of them under
    `kitchen_penalty=once`:

        up * zone_points * (n + 1) - head * n

    Knocks, the score's lower limit and second rolls of Piggles back from the Mud are left out. The
    first two are small, and the last only raises the gain.
    """
    later = rules.rounds - round_number
    charges = min(later, 1) if rules.kitchen_penalty is KitchenPenalty.ONCE else later
    return odds.up * odds.zone_points * (later + 1) - odds.head * charges


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
    """A greedy agent: it loads the whole Pen if the expected gain suffices, and else nothing.

    The gain of k Piggles is k times that of one, so no number between can be better. In Modern it
    takes the effect with the best swing, and stops when all of them lose points. Among equal ones
    it prefers one that brings its own Piggle out of Mud or Kitchen, then the first.
    """

    title: ClassVar = "Piggles"
    observes: ClassVar = PigglesObservation

    odds: RollShares = field(default_factory=RollShares)
    threshold: float = 0.0
    """Gain that a Pen must exceed [points]; `expected_gain` leaves out the losses of own Piggles
    that already score."""

    def value_function(self, observation: PigglesObservation) -> Callable[[Any], Any]:
        """Return the expected gain of loads, or the expected swing of effects, by action."""
        if observation.state.phase is PigglesPhase.ACTION_REACTION:
            return self._effect_value(observation)
        gain = expected_gain(observation.state.round, observation.rules, self.odds)

        def value(action: object) -> float:
            # Conceding gains nothing and loses the game.
            if not isinstance(action, Load):
                return -math.inf
            pays = gain * len(action.piggles)
            return pays if pays > self.threshold or not action.piggles else -math.inf

        return value

    def shortlist(self, game: Game[Any, Any], state: PigglesState) -> Sequence[Any]:
        """Return the empty and the largest load, or all legal actions in other phases."""
        if state.phase is PigglesPhase.LOAD:
            return (Load(), Load(state.side(state.active).pen[:PEN_SIZE]))
        return game.legal_actions(state)

    def _effect_value(
        self, observation: PigglesObservation
    ) -> Callable[[object], tuple[float, bool]]:
        assert isinstance(observation.rules, ModernRules)
        options = EffectOptions(rules=observation.rules, lineup=observation.lineup)
        state = observation.state
        side = state.side(observation.seat)
        away = {*side.mud_piggles, *side.kitchen}

        def value(action: object) -> tuple[float, bool]:
            match action:
                case Act(target=target):
                    return expected_swing(state, action, options, self.odds), target in away
                case Done():
                    return 0.0, False
                case _:
                    return -math.inf, False

        return value
