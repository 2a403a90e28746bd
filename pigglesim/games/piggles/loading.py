"""Which Piggles may go into the cup (R4, R8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pigglesim.errors import IllegalActionError
from pigglesim.games.change import changed
from pigglesim.games.piggles.state import PEN_SIZE, Position, in_order
from pigglesim.rolls import Seat

__all__ = ["Load", "load", "loadable", "loads"]


@dataclass(frozen=True, slots=True)
class Load:
    """The action of putting Piggles from the Pen into the cup; none of them skips the roll."""

    piggles: tuple[str, ...] = ()


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


def load(position: Position, seat: Seat, piggles: Sequence[str]) -> Position:
    """Return the position with Piggles moved from the Pen of `seat` into the cup.

    Raises:
        IllegalActionError: If one of them is not in the Pen, or named twice, or they are over six.
    """
    side = position.side(seat)
    if not loadable(position, seat, piggles):
        raise IllegalActionError(
            f"{seat} to load at most {PEN_SIZE} distinct Piggles from the own Pen",
            got=" ".join(piggles),
            remedy=f"load any of {' '.join(side.pen)}" if side.pen else "skip: the Pen is empty",
            rule="R8",
        )
    pen = tuple(piggle for piggle in side.pen if piggle not in piggles)
    cup = in_order((*side.cup, *piggles))
    return position.with_side(seat, changed(side, pen=pen, cup=cup))
