"""What both rule books of Piggles have in common as a `Game`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from pigglesim.chance_types import ChanceOutcome, answering_roll
from pigglesim.errors import IllegalActionError
from pigglesim.games.game import JSON, Concede, NonPlayer, Result, Turn
from pigglesim.games.piggles.areas import Load, loads
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.piggles.notation import (
    check_waiting,
    format_action,
    format_roll,
    format_state,
    parse_action,
    parse_roll,
    parse_state,
    violations,
)
from pigglesim.games.piggles.state import (
    Act,
    Done,
    Lineup,
    PigglesPhase,
    PigglesSide,
    PigglesState,
    team,
)
from pigglesim.games.piggles.turns import (
    Step,
    after_load,
    after_roll,
    concede,
    roll_request,
    start_turn,
    sudden_request,
)
from pigglesim.games.turns import require_chance, require_player
from pigglesim.games.violation import Violation
from pigglesim.landing import BOARD_SEATS, RollRequest, RollResult, Seat

PigglesAction = Load | Act | Done | Concede
"""What a player can do: load Piggles, none of which is a skip; in Modern act or be done with
acting; or give up."""
_ACTIONS = {Load, Act, Done, Concede}


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesObservation:
    """What a player sees: everything, for nothing in Piggles is hidden."""

    seat: Seat
    state: PigglesState
    rules: PigglesRules
    lineup: Lineup = ()
    """The markings of the Piggles; none in Classic."""


class Piggles(ABC):
    """One of the two rule books under the house rules of one table."""

    __slots__ = ()

    @property
    @abstractmethod
    def rules(self) -> PigglesRules:
        """The house rules in force."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name under which the registry knows this game."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The two sides of the board."""
        return BOARD_SEATS

    @property
    @abstractmethod
    def max_length(self) -> int:
        """The most actions and outcomes together that a game can take."""

    @property
    def lineup(self) -> Lineup:
        """The markings of the Piggles; none in Classic."""
        return ()

    def settings(self) -> Mapping[str, JSON]:
        """Return the house rules in force, every one of them, by name."""
        return self.rules.to_mapping()

    def initial_state(self) -> PigglesState:
        """Return the state before the first turn: six Piggles in each Pen (R1)."""
        state = PigglesState(a=PigglesSide(pen=team(Seat.A)), b=PigglesSide(pen=team(Seat.B)))
        return start_turn(state, self.rules.first_in(1), 1, self.rules)

    @abstractmethod
    def turn(self, state: PigglesState) -> Turn:
        """Return whose turn it is."""

    @abstractmethod
    def legal_actions(self, state: PigglesState) -> tuple[PigglesAction, ...]:
        """Return what the player to move may do, in a fixed order; last to concede (R18)."""

    def apply_action(self, state: PigglesState, action: PigglesAction) -> PigglesState:
        """Return the state after a decision of the player to move.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        return self.action_steps(state, action)[-1].state

    def action_steps(self, state: PigglesState, action: PigglesAction) -> list[Step]:
        """Return every phase that follows from an action, for those who draw the board.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        turn = require_player(self.turn(state), action, format_action, rule="R5")
        if type(action) not in _ACTIONS:
            raise IllegalActionError(
                "an action of Piggles", got=repr(action), remedy="legal_actions(state)", rule="R5"
            )
        if isinstance(action, Concede):
            return [Step(phase=state.phase, seat=turn, state=concede(state, turn))]
        return self._play(state, action)

    @abstractmethod
    def _play(self, state: PigglesState, action: Load | Act | Done) -> list[Step]:
        """Return the steps after an action on its player's turn."""

    def chance_request(self, state: PigglesState) -> RollRequest:
        """Return what is due: a roll, an effect, a roll of Sudden Snout-Up (R9, R16, R20).

        Raises:
            SpecError: If it is not chance's turn.
        """
        self._expect_chance(state)
        return self._request(state)

    def _request(self, state: PigglesState) -> RollRequest:
        if state.phase is PigglesPhase.SUDDEN:
            return sudden_request(state, self.rules)
        return roll_request(state, self.rules)

    def apply_outcome(self, state: PigglesState, outcome: ChanceOutcome) -> PigglesState:
        """Return the state after chance has answered, with all that follows from it.

        Raises:
            SpecError: If it is not chance's turn, or the outcome does not answer the request.
        """
        return self.outcome_steps(state, outcome)[-1].state

    def outcome_steps(self, state: PigglesState, outcome: ChanceOutcome) -> list[Step]:
        """Return every phase that follows from an outcome, for those who draw the board."""
        self._expect_chance(state)
        return self._land(state, answering_roll(outcome))

    @abstractmethod
    def _land(self, state: PigglesState, outcome: RollResult) -> list[Step]:
        """Return the steps after an outcome on chance's turn."""

    def _expect_chance(self, state: PigglesState) -> None:
        require_chance(self.turn(state))
        # A step on the way to another state can be read and drawn, but not rolled from.
        check_waiting(state, self.rules)

    def observe(self, state: PigglesState, seat: Seat) -> PigglesObservation:
        """Return what the player at `seat` sees."""
        return PigglesObservation(seat=seat, state=state, rules=self.rules, lineup=self.lineup)

    def result(self, state: PigglesState) -> Result | None:
        """Return how the game ended, or None while play goes on."""
        return state.result

    def scores(self, state: PigglesState) -> Mapping[Seat, int]:
        """Return the points of each player."""
        return {seat: state.side(seat).score for seat in BOARD_SEATS}

    def round_of(self, state: PigglesState) -> int:
        """Return the number of the round, from 1."""
        return state.round

    def validate(self, state: PigglesState) -> tuple[Violation, ...]:
        """Return everything that no state of this game can be, each with its rule."""
        return violations(state, self.rules)

    def format_action(self, action: PigglesAction) -> str:
        """Return an action as text."""
        return format_action(action)

    def parse_action(self, text: str) -> PigglesAction:
        """Return the action that a text names."""
        return parse_action(text)

    def format_outcome(self, state: PigglesState, outcome: ChanceOutcome) -> str:
        """Return a roll as one line of text; Piggles that lie as they lay are left out."""
        return format_roll(answering_roll(outcome), self.chance_request(state))

    def parse_outcome(self, state: PigglesState, text: str) -> RollResult:
        """Return the roll that `format_outcome` wrote for this state."""
        return parse_roll(text, self.chance_request(state))

    def format_state(self, state: PigglesState) -> str:
        """Return a state as one line of text."""
        return format_state(state)

    def parse_state(self, text: str) -> PigglesState:
        """Return the state that `format_state` wrote."""
        return parse_state(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesClassic(Piggles):
    """Piggles Classic under the house rules of one table."""

    rules: PigglesRules = field(default_factory=PigglesRules)

    @property
    def name(self) -> str:
        """The name under which the registry knows this game."""
        return "piggles_classic"

    @property
    def max_length(self) -> int:
        """The most actions and outcomes together: each turn a load, a roll and its rerolls."""
        turns = 2 * self.rules.rounds
        # Every two sudden rolls that count, or one that does not, cost a reroll or end the game.
        return turns * (2 + self.rules.reroll_cap) + 2 * (self.rules.sudden_cap + 1)

    def turn(self, state: PigglesState) -> Turn:
        """Return whose turn it is."""
        if state.result is not None:
            return NonPlayer.OVER
        return state.active if state.phase is PigglesPhase.LOAD else NonPlayer.CHANCE

    def legal_actions(self, state: PigglesState) -> tuple[PigglesAction, ...]:
        """Return every load, fewest Piggles first, and last to concede (R8, R18)."""
        turn = self.turn(state)
        return (*loads(state, turn), Concede()) if isinstance(turn, Seat) else ()

    def _play(self, state: PigglesState, action: Load | Act | Done) -> list[Step]:
        if not isinstance(action, Load):
            raise IllegalActionError(
                "a load, for Classic knows no effects",
                got=self.format_action(action),
                remedy="load A1 A3, skip or concede",
                rule="R6",
            )
        return after_load(state, action, self.rules)

    def _land(self, state: PigglesState, outcome: RollResult) -> list[Step]:
        return after_roll(state, outcome, self.rules)
