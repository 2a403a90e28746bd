"""Median of repeated measurements, with its interval from order statistics."""

from collections.abc import Iterable

import numpy as np
from scipy.stats import binom

from pigglesim.experiments.interval import Interval


def median_of(values: Iterable[float], *, level: float = 0.95) -> Interval:
    """Return the median of independent values, between two of them in their order.

    Each value is below the true median with a chance of 1/2, whatever the distribution is, so the
    number of those below it is binomial. The interval ends at the innermost pair of ordered values
    that contains the median with a chance of at least `level`; its own `level` is that chance. For
    a few values it is the outermost pair, whose chance is less (David and Nagaraja 2003, 7.1).
    """
    ordered = np.sort(np.fromiter(values, float))
    count = len(ordered)
    # The pair after `below` values from each end leaves out 2 P(number <= below).
    outside = 2.0 * binom.cdf(np.arange(count), count, 0.5)
    below = max(int(np.searchsorted(outside, 1.0 - level, side="right")) - 1, 0)
    return Interval(
        value=float(np.median(ordered)),
        low=float(ordered[below]),
        high=float(ordered[count - 1 - below]),
        level=float(1.0 - outside[below]),
        method="order statistics",
    )
