"""Quantiles of Student's t without scipy.

Below `_MANY` degrees of freedom they have the same bits on every machine. Above, they depend on the
logarithm of the C library, by way of the normal quantile.
"""

from functools import cache
from math import pi, sqrt
from statistics import NormalDist

from pigglesim.trig import atan2

_MANY = 1000
"""Degrees of freedom from which the expansion about the normal quantile is exact to 1e-13."""


@cache
def student_quantile(freedom: int, level: float) -> float:
    """Return the quantile of Student's t for a two-sided interval of a level.

    Args:
        freedom: Degrees of freedom, at least 1.
        level: Confidence level, above 0 and below 1.
    """
    if freedom >= _MANY:
        return _expanded(freedom, level)
    low, high = 0.0, 1.0
    while _share_within(high, freedom) < level:
        low, high = high, 2.0 * high
    while low < (middle := (low + high) / 2.0) < high:
        if _share_within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return high


def _share_within(quantile: float, freedom: int) -> float:
    """Return the probability that |t| is below a quantile, by a finite series.

    Abramowitz and Stegun 1964, 26.7.3 and 26.7.4. Terms are positive, so nothing cancels.
    """
    squared = freedom + quantile * quantile
    sine, cosine_squared = quantile / sqrt(squared), freedom / squared
    odd = freedom % 2
    term = total = sqrt(cosine_squared) if odd else 1.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine_squared * (k - 1) / k
        total += term
    if not odd:
        return sine * total
    angle = atan2(quantile, sqrt(freedom))
    return (angle + (sine * total if freedom > 1 else 0.0)) * 2.0 / pi


def _expanded(freedom: int, level: float) -> float:
    """Return the quantile for many degrees of freedom (Abramowitz and Stegun 1964, 26.7.5)."""
    x = NormalDist().inv_cdf((1.0 + level) / 2.0)
    s = x * x
    terms = (
        x * (s + 1.0) / 4.0,
        x * ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        x * (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        x * ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0,
    )
    return x + sum(term / float(freedom) ** (k + 1) for k, term in enumerate(terms))
