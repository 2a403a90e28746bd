"""What no state of Pig Pile can be: every invariant that is broken, told by its rule."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import SpecError
from pigglesim.games.game import Violation
from pigglesim.games.notation import (
    COUNT,
    WHOLE,
    YES,
    Codec,
    Words,
    optional,
    read_words,
    several,
    write_words,
)
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.rules import CARDS_EACH, SLOP, UP
from pigglesim.games.pig_pile.state import (
    DECK,
    HIGHEST,
    PIG_PEN,
    VALUES,
    Cards,
    PigPilePhase,
    PigPileState,
    format_cards,
    parse_cards,
)
from pigglesim.landing import Seat

_DEALT = (PigPilePhase.CHOOSE, PigPilePhase.PLAY)


def check_state(state: PigPileState, rules: PigPileRules) -> None:
    """Raise `SpecError` if a state is not one of a match under these house rules."""
    for fault in violations(state, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def violations(state: PigPileState, rules: PigPileRules) -> tuple[Violation, ...]:
    """Return every invariant that a state breaks, none if it is possible.

    Args:
        state: Any state, such as one made by hand.
        rules: The house rules.
    """
    seated = tuple(_seated(state, rules))
    if seated:
        # Nothing else can be asked of players who are not there.
        return seated
    return (
        *_conserved(state),
        *_held(state),
        *_phased(state, rules),
        *_turned(state, rules),
        *_paid(state, rules),
    )


def _seated(state: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give what is told of another number of players than play."""
    parts = {
        "hands": state.hands,
        "known cards": state.known,
        "face-up cards": state.ups,
        "Slop": state.slops,
        "pigs": state.pigs,
    }
    if state.awards:
        parts["awards"] = state.awards
    for name, part in parts.items():
        if len(part) != rules.players:
            yield Violation(
                "PP1", f"{name} of {rules.players} players", f"{len(part)}", "one of each"
            )
    places = (state.dealer, state.mover, *state.out)
    if not all(0 <= place < rules.players for place in places):
        yield Violation("PP1", f"players below {rules.players}", str(places), "count them from 0")
    if len(set(state.out)) < len(state.out):
        yield Violation("R9", "nobody out twice", str(state.out), "leave one out")


def _conserved(state: PigPileState) -> Iterator[Violation]:
    """Give cards that are too many, too few or none."""
    places = (*state.hands, *state.ups, *state.slops)
    cards = Counter(
        card for each in (*places, state.draw, state.pile, state.aside) for card in each
    )
    if unknown := sorted(cards.keys() - set(VALUES)):
        yield Violation("R1", f"cards from 0 to {HIGHEST}", str(unknown), "0 is Hog Wild")
        return
    whole = Counter(DECK) if state.phase in _DEALT else Counter[int]()
    if state.phase is PigPilePhase.OVER:
        whole = Counter(DECK)
    if more := sorted((cards - whole).elements()):
        yield Violation(
            "R1",
            f"{whole.total()} cards in all",
            f"too many of {format_cards(tuple(more))}",
            "leave them out",
        )
    if fewer := sorted((whole - cards).elements()):
        yield Violation(
            "R1",
            f"{whole.total()} cards in all",
            f"too few of {format_cards(tuple(fewer))}",
            "put them somewhere, such as aside",
        )


def _held(state: PigPileState) -> Iterator[Violation]:
    """Give what a player cannot have so."""
    for place in range(state.count):
        hand, up = state.hands[place], state.ups[place]
        if Counter(state.known[place]) - Counter(hand):
            yield Violation(
                "PP17",
                f"of the hand of player {place} no more known than is in it",
                format_cards(state.known[place]),
                "leave out what is not",
            )
        for cards in (hand, up, state.known[place]):
            if list(cards) != sorted(cards):
                yield Violation("R2", "cards in ascending order", format_cards(cards), "sort them")
        if len(up) > UP or len(state.slops[place]) > SLOP:
            yield Violation(
                "R2",
                f"at most {UP} cards face up and {SLOP} face down",
                f"{len(up)} and {len(state.slops[place])}",
                "put the others elsewhere",
            )
        if len(state.slops[place]) < SLOP and up:
            yield Violation("R8", "all Slop while cards lie on it", "less", "play those first")
        is_out = place in state.out
        if state.phase is PigPilePhase.PLAY and is_out == bool(state.cards_of(place)):
            who = f"player {place} {'without' if is_out else 'with'} cards"
            yield Violation("R9", who, str(state.cards_of(place)), "mend `out`")
        if state.phase is PigPilePhase.PLAY and state.draw and not hand:
            yield Violation("R7", "cards in every hand while there is a Draw Pile", "none", "draw")


def _phased(state: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give what cannot be in this phase."""
    if state.phase is PigPilePhase.CHOOSE:
        if not rules.advanced_deal:
            yield Violation("R2", "no choice without advanced_deal", "one", "advanced_deal=on")
        dealt = CARDS_EACH - SLOP
        if any(len(hand) != dealt for hand in state.hands):
            yield Violation(
                "R2", f"{dealt} cards in each hand to choose from", "others", "deal anew"
            )
        if state.mover != (state.dealer + len(state.chosen)) % state.count:
            yield Violation(
                "PP18", "the next from the dealer on to choose", "another", "mend `turn`"
            )
        for at, chosen in enumerate(state.chosen):
            hand = state.hands[(state.dealer + at) % state.count]
            if len(chosen) != UP or Counter(chosen) - Counter(hand):
                yield Violation("R2", f"{UP} chosen of the hand", format_cards(chosen), "mend it")
    elif state.chosen:
        yield Violation("PP18", "nothing chosen any more", str(len(state.chosen)), "leave it out")
    begun = state.turns or state.out or state.pile or state.tied
    if state.phase in {PigPilePhase.DEAL, PigPilePhase.CHOOSE} and begun:
        yield Violation("R3", "nothing played yet", "something", "phase=play")


def _turned(state: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give what cannot be of turns."""
    if state.direction not in {1, -1}:
        yield Violation("R5", "a direction of 1 or -1", str(state.direction), "direction=1")
    if not 1 <= state.round <= rules.rounds:
        yield Violation(
            "R10", f"a round from 1 to {rules.rounds}", str(state.round), "mend `round`"
        )
    elif state.dealer != (list(rules.seats).index(rules.first_dealer) + state.round - 1) % (
        rules.players
    ):
        yield Violation("R10", "the next dealer each round", str(state.dealer), "mend `dealer`")
    if state.phase is not PigPilePhase.PLAY:
        return
    if state.mover in state.out:
        yield Violation("R9", "a mover who is still in", str(state.mover), "mend `turn`")
    if not 0 <= state.turns < rules.turn_cap:
        yield Violation("PP13", f"turns below {rules.turn_cap}", str(state.turns), "end the round")


def _paid(state: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give pigs that nobody can have."""
    if min(state.pigs) < 0 or state.pen < 0:
        yield Violation("R1", f"at most {PIG_PEN} pigs in all", str(state.pigs), "mend `pigs`")
    ended = state.round - (state.phase is not PigPilePhase.OVER)
    # The first has three of a round, the second two and all others one at most (R9).
    if sum(state.pigs) > ended * (rules.players + 2):
        yield Violation("R9", f"the pigs of {ended} rounds", str(sum(state.pigs)), "mend `pigs`")


_SEATS = tuple(Seat)


def format_shuffle(shuffled: ShuffleResult) -> str:
    """Return the shuffled cards as text, the first to be dealt first."""
    return " ".join(shuffled.cards)


def parse_shuffle(text: str) -> ShuffleResult:
    """Return the shuffled cards that `format_shuffle` wrote."""
    return ShuffleResult(cards=tuple(text.split()))


def _read_direction(text: str) -> int:
    if text not in {"1", "-1"}:
        raise ValueError(text)
    return int(text)


_CARDS = Codec[Cards](
    lambda cards: format_cards(cards, between=","), lambda text: parse_cards(text.split(","))
)
_PLACE = Codec[int](lambda place: _SEATS[place], lambda text: _SEATS.index(Seat(text)))
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
def _words(players: int) -> Words:
    """Return what each word of a state of so many players gives."""
    return {
        "round": ("round", WHOLE),
        "phase": ("phase", Codec(str, PigPilePhase)),
        "dealer": ("dealer", _PLACE),
        "turn": ("mover", _PLACE),
        "direction": ("direction", Codec(lambda d: "" if d == 1 else str(d), _read_direction)),
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


def format_state(state: PigPileState) -> str:
    """Return a state as one line of text."""
    return write_words(state, _words(state.count))


def parse_state(text: str, rules: PigPileRules) -> PigPileState:
    """Return the state that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or no match under
            these house rules comes to such a state.
    """
    nothing: tuple[Cards, ...] = ((),) * rules.players
    zeros = (0,) * rules.players
    blank = PigPileState(
        hands=nothing,
        known=nothing,
        ups=nothing,
        slops=nothing,
        pigs=zeros,
        awards=zeros if ".awards=" in text else (),
    )
    state = read_words(text, blank, _words(rules.players))
    check_state(state, rules)
    return state
