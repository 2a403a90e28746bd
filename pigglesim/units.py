"""Units that may follow a number, in flags and in files: `4in`, `50mm`, `0.2 s`."""

import re
from dataclasses import dataclass
from math import isfinite, radians


@dataclass(frozen=True, slots=True)
class Dimension:
    """A physical dimension."""

    noun: str
    """Noun with its article."""
    units: dict[str, float]
    """Size of each unit in SI units."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of one dimension."""

    name: str
    dimension: Dimension

    @property
    def size(self) -> float:
        """Size in SI units."""
        return self.dimension.units[self.name]


_DIMENSIONS = (
    Dimension("a length", {"in": 0.0254, "mm": 1e-3, "cm": 1e-2, "m": 1.0}),
    Dimension("a time", {"ms": 1e-3, "s": 1.0, "min": 60.0}),
    Dimension("a mass", {"g": 1e-3, "kg": 1.0}),
    Dimension("an angle", {"deg": radians(1.0), "rad": 1.0}),
    Dimension("a frequency", {"Hz": 1.0}),
    Dimension("a speed", {"m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3}),
    Dimension("an angular velocity", {"rad/s": 1.0, "deg/s": radians(1.0)}),
)
INCHES = Unit("in", _DIMENSIONS[0])
"""Unit of boards."""
_OTHER_NAMES = {'"': "in", "inch": "in", "inches": "in", "″": "in", "°": "deg"}
_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*([^\s\d].*)?")


def unit_named(name: str) -> Unit | None:
    """Return the unit of that name; None if it is unknown."""
    name = _OTHER_NAMES.get(name, name)
    return next((Unit(name, each) for each in _DIMENSIONS if name in each.units), None)


def quantity(text: str, unit: Unit) -> float | None:
    """Return a quantity in a unit; None if the text is not a quantity of its dimension.

    Args:
        text: A number, and a unit unless it is in `unit`.
        unit: Unit of the result.
    """
    found = _QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    value = float(found[1])
    if found[2] is not None:
        given = unit_named(found[2].strip())
        if given is None or given.dimension is not unit.dimension:
            return None
        if given.name != unit.name:
            # To 15 digits: 2 in are 50.8 mm, without the rounding of the ratio.
            value = float(f"{value * given.size / unit.size:.15g}")
    return value if isfinite(value) else None
