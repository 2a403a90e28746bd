"""Rates of several ways of doing one thing, taken in turns, so that a busy machine slows all."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A figure measured several times."""

    median: float
    min: float
    max: float
    count: int
    """Measurements."""


def in_turns(
    ways: Mapping[str, Callable[[int], int]],
    *,
    repeats: int,
    tell: Callable[[], None] | None = None,
) -> dict[str, list[float]]:
    """Return how many things each way does a second of this core's time, once for each repeat.

    Processor time, not the clock's: what else the machine does is no business of these figures,
    as far as it does not crowd the caches.

    Args:
        ways: By name, what does some things, given the number of the repeat, and returns how many.
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    for way in ways.values():
        # What is read, compiled and cached the first time is not what is measured.
        way(0)
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for repeat in range(repeats):
        for name, way in ways.items():
            start = time.process_time()
            count = way(repeat)
            rates[name].append(count / (time.process_time() - start))
            if tell is not None:
                tell()
    return rates


def spread(values: list[float]) -> Spread:
    """Return median, least and most of some values."""
    return Spread(
        median=statistics.median(values), min=min(values), max=max(values), count=len(values)
    )


def ratio(rates: Mapping[str, list[float]], one: str, other: str) -> Spread:
    """Return how much faster one way is than another, repeat by repeat."""
    return spread([a / b for a, b in zip(rates[one], rates[other], strict=True)])
