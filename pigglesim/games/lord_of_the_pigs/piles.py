"""Cards of the four players on their way out of hands and onto discard piles."""

from collections.abc import Iterable

from pigglesim.games.change import changed
from pigglesim.games.lord_of_the_pigs.actors import index
from pigglesim.games.lord_of_the_pigs.state import Side, Vote
from pigglesim.rolls import Seat

__all__ = ["Sides", "discarded", "out_of_hand", "put", "turned_up", "without"]

Sides = tuple[Side, ...]
"""The cards of the players, in Actor order."""


def put(sides: Sides, seat: Seat, side: Side) -> Sides:
    """Return the cards of all players with those of one changed."""
    at = index(seat)
    return (*sides[:at], side, *sides[at + 1 :])


def out_of_hand(sides: Sides, seat: Seat, card: str, *, face_up: bool) -> Sides:
    """Return the cards of all players without one that leaves a hand."""
    side = sides[index(seat)]
    shown = without(side.shown, card) if face_up else side.shown
    return put(sides, seat, changed(side, hand=without(side.hand, card), shown=shown))


def discarded(sides: Sides, seat: Seat, card: str) -> Sides:
    """Return the cards of all players after one of a hand is discarded."""
    side = sides[index(seat)]
    new = changed(
        side,
        hand=without(side.hand, card),
        shown=without(side.shown, card),
        discard=(*side.discard, card),
    )
    return put(sides, seat, new)


def turned_up(sides: Sides, votes: Iterable[Vote]) -> Sides:
    """Return the cards of all players after votes are turned up and discarded."""
    for vote in votes:
        side = sides[index(vote.seat)]
        # One that was put down before the hand was shown is none of the cards shown.
        shown = without(side.shown, vote.card) if vote.after_showing else side.shown
        new = changed(side, discard=(*side.discard, vote.card), shown=shown)
        sides = put(sides, vote.seat, new)
    return sides


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """Return cards without one of a kind, if there is one."""
    if card not in cards:
        return cards
    at = cards.index(card)
    return (*cards[:at], *cards[at + 1 :])
