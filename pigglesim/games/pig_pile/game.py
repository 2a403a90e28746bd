"""Actions and states of Pig Pile as text, and the invariants of states."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

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
from pigglesim.games.notation import COUNT, WHOLE, YES, ActionForms, Codec, Words, optional, several
from pigglesim.games.pig_pile.rules import (
    CARDS_EACH,
    SLOP,
    UP,
    before_deal,
    choose,
    deal,
    end_round,
    legal_actions,
    pick_up,
    play,
    play_slop,
    round_is_over,
)
from pigglesim.games.pig_pile.state import (
    DECK,
    HIDDEN,
    HIGHEST,
    HOG_WASH,
    HOG_WILD,
    PIG_PEN,
    VALUES,
    Cards,
    FaceUp,
    PickUp,
    PigPileAction,
    PigPilePhase,
    PigPileRules,
    PigPileState,
    Play,
    Slop,
    format_card,
    format_cards,
    less,
    merged,
    parse_card,
    parse_cards,
)
from pigglesim.landing import Seat


def _seated(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the number of players."""
    players = rules.players
    parts: dict[str, tuple[object, ...]] = {
        "hands": state.hands,
        "known cards": state.known,
        "face-up cards": state.ups,
        "Slop": state.slops,
        "pigs": state.pigs,
        "awards": state.awards or (0,) * players,
    }
    for name, values in parts.items():
        problem = f"{name} of {len(values)} players, not {players}"
        yield Invariant(len(values) == players, "PP1", problem)
    places = (state.dealer, state.mover, *state.out)
    valid = all(0 <= place < players for place in places)
    yield Invariant(valid, "PP1", f"players {places}, not all from 0 to {players - 1}")
    yield Invariant(len(set(state.out)) == len(state.out), "R9", f"out twice in {state.out}")


def _conserved(state: PigPileState) -> Iterator[Invariant]:
    """Give the invariants of the number of cards."""
    places = (*state.hands, *state.ups, *state.slops, state.draw, state.pile, state.aside)
    cards = Counter(card for place_cards in places for card in place_cards)
    unknown = sorted(cards.keys() - set(VALUES))
    yield Invariant(not unknown, "R1", f"cards {unknown}, not from 0 to {HIGHEST}")
    if unknown:
        return
    full_deck = Counter(() if state.phase is PigPilePhase.DEAL else DECK)
    for name, surplus in (("many", cards - full_deck), ("few", full_deck - cards)):
        names = format_cards(tuple(sorted(surplus.elements())))
        yield Invariant(not surplus, "R1", f"too {name} cards {names}")


def _held(state: PigPileState, place: int) -> Iterator[Invariant]:
    """Give the invariants of the cards of one player."""
    hand, known, up = state.hands[place], state.known[place], state.ups[place]
    slop, is_out = state.slops[place], place in state.out
    problem = f"known cards {format_cards(known)} not in the hand of player {place}"
    yield Invariant(not Counter(known) - Counter(hand), "PP17", problem)
    for cards in (hand, up, known):
        ordered = list(cards) == sorted(cards)
        yield Invariant(ordered, "R2", f"cards {format_cards(cards)} not in ascending order")
    within = len(up) <= UP and len(slop) <= SLOP
    yield Invariant(within, "R2", f"{len(up)} cards face up and {len(slop)} face down")
    yield Invariant(len(slop) >= SLOP or not up, "R8", "Slop played under face-up cards")
    if state.phase is PigPilePhase.PLAY:
        count = state.cards_of(place)
        status = f"player {place}, {'out' if is_out else 'not out'}, has {count} cards"
        yield Invariant(is_out != bool(count), "R9", status)
        drawn = bool(hand) or not state.draw
        yield Invariant(drawn, "R7", "an empty hand while there is a Draw Pile")


def _chosen(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the advanced deal, and of a round before the first play."""
    if state.phase is PigPilePhase.CHOOSE:
        yield Invariant(rules.advanced_deal, "R2", "a choice of cards without advanced_deal")
        dealt = CARDS_EACH - SLOP
        complete = all(len(hand) == dealt for hand in state.hands)
        yield Invariant(complete, "R2", f"hands to choose from without {dealt} cards each")
        following = (state.dealer + len(state.chosen)) % state.count
        problem = f"player {state.mover} to choose before player {following}"
        yield Invariant(state.mover == following, "PP18", problem)
        for at, chosen in enumerate(state.chosen):
            hand = state.hands[(state.dealer + at) % state.count]
            fits = len(chosen) == UP and not Counter(chosen) - Counter(hand)
            yield Invariant(fits, "R2", f"{format_cards(chosen)} chosen, not {UP} of the hand")
    else:
        yield Invariant(not state.chosen, "PP18", "chosen cards after the choice")
    under = state.pile[-2:-1] == (HOG_WILD,) and state.pile[-1] not in {HOG_WILD, HOG_WASH}
    possible = rules.wild_mix and under
    yield Invariant(possible or not state.mixed, "PP6", "no Hog Wild mixed in below the top card")
    if state.phase in {PigPilePhase.DEAL, PigPilePhase.CHOOSE}:
        started = state.turns or state.out or state.pile or state.tied
        yield Invariant(not started, "R3", f"cards played in phase {state.phase}")


def _turned(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of rounds and turns."""
    direction, number = state.direction, state.round
    yield Invariant(direction in {1, -1}, "R5", f"direction {direction}, not 1 or -1")
    in_range = 1 <= number <= rules.rounds
    yield Invariant(in_range, "R10", f"round {number}, not one of 1 to {rules.rounds}")
    if in_range:
        dealer = (rules.seats.index(rules.first_dealer) + number - 1) % rules.players
        problem = f"dealer {state.dealer} in round {number}, not {dealer}"
        yield Invariant(state.dealer == dealer, "R10", problem)
    if state.phase is PigPilePhase.PLAY:
        yield Invariant(state.mover not in state.out, "R9", f"mover {state.mover} is out")
        below_cap = 0 <= state.turns < rules.turn_cap
        yield Invariant(below_cap, "PP13", f"{state.turns} turns, not below {rules.turn_cap}")


def _paid(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the pigs."""
    within = min(state.pigs) >= 0 and state.pen >= 0
    yield Invariant(within, "R1", f"pigs {state.pigs}, not {PIG_PEN} or fewer in all")
    past = state.round - (state.phase is not PigPilePhase.OVER)
    # In a round the first gets three, the second two and each other player at most one (R9).
    paid = sum(state.pigs)
    yield Invariant(paid <= past * (rules.players + 2), "R9", f"{paid} pigs after {past} rounds")


_SEATS = tuple(Seat)
_NAMES = tuple(map(format_card, DECK))
_PLAYED: Codec[Cards] = Codec(format_cards, lambda text: tuple(sorted(parse_cards(text.split()))))
FORMS: ActionForms[PigPileAction] = ActionForms(
    {
        "play {cards*}": Play,
        "slop {slot}": Slop,
        "pickup": PickUp(),
        "pickup {face_up}": PickUp,
        "face_up {cards*}": FaceUp,
    },
    {"cards": _PLAYED, "slot": WHOLE, "face_up": Codec(format_card, parse_card)},
    example="play 6 6, slop 2, pickup, pickup 7 or face_up 9 12 W",
)

_CARDS: Codec[Cards] = Codec(
    lambda cards: format_cards(cards, between=","), lambda text: parse_cards(text.split(","))
)
_PLACE: Codec[int] = Codec(lambda place: _SEATS[place], lambda text: _SEATS.index(Seat(text)))
_DIRECTION = Codec(lambda direction: "" if direction == 1 else "-1", {"1": 1, "-1": -1}.__getitem__)
_OWN: dict[str, tuple[str, Codec[Any]]] = {
    "hand": ("hands", _CARDS),
    "known": ("known", _CARDS),
    "up": ("ups", _CARDS),
    "slop": ("slops", _CARDS),
    "pigs": ("pigs", COUNT),
    "awards": ("awards", optional(WHOLE)),
}
"""The words of each player."""


@cache
def words(players: int) -> Words:
    """Return the part of a state that each word gives, for a number of players."""
    return {
        "round": ("round", WHOLE),
        "phase": ("phase", Codec(str, PigPilePhase)),
        "dealer": ("dealer", _PLACE),
        "turn": ("mover", _PLACE),
        "direction": ("direction", _DIRECTION),
        "tied": ("tied", YES),
        "turns": ("turns", COUNT),
        **{
            f"{_SEATS[place]}.{name}": (f"{field}.{place}", codec)
            for place in range(players)
            for name, (field, codec) in _OWN.items()
        },
        "chosen": ("chosen", several(_CARDS, ";")),
        "draw": ("draw", _CARDS),
        "pile": ("pile", _CARDS),
        "mixed": ("mixed", YES),
        "aside": ("aside", _CARDS),
        "out": ("out", several(_PLACE)),
    }


@dataclass(frozen=True, kw_only=True)
class PigPileObservation(PigPileState):
    """A state in which every card that one player may not see is `HIDDEN`."""

    rules: PigPileRules
    place: int
    """Number of the player who sees this, clockwise from seat A."""

    @property
    def choice(self) -> Cards:
        """Cards that the player has chosen to be face up, while others still choose."""
        at = (self.place - self.dealer) % self.count
        return self.chosen[at] if at < len(self.chosen) else ()

    def unseen(self) -> Cards:
        """Return the cards in places unknown to the player, in ascending order."""
        visible = (*self.hands, *self.ups, self.pile, self.aside)
        return less(DECK, tuple(card for cards in visible for card in cards))


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

    def distinct(
        self, actions: Sequence[PigPileAction], kinds: Mapping[str, object] = MappingProxyType({})
    ) -> list[PigPileAction]:
        """Return the first of equivalent actions: face-down cards are indistinguishable."""
        del kinds
        return [action for action in actions if not isinstance(action, Slop) or action.slot == 1]

    def initial_state(self) -> PigPileState:
        return before_deal(self.rules)

    def turn(self, state: PigPileState) -> Turn:
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
        require_player(self.turn(state), action, repr, rule="R3")
        after = act(state, action, self.rules)
        return end_round(after, self.rules) if round_is_over(after, self.rules) else after

    def _request(self, state: PigPileState) -> ShuffleRequest:
        return ShuffleRequest(thrower=_SEATS[state.dealer], cards=_NAMES)

    def apply_outcome(self, state: PigPileState, outcome: ChanceOutcome) -> PigPileState:
        request = self.chance_request(state)
        return deal(state, answering_shuffle(outcome, request), self.rules)

    def observe(self, state: PigPileState, seat: Seat) -> PigPileObservation:
        place = _SEATS.index(seat)
        own = (place - state.dealer) % state.count
        covered = {
            "hands": tuple(
                hand if at == place else known + (HIDDEN,) * (len(hand) - len(known))
                for at, (hand, known) in enumerate(zip(state.hands, state.known, strict=True))
            ),
            "slops": tuple((HIDDEN,) * len(cards) for cards in state.slops),
            "chosen": tuple(
                cards if at == own else (HIDDEN,) * UP for at, cards in enumerate(state.chosen)
            ),
            "draw": (HIDDEN,) * len(state.draw),
        }
        return PigPileObservation(**{**vars(state), **covered}, rules=self.rules, place=place)

    def _visible(self, state: PigPileState, seat: Seat) -> PigPileState:
        return self.observe(state, seat)

    def imagine(self, observation: object, *, rng: Permutes) -> PigPileState:
        """Return a state consistent with an observation, with unseen cards dealt uniformly.

        Others' decisions are not used as evidence. If others have chosen their face-up cards, any
        three of their seven are equally likely.
        """
        view = require_observation(observation, PigPileObservation)
        dealt_out = view.phase in {PigPilePhase.CHOOSE, PigPilePhase.PLAY}
        unseen = view.unseen() if dealt_out else ()
        shuffled = [unseen[at] for at in rng.permutation(len(unseen))]

        def dealt(covered: Cards) -> Cards:
            number = covered.count(HIDDEN)
            cards = tuple(shuffled[:number])
            del shuffled[:number]
            return cards

        filled = [dealt(hand) for hand in view.hands]
        choices = [tuple(sorted(cards[:UP])) for cards in filled]
        choices[view.place] = view.choice
        dealt_parts = {
            "hands": tuple(
                hand if at == view.place else merged(view.known[at], filled[at])
                for at, hand in enumerate(view.hands)
            ),
            "slops": tuple(map(dealt, view.slops)),
            "chosen": tuple(
                choices[(view.dealer + at) % view.count] for at in range(len(view.chosen))
            ),
            "draw": dealt(view.draw),
        }
        seen = {name: part for name, part in vars(view).items() if name not in {"rules", "place"}}
        return PigPileState(**{**seen, **dealt_parts})

    def scores(self, state: PigPileState) -> Mapping[Seat, int]:
        """Return the pigs of each player."""
        return dict(zip(self.rules.seats, state.pigs, strict=True))

    def _invariants(self, state: PigPileState) -> Iterator[Invariant]:
        seated = tuple(_seated(state, self.rules))
        yield from seated
        # Without the right number of players, no other invariant can be tested.
        if all(invariant.holds for invariant in seated):
            yield from _conserved(state)
            for place in range(state.count):
                yield from _held(state, place)
            yield from _chosen(state, self.rules)
            yield from _turned(state, self.rules)
            yield from _paid(state, self.rules)


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
    options = ", ".join(map(FORMS.write, legal[:8])) + (", ..." if len(legal) > 8 else "")
    match action:
        case _ if state.phase is PigPilePhase.CHOOSE:
            expected, rule = "three cards of the hand to be face up", "R2"
        case _ if isinstance(legal[0], Slop):
            expected, rule = "a face-down card", "R8"
        case PickUp(face_up=None) if isinstance(legal[0], PickUp):
            expected, rule = "a face-up card to be picked up too", "R7"
        case PickUp():
            expected, rule = "a play while any card fits", "PP2"
        case _ if isinstance(legal[0], PickUp):
            expected, rule = "a pick-up, because no card fits", "R4"
        case _:
            expected, rule = "cards of one value that fit", "R3"
    problem = f"illegal action {FORMS.write(action)!r}"
    return IllegalActionError(problem, expected=expected, fix=f"use {options}", rule=rule)
