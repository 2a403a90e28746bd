"""The actions of Piggyback in a fixed order, the same for both seats.

Spaces go by their numbers as the mover sees them: for blue the board is turned by half a turn, so
that both play upwards. On the usual board of 64 spaces, with 420 pairs of spaces that touch:

| numbers | action |
|---|---|
| 0 to 419 | move, by source and then by target; what lies there stays |
| 420 to 839 | the same, acquiring the piece there |
| 840 to 4935 | Warp: 840 + 64 holder + partner |
| 4936 to 4999 | acquire what lies under a stack, by space |
| 5000 to 5063 | put a piece from the bank on a space |
| 5064 to 5066 | stand, with so many Firepowers |
| 5067 to 5081 | keep, by the abilities: two, one, none |
| 5082 to 5087 | pass, end, fight, roll, leave, as `Word` has them |
"""

from functools import cache
from itertools import combinations_with_replacement

from pigglesim.games.piggyback.actions import (
    Keep,
    Move,
    PiggybackAction,
    Respawn,
    Stand,
    Take,
    Warp,
    Word,
)
from pigglesim.games.piggyback.spaces import neighbours
from pigglesim.games.piggyback.state import MOST_HELD, Ability
from pigglesim.rolls import Seat

__all__ = ["action_at", "action_count", "action_number", "seen_space"]


def seen_space(space: int, size: int, seat: Seat) -> int:
    """Return the number of a space as a player sees it, and back again."""
    return space if seat is Seat.A else size * size - 1 - space


@cache
def _actions(size: int) -> tuple[PiggybackAction, ...]:
    """Return every action on a board of that size, in order, as red sees it."""
    spaces = range(size * size)
    pairs = [(a, b) for a, touching in enumerate(neighbours(size)) for b in touching]
    return (
        *(Move(source, target) for source, target in pairs),
        *(Move(source, target, take=True) for source, target in pairs),
        *(Warp(holder, partner) for holder in spaces for partner in spaces),
        *(Take(space) for space in spaces),
        *(Respawn(space) for space in spaces),
        *(Stand(force) for force in range(MOST_HELD + 1)),
        *(
            Keep(held)
            for count in range(MOST_HELD, -1, -1)
            for held in combinations_with_replacement(Ability, count)
        ),
        *Word,
    )


@cache
def _numbers(size: int) -> dict[PiggybackAction, int]:
    return {action: number for number, action in enumerate(_actions(size))}


def action_count(size: int) -> int:
    """Return how many actions there are on a board of that size."""
    return len(_actions(size))


def _seen(action: PiggybackAction, size: int, seat: Seat) -> PiggybackAction:
    """Return an action as a player sees it, and back again."""

    def turned(space: int) -> int:
        return seen_space(space, size, seat)

    match action:
        case Move(source=source, target=target, take=take):
            return Move(turned(source), turned(target), take=take)
        case Warp(holder=holder, partner=partner):
            return Warp(turned(holder), turned(partner))
        case Take(space=space):
            return Take(turned(space))
        case Respawn(space=space):
            return Respawn(turned(space))
        case _:
            return action


def action_number(action: PiggybackAction, size: int, seat: Seat) -> int:
    """Return the number of an action of `seat`, from 0."""
    return _numbers(size)[_seen(action, size, seat)]


def action_at(number: int, size: int, seat: Seat) -> PiggybackAction:
    """Return the action of `seat` with that number, from 0 and below `action_count`."""
    return _seen(_actions(size)[number], size, seat)
