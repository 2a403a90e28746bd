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
"""Mark of a card that a player may not see."""
HOG_WILD = 0
HOG_TIED = 4
"""Value of the card by which the next player misses a turn."""
HOG_WASH = 8
"""Value of the card that washes the pile away."""
EWE_TURN = 11
"""Value of the card that reverses the direction of play."""
HIGHEST = 12
VALUES = range(HIGHEST + 1)

DECK: Cards = (HOG_WILD,) * 8 + tuple(value for value in range(1, HIGHEST + 1) for _ in range(6))
"""Values of all 80 cards (R1)."""

_TEXTS = ("W", *map(str, range(1, HIGHEST + 1)))
_CARDS = {text: card for card, text in enumerate(_TEXTS)}


def format_card(card: int) -> str:
    """Return a card as text: its number, or `W`."""
    return _TEXTS[card]


def parse_card(text: str) -> int:
    """Return the card that a text names.

    Raises:
        SpecError: If the text is not a card.
    """
    if text not in _CARDS:
        raise SpecError(repr(text), expected="a card", fix="1 to 12, or W for Hog Wild")
    return _CARDS[text]


def format_cards(cards: Cards, *, between: str = " ") -> str:
    """Return cards as text, in their order."""
    return between.join(_TEXTS[card] for card in cards)


def parse_cards(words: Iterable[str]) -> Cards:
    """Return the cards that words name, in their order.

    Raises:
        SpecError: If one of them is not a card.
    """
    return tuple(map(parse_card, words))


def merged(cards: Cards, more: Cards) -> Cards:
    """Return all these cards in ascending order."""
    return tuple(sorted(cards + more))


def less(cards: Cards, taken: Cards) -> Cards:
    """Return cards without those taken, if present, in the same order."""
    left = list(cards)
    for card in taken:
        if card in left:
            left.remove(card)
    return tuple(left)


PIG_PEN = 40
"""Number of pigs in a match (R1)."""


@unique
class PigPilePhase(StrEnum):
    """Phases of a round."""

    DEAL = "deal"
    """Shuffle and deal of the cards."""
    CHOOSE = "choose"
    """Choices of face-up cards, in the advanced deal (R2)."""
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, kw_only=True)
class PigPileState:
    """State of a match: cards, player to move, and pigs."""

    phase: PigPilePhase = PigPilePhase.DEAL
    round: int = 1
    dealer: int = 0
    mover: int = 0
    """Number of the player to move, in phases that have one."""
    direction: int = 1
    """Direction of play: 1 clockwise, -1 anticlockwise."""
    tied: bool = False
    """True if the next player misses a turn after the mover's (R5, PP5)."""
    turns: int = 0
    """Number of decisions in this round, without choices of face-up cards."""
    hands: tuple[Cards, ...]
    """Hands by player, each in ascending order."""
    known: tuple[Cards, ...]
    """Part of each hand that all have seen, from the pile or the table (PP17)."""
    ups: tuple[Cards, ...]
    """Face-up cards by player, in ascending order."""
    slops: tuple[Cards, ...]
    """Face-down cards by player, in their order on the table."""
    chosen: tuple[Cards, ...] = ()
    """Hidden choices of face-up cards, in order from the dealer (PP18)."""
    draw: Cards = ()
    """Draw Pile; the first card is drawn first."""
    pile: Cards = ()
    """Pig Pile; the last card is on top."""
    aside: Cards = ()
    """Cards washed away in this round, in order."""
    out: tuple[int, ...] = ()
    """Players who are out, in the order of going out."""
    pigs: tuple[int, ...]
    """Pigs by player."""
    awards: tuple[int, ...] = ()
    """Pigs of each player in the previous round; empty in the first."""

    @property
    def result(self) -> Result | None:
        """Result of a finished match: most pigs win, and a tie is shared."""
        if self.phase is not PigPilePhase.OVER:
            return None
        most = max(self.pigs)
        won = [seat for seat, pigs in zip(Seat, self.pigs, strict=False) if pigs == most]
        return Result.of(won, "pigs")

    @property
    def count(self) -> int:
        """Number of players."""
        return len(self.hands)

    @property
    def left(self) -> tuple[int, ...]:
        """Players still in the round."""
        return tuple(place for place in range(len(self.hands)) if place not in self.out)

    @property
    def pen(self) -> int:
        """Number of pigs left in the Pig Pen."""
        return PIG_PEN - sum(self.pigs)

    def cards_of(self, place: int) -> int:
        """Return the number of a player's cards in all places."""
        return len(self.hands[place]) + len(self.ups[place]) + len(self.slops[place])


@dataclass(frozen=True, slots=True)
class Play:
    """Play of cards of one value, from the hand or, if it is empty, from the table (R3)."""

    cards: Cards
    """Cards in ascending order; Hog Wilds mixed in come first and are below the others."""

    @property
    def value(self) -> int:
        """Value that the next player must reach."""
        return self.cards[-1]


@dataclass(frozen=True, slots=True)
class Slop:
    """Play of a face-down card, unseen (R8)."""

    slot: int
    """Number of the card among those left, from 1."""


@dataclass(frozen=True, slots=True)
class PickUp:
    """Picking up the whole pile when no card fits (R4)."""

    face_up: int | None = None
    """Face-up card that a player with an empty hand also takes (R7)."""


@dataclass(frozen=True, slots=True)
class FaceUp:
    """Choice of three of seven cards to be face up, in the advanced deal (R2)."""

    cards: Cards
    """Cards in ascending order."""


PigPileAction = Play | Slop | PickUp | FaceUp


@cache
def play_of(value: int, count: int) -> Play:
    """Return the play of a number of cards of a value, always the same object."""
    return Play((value,) * count)
