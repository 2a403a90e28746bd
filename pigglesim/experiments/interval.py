"""A number with its confidence interval."""

from dataclasses import dataclass

from pigglesim.units import with_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A number with its confidence interval."""

    value: float
    low: float
    high: float
    level: float
    """Confidence level."""
    method: str

    def __str__(self) -> str:
        return with_interval(self)
