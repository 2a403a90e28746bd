"""Lord of the P.I.G.S.: the rules of play as one `Game` (R1-R10)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pigglesim.chance_types import ChanceOutcome, ShuffleRequest, ShuffleResult, answering_shuffle
from pigglesim.errors import SpecError
from pigglesim.games.change import changed
from pigglesim.games.game import (
    JSON,
    NonPlayer,
    Result,
    Turn,
    Violation,
    require_chance,
    require_player,
)
from pigglesim.games.lord_of_the_pigs.actions import (
    LordAction,
    check_legal,
    format_action,
    legal_actions,
    parse_action,
)
from pigglesim.games.lord_of_the_pigs.house_rules import LordRules, Series
from pigglesim.games.lord_of_the_pigs.notation import format_state, parse_state, violations
from pigglesim.games.lord_of_the_pigs.observation import (
    LordObservation,
    Shuffles,
    imagined,
    observed,
)
from pigglesim.games.lord_of_the_pigs.state import DECK_SIZE, SEATS, LordState, by_seat
from pigglesim.games.lord_of_the_pigs.turns import advance, begin, decide, put
from pigglesim.landing import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class LordOfThePigs:
    """The game under the house rules of one table; with `series`, several games in a row."""

    rules: LordRules = field(default_factory=LordRules)

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> "LordOfThePigs":
        """Return the game under house rules given by name; those left out are default.

        Raises:
            SpecError: If a house rule is unknown, or a setting is not one of its switch.
        """
        return cls(rules=LordRules.from_mapping(settings))

    @property
    def name(self) -> str:
        """The name under which the registry knows this game."""
        return "lord_of_the_pigs"

    @property
    def seats(self) -> tuple[Seat, ...]:
        """President, Banker, Corporate Director and Energy Tycoon, in Actor order."""
        return SEATS

    @property
    def max_length(self) -> int:
        """The most actions and outcomes together, by a bound that no game comes near.

        In a turn each player answers the Event, votes, submits, and passes once before the votes
        are counted. Every card can be discarded once for its Alternate Mode or be carried out,
        chosen in order, with four players who pass on sharing it and two cards drawn; each card
        drawn, these and at most eight more, can need a shuffle; the Event deck one too.
        """
        players, cards = len(SEATS), len(SEATS) * DECK_SIZE
        shuffles = 2 * cards + 2 * players + 1
        turn = 4 * players + cards + (1 + 2 * players) * cards + shuffles
        games = 1 if self.rules.series is Series.OFF else self.rules.series_games
        return games * (players + self.rules.turn_cap * turn)

    def settings(self) -> Mapping[str, JSON]:
        """Return the house rules in force, every one of them, by name."""
        return self.rules.to_mapping()

    def initial_state(self) -> LordState:
        """Return the state before the first deck is shuffled."""
        return begin(self.rules)

    def turn(self, state: LordState) -> Turn:
        """Return whose turn it is."""
        if state.result is not None:
            return NonPlayer.OVER
        if state.draws or state.revealing:
            return NonPlayer.CHANCE
        return state.asked[0]

    def legal_actions(self, state: LordState) -> tuple[LordAction, ...]:
        """Return what whoever is asked may do: cards in the order of the rule book, to pass last.

        Whoever could only pass is not asked.
        """
        return legal_actions(state, self.rules) if isinstance(self.turn(state), Seat) else ()

    def apply_action(self, state: LordState, action: LordAction) -> LordState:
        """Return the state after a decision, in which somebody else or chance is to go on.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        require_player(self.turn(state), action, format_action, rule="LP19")
        check_legal(state, action, self.rules)
        return advance(decide(state, action, self.rules), self.rules)

    def chance_request(self, state: LordState) -> ShuffleRequest:
        """Return the deck that is to be shuffled (R4, R9).

        Raises:
            SpecError: If it is not chance's turn.
        """
        require_chance(self.turn(state))
        if state.draws:
            seat = state.draws[0]
            return ShuffleRequest(thrower=seat, cards=state.side(seat).discard)
        return ShuffleRequest(thrower=state.first, cards=state.event_discard)

    def apply_outcome(self, state: LordState, outcome: ChanceOutcome) -> LordState:
        """Return the state after a deck was shuffled, with all that follows from it.

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
        """Return what the player at `seat` sees, which is no hand but the own (LP16)."""
        return observed(state, seat, self.rules)

    def imagine(self, observation: object, *, rng: Shuffles) -> LordState:
        """Return a state that fits what a player sees, every fitting deal of cards alike.

        Raises:
            SpecError: If the observation is of another game.
        """
        if not isinstance(observation, LordObservation):
            raise SpecError(
                "what a player of Lord of the P.I.G.S. sees",
                got=type(observation).__name__,
                remedy="observe(state, seat)",
            )
        return imagined(observation, rng=rng)

    def result(self, state: LordState) -> Result | None:
        """Return how the game or the series ended, or None while play goes on."""
        return state.result

    def scores(self, state: LordState) -> Mapping[Seat, int]:
        """Return the Rating of each player, or in a series the points."""
        single = self.rules.series is Series.OFF
        return by_seat(state.ratings if single else state.points)

    def round_of(self, state: LordState) -> int:
        """Return the number of the turn, from 1, counted on through all games of a series."""
        return state.turns_before + state.turn

    def validate(self, state: LordState) -> tuple[Violation, ...]:
        """Return everything that no state of this game can be, each with its rule."""
        return violations(state, self.rules)

    def format_action(self, action: LordAction) -> str:
        """Return an action as text."""
        return format_action(action)

    def parse_action(self, text: str) -> LordAction:
        """Return the action that a text names."""
        return parse_action(text)

    def format_outcome(self, state: LordState, outcome: ChanceOutcome) -> str:
        """Return a shuffled deck as its cards in the order in which they will be drawn."""
        return " ".join(answering_shuffle(outcome, self.chance_request(state)).cards)

    def parse_outcome(self, state: LordState, text: str) -> ShuffleResult:
        """Return the shuffled deck that `format_outcome` wrote for this state."""
        shuffled = ShuffleResult(cards=tuple(text.split()))
        return answering_shuffle(shuffled, self.chance_request(state))

    def format_state(self, state: LordState) -> str:
        """Return a state as one line of text."""
        return format_state(state)

    def parse_state(self, text: str) -> LordState:
        """Return the state that `format_state` wrote."""
        return parse_state(text)
