"""What a study says: every number with its interval, cell by cell and cell against cell."""

from collections.abc import Mapping
from dataclasses import dataclass

from pigglesim.studies.estimate import Interval, Share

__all__ = [
    "CellAnswers",
    "Contrast",
    "Independence",
    "JointTable",
    "Posterior",
    "StudyAnswers",
]

Level = str | int | float
"""Value of a factor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """Dirichlet posterior of all shares together, from Jeffreys' prior."""

    alphas: tuple[float, ...]
    """In the order of the shares it belongs to; scaled down where dice of a throw are alike."""
    intervals: tuple[Interval, ...]
    """Mean and equal-tailed interval of each share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTable:
    """Shares of all rolled dice by orientation and zone."""

    orientations: tuple[str, ...]
    zones: tuple[str, ...]
    shares: tuple[tuple[Share, ...], ...]
    """By orientation, then zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """How alike two dice of one throw are."""

    agreement: Interval
    """Share of pairs of one throw that show the same orientation, less what independent dice of
    the same shares would."""
    p_value: float
    """Of as much or more likeness or unlikeness, were dice independent."""
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAnswers:
    """What one combination of factor levels says."""

    cell: int
    factors: Mapping[str, Level]
    """Level of each factor that the study varies; empty if none is."""
    throws: int
    dice: int
    """Rolled, over all throws."""
    unsettled: int
    """Dice that still moved when time was up."""
    orientations: tuple[str, ...]
    """In the order of the rules, or of numbers; after them, none of others."""
    shares: tuple[Share, ...]
    """Of each orientation among the dice that show one; a throw is a cluster."""
    posterior: Posterior
    joint: JointTable | None = None
    """This and all below: None for single dice on a floor."""
    zones: Mapping[str, Share] | None = None
    points_per_die: Interval | None = None
    points_per_throw: Interval | None = None
    leaning: Share | None = None
    """Among the dice on the board: that lean on another or lie on it."""
    off_board: Share | None = None
    independence: Independence | None = None
    """None for throws of one die."""
    knocked: Share | None = None
    """Among the dice that stood; None where none did."""
    knocks_per_throw: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """What changing one factor from one level to another does, all other levels the same."""

    factor: str
    low: Level
    high: Level
    """Level that is compared with `low`."""
    others: Mapping[str, Level]
    quantity: str
    """An orientation, `points a die`, `off the board` or `knocked`."""
    difference: Interval
    """At `high`, less at `low`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAnswers:
    """What a study says."""

    cells: tuple[CellAnswers, ...]
    contrasts: tuple[Contrast, ...]
    level: float
    """Of every interval."""
