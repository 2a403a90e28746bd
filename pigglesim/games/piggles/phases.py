"""The phases of a round, and which of them a turn has (R5, R6, R19)."""

from enum import StrEnum, unique

__all__ = ["FIRST_RECOUP_ROUND", "Mode", "Phase", "turn_phases"]

FIRST_RECOUP_ROUND = 3
"""Turns 1 and 2 have no Recoup (R6)."""


@unique
class Mode(StrEnum):
    """Which of the two rule books is played."""

    CLASSIC = "classic"
    MODERN = "modern"


@unique
class Phase(StrEnum):
    """A step of a round; only load, roll and sudden ever wait for a player or for chance."""

    RECOUP = "recoup"
    LOAD = "load"
    ROLL = "roll"
    ACTION_REACTION = "action_reaction"
    TALLY = "tally"
    RESOLVE = "resolve"
    SUDDEN = "sudden"


def turn_phases(round_number: int, *, mode: Mode = Mode.CLASSIC) -> tuple[Phase, ...]:
    """Return the phases of each player's turn in a round, in order; Resolve follows once."""
    recoup = (Phase.RECOUP,) if round_number >= FIRST_RECOUP_ROUND else ()
    effects = (Phase.ACTION_REACTION,) if mode is Mode.MODERN else ()
    return (*recoup, Phase.LOAD, Phase.ROLL, *effects, Phase.TALLY)
