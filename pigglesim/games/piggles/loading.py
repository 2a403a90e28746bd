"""Which Piggles may go into the cup, and how it may be held (R4, R8, R9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite

from pigglesim.errors import IllegalActionError
from pigglesim.games.change import changed
from pigglesim.games.piggles.state import PEN_SIZE, Position, in_order
from pigglesim.rolls import CupHold, Seat

__all__ = ["Load", "load", "loadable", "loads"]


@dataclass(frozen=True, slots=True)
class Load:
    """The action of putting Piggles from the Pen into the cup; none of them skips the roll."""

    piggles: tuple[str, ...] = ()
    hold: CupHold | None = None
    """Where the player holds the cup; None for the scene's own hold, and for a skip."""


_LEAST_HEIGHT = 0.0508
"""Least height of the cup above the board [m]: 2 inches (R9)."""
_SLACK = 1e-6
"""Lengths that were typed in inches must not fail by rounding [m]."""


def loadable(position: Position, seat: Seat, piggles: Sequence[str]) -> bool:
    """Return whether `seat` may load just these: at most six, distinct, from the own Pen (R8)."""
    chosen = set(piggles)
    return len(chosen) == len(piggles) <= PEN_SIZE and chosen <= set(position.side(seat).pen)


def loads(position: Position, seat: Seat) -> tuple[Load, ...]:
    """Return every load of `seat`, fewest Piggles first and then by id."""
    pen = position.side(seat).pen
    # A Pen holds more than a cup takes when Piggles were captured (M13).
    sizes = range(min(len(pen), PEN_SIZE) + 1)
    return tuple(Load(chosen) for size in sizes for chosen in combinations(pen, size))


def load(position: Position, seat: Seat, action: Load) -> Position:
    """Return the position with Piggles moved from the Pen of `seat` into the cup, held as asked.

    Raises:
        IllegalActionError: If one of them is not in the Pen, or named twice, or they are over six;
            or if the cup is held too low or beyond the centre line, or while nothing is in it.
    """
    piggles, hold = action.piggles, action.hold
    side = position.side(seat)
    if not loadable(position, seat, piggles):
        raise IllegalActionError(
            f"{seat} to load at most {PEN_SIZE} distinct Piggles from the own Pen",
            got=" ".join(piggles),
            remedy=f"load any of {' '.join(side.pen)}" if side.pen else "skip: the Pen is empty",
            rule="R8",
        )
    if hold is not None:
        _check_hold(hold, loaded=bool(piggles))
        position = changed(position, hold=hold)
    pen = tuple(piggle for piggle in side.pen if piggle not in piggles)
    cup = in_order((*side.cup, *piggles))
    return position.with_side(seat, changed(side, pen=pen, cup=cup))


def _check_hold(hold: CupHold, *, loaded: bool) -> None:
    """Raise `IllegalActionError` if R9 forbids the hold; where the board ends it cannot know."""
    numbers = (hold.across, hold.back, hold.height)
    high = hold.height >= _LEAST_HEIGHT - _SLACK
    if not (loaded and all(map(isfinite, numbers)) and hold.back >= -_SLACK and high):
        raise IllegalActionError(
            "a loaded cup held at least 2 in above the board, over the own half",
            got=f"{hold.back:g} m behind the centre line, {hold.height:g} m high"
            if loaded
            else "an empty one",
            remedy="load A1 A3 at 0.0,0.12,0.1: across, back and height in metres",
            rule="R9",
        )
