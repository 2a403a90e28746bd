"""The actions of Piggles in a fixed order, the same for both seats.

Piggles go by number: 0 to 5 are the mover's own team A1 to A6 (or B1 to B6), 6 to 11 the other's.

| numbers | action |
|---|---|
| 0 to 63 | load: bit k of the number is Piggle k of the own team; 0 skips the roll |
| 64 to 2509 | Modern: loads with captured Piggles among them, by size and then by number |
| 2510 to 2653 | Modern: Piggle p acts on Piggle t, 2510 + 12 p + t |
| 2654 | Modern: done |
"""

from functools import cache
from itertools import combinations

from pigglesim.games.piggles.loading import Load
from pigglesim.games.piggles.state import PEN_SIZE, Act, Done, in_order, owner, team
from pigglesim.rolls import Seat

__all__ = ["CLASSIC_COUNT", "MODERN_COUNT", "PIGGLES", "action_at", "action_number", "piggles_of"]

PIGGLES = 2 * PEN_SIZE
"""Piggles of both teams."""
CLASSIC_COUNT = 1 << PEN_SIZE
"""Actions of Classic: the loads of the own team."""


@cache
def piggles_of(seat: Seat) -> tuple[str, ...]:
    """Return the ids of all Piggles in the order of their numbers for `seat`."""
    return (*team(seat), *team(seat.other))


@cache
def _mixed_loads() -> tuple[tuple[int, ...], ...]:
    """Return the loads with captured Piggles among them, by size and then by number."""
    return tuple(
        chosen
        for size in range(1, PEN_SIZE + 1)
        for chosen in combinations(range(PIGGLES), size)
        if chosen[-1] >= PEN_SIZE
    )


@cache
def _mixed_numbers() -> dict[tuple[int, ...], int]:
    return {chosen: number for number, chosen in enumerate(_mixed_loads(), start=CLASSIC_COUNT)}


_ACTS = CLASSIC_COUNT + len(_mixed_loads())
_DONE = _ACTS + PIGGLES * PIGGLES
MODERN_COUNT = _DONE + 1
"""Actions of Modern: those of Classic, loads of captured Piggles, effects, and to be done."""


def _number_of(piggle: str, seat: Seat) -> int:
    return int(piggle[1:]) - 1 + (0 if owner(piggle) is seat else PEN_SIZE)


@cache
def action_number(action: Load | Act | Done, seat: Seat) -> int:
    """Return the number of an action of `seat`."""
    match action:
        case Done():
            return _DONE
        case Act(piggle=piggle, target=target):
            return _ACTS + PIGGLES * _number_of(piggle, seat) + _number_of(target, seat)
        case Load(piggles=piggles):
            numbers = tuple(sorted(_number_of(piggle, seat) for piggle in piggles))
            if numbers and numbers[-1] >= PEN_SIZE:
                return _mixed_numbers()[numbers]
            return sum(1 << number for number in numbers)


def action_at(number: int, seat: Seat) -> Load | Act | Done:
    """Return the action of `seat` with that number, from 0 and below `MODERN_COUNT`."""
    ids = piggles_of(seat)
    if number < CLASSIC_COUNT:
        return Load(tuple(ids[k] for k in range(PEN_SIZE) if number >> k & 1))
    if number < _ACTS:
        return Load(in_order(ids[k] for k in _mixed_loads()[number - CLASSIC_COUNT]))
    if number == _DONE:
        return Done()
    piggle, target = divmod(number - _ACTS, PIGGLES)
    return Act(ids[piggle], ids[target])
