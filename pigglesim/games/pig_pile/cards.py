"""The cards of Pig Pile: what they are, what the special ones do, and how they are written.

A card is its value: 1 to 12, and 0 for Hog Wild, which is played as a zero (R5).
"""

from collections.abc import Iterable
from typing import TypeAlias

from pigglesim.errors import SpecError

__all__ = [
    "DECK",
    "EWE_TURN",
    "HIGHEST",
    "HOG_TIED",
    "HOG_WASH",
    "HOG_WILD",
    "VALUES",
    "Cards",
    "format_card",
    "format_cards",
    "less",
    "merged",
    "parse_card",
    "parse_cards",
]

Cards: TypeAlias = tuple[int, ...]
"""Cards by value; a hand is in ascending order, a pile has its top card last."""

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
