"""Actions and states of Pig Pile as text, and the invariants of states."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from pigglesim.games.game import Invariant
from pigglesim.games.notation import (
    COUNT,
    WHOLE,
    YES,
    ActionForms,
    Codec,
    Words,
    optional,
    several,
)
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.rules import CARDS_EACH, SLOP, UP
from pigglesim.games.pig_pile.state import (
    DECK,
    HIGHEST,
    PIG_PEN,
    VALUES,
    Cards,
    FaceUp,
    PickUp,
    PigPileAction,
    PigPilePhase,
    PigPileState,
    Play,
    Slop,
    format_card,
    format_cards,
    parse_card,
    parse_cards,
)
from pigglesim.landing import Seat


def invariants(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give every invariant of a state."""
    seated = tuple(_seated(state, rules))
    yield from seated
    # Without the right number of players, no other invariant can be tested.
    if all(each.holds for each in seated):
        yield from _conserved(state)
        for place in range(state.count):
            yield from _held(state, place)
        yield from _chosen(state, rules)
        yield from _turned(state, rules)
        yield from _paid(state, rules)


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
    for name, part in parts.items():
        yield Invariant(len(part) == players, "PP1", f"{name} of {players} players", len(part))
    places = (state.dealer, state.mover, *state.out)
    there = all(0 <= place < players for place in places)
    yield Invariant(there, "PP1", f"players below {players}", places)
    yield Invariant(len(set(state.out)) == len(state.out), "R9", "nobody out twice", state.out)


def _conserved(state: PigPileState) -> Iterator[Invariant]:
    """Give the invariants of the number of cards."""
    places = (*state.hands, *state.ups, *state.slops, state.draw, state.pile, state.aside)
    cards = Counter(card for each in places for card in each)
    unknown = sorted(cards.keys() - set(VALUES))
    yield Invariant(not unknown, "R1", f"cards from 0 to {HIGHEST}", unknown)
    if unknown:
        return
    whole = Counter(() if state.phase is PigPilePhase.DEAL else DECK)
    for name, wrong in (("many", cards - whole), ("few", whole - cards)):
        names = format_cards(tuple(sorted(wrong.elements())))
        yield Invariant(not wrong, "R1", f"{whole.total()} cards in all", f"too {name} of {names}")


def _held(state: PigPileState, place: int) -> Iterator[Invariant]:
    """Give the invariants of the cards of one player."""
    hand, known, up = state.hands[place], state.known[place], state.ups[place]
    slop, is_out = state.slops[place], place in state.out
    yield Invariant(
        not Counter(known) - Counter(hand),
        "PP17",
        f"of the hand of player {place} no more known than is in it",
        format_cards(known),
    )
    for cards in (hand, up, known):
        ordered = list(cards) == sorted(cards)
        yield Invariant(ordered, "R2", "cards in ascending order", format_cards(cards))
    yield Invariant(
        len(up) <= UP and len(slop) <= SLOP,
        "R2",
        f"at most {UP} cards face up and {SLOP} face down",
        f"{len(up)} and {len(slop)}",
    )
    yield Invariant(len(slop) >= SLOP or not up, "R8", "all Slop while cards lie on it", "less")
    if state.phase is PigPilePhase.PLAY:
        count = state.cards_of(place)
        who = f"player {place} {'without' if is_out else 'with'} cards"
        yield Invariant(is_out != bool(count), "R9", who, count)
        drawn = bool(hand) or not state.draw
        yield Invariant(drawn, "R7", "cards in every hand while there is a Draw Pile", "none")


def _chosen(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the advanced deal, and of a round before the first play."""
    if state.phase is PigPilePhase.CHOOSE:
        yield Invariant(rules.advanced_deal, "R2", "no choice without advanced_deal", "one")
        dealt = CARDS_EACH - SLOP
        whole = all(len(hand) == dealt for hand in state.hands)
        yield Invariant(whole, "R2", f"{dealt} cards in each hand to choose from", "others")
        following = (state.dealer + len(state.chosen)) % state.count
        yield Invariant(
            state.mover == following, "PP18", "the next from the dealer on to choose", state.mover
        )
        for at, chosen in enumerate(state.chosen):
            hand = state.hands[(state.dealer + at) % state.count]
            fits = len(chosen) == UP and not Counter(chosen) - Counter(hand)
            yield Invariant(fits, "R2", f"{UP} chosen of the hand", format_cards(chosen))
    else:
        yield Invariant(not state.chosen, "PP18", "nothing chosen any more", len(state.chosen))
    if state.phase in {PigPilePhase.DEAL, PigPilePhase.CHOOSE}:
        begun = state.turns or state.out or state.pile or state.tied
        yield Invariant(not begun, "R3", "nothing played yet", "something")


def _turned(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of rounds and turns."""
    yield Invariant(state.direction in {1, -1}, "R5", "a direction of 1 or -1", state.direction)
    there = 1 <= state.round <= rules.rounds
    yield Invariant(there, "R10", f"a round from 1 to {rules.rounds}", state.round)
    if there:
        dealer = (rules.seats.index(rules.first_dealer) + state.round - 1) % rules.players
        yield Invariant(state.dealer == dealer, "R10", "the next dealer each round", state.dealer)
    if state.phase is PigPilePhase.PLAY:
        yield Invariant(state.mover not in state.out, "R9", "a mover who is still in", state.mover)
        early = 0 <= state.turns < rules.turn_cap
        yield Invariant(early, "PP13", f"turns below {rules.turn_cap}", state.turns)


def _paid(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the pigs."""
    within = min(state.pigs) >= 0 and state.pen >= 0
    yield Invariant(within, "R1", f"at most {PIG_PEN} pigs in all", state.pigs)
    ended = state.round - (state.phase is not PigPilePhase.OVER)
    # In a round the first gets three, the second two and each other player at most one (R9).
    paid = sum(state.pigs)
    yield Invariant(paid <= ended * (rules.players + 2), "R9", f"the pigs of {ended} rounds", paid)


_SEATS = tuple(Seat)
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
        "aside": ("aside", _CARDS),
        "out": ("out", several(_PLACE)),
    }
