"""Numbers as people read them: no more digits than their interval knows."""

import math
from collections.abc import Mapping
from typing import Protocol

DASH, MINUS = "\u2013", "\u2212"
"""Signs for a missing number and for a negative one."""

_MOST = 6


class Found(Protocol):
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
    """Return how many decimals a number has whose uncertainty is `half`.

    Two digits of the uncertainty are kept where they begin with 1, 2 or 3, else one (the rule of
    the Particle Data Group).
    """
    if not (math.isfinite(half) and half > 0.0):
        return 3
    leading = math.floor(math.log10(half))
    first = round(half / 10.0 ** (leading - 2))
    return max(0, min(_MOST, -leading + (1 if first < 355 else 0)))


def with_interval(found: Found, *, signed: bool = False) -> str:
    """Return a number with its interval, such as `0.510 [0.490, 0.530]`; a dash for no number."""
    if math.isnan(found.value):
        return DASH
    places = decimals(_half(found))
    style = f"{'+' if signed else ''}.{places}f"
    low, high = (_number(end, style) for end in (found.low, found.high))
    return f"{_number(found.value, style)} [{low}, {high}]"


def plus_minus(found: Found, *, signed: bool = False) -> str:
    """Return a number with the longer arm of its interval, such as `0.510 ± 0.020`."""
    if math.isnan(found.value):
        return DASH
    sign = "+" if signed else ""
    half = max(found.high - found.value, found.value - found.low)
    if not math.isfinite(half):
        return _number(found.value, f"{sign}.3g")
    places = decimals(half)
    return f"{_number(found.value, f'{sign}.{places}f')} ± {half:.{places}f}"


def spelt(level: object) -> str:
    """Return a level of a factor without needless digits."""
    if isinstance(level, float):
        return f"{level:.6g}".replace("-", MINUS)
    return str(level)


def cell_name(factors: Mapping[str, object]) -> str:
    """Return what a cell is called: the levels of its factors; empty where none is varied."""
    return ", ".join(
        f"{name} {spelt(level)}" if isinstance(level, int | float) else spelt(level)
        for name, level in factors.items()
    )


def _half(found: Found) -> float:
    return (found.high - found.low) / 2.0


def _number(value: float, style: str) -> str:
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return f"{MINUS}∞" if value < 0 else "∞"
    text = format(value, style)
    # A minus before nothing but noughts says nothing.
    if not text.strip("+-0."):
        text = text.replace("-", "+" if "+" in style else "")
    return text.replace("-", MINUS)
