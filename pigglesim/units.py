"""Quantities as people write them: units, and no more digits than an interval supports."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite, radians
from typing import Protocol


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


MAX_DIGITS = 300
"""Maximum digits of a whole number: a float still holds it, and Python still prints it."""


def whole(text: str) -> int | None:
    """Return the number that decimal digits name; None for any other text and for too many."""
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None


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
    return next((Unit(name, kind) for kind in _DIMENSIONS if name in kind.units), None)


def quantity(text: str, unit: Unit) -> float | None:
    """Return a quantity in a unit; None if the text is not a quantity of its dimension."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        return None
    value = float(match[1])
    if match[2] is not None:
        unit_in_text = unit_named(match[2].strip())
        if unit_in_text is None or unit_in_text.dimension is not unit.dimension:
            return None
        if unit_in_text.name != unit.name:
            # To 15 digits: 2 in are 50.8 mm, without the rounding of the ratio.
            value = float(f"{value * unit_in_text.size / unit.size:.15g}")
    return value if isfinite(value) else None


DASH, MINUS = "\u2013", "\u2212"
"""Signs for a missing number and for a negative one."""

_MAX_DECIMALS = 6


class IntervalLike(Protocol):
    """A number with its interval."""

    @property
    def value(self) -> float:
        """The number; NaN for none."""

    @property
    def low(self) -> float:
        """Lower end of the interval."""

    @property
    def high(self) -> float:
        """Upper end."""


def decimals(half: float) -> int:
    """Return the number of decimals to show of a number whose uncertainty is `half`.

    Two digits of the uncertainty are kept where they begin with 1, 2 or 3, else one (the rule of
    the Particle Data Group).
    """
    if not (math.isfinite(half) and half > 0.0):
        return 3
    leading = math.floor(math.log10(half))
    leading_digits = round(half / 10.0 ** (leading - 2))
    return max(0, min(_MAX_DECIMALS, -leading + (1 if leading_digits < 355 else 0)))


def with_interval(found: IntervalLike, *, signed: bool = False) -> str:
    """Return a number with its interval, such as `0.510 [0.490, 0.530]`; a dash for no number."""
    if math.isnan(found.value):
        return DASH
    places = decimals((found.high - found.low) / 2.0)
    style = f"{'+' if signed else ''}.{places}f"
    low, high = (_number(end, style) for end in (found.low, found.high))
    return f"{_number(found.value, style)} [{low}, {high}]"


def plus_minus(found: IntervalLike, *, signed: bool = False) -> str:
    """Return a number with the longer arm of its interval, such as `0.510 ± 0.020`."""
    if math.isnan(found.value):
        return DASH
    sign = "+" if signed else ""
    half = max(found.high - found.value, found.value - found.low)
    if not math.isfinite(half):
        return _number(found.value, f"{sign}.3g")
    places = decimals(half)
    return f"{_number(found.value, f'{sign}.{places}f')} ± {half:.{places}f}"


def counted(number: int, noun: str) -> str:
    """Return a number of things, such as `1 pig` or `3 pigs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def percent(share: float, *, places: int | None = None) -> str:
    """Return a share in percent, such as `95 %`, by default with only the digits it needs."""
    style = ".6g" if places is None else f".{places}f"
    return f"{100.0 * share:{style}} %"


def level_text(level: object) -> str:
    """Return a level of a factor without needless digits."""
    if isinstance(level, float):
        return f"{level:.6g}".replace("-", MINUS)
    return str(level)


def cell_name(factors: Mapping[str, object]) -> str:
    """Return the name of a cell: the levels of its factors; empty where none is varied."""
    return ", ".join(
        f"{name} {level_text(level)}" if isinstance(level, int | float) else level_text(level)
        for name, level in factors.items()
    )


def _number(value: float, style: str) -> str:
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return f"{MINUS}∞" if value < 0 else "∞"
    # Decimal ties go to the even digit, so that shares such as 0.715 and 0.285 still add up to 1.
    text = format(Decimal(repr(float(value))) if style.endswith("f") else value, style)
    # A minus sign before a zero has no meaning.
    if not text.strip("+-0."):
        text = text.replace("-", "+" if "+" in style else "")
    return text.replace("-", MINUS)
