"""Lord of the P.I.G.S.: the rules of play as one `Game` (R1-R10)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from pigglesim.chance_types import ChanceOutcome, ShuffleRequest, answering_shuffle
from pigglesim.games.base import BaseGame
from pigglesim.games.change import changed
from pigglesim.games.game import (
    Invariant,
    NonPlayer,
    Permutes,
    Turn,
    require_observation,
    require_player,
)
from pigglesim.games.lord_of_the_pigs.actions import (
    FORMS,
    LordAction,
    check_legal,
    legal_actions,
)
from pigglesim.games.lord_of_the_pigs.house_rules import LordRules, Series
from pigglesim.games.lord_of_the_pigs.notation import BLANK, WORDS, invariants, readable
from pigglesim.games.lord_of_the_pigs.observation import (
    LordObservation,
    imagined,
    observed,
)
from pigglesim.games.lord_of_the_pigs.state import DECK_SIZE, SEATS, LordState, by_seat
from pigglesim.games.lord_of_the_pigs.turns import advance, begin, decide, put
from pigglesim.games.notation import ActionForms, Words
from pigglesim.landing import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class LordOfThePigs(BaseGame[LordState, LordAction, ShuffleRequest]):
    """The game under the house rules of one table; with `series`, several games in a row."""

    rules: LordRules = field(default_factory=LordRules)

    name: ClassVar[str] = "lord_of_the_pigs"
    _blank: ClassVar[LordState] = BLANK
    _words: ClassVar[Words] = WORDS
    _forms: ClassVar[ActionForms[LordAction]] = FORMS

    @property
    def seats(self) -> tuple[Seat, ...]:
        """President, Banker, Corporate Director and Energy Tycoon, in Actor order."""
        return SEATS

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes, by a bound far above any real game.

        In a turn each player answers the Event, votes, submits, and passes once before the votes
        are counted. Every card can be discarded once for its Alternate Mode or be carried out,
        chosen in order, with four players who decline to share it and two cards drawn. Each card
        drawn, these and at most eight more, can require a shuffle; so can the Event deck.
        """
        players, cards = len(SEATS), len(SEATS) * DECK_SIZE
        shuffles = 2 * cards + 2 * players + 1
        turn = 4 * players + cards + (1 + 2 * players) * cards + shuffles
        games = 1 if self.rules.series is Series.OFF else self.rules.series_games
        return games * (players + self.rules.turn_cap * turn)

    def initial_state(self) -> LordState:
        """Return the state before the first deck is shuffled."""
        return begin(self.rules)

    def turn(self, state: LordState) -> Turn:
        """Return the player to move, chance or the end."""
        if state.result is not None:
            return NonPlayer.OVER
        if state.draws or state.revealing:
            return NonPlayer.CHANCE
        return state.asked[0]

    def legal_actions(self, state: LordState) -> tuple[LordAction, ...]:
        """Return the legal actions: cards in the order of the rule book, then passing.

        Players who could only pass are skipped.
        """
        return legal_actions(state, self.rules) if isinstance(self.turn(state), Seat) else ()

    def apply_action(self, state: LordState, action: LordAction) -> LordState:
        """Return the state after a decision, in which another player or chance is to move.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        require_player(self.turn(state), action, self.format_action, rule="LP19")
        check_legal(state, action, self.rules)
        return advance(decide(state, action, self.rules), self.rules)

    def _request(self, state: LordState) -> ShuffleRequest:
        """Return the deck that is to be shuffled (R4, R9)."""
        if state.draws:
            seat = state.draws[0]
            return ShuffleRequest(thrower=seat, cards=state.side(seat).discard)
        return ShuffleRequest(thrower=state.first, cards=state.event_discard)

    def apply_outcome(self, state: LordState, outcome: ChanceOutcome) -> LordState:
        """Return the state after a deck was shuffled, with all consequences.

        Raises:
            SpecError: If it is not chance's turn, or the outcome does not answer the request.
        """
        cards = answering_shuffle(outcome, self.chance_request(state)).cards
        if state.draws:
            seat = state.draws[0]
            side = changed(state.side(seat), deck=cards, discard=())
            return advance(changed(state, sides=put(state.sides, seat, side)), self.rules)
        return advance(changed(state, event_deck=cards, event_discard=()), self.rules)

    def observe(self, state: LordState, seat: Seat) -> LordObservation:
        """Return the observation of the player at `seat`, without other hands (LP16)."""
        return observed(state, seat, self.rules)

    def imagine(self, observation: object, *, rng: Permutes) -> LordState:
        """Return a uniformly random state that is consistent with an observation.

        Raises:
            SpecError: If the observation is of another game.
        """
        return imagined(require_observation(observation, LordObservation), rng=rng)

    def scores(self, state: LordState) -> Mapping[Seat, int]:
        """Return the Rating of each player, or in a series the points."""
        single = self.rules.series is Series.OFF
        return by_seat(state.ratings if single else state.points)

    def _invariants(self, state: LordState) -> Iterator[Invariant]:
        return invariants(state, self.rules)

    def _readable(self, state: LordState) -> Iterator[Invariant]:
        return readable(state)
