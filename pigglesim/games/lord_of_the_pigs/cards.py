"""The decks: thirteen kinds of Action card in 29 copies, the same for each actor (R2, R3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache

from pigglesim.errors import unknown_name
from pigglesim.games.lord_of_the_pigs.actors import SEATS, index
from pigglesim.rolls import Seat

__all__ = [
    "CARDS",
    "DECK",
    "DECK_SIZE",
    "Alternate",
    "Card",
    "Effect",
    "effect",
    "in_order",
    "read_card",
]

Effect = tuple[int, int, int, int, int]
"""Changes of the four Ratings in Actor order, and of Social Stability."""


@unique
class Alternate(StrEnum):
    """What a card can be discarded for in place of being submitted (R6)."""

    NONE = "none"
    PLUS = "plus"
    """One vote more on a submitted Action."""
    MINUS = "minus"
    """One vote less."""
    SHARE_PREVIOUS = "share_previous"
    """Share Benefits with A: the own Rating changes as that of the actor before."""
    SHARE_NEXT = "share_next"
    """Share Benefits with B: as that of the actor after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One kind of Action card."""

    tag: str
    """Its rarity and number: C common, U uncommon, R rare."""
    copies: int
    """In a deck."""
    threshold: int
    """Votes that activate it."""
    owner: int
    previous: int
    """Effect on A, the actor before the owner."""
    next: int
    """Effect on B, the actor after."""
    opposite: int
    """Effect on C."""
    stability: int
    alternate: Alternate = Alternate.NONE


def _card(tag: str, numbers: tuple[int, ...], alternate: Alternate = Alternate.NONE) -> Card:
    copies, threshold, owner, before, after, opposite, stability = numbers
    return Card(
        tag=tag,
        copies=copies,
        threshold=threshold,
        owner=owner,
        previous=before,
        next=after,
        opposite=opposite,
        stability=stability,
        alternate=alternate,
    )


_TABLE = (
    #            #  votes own  A   B   C  SS
    _card("C1", (3, 2, +2, +1, +1, +0, +1)),
    _card("C2", (3, 1, +1, -1, -1, +0, -1)),
    _card("C3", (3, 2, +2, +2, +0, +0, -1)),
    _card("C4", (3, 2, +2, +0, +2, +0, -1)),
    _card("C5", (3, 1, +1, +1, -1, +0, +0), Alternate.PLUS),
    _card("C6", (3, 1, +1, -1, +1, +0, +0), Alternate.MINUS),
    _card("U1", (2, 3, +3, +2, +2, +1, +2)),
    _card("U2", (2, 2, +2, -2, -2, -1, -2)),
    _card("U3", (2, 1, +2, +0, +0, +1, -2), Alternate.PLUS),
    _card("U4", (2, 1, +0, -1, -1, -1, +2), Alternate.MINUS),
    _card("R1", (1, 3, +4, -2, +2, +1, -3), Alternate.SHARE_NEXT),
    _card("R2", (1, 3, +4, +2, -2, +1, -3), Alternate.SHARE_PREVIOUS),
    _card("R3", (1, 2, +3, +1, +1, +1, +3)),
)

CARDS: Mapping[str, Card] = {card.tag: card for card in _TABLE}
"""Every kind of card by its tag, in the order of the rule book."""
DECK = tuple(card.tag for card in _TABLE for _ in range(card.copies))
"""The cards of one actor, by tag."""
DECK_SIZE = len(DECK)
_RANK = {tag: rank for rank, tag in enumerate(CARDS)}
# A Cyrillic es looks like the Latin letter, and stands for it in the source's table (LP12).
_LOOKALIKES = str.maketrans({"\u0421": "C"})


def in_order(cards: tuple[str, ...]) -> tuple[str, ...]:
    """Return cards in the order of the rule book."""
    return tuple(sorted(cards, key=_RANK.__getitem__))


def read_card(value: object) -> str:
    """Return the tag of a card as a file gives it.

    Raises:
        SpecError: If there is no such card; the nearest tags are given.
    """
    tag = value.translate(_LOOKALIKES) if isinstance(value, str) else str(value)
    if tag not in CARDS:
        raise unknown_name("card", tag, CARDS)
    return tag


@cache
def effect(owner: Seat, tag: str) -> Effect:
    """Return what a card of `owner` changes when it is activated, before any Event."""
    card, at = CARDS[tag], index(owner)
    # Seen from the owner the cycle is the owner itself, B, C and A.
    cycle = (card.owner, card.next, card.opposite, card.previous)
    president, banker, corporate, energy = (cycle[(k - at) % len(SEATS)] for k in range(len(SEATS)))
    return president, banker, corporate, energy, card.stability
