"""What rolled dice mean: points, the end of the turn, or the end of all points (R1, R2, R6)."""

from collections.abc import Sequence
from enum import StrEnum, unique

__all__ = ["SIX", "Fate", "fate_of"]

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
