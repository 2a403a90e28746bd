"""Counts of a die against given shares: Pearson's statistic, its exact or limiting distribution."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from itertools import combinations
from numbers import Integral, Real
from typing import Annotated, Any

import numpy as np

from pigglesim.arguments import checked
from pigglesim.errors import SpecError, cut
from pigglesim.experiments.statistics import Share, binomial
from pigglesim.limits import LEVEL, Limits
from pigglesim.rotations import Array, Indices

MIN_EXPECTED = 5.0
"""Expected count in every class from which the chi-square distribution is used (Cochran 1954)."""
COUNT = Limits(0, 10**9)
"""Throws counted in a class."""
_MAX_WEIGHT = 1e100
"""Largest weight; one over it is the smallest. All shares are then above 0."""
_MAX_OUTCOMES = 500_000
"""Maximum number of outcomes that are listed."""
_DRAWS = 100_000
"""Simulated samples: a p-value of 0.05 is then known to 0.0014 (95 %)."""
_ROUNDING = 1e-9
"""Share of the statistic below which two are equal."""


@unique
class FairnessTest(StrEnum):
    """Way to the p-value."""

    EXACT = "exact multinomial test"
    CHI_SQUARE = "chi-square test"
    SIMULATED = "simulated multinomial test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fairness:
    """Counts compared with expected shares."""

    counts: tuple[int, ...]
    expected: tuple[float, ...]
    """Expected share of each class."""
    shares: tuple[Share, ...]
    """Observed share of each class, with its interval."""
    statistic: float
    """Pearson's statistic: the sum of (count - expected)^2 / expected."""
    p_value: float
    """Probability of a statistic at least as large, if the expected shares are true."""
    test: FairnessTest


@checked
def compare_counts(
    counts: Sequence[int],
    expected: Sequence[float] | None = None,
    *,
    level: Annotated[float, LEVEL] = 0.95,
) -> Fairness:
    """Compare the counts of a die with expected shares.

    The p-value is that of the chi-square test, or of the exact multinomial test where a class has
    fewer than 5 expected throws.

    Args:
        counts: Throws counted in each class, shape [class_count].
        expected: Expected shares as weights of any sum, shape [class_count]. Default: equal.
        level: Confidence level of the intervals.

    Returns:
        The observed shares with their intervals, the statistic and its p-value.

    Raises:
        SpecError: If there are fewer than two classes, no throws, or invalid counts or weights.

    Examples:
        >>> import pigglesim
        >>> round(pigglesim.compare_counts([18, 25, 15, 17, 14, 31]).p_value, 4)
        0.0514
    """
    counts = tuple(counts)
    for count in counts:
        if not _is_number(count, Integral, *COUNT):
            raise SpecError(
                f"invalid count {cut(repr(count))}",
                expected=f"whole numbers from {COUNT.low} to {COUNT.high:,}",
                fix="give the throws counted in each class",
            )
    counts = tuple(int(count) for count in counts)
    observed, total = np.array(counts, dtype=np.int64), sum(counts)
    if len(counts) < 2 or total == 0:
        raise SpecError(
            f"{total:,} throws in {len(counts)} {'class' if len(counts) == 1 else 'classes'}",
            expected="throws in 2 classes or more",
            fix="give the count of every class, as in pigglesim fair 18 25 15 17 14 31",
        )
    given = (1.0,) * len(counts) if expected is None else tuple(expected)
    for weight in given:
        if not _is_number(weight, Real, 1.0 / _MAX_WEIGHT, _MAX_WEIGHT):
            raise SpecError(
                f"invalid share {cut(repr(weight))}",
                expected="numbers above 0",
                fix="give the expected share of each class, or weights of any sum",
            )
    if len(given) != len(counts):
        raise SpecError(
            f"{len(given)} shares for {len(counts)} counts",
            expected="one share above 0 for each count",
            fix="give them in the order of the counts",
        )
    weights = np.array(given, dtype=float)
    shares = weights / weights.sum()
    statistic = float(_pearson(observed[None, :], shares)[0])
    test, p_value = _p_value(statistic, shares, total)
    return Fairness(
        counts=counts,
        expected=tuple(shares.tolist()),
        shares=tuple(binomial(count, total, level=level) for count in counts),
        statistic=statistic,
        p_value=p_value,
        test=test,
    )


def _is_number(value: object, kind: type[Any], low: float, high: float) -> bool:
    return isinstance(value, kind) and bool(low <= value <= high)


def _pearson(counts: Indices, shares: Array) -> Array:
    """Return the statistic of each row of counts."""
    means = counts.sum(axis=1, keepdims=True) * shares
    statistics: Array = ((counts - means) ** 2 / means).sum(axis=1)
    return statistics


def _p_value(statistic: float, shares: Array, total: int) -> tuple[FairnessTest, float]:
    from scipy.stats import chi2, multinomial  # noqa: PLC0415 (slow to import)

    least = statistic * (1.0 - _ROUNDING)
    if total * float(shares.min()) >= MIN_EXPECTED:
        return FairnessTest.CHI_SQUARE, float(chi2.sf(statistic, len(shares) - 1))
    if math.comb(total + len(shares) - 1, len(shares) - 1) <= _MAX_OUTCOMES:
        outcomes = _outcomes(total, len(shares))
        as_far = outcomes[_pearson(outcomes, shares) >= least]
        return FairnessTest.EXACT, min(1.0, float(multinomial.pmf(as_far, total, shares).sum()))
    draws = np.random.default_rng(1).multinomial(total, shares, size=_DRAWS)
    as_far_count = int(np.sum(_pearson(draws, shares) >= least))
    # The observed counts are one of the samples (Davison and Hinkley 1997, 4.2).
    return FairnessTest.SIMULATED, (as_far_count + 1) / (_DRAWS + 1)


def _outcomes(total: int, classes: int) -> Indices:
    """Return all counts of a total in some classes, shape [outcome_count, classes]."""
    slots = total + classes - 1
    # Bars between stars.
    bars = np.array([*combinations(range(slots), classes - 1)], dtype=np.int64)
    ends = np.full((len(bars), 1), -1)
    edges = np.hstack([ends, bars, np.full((len(bars), 1), slots)])
    return np.asarray(np.diff(edges, axis=1) - 1, dtype=np.int64)
