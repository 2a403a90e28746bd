"""What no position of Pig Pile can be: every invariant that is broken, told by its rule."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import SpecError
from pigglesim.games.pig_pile.dealing import CARDS_EACH, SLOP, UP
from pigglesim.games.pig_pile.house_rules import PigPileRules
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
from pigglesim.games.position_words import read_value, words_in, written
from pigglesim.games.violation import Violation
from pigglesim.landing import Seat

_DEALT = (PigPilePhase.CHOOSE, PigPilePhase.PLAY)


def check_position(position: PigPileState, rules: PigPileRules) -> None:
    """Raise `SpecError` if a position is not one of a match under these house rules."""
    for fault in violations(position, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def violations(position: PigPileState, rules: PigPileRules) -> tuple[Violation, ...]:
    """Return every invariant that a position breaks, none if it is possible.

    Args:
        position: Any position, such as one made by hand.
        rules: The house rules.
    """
    seated = tuple(_seated(position, rules))
    if seated:
        # Nothing else can be asked of players who are not there.
        return seated
    return (
        *_conserved(position),
        *_held(position),
        *_phased(position, rules),
        *_turned(position, rules),
        *_paid(position, rules),
    )


def _seated(position: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give what is told of another number of players than play."""
    parts = {
        "hands": position.hands,
        "known cards": position.known,
        "face-up cards": position.ups,
        "Slop": position.slops,
        "pigs": position.pigs,
    }
    if position.awards:
        parts["awards"] = position.awards
    for name, part in parts.items():
        if len(part) != rules.players:
            yield _fault("PP1", f"{name} of {rules.players} players", f"{len(part)}", "one of each")
    places = (position.dealer, position.mover, *position.out)
    if not all(0 <= place < rules.players for place in places):
        yield _fault("PP1", f"players below {rules.players}", str(places), "count them from 0")
    if len(set(position.out)) < len(position.out):
        yield _fault("R9", "nobody out twice", str(position.out), "leave one out")


def _conserved(position: PigPileState) -> Iterator[Violation]:
    """Give cards that are too many, too few or none."""
    places = (*position.hands, *position.ups, *position.slops)
    cards = Counter(
        card for each in (*places, position.draw, position.pile, position.aside) for card in each
    )
    if unknown := sorted(cards.keys() - set(VALUES)):
        yield _fault("R1", f"cards from 0 to {HIGHEST}", str(unknown), "0 is Hog Wild")
        return
    whole = Counter(DECK) if position.phase in _DEALT else Counter[int]()
    if position.phase is PigPilePhase.OVER:
        whole = Counter(DECK)
    if more := sorted((cards - whole).elements()):
        yield _fault(
            "R1",
            f"{whole.total()} cards in all",
            f"too many of {format_cards(tuple(more))}",
            "leave them out",
        )
    if fewer := sorted((whole - cards).elements()):
        yield _fault(
            "R1",
            f"{whole.total()} cards in all",
            f"too few of {format_cards(tuple(fewer))}",
            "put them somewhere, such as aside",
        )


def _held(position: PigPileState) -> Iterator[Violation]:
    """Give what a player cannot have so."""
    for place in range(position.count):
        hand, up = position.hands[place], position.ups[place]
        if Counter(position.known[place]) - Counter(hand):
            yield _fault(
                "PP17",
                f"of the hand of player {place} no more known than is in it",
                format_cards(position.known[place]),
                "leave out what is not",
            )
        for cards in (hand, up, position.known[place]):
            if list(cards) != sorted(cards):
                yield _fault("R2", "cards in ascending order", format_cards(cards), "sort them")
        if len(up) > UP or len(position.slops[place]) > SLOP:
            yield _fault(
                "R2",
                f"at most {UP} cards face up and {SLOP} face down",
                f"{len(up)} and {len(position.slops[place])}",
                "put the others elsewhere",
            )
        if len(position.slops[place]) < SLOP and up:
            yield _fault("R8", "all Slop while cards lie on it", "less", "play those first")
        is_out = place in position.out
        if position.phase is PigPilePhase.PLAY and is_out == bool(position.cards_of(place)):
            who = f"player {place} {'without' if is_out else 'with'} cards"
            yield _fault("R9", who, str(position.cards_of(place)), "mend `out`")
        if position.phase is PigPilePhase.PLAY and position.draw and not hand:
            yield _fault("R7", "cards in every hand while there is a Draw Pile", "none", "draw")


def _phased(position: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give what cannot be in this phase."""
    if position.phase is PigPilePhase.CHOOSE:
        if not rules.advanced_deal:
            yield _fault("R2", "no choice without advanced_deal", "one", "advanced_deal=on")
        dealt = CARDS_EACH - SLOP
        if any(len(hand) != dealt for hand in position.hands):
            yield _fault("R2", f"{dealt} cards in each hand to choose from", "others", "deal anew")
        if position.mover != (position.dealer + len(position.chosen)) % position.count:
            yield _fault("PP18", "the next from the dealer on to choose", "another", "mend `turn`")
        for at, chosen in enumerate(position.chosen):
            hand = position.hands[(position.dealer + at) % position.count]
            if len(chosen) != UP or Counter(chosen) - Counter(hand):
                yield _fault("R2", f"{UP} chosen of the hand", format_cards(chosen), "mend it")
    elif position.chosen:
        yield _fault("PP18", "nothing chosen any more", str(len(position.chosen)), "leave it out")
    begun = position.turns or position.out or position.pile or position.tied
    if position.phase in {PigPilePhase.DEAL, PigPilePhase.CHOOSE} and begun:
        yield _fault("R3", "nothing played yet", "something", "phase=play")


def _turned(position: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give what cannot be of turns."""
    if position.direction not in {1, -1}:
        yield _fault("R5", "a direction of 1 or -1", str(position.direction), "direction=1")
    if not 1 <= position.round <= rules.rounds:
        yield _fault(
            "R10", f"a round from 1 to {rules.rounds}", str(position.round), "mend `round`"
        )
    elif position.dealer != (list(rules.seats).index(rules.first_dealer) + position.round - 1) % (
        rules.players
    ):
        yield _fault("R10", "the next dealer each round", str(position.dealer), "mend `dealer`")
    if position.phase is not PigPilePhase.PLAY:
        return
    if position.mover in position.out:
        yield _fault("R9", "a mover who is still in", str(position.mover), "mend `turn`")
    if not 0 <= position.turns < rules.turn_cap:
        yield _fault("PP13", f"turns below {rules.turn_cap}", str(position.turns), "end the round")


def _paid(position: PigPileState, rules: PigPileRules) -> Iterator[Violation]:
    """Give pigs that nobody can have."""
    if min(position.pigs) < 0 or position.pen < 0:
        yield _fault("R1", f"at most {PIG_PEN} pigs in all", str(position.pigs), "mend `pigs`")
    ended = position.round - (position.phase is not PigPilePhase.OVER)
    # The first has three of a round, the second two and all others one at most (R9).
    if sum(position.pigs) > ended * (rules.players + 2):
        yield _fault("R9", f"the pigs of {ended} rounds", str(sum(position.pigs)), "mend `pigs`")


def _fault(rule: str, expected: str, got: str, remedy: str) -> Violation:
    return Violation(rule=rule, expected=expected, got=got, remedy=remedy)


_SEATS = tuple(Seat)
_OWN = ("hand", "known", "up", "slop", "pigs", "awards")
"""What is told of each player."""


def format_shuffle(shuffled: ShuffleResult) -> str:
    """Return the shuffled cards as text, the first to be dealt first."""
    return " ".join(shuffled.cards)


def parse_shuffle(text: str) -> ShuffleResult:
    """Return the shuffled cards that `format_shuffle` wrote."""
    return ShuffleResult(cards=tuple(text.split()))


def _told(cards: Cards) -> str:
    return format_cards(cards, between=",")


def _words(position: PigPileState) -> Iterator[tuple[str, str]]:
    yield "round", str(position.round)
    yield "phase", position.phase
    yield "dealer", _SEATS[position.dealer]
    yield "turn", _SEATS[position.mover]
    yield "direction", "" if position.direction == 1 else str(position.direction)
    yield "tied", "yes" if position.tied else ""
    yield "turns", str(position.turns or "")
    for place in range(position.count):
        seat = _SEATS[place]
        yield f"{seat}.hand", _told(position.hands[place])
        yield f"{seat}.known", _told(position.known[place])
        yield f"{seat}.up", _told(position.ups[place])
        yield f"{seat}.slop", _told(position.slops[place])
        yield f"{seat}.pigs", str(position.pigs[place] or "")
        yield f"{seat}.awards", str(position.awards[place]) if position.awards else ""
    yield "chosen", ";".join(map(_told, position.chosen))
    yield "draw", _told(position.draw)
    yield "pile", _told(position.pile)
    yield "aside", _told(position.aside)
    yield "out", ",".join(_SEATS[place] for place in position.out)


def format_position(position: PigPileState) -> str:
    """Return a position as one line of text."""
    return written(_words(position))


def parse_position(text: str, rules: PigPileRules) -> PigPileState:
    """Return the position that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or no match under
            these house rules comes to such a position.
    """
    position = read_position(text, rules)
    check_position(position, rules)
    return position


def read_position(text: str, rules: PigPileRules) -> PigPileState:
    """Return the position that a text describes, possible or not, as an editor needs it.

    Raises:
        SpecError: If a word is unknown or given twice, or a value cannot be read.
    """
    known = (*_READERS, *(f"{seat}.{name}" for seat in rules.seats for name in _OWN))
    told = dict(words_in(text, known))
    parts: dict[str, object] = {}
    for name, value in told.items():
        if name in _READERS:
            field, read = _READERS[name]
            parts[field] = read_value(name, value, read)

    def cards(name: str) -> tuple[Cards, ...]:
        texts = (told.get(f"{seat}.{name}", "") for seat in rules.seats)
        return tuple(_cards(each) for each in texts)

    def numbers(name: str) -> tuple[int, ...]:
        texts = (told.get(f"{seat}.{name}", "0") for seat in rules.seats)
        return tuple(read_value(name, each, int) for each in texts)

    paid = any(name.endswith(".awards") for name in told)
    return PigPileState(
        hands=cards("hand"),
        known=cards("known"),
        ups=cards("up"),
        slops=cards("slop"),
        pigs=numbers("pigs"),
        awards=numbers("awards") if paid else (),
        **parts,  # type: ignore[arg-type] # each read by the reader of its field
    )


def _cards(text: str) -> Cards:
    return parse_cards(text.split(",")) if text else ()


def _place(text: str) -> int:
    return _SEATS.index(Seat(text))


def _direction(text: str) -> int:
    if text not in {"1", "-1"}:
        raise ValueError(text)
    return int(text)


def _flag(text: str) -> bool:
    if text != "yes":
        raise ValueError(text)
    return True


_READERS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "round": ("round", int),
    "phase": ("phase", PigPilePhase),
    "dealer": ("dealer", _place),
    "turn": ("mover", _place),
    "direction": ("direction", _direction),
    "tied": ("tied", _flag),
    "turns": ("turns", int),
    "chosen": ("chosen", lambda text: tuple(_cards(each) for each in text.split(";"))),
    "draw": ("draw", _cards),
    "pile": ("pile", _cards),
    "aside": ("aside", _cards),
    "out": ("out", lambda text: tuple(map(_place, text.split(",")))),
}
"""The field and the reader of each word that is told of no player."""
