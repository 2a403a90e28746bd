"""The agent that loads as many Piggles as pay on average, and acts for the best swing at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.game import Game
from pigglesim.games.piggles.areas import ZONE_POINTS, Load, tally_of
from pigglesim.games.piggles.effects import EffectOptions, declare, effect_request
from pigglesim.games.piggles.game import PigglesObservation
from pigglesim.games.piggles.house_rules import KitchenPenalty, ModernRules, PigglesRules
from pigglesim.games.piggles.state import PEN_SIZE, Act, Done, PigglesPhase, PigglesState
from pigglesim.landing import Landing, Orientation, Seat

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class RollShares:
    """What a rolled Piggle is believed to do."""

    up: float = 0.51
    """Share of rolls that end Snout-Up."""
    down: float = 0.41
    head: float = 0.08
    zone_points: float = 2.2
    """Mean points of the zone in which a Snout-Up Piggle lies."""

    def __post_init__(self) -> None:
        shares = (self.up, self.down, self.head)
        if min(shares) < 0.0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-9):
            raise SpecError(
                "shares of up, down and head that add up to 1",
                got=", ".join(map(str, shares)),
                remedy="divide each by their sum",
            )
        if not 0.0 <= self.zone_points <= 3.0:
            raise SpecError("mean zone points from 0 to 3", got=str(self.zone_points), remedy="2.2")


def expected_gain(round_number: int, rules: PigglesRules, odds: RollShares) -> float:
    """Return the mean change of the final score by rolling one Piggle now.

    With n own Tallies after this one, a Snout-Up Piggle stays and pays its zone in all n + 1
    (R13), and one on its head costs a point in each of the n (R11), or in one of them under
    `kitchen_penalty=once`:

        up * zone_points * (n + 1) - head * n

    Knocks, the floor of the score and a second roll of what comes back from the Mud are left
    out; the first two are small and the last only adds to what is already worth rolling.
    """
    later = rules.rounds - round_number
    charges = min(later, 1) if rules.kitchen_penalty is KitchenPenalty.ONCE else later
    return odds.up * odds.zone_points * (later + 1) - odds.head * charges


def expected_swing(
    position: PigglesState, act: Act, table: EffectOptions, odds: RollShares
) -> float:
    """Return by how much an effect moves the lead on average, as if both had a Tally right after.

    What a reroll may knock is left out, and what an effect is worth later.
    """
    seat = position.active
    declared = declare(position, act, table)
    swing = _lead(declared, seat, table.rules) - _lead(position, seat, table.rules)
    if declared.pending is None:
        return swing
    request = effect_request(declared, table)
    before, spot = position.landing(act.target), request.set_down
    if spot is None:
        after = odds.up * odds.zone_points
    else:
        after = _worth(Landing(orientation=spot.orientation, zone=spot.zone))
    gain = after - (_worth(before) if before else 0.0)
    return gain if position.controller(act.target) is seat else -gain


def _worth(landing: Landing) -> float:
    """Return what a Piggle pays as it lies."""
    return ZONE_POINTS[landing.zone] if landing.orientation is Orientation.SNOUT_UP else 0.0


def _lead(position: PigglesState, seat: Seat, rules: PigglesRules) -> float:
    """Return how far `seat` would lead after a Tally of both, without the floor of zero."""

    def points(side: Seat) -> int:
        counted = tally_of(position, side, rules)
        return counted.zones + counted.mud_bonus + counted.kitchen_bonus - counted.penalty

    return float(points(seat) - points(seat.other))


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy:
    """Loads the whole Pen when a roll pays enough on average, and nothing when it does not.

    The gain of k Piggles is k times that of one, so no number between can be better. In Modern it
    takes the effect with the best swing at once, and is done when all of them lose points; of equal
    ones it takes one that brings a Piggle of its own out of Mud or Kitchen, or else the first.
    """

    odds: RollShares = field(default_factory=RollShares)
    threshold: float = 0.0
    """What the gain of a Pen must be more than [points]: about what a roll does to those of one's
    own that lie well, which `expected_gain` leaves out."""
    name: str = "greedy"
    """The name under which a record knows this agent."""

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return the load or effect of the largest expected gain; the first of equal ones.

        Raises:
            SpecError: If the game is not Piggles.
        """
        del rng
        if not isinstance(observation, PigglesObservation):
            raise SpecError(
                "a game of Piggles for the agent greedy",
                got=type(observation).__name__,
                remedy="use the agent uniform",
            )
        if observation.state.phase is PigglesPhase.ACTION_REACTION:
            return self._act(observation, legal_actions)
        gain = expected_gain(observation.state.round, observation.rules, self.odds)

        def value(action: A) -> float:
            # To concede gains nothing and loses the game.
            if not isinstance(action, Load):
                return -math.inf
            worth = gain * len(action.piggles)
            return worth if worth > self.threshold or not action.piggles else -math.inf

        return max(legal_actions, key=value)

    def shortlist(self, game: Game[Any, Any], state: PigglesState) -> Sequence[Any]:
        """Return the empty and the largest of up to 64 loads, or all legal actions."""
        if state.phase is PigglesPhase.LOAD:
            return (Load(), Load(state.side(state.active).pen[:PEN_SIZE]))
        return game.legal_actions(state)

    def _act(self, observation: PigglesObservation, legal_actions: Sequence[A]) -> A:
        """Return the effect to declare, or to be done where none is worth it."""
        assert isinstance(observation.rules, ModernRules)
        table = EffectOptions(rules=observation.rules, lineup=observation.lineup)
        position, seat = observation.state, observation.seat
        away = {*position.side(seat).mud_piggles, *position.side(seat).kitchen}

        def value(action: A) -> tuple[float, bool]:
            match action:
                case Act(target=target):
                    return expected_swing(position, action, table, self.odds), target in away
                case Done():
                    return 0.0, False
                case _:
                    return -math.inf, False

        return max(legal_actions, key=value)
