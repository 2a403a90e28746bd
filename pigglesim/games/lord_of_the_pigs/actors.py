"""The four actors, who sit in a cycle, and the order that follows from who is first (R1, R2)."""

from enum import StrEnum, unique

from pigglesim.errors import unknown_name
from pigglesim.rolls import Seat

__all__ = ["ACTORS", "ORDERS", "SEATS", "Actor", "actor", "index", "read_actor"]


@unique
class Actor(StrEnum):
    """Whom a player plays, in Actor order; the first sits at seat A."""

    PRESIDENT = "President"
    BANKER = "Banker"
    CORPORATE = "Corporate"
    ENERGY = "Energy"

    @property
    def seat(self) -> Seat:
        """Where the player of this actor sits."""
        return SEATS[ACTORS.index(self)]

    @property
    def variable(self) -> str:
        """What this actor's Rating measures."""
        return _VARIABLES[self]


ACTORS = tuple(Actor)
"""The actors in Actor order."""
SEATS = (Seat.A, Seat.B, Seat.C, Seat.D)
"""Their seats, in the same order."""
ORDERS = {seat: (*SEATS[at:], *SEATS[:at]) for at, seat in enumerate(SEATS)}
"""All four in Actor order, by who is first."""

_VARIABLES = {
    Actor.PRESIDENT: "Public Opinion",
    Actor.BANKER: "Economic Growth",
    Actor.CORPORATE: "Consumer Sales",
    Actor.ENERGY: "Energy prices",
}
_BY_SEAT = dict(zip(SEATS, ACTORS, strict=True))


def index(seat: Seat) -> int:
    """Return the place of a seat in Actor order, from 0."""
    # A tuple finds a member by identity; a dictionary would have to hash it first.
    return SEATS.index(seat)


def actor(seat: Seat) -> Actor:
    """Return whom the player at a seat plays."""
    return _BY_SEAT[seat]


def read_actor(what: str, value: object) -> Seat:
    """Return the seat of an actor by name.

    Args:
        what: What the name should name, such as `"voter"`.
        value: The name, as a file gives it.

    Raises:
        SpecError: If there is no such actor; the nearest names are given.
    """
    if not isinstance(value, str) or value not in set(ACTORS):
        raise unknown_name(f"actor as {what}", str(value), ACTORS)
    return Actor(value).seat
