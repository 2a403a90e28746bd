"""A position of Pig Pile as numbers, and what may be done in it; compiled.

A second, small telling of the rules, for speed alone: tests hold it to the rules themselves, card
by card. Players are numbers, cards are their values; what is held is counted by value.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.compiling import compiled

__all__ = [
    "CHOSEN",
    "CHOSEN_COUNT",
    "DEALER",
    "DIRECTION",
    "DRAW",
    "DRAW_AT",
    "DRAW_END",
    "FACE_UP",
    "FACTS",
    "HAND",
    "MOVER",
    "ORDER",
    "OUT",
    "OUT_COUNT",
    "PHASE",
    "PHASE_CHOOSE",
    "PHASE_DEAL",
    "PHASE_OVER",
    "PHASE_PLAY",
    "PICK_UP",
    "PIGS",
    "PILE",
    "PILE_COUNT",
    "ROUND",
    "SLOP",
    "SLOP_COUNT",
    "TIED",
    "TURNS",
    "UP",
    "VALUE_COUNT",
    "House",
    "Ints",
    "Table",
    "count_of",
    "fits",
    "offer",
    "washes",
]

Ints = NDArray[np.int64]

VALUE_COUNT = 13
HAND, UP, CHOSEN = range(3)
"""What cards are held in."""
OUT, ORDER, PIGS, SLOP_COUNT = range(4)
"""What is told of each player: 1 who is out, who was the k-th to be so, pigs, cards face down."""
DRAW, PILE = range(2)
PHASE, ROUND, DEALER, MOVER, DIRECTION, TIED, TURNS, DRAW_AT, DRAW_END, PILE_COUNT = range(10)
OUT_COUNT, CHOSEN_COUNT = 10, 11
FACTS = 12
"""What is told of the table, a number each; the Draw Pile lies from DRAW_AT to DRAW_END."""
PHASE_DEAL, PHASE_CHOOSE, PHASE_PLAY, PHASE_OVER = range(4)
SLOP, PICK_UP, FACE_UP = -1, -2, -3
"""What stands in place of a value for what is no play of cards that are seen."""
_WILD, _WASH = 0, 8


class House(NamedTuple):
    """The house rules, 0 and 1 for off and on."""

    players: int
    rounds: int
    first_dealer: int
    advanced_deal: int
    voluntary_pickup: int
    refill: int
    """Whether hands are filled up to four."""
    wash_any_time: int
    wash_cancels_effect: int
    wild_triple: int
    wild_mix: int
    two_player_reverse: int
    join_zones: int
    turn_cap: int


class Table(NamedTuple):
    """A position, whose arrays are changed in place; n is the number of players."""

    held: Ints
    """Cards in hand, face up and chosen to be so, counted by value, shape [3, n, 13]."""
    slops: Ints
    """Face-down cards in the order in which they lie, shape [n, 3]."""
    players: Ints
    """Facts of players, shape [4, n]."""
    cards: Ints
    """The Draw Pile and the Pig Pile, shape [2, 80]."""
    facts: Ints
    """Facts of the table, shape [FACTS]."""


@compiled
def count_of(counts: Ints) -> int:
    """Return how many cards there are, given how many of each value."""
    total = 0
    for value in range(VALUE_COUNT):
        total += counts[value]
    return total


@compiled
def fits(value: int, table: Table, house: House) -> bool:
    """Return whether a card of this value may be played."""
    count = table.facts[PILE_COUNT]
    return (
        count == 0
        or value >= table.cards[PILE, count - 1]
        or value == _WILD
        or (value == _WASH and house.wash_any_time == 1)
    )


@compiled
def washes(value: int, count: int, table: Table, house: House) -> bool:
    """Return whether so many cards of a value on the pile are a Hog Wash."""
    if value == _WASH:
        return True
    if value == _WILD and not house.wild_triple:
        return False
    there = table.facts[PILE_COUNT]
    for k in range(max(3 - count, 0)):
        if k >= there or table.cards[PILE, there - 1 - k] != value:
            return False
    return True


@compiled
def offer(table: Table, house: House, acts: Ints) -> int:
    """Write the legal actions in the game's order, and return how many there are.

    Args:
        table: The position, in which a player is to move.
        house: The house rules.
        acts: Takes an action a row: value, number and wilds. In place of a value stand `SLOP` with
            the slot from 0, `PICK_UP` with the face-up card or -1, `FACE_UP` with three cards as
            one number.
    """
    place = table.facts[MOVER]
    hand, up = table.held[HAND, place], table.held[UP, place]
    if table.facts[PHASE] == PHASE_CHOOSE:
        return _offer_choices(hand, acts)
    total = count_of(hand)
    if not total and not count_of(up):
        for slot in range(table.players[SLOP_COUNT, place]):
            _write(acts, slot, SLOP, slot, 0)
        return int(table.players[SLOP_COUNT, place])
    held = hand if total else up
    joins = house.join_zones and table.facts[DRAW_AT] == table.facts[DRAW_END]
    found = 0
    for value in range(VALUE_COUNT):
        count = held[value]
        if not count or not fits(value, table, house):
            continue
        if joins and total == count:
            count += up[value]
        wilds = held[_WILD] if house.wild_mix and value != _WILD else 0
        for number in range(1, count + 1):
            for mixed in range(wilds + 1):
                found = _write(acts, found, value, number, mixed)
    if found and not (house.voluntary_pickup and table.facts[PILE_COUNT]):
        return found
    if total:
        return _write(acts, found, PICK_UP, -1, 0)
    for value in range(VALUE_COUNT):
        if up[value]:
            found = _write(acts, found, PICK_UP, value, 0)
    return found


@compiled
def _write(acts: Ints, at: int, value: int, number: int, wilds: int) -> int:
    """Write an action, and return the next row."""
    acts[at, 0], acts[at, 1], acts[at, 2] = value, number, wilds
    return at + 1


@compiled
def _offer_choices(hand: Ints, acts: Ints) -> int:
    """Write every choice of three cards of a hand."""
    found = 0
    left = hand.copy()
    for a in range(VALUE_COUNT):
        left[a] -= 1
        for b in range(a, VALUE_COUNT):
            left[b] -= 1
            for c in range(b, VALUE_COUNT):
                left[c] -= 1
                if left[a] >= 0 and left[b] >= 0 and left[c] >= 0:
                    cards = (a * VALUE_COUNT + b) * VALUE_COUNT + c
                    found = _write(acts, found, FACE_UP, cards, 0)
                left[c] += 1
            left[b] += 1
        left[a] += 1
    return found
