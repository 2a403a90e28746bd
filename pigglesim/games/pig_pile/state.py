"""Cards, states and actions of Pig Pile."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache
from typing import TypeAlias

from pigglesim.errors import SpecError
from pigglesim.games.game import Result
from pigglesim.landing import Seat

Cards: TypeAlias = tuple[int, ...]
"""Cards by value; a hand is in ascending order, a pile has its top card last."""

HIDDEN = -1
"""Stands for a card that a player may not see."""
HOG_WILD = 0
HOG_TIED = 4
"""The next player misses a turn."""
HOG_WASH = 8
"""The pile is washed away."""
EWE_TURN = 11
"""The direction of play is reversed."""
HIGHEST = 12
VALUES = range(HIGHEST + 1)

DECK: Cards = (HOG_WILD,) * 8 + tuple(value for value in range(1, HIGHEST + 1) for _ in range(6))
"""All 80 cards (R1)."""

_TEXTS = ("W", *map(str, range(1, HIGHEST + 1)))
_CARDS = {text: card for card, text in enumerate(_TEXTS)}


def format_card(card: int) -> str:
    """Return a card as text: its number, or `W`."""
    return _TEXTS[card]


def parse_card(text: str) -> int:
    """Return the card that a text names.

    Raises:
        SpecError: If there is no such card.
    """
    if text not in _CARDS:
        raise SpecError("a card", got=repr(text), remedy="1 to 12, or W for Hog Wild")
    return _CARDS[text]


def format_cards(cards: Cards, *, between: str = " ") -> str:
    """Return cards as text, in the order given."""
    return between.join(_TEXTS[card] for card in cards)


def parse_cards(words: Iterable[str]) -> Cards:
    """Return the cards that words name, in their order.

    Raises:
        SpecError: If one of them is no card.
    """
    return tuple(map(parse_card, words))


def merged(cards: Cards, more: Cards) -> Cards:
    """Return all these cards in ascending order."""
    return tuple(sorted(cards + more))


def less(cards: Cards, taken: Cards) -> Cards:
    """Return cards without those taken, as far as they are there; the order is kept."""
    left = list(cards)
    for card in taken:
        if card in left:
            left.remove(card)
    return tuple(left)


PIG_PEN = 40
"""Pigs to be had in a match (R1)."""


@unique
class PigPilePhase(StrEnum):
    """What a round is at."""

    DEAL = "deal"
    """The cards are to be shuffled and dealt."""
    CHOOSE = "choose"
    """In the advanced deal, players choose what lies face up (R2)."""
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, kw_only=True)
class PigPileState:
    """Where every card is, who is to move, and what the pigs stand at."""

    phase: PigPilePhase = PigPilePhase.DEAL
    round: int = 1
    dealer: int = 0
    mover: int = 0
    """Whose turn it is, where anybody's."""
    direction: int = 1
    """1 clockwise, -1 the other way round."""
    tied: bool = False
    """Whether the next player misses a turn once the mover's is over (R5, PP5)."""
    turns: int = 0
    """Decisions in this round, choices of face-up cards aside."""
    hands: tuple[Cards, ...]
    """By player; each in ascending order."""
    known: tuple[Cards, ...]
    """The part of each hand that all have seen: what came from the pile or the table (PP17)."""
    ups: tuple[Cards, ...]
    """What lies face up, in ascending order."""
    slops: tuple[Cards, ...]
    """What lies face down, in the order in which it lies."""
    chosen: tuple[Cards, ...] = ()
    """Who has chosen what, in the order of choosing from the dealer on; still hidden (PP18)."""
    draw: Cards = ()
    """The Draw Pile; the first card is drawn first."""
    pile: Cards = ()
    """The Pig Pile; the last card is on top."""
    aside: Cards = ()
    """What was washed away in this round, in the order of washing."""
    out: tuple[int, ...] = ()
    """Who has got rid of all cards, in that order."""
    pigs: tuple[int, ...]
    """By player."""
    awards: tuple[int, ...] = ()
    """What the round before this one has brought each player; empty in the first."""

    @property
    def result(self) -> Result | None:
        """Who has the most pigs once the match is over; those who have them together share."""
        if self.phase is not PigPilePhase.OVER:
            return None
        most = max(self.pigs)
        won = [seat for seat, pigs in zip(Seat, self.pigs, strict=False) if pigs == most]
        return Result.of(won, "pigs")

    @property
    def count(self) -> int:
        """How many play."""
        return len(self.hands)

    @property
    def left(self) -> tuple[int, ...]:
        """Who is still in the round."""
        return tuple(place for place in range(len(self.hands)) if place not in self.out)

    @property
    def pen(self) -> int:
        """How many pigs are left in the Pig Pen."""
        return PIG_PEN - sum(self.pigs)

    def cards_of(self, place: int) -> int:
        """Return how many cards a player has, wherever they are."""
        return len(self.hands[place]) + len(self.ups[place]) + len(self.slops[place])


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
