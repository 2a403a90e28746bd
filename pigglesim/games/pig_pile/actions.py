"""What a player of Pig Pile can do, and how it is written."""

from dataclasses import dataclass
from functools import cache

from pigglesim.errors import SpecError
from pigglesim.games.pig_pile.state import Cards, format_card, format_cards, parse_card, parse_cards


@dataclass(frozen=True, slots=True)
class Play:
    """Cards of one value onto the pile, from the hand or, once it is empty, from the table (R3)."""

    cards: Cards
    """Ascending; Hog Wilds that are mixed in come first and lie beneath."""

    @property
    def value(self) -> int:
        """What the next player must reach."""
        return self.cards[-1]


@dataclass(frozen=True, slots=True)
class Slop:
    """A face-down card onto the pile, chosen blind (R8)."""

    slot: int
    """Which of those that are left, from 1."""


@dataclass(frozen=True, slots=True)
class PickUp:
    """The whole pile into the hand, for want of a card that fits (R4)."""

    face_up: int | None = None
    """The face-up card taken along by a player whose hand was empty (R7)."""


@dataclass(frozen=True, slots=True)
class FaceUp:
    """Three of the seven cards of the advanced deal, to lie face up (R2)."""

    cards: Cards
    """Ascending."""


PigPileAction = Play | Slop | PickUp | FaceUp


@cache
def play_of(value: int, count: int) -> Play:
    """Return the play of so many cards of a value, the same object each time."""
    return Play((value,) * count)


def format_action(action: PigPileAction) -> str:
    """Return an action as text: `play 6 6`, `slop 2`, `pickup`, `pickup 7` or `face_up 9 12 W`."""
    match action:
        case Play(cards=cards):
            return f"play {format_cards(cards)}"
        case Slop(slot=slot):
            return f"slop {slot}"
        case PickUp(face_up=card):
            return "pickup" if card is None else f"pickup {format_card(card)}"
        case FaceUp(cards=cards):
            return f"face_up {format_cards(cards)}"


def parse_action(text: str) -> PigPileAction:
    """Return the action that a text names; cards may stand in any order.

    Raises:
        SpecError: If the text is no action.
    """
    match text.split():
        case ["play", first, *rest]:
            return Play(tuple(sorted(parse_cards((first, *rest)))))
        case ["slop", number] if number.isascii() and number.isdigit():
            return Slop(int(number))
        case ["pickup"]:
            return PickUp()
        case ["pickup", card]:
            return PickUp(parse_card(card))
        case ["face_up", first, *rest]:
            return FaceUp(tuple(sorted(parse_cards((first, *rest)))))
        case _:
            raise SpecError(
                "an action",
                got=repr(text),
                remedy="play 6 6, slop 2, pickup, pickup 7 or face_up 9 12 W",
            )
