"""What rolled dice mean: points, the end of the turn, or the end of all points (R1, R2, R6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.game import Result
from pigglesim.landing import Seat

SIX = 6


@unique
class Fate(StrEnum):
    """What a roll does to whoever rolled it."""

    POINTS = "points"
    """Its sum is added to the total of the turn."""
    BUST = "bust"
    """Exactly one six: the turn is over and brings nothing."""
    RESET = "reset"
    """Two sixes or three: the turn is over, and all points are lost."""


def fate_of(faces: Sequence[int]) -> Fate:
    """Return what a roll does; a single die can never cost more than the turn."""
    sixes = sum(face == SIX for face in faces)
    return (Fate.POINTS, Fate.BUST, Fate.RESET)[min(sixes, 2)]


SEAT_NUMBERS = {seat: number for number, seat in enumerate(Seat)}
"""Where the points of each seat stand in a bank."""


@unique
class PiggySixReason(StrEnum):
    """How a game of Piggy Six ends."""

    POINTS = "points"
    """Most points after equal turns (R3)."""
    RACE = "race"
    """First at the target (PS7)."""
    CAP = "cap"
    """Most points after the longest game the house rules allow."""


@dataclass(frozen=True, slots=True)
class DiceRoll:
    """The action of rolling so many dice."""

    dice: int = 2


@dataclass(frozen=True, slots=True)
class Stop:
    """The action of writing down the total of the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggySixState:
    """Everything there is to know of a game under way; nothing of it is hidden."""

    bank: tuple[int, ...]
    """Points written down, in the order of seats."""
    active: Seat = Seat.A
    """Whose turn it is."""
    round: int = 1
    total: int = 0
    """Points of this turn, not yet written down."""
    rolls: int = 0
    """Rolls of this turn that have been made."""
    dice: int = 0
    """Dice of the last roll of this turn, made or due; 0 before the first."""
    rolling: bool = False
    """Whether that roll is due."""
    result: Result | None = None

    def points_of(self, seat: Seat) -> int:
        """Return the points that a player has written down."""
        return self.bank[SEAT_NUMBERS[seat]]
