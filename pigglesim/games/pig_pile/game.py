"""Pig Pile: the rules of play as one `Game` (R1-R10)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pigglesim.chance_types import ChanceOutcome, ShuffleRequest, answering_shuffle
from pigglesim.errors import IllegalActionError
from pigglesim.games.base import BaseGame
from pigglesim.games.game import (
    Invariant,
    NonPlayer,
    Permutes,
    Turn,
    require_observation,
    require_player,
)
from pigglesim.games.notation import ActionForms, Words
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.notation import FORMS, invariants, words
from pigglesim.games.pig_pile.observation import PigPileObservation, imagined, observed
from pigglesim.games.pig_pile.rules import (
    before_deal,
    choose,
    deal,
    deal_request,
    end_round,
    legal_actions,
    pick_up,
    play,
    play_slop,
    round_is_over,
)
from pigglesim.games.pig_pile.state import (
    FaceUp,
    PickUp,
    PigPileAction,
    PigPilePhase,
    PigPileState,
    Play,
    Slop,
)
from pigglesim.landing import Seat

_SEATS = tuple(Seat)


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPile(BaseGame[PigPileState, PigPileAction, ShuffleRequest]):
    """Pig Pile under the house rules of one table."""

    rules: PigPileRules = field(default_factory=PigPileRules)

    name: ClassVar[str] = "pig_pile"
    _forms: ClassVar[ActionForms[PigPileAction]] = FORMS

    @property
    def _words(self) -> Words:
        return words(self.rules.players)

    @property
    def _blank(self) -> PigPileState:
        return before_deal(self.rules)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players in clockwise order."""
        return self.rules.seats

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes: in each round a deal, choices and turns."""
        choosing = self.rules.players if self.rules.advanced_deal else 0
        return self.rules.rounds * (1 + choosing + self.rules.turn_cap)

    def distinct(self, actions: Sequence[PigPileAction]) -> list[PigPileAction]:
        """Return the first of equivalent actions: face-down cards are indistinguishable."""
        return [each for each in actions if not isinstance(each, Slop) or each.slot == 1]

    def initial_state(self) -> PigPileState:
        """Return the state before the first deal."""
        return before_deal(self.rules)

    def turn(self, state: PigPileState) -> Turn:
        """Return the player to move, chance or the end."""
        match state.phase:
            case PigPilePhase.PLAY | PigPilePhase.CHOOSE:
                return _SEATS[state.mover]
            case PigPilePhase.DEAL:
                return NonPlayer.CHANCE
            case PigPilePhase.OVER:
                return NonPlayer.OVER

    def legal_actions(self, state: PigPileState) -> tuple[PigPileAction, ...]:
        """Return the legal actions: plays by value and number, then pick-ups."""
        if state.phase in {PigPilePhase.DEAL, PigPilePhase.OVER}:
            return ()
        return legal_actions(state, self.rules)

    def apply_action(self, state: PigPileState, action: PigPileAction) -> PigPileState:
        """Return the state after a decision of the player to move.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        require_player(self.turn(state), action, repr, rule="R3")
        after = act(state, action, self.rules)
        return end_round(after, self.rules) if round_is_over(after, self.rules) else after

    def _request(self, state: PigPileState) -> ShuffleRequest:
        return deal_request(state)

    def apply_outcome(self, state: PigPileState, outcome: ChanceOutcome) -> PigPileState:
        """Return the state after the deal of shuffled cards.

        Raises:
            SpecError: If it is not chance's turn, or the outcome does not answer the request.
        """
        request = self.chance_request(state)
        return deal(state, answering_shuffle(outcome, request), self.rules)

    def observe(self, state: PigPileState, seat: Seat) -> PigPileObservation:
        """Return the observation of the player at `seat`."""
        return observed(state, _SEATS.index(seat), self.rules)

    def imagine(self, observation: object, *, rng: Permutes) -> PigPileState:
        """Return a state consistent with an observation, with unseen cards dealt at random.

        Raises:
            SpecError: If it is not an observation of Pig Pile.
        """
        return imagined(require_observation(observation, PigPileObservation), rng=rng)

    def scores(self, state: PigPileState) -> Mapping[Seat, int]:
        """Return the pigs of each player."""
        return dict(zip(self.rules.seats, state.pigs, strict=True))

    def _invariants(self, state: PigPileState) -> Iterator[Invariant]:
        return invariants(state, self.rules)


def act(state: PigPileState, action: PigPileAction, rules: PigPileRules) -> PigPileState:
    """Return the state after a legal action; a round that is over is not counted yet.

    Raises:
        IllegalActionError: If the rules forbid the action, with the number of the rule.
    """
    legal = legal_actions(state, rules)
    if action not in legal:
        raise _illegal(state, action, legal)
    match action:
        case Play():
            return play(state, action, rules)
        case PickUp():
            return pick_up(state, action)
        case Slop():
            return play_slop(state, action, rules)
        case FaceUp():
            return choose(state, action)


def _illegal(
    state: PigPileState, action: PigPileAction, legal: tuple[PigPileAction, ...]
) -> IllegalActionError:
    """Return the error of an illegal action, with the actions that are allowed instead."""
    shown = ", ".join(map(FORMS.write, legal[:8])) + (", ..." if len(legal) > 8 else "")
    match action:
        case _ if state.phase is PigPilePhase.CHOOSE:
            expected, rule = "three of the hand to lie face up", "R2"
        case _ if isinstance(legal[0], Slop):
            expected, rule = "one of the face-down cards", "R8"
        case PickUp(face_up=None) if isinstance(legal[0], PickUp):
            expected, rule = "one of the face-up cards to be taken along", "R7"
        case PickUp():
            expected, rule = "cards to be played where any fits", "PP2"
        case _ if isinstance(legal[0], PickUp):
            expected, rule = "the pile to be taken up, for nothing fits", "R4"
        case _:
            expected, rule = "cards of one value that fit, as many as there are", "R3"
    return IllegalActionError(repr(FORMS.write(action)), expected=expected, fix=shown, rule=rule)
