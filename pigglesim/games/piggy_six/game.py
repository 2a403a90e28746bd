"""Piggy Six: the rules of play as one `Game` (seed R1-R6, rulings PS1-PS7)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from pigglesim.chance_types import ChanceOutcome, DiceRequest, answering_dice
from pigglesim.errors import IllegalActionError
from pigglesim.games.base import BaseGame
from pigglesim.games.game import Invariant, NonPlayer, Turn, require_player
from pigglesim.games.notation import ActionForms, Words
from pigglesim.games.piggy_six.house_rules import PiggySixRules
from pigglesim.games.piggy_six.notation import FORMS, WORDS, invariants, table_invariants
from pigglesim.games.piggy_six.rules import (
    SIX,
    DiceRoll,
    PiggySixState,
    Stop,
    begin_turn,
    choices,
    count,
    roll,
    stop,
)
from pigglesim.landing import Seat

SixAction: TypeAlias = DiceRoll | Stop
"""Actions of a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggySixObservation:
    """Observation of a player: the whole state, because nothing in Piggy Six is hidden."""

    seat: Seat
    state: PiggySixState
    rules: PiggySixRules


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggySix(BaseGame[PiggySixState, SixAction, DiceRequest]):
    """Piggy Six under the house rules of one table."""

    rules: PiggySixRules = field(default_factory=PiggySixRules)
    name: ClassVar[str] = "piggy_six"
    _forms: ClassVar[ActionForms[SixAction]] = FORMS
    _words: ClassVar[Words] = WORDS

    @property
    def _blank(self) -> PiggySixState:
        return PiggySixState(bank=())

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players with points, including the imaginary ones of the solitaire game."""
        return self.rules.seats

    @property
    def idle_seats(self) -> frozenset[Seat]:
        """Imaginary players of the solitaire game, who stop at a fixed total."""
        return frozenset(self.rules.stops)

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes, two per roll of each turn."""
        turns = self.rules.round_cap * len(self.seats)
        return turns * 2 * self.rules.roll_cap

    def initial_state(self) -> PiggySixState:
        """Return the state before the first turn."""
        empty = PiggySixState(bank=(0,) * len(self.seats))
        return begin_turn(empty, self.rules.turn_order[0], self.rules)

    def turn(self, state: PiggySixState) -> Turn:
        """Return the player to move, chance or the end."""
        if state.result is not None:
            return NonPlayer.OVER
        return NonPlayer.CHANCE if state.rolling else state.active

    def legal_actions(self, state: PiggySixState) -> tuple[SixAction, ...]:
        """Return the allowed rolls, fewest dice first, and then the stop (R1, PS1)."""
        if state.rolling or state.result is not None:
            return ()
        return choices(state, self.rules)

    def apply_action(self, state: PiggySixState, action: SixAction) -> PiggySixState:
        """Return the state after a decision of the player to move.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        require_player(self.turn(state), action, str, rule="R1")
        match action:
            case DiceRoll(dice=dice):
                return roll(state, dice, self.rules)
            case Stop():
                return stop(state, self.rules)
            case _:
                raise IllegalActionError(
                    repr(action), expected="a roll or a stop", fix="roll or stop", rule="R1"
                )

    def _request(self, state: PiggySixState) -> DiceRequest:
        return DiceRequest(
            thrower=state.active, count=state.dice, sides=SIX, cocked=self.rules.cocked_dice
        )

    def apply_outcome(self, state: PiggySixState, outcome: ChanceOutcome) -> PiggySixState:
        """Return the state after the dice have been rolled, with all consequences.

        Raises:
            SpecError: If it is not chance's turn, or the outcome does not answer the request.
        """
        dice = answering_dice(outcome, self.chance_request(state))
        return count(state, dice.faces, self.rules)

    def observe(self, state: PiggySixState, seat: Seat) -> PiggySixObservation:
        """Return the observation of the player at `seat`."""
        return PiggySixObservation(seat=seat, state=state, rules=self.rules)

    def scores(self, state: PiggySixState) -> Mapping[Seat, int]:
        """Return the banked points of each player."""
        return dict(zip(self.seats, state.bank, strict=True))

    def _invariants(self, state: PiggySixState) -> Iterator[Invariant]:
        return invariants(state, self.rules)

    def _readable(self, state: PiggySixState) -> Iterator[Invariant]:
        return table_invariants(state, self.rules)
