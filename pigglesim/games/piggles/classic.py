"""Piggles Classic: the rules of play as one `Game` (seed R1-R18)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import JSON, Concede, NonPlayer, Result, Turn
from pigglesim.games.piggles.ending import concede
from pigglesim.games.piggles.house_rules import HouseRules
from pigglesim.games.piggles.loading import Load, loads
from pigglesim.games.piggles.notation import (
    format_action,
    format_position,
    parse_action,
    parse_position,
)
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.roll_notation import format_roll, parse_roll
from pigglesim.games.piggles.rolling import roll_request
from pigglesim.games.piggles.state import Position, Side, team
from pigglesim.games.piggles.sudden import sudden_request
from pigglesim.games.piggles.turns import Step, after_load, after_roll, start_turn
from pigglesim.rolls import RollRequest, RollResult, Seat

__all__ = ["Observation", "PigglesAction", "PigglesClassic"]

PigglesAction = Load | Concede
"""What a player of Classic can do: load Piggles, none of which is a skip, or give up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a player sees: everything, for nothing in Piggles is hidden."""

    seat: Seat
    position: Position
    rules: HouseRules


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesClassic:
    """Piggles Classic under the house rules of one table."""

    rules: HouseRules = field(default_factory=HouseRules)

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

    def settings(self) -> Mapping[str, JSON]:
        """Return the house rules in force, every one of them, by name."""
        return self.rules.to_mapping()

    def initial_state(self) -> Position:
        """Return the position before the first turn: six Piggles in each Pen (R1)."""
        position = Position(a=Side(pen=team(Seat.A)), b=Side(pen=team(Seat.B)))
        return start_turn(position, self.rules.first_in(1), 1, self.rules)

    def turn(self, state: Position) -> Turn:
        """Return whose turn it is."""
        if state.result is not None:
            return NonPlayer.OVER
        return state.active if state.phase is Phase.LOAD else NonPlayer.CHANCE

    def legal_actions(self, state: Position) -> tuple[PigglesAction, ...]:
        """Return every load, fewest Piggles first, and last to concede (R8, R18)."""
        turn = self.turn(state)
        return (*loads(state, turn), Concede()) if isinstance(turn, Seat) else ()

    def apply_action(self, state: Position, action: PigglesAction) -> Position:
        """Return the position after the player to move has loaded or conceded.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        return self.action_steps(state, action)[-1].position

    def action_steps(self, state: Position, action: PigglesAction) -> list[Step]:
        """Return every phase that follows from an action, for those who draw the board."""
        turn = self.turn(state)
        if not isinstance(turn, Seat):
            raise IllegalActionError(
                "an action on a player's turn",
                got=f"{format_action(action)!r} while {_waiting(turn)}",
                remedy="apply_outcome" if turn is NonPlayer.CHANCE else "start a new game",
                rule="R5",
            )
        if isinstance(action, Concede):
            return [Step(phase=state.phase, seat=turn, position=concede(state, turn))]
        return after_load(state, action.piggles, self.rules)

    def chance_request(self, state: Position) -> RollRequest:
        """Return the roll that is due, for a turn or for Sudden Snout-Up (R9, R16).

        Raises:
            SpecError: If it is not chance's turn.
        """
        self._expect_chance(state)
        if state.phase is Phase.SUDDEN:
            return sudden_request(state, self.rules)
        return roll_request(state, self.rules)

    def apply_outcome(self, state: Position, outcome: RollResult) -> Position:
        """Return the position after a roll, with the Tally and Resolve that follow from it.

        Raises:
            SpecError: If it is not chance's turn, or the outcome does not answer the request.
        """
        return self.outcome_steps(state, outcome)[-1].position

    def outcome_steps(self, state: Position, outcome: RollResult) -> list[Step]:
        """Return every phase that follows from a roll, for those who draw the board."""
        self._expect_chance(state)
        return after_roll(state, outcome, self.rules)

    def _expect_chance(self, state: Position) -> None:
        turn = self.turn(state)
        if turn is not NonPlayer.CHANCE:
            raise SpecError("chance's turn", got=_waiting(turn), remedy="ask turn(state) first")

    def observe(self, state: Position, seat: Seat) -> Observation:
        """Return what the player at `seat` sees."""
        return Observation(seat=seat, position=state, rules=self.rules)

    def result(self, state: Position) -> Result | None:
        """Return how the game ended, or None while play goes on."""
        return state.result

    def scores(self, state: Position) -> Mapping[Seat, int]:
        """Return the points of each player."""
        return {seat: state.side(seat).score for seat in Seat}

    def round_of(self, state: Position) -> int:
        """Return the number of the round, from 1."""
        return state.round

    def format_action(self, action: PigglesAction) -> str:
        """Return an action as text."""
        return format_action(action)

    def parse_action(self, text: str) -> PigglesAction:
        """Return the action that a text names."""
        return parse_action(text)

    def format_outcome(self, state: Position, outcome: RollResult) -> str:
        """Return a roll as one line of text; Piggles that lie as they lay are left out."""
        return format_roll(outcome, self.chance_request(state))

    def parse_outcome(self, state: Position, text: str) -> RollResult:
        """Return the roll that `format_outcome` wrote for this position."""
        return parse_roll(text, self.chance_request(state))

    def format_state(self, state: Position) -> str:
        """Return a position as one line of text."""
        return format_position(state)

    def parse_state(self, text: str) -> Position:
        """Return the position that `format_state` wrote."""
        return parse_position(text)


def _waiting(turn: Turn) -> str:
    if isinstance(turn, Seat):
        return f"{turn} is to move"
    return "a roll is due" if turn is NonPlayer.CHANCE else "the game is over"
