"""Positions and deals of Pig Pile as text, each read back to the same value.

A position is one line of `name=value` words; what is at its default is left out. Cards are written
with commas between, Hog Wild as `W`: `A.hand=W,5,12`. The Draw Pile's first card is drawn first,
the last card of a pile is on top.
"""

from collections.abc import Callable, Iterator, Mapping

from pigglesim.asking import ShuffleResult
from pigglesim.games.pig_pile.cards import Cards, format_cards, parse_cards
from pigglesim.games.pig_pile.house_rules import HouseRules
from pigglesim.games.pig_pile.state import Phase, Position
from pigglesim.games.pig_pile.validity import check_position
from pigglesim.games.position_words import read_value, words_in, written
from pigglesim.rolls import Seat

__all__ = ["format_position", "format_shuffle", "parse_position", "parse_shuffle", "read_position"]

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


def _words(position: Position) -> Iterator[tuple[str, str]]:
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


def format_position(position: Position) -> str:
    """Return a position as one line of text."""
    return written(_words(position))


def parse_position(text: str, rules: HouseRules) -> Position:
    """Return the position that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or no match under
            these house rules comes to such a position.
    """
    position = read_position(text, rules)
    check_position(position, rules)
    return position


def read_position(text: str, rules: HouseRules) -> Position:
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
    return Position(
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
    "phase": ("phase", Phase),
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
