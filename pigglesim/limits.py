"""Limits of numbers: those of a function, which its flag has too."""

from typing import Any, NamedTuple

from pigglesim.errors import SpecError, cut


class Limits(NamedTuple):
    """Smallest and largest number that a function and its flag take.

    In the signature of a `checked` function: `drops: Annotated[int, Limits(100, 10**6)]`.
    """

    low: float
    high: float

    def expect(self, name: str, value: Any) -> None:  # noqa: ANN401 (a number)
        """Raise SpecError if an argument is outside; None is the default."""
        if value is None or self.low <= value <= self.high:
            return
        nearest = self.high if value > self.high else self.low
        raise SpecError(
            f"invalid {name} {cut(str(value))}",
            expected=f"{self.low:,.12g} to {self.high:,.12g}",
            fix=f"use {name}={nearest:.12g}",
        )


LEVEL = Limits(0.5, 0.9999)
"""Confidence levels of intervals."""
POINTS = Limits(64, 65_536)
"""Floors, or bodies and surfaces, that a fit tries."""
