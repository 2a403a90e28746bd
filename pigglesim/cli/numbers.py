"""Numbers as people type them in flags: `1e4` or `10k` for counts, `4in` or `50mm` for lengths."""

import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Any

from pigglesim.errors import SpecError, cut
from pigglesim.units import Unit, quantity

_COUNT = re.compile(
    r"(?P<digits>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*)?(?:\.\d*)?)(?:e(?P<power>\+?\d{1,2}))?"
    r"(?P<multiple>[kM]?)",
    re.IGNORECASE,
)
_MULTIPLES = {"": 0, "k": 3, "m": 6}


def whole_number(text: str) -> int | None:
    """Return a whole number as typed: `1e4`, `10k`, `10_000` or `10,000`; None if it is not one.

    Args:
        text: What was typed.
    """
    found = _COUNT.fullmatch(text.strip())
    if found is None or not re.search(r"\d", found["digits"]):
        return None
    digits = Decimal(found["digits"].replace(",", "").replace("_", ""))
    value = digits.scaleb(int(found["power"] or 0) + _MULTIPLES[found["multiple"].lower()])
    return int(value) if value == value.to_integral_value() else None


def number_parser(
    flag: str,
    kind: type[int] | type[float],
    *,
    low: float | None = None,
    high: float | None = None,
    default: object = None,
    unit: Unit | None = None,
) -> Callable[[Any], int | float]:
    """Return what reads the value of a flag.

    Args:
        flag: As it is typed, for its errors.
        kind: Of number.
        low: The least it may be; None for no bound.
        high: The most it may be; None for no bound.
        default: Its value where it is not typed, which a remedy may propose.
        unit: Of a quantity, that in which a number without one is read; None for a plain number.
    """
    noun = "a whole number" if kind is int else "a number"
    if unit is not None:
        noun = f"{unit.dimension.noun} [{unit.name}]"
    expected = f"{flag} to be {noun}{_bounds(low, high)}"
    typed = f"{flag} " if flag.startswith("-") else ""
    if unit is not None:
        proposal = f"4{unit.name}, or another unit: {', '.join(unit.dimension.units)}"
    elif isinstance(default, int | float) and default:
        proposal = f"{default}"
    else:
        proposal = "400 (1e4 and 10k are numbers too)" if kind is int else f"{low or 0.5:g}"

    def parse(value: Any) -> int | float:  # noqa: ANN401 (what was typed, or the default)
        if not isinstance(value, str):
            return kind(value)
        found = _read(value, kind, unit)
        if found is None:
            raise SpecError(expected, got=cut(repr(value)), remedy=f"{typed}{proposal}")
        if (low is not None and found < low) or (high is not None and found > high):
            nearest = low if low is not None and found < low else high
            raise SpecError(expected, got=cut(value), remedy=f"{typed}{nearest:.12g}")
        return found

    return parse


def _read(text: str, kind: type[int] | type[float], unit: Unit | None) -> int | float | None:
    if unit is not None:
        return quantity(text, unit)
    if kind is int:
        return whole_number(text)
    try:
        found = float(text)
    except ValueError:
        return None
    return found if isfinite(found) else None


def _bounds(low: float | None, high: float | None) -> str:
    """Return the bounds of a number in words."""
    if low is not None and high is not None:
        return f" from {low:,.12g} to {high:,.12g}"
    if low is not None:
        return f", {low:,.12g} or more"
    return "" if high is None else f", {high:,.12g} or less"
