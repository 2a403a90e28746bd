"""Shares with intervals that know that the Piggles of one pour are alike.

Six Piggles of a pour are one draw of the hand and jostle each other: they are a cluster. A share
is a ratio of two sums over clusters, and its variance comes from how far the clusters' own counts
scatter about it, whatever the likeness within them is.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from pigglesim.spatial import Array

__all__ = [
    "Counts",
    "Distance",
    "Interval",
    "Share",
    "difference",
    "distance",
    "mean_of",
    "share_of",
]

Counts = NDArray[np.int64]
"""How often something came, a row or an entry for each cluster."""

_LEVEL = 0.95
_LEAST = 20
"""Fewer clusters than this, drawn again, know nothing of a 95 % point."""
_DRAWS = 1000
"""Bootstrap draws: the 95 % point is then good to 7 in 1,000 of its level (binomial)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A number and how well it is known."""

    value: float
    low: float
    high: float
    level: float
    """Share of such intervals that hold the truth."""
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How often something comes, and how well that is known."""

    value: float
    """NaN where there was no trial."""
    low: float
    high: float
    level: float
    """Share of such intervals that hold the truth."""
    method: str
    clusters: int
    """Pours: what was drawn independently."""
    trials: int
    """Piggles: what was counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """Total variation between two vectors of shares: the most that any event's share differs."""

    value: float
    """Half the sum of the differences' sizes. Noise alone makes it positive."""
    floor: float
    """What noise alone would make it: its mean if both were draws of one source."""
    low: float
    high: float
    level: float
    """Share of such draws in which the truth is at most `high`; and at least `low`."""
    method: str


def share_of(hits: Counts, trials: Counts, *, level: float = _LEVEL) -> Share:
    """Return a share with a cluster-robust interval of Wilson's form.

    The ratio estimator's variance (Cochran 1977, 6.3) gives the number of independent trials
    worth as much, and Wilson's interval (1927) for that number, with Student's quantile for the
    number of clusters, stays within 0 and 1. Where all or none are hits nothing tells the
    likeness within a cluster; each cluster then counts for one trial.

    Args:
        hits: Hits of each cluster, shape [cluster_count].
        trials: Trials of each cluster, shape [cluster_count].
        level: Share of intervals that shall hold the truth.
    """
    clusters, total = len(trials), int(trials.sum())
    method = "ratio of clusters, Wilson"
    if clusters < 2 or total == 0:
        value = float(hits.sum() / total) if total else float("nan")
        return Share(
            value=value, low=0.0, high=1.0, level=level, method=method,
            clusters=clusters, trials=total,
        )  # fmt: skip
    value = float(hits.sum()) / total
    residuals = hits - value * trials
    variance = clusters / (clusters - 1) * float(residuals @ residuals) / total**2
    if 0.0 < value < 1.0 and variance > 0.0:
        worth = value * (1.0 - value) / variance
    else:
        worth = float(np.count_nonzero(trials))
    quantile = float(stdtrit(clusters - 1, (1.0 + level) / 2.0))
    ratio = quantile**2 / worth
    middle = (value + ratio / 2.0) / (1.0 + ratio)
    half = quantile / (1.0 + ratio) * sqrt(value * (1.0 - value) / worth + ratio / (4.0 * worth))
    return Share(
        value=value,
        low=max(0.0, min(value, middle - half)),
        high=min(1.0, max(value, middle + half)),
        level=level,
        method=method,
        clusters=clusters,
        trials=total,
    )


def mean_of(values: Array, *, level: float = _LEVEL) -> Interval:
    """Return the mean over clusters with Student's interval.

    Args:
        values: One for each cluster, shape [cluster_count].
        level: Share of intervals that shall hold the truth.
    """
    count = len(values)
    value = float(values.mean()) if count else float("nan")
    half = float("inf")
    if count > 1:
        half = float(stdtrit(count - 1, (1.0 + level) / 2.0) * values.std(ddof=1) / sqrt(count))
    return Interval(value=value, low=value - half, high=value + half, level=level, method="Student")


def difference(first: Share | Interval, second: Share | Interval) -> Interval:
    """Return second less first, taken as independent, with an interval from both their own.

    Newcombe's hybrid (1998, method 10): each side's distance to its own bound, squared and added.
    """
    value = second.value - first.value
    below = sqrt((second.value - second.low) ** 2 + (first.high - first.value) ** 2)
    above = sqrt((second.high - second.value) ** 2 + (first.value - first.low) ** 2)
    return Interval(
        value=value, low=value - below, high=value + above, level=first.level, method="Newcombe"
    )


def distance(
    first: Counts, second: Counts, *, rng: np.random.Generator, level: float = _LEVEL
) -> Distance:
    """Return the total variation between two vectors of shares, and what it can mean.

    The plug-in value is too large, by noise. Whole clusters are drawn again to tell by how much:
    from both sides thrown together for the floor, from each side for the bounds. `high` is the
    upper point of the plug-in value over draws, to which noise was added twice: it errs on the
    safe side. `low` takes off the plug-in value what draws differ from what they were drawn from.
    Below 20 clusters the bounds are 0 and 1.

    Args:
        first: Counts of each class in each cluster, shape [cluster_count, class_count].
        second: The same for the other side, shape [other_cluster_count, class_count].
        rng: Draws the clusters.
        level: One-sided level of each bound.
    """
    method = f"clusters drawn again {_DRAWS} times"
    few = min(len(first), len(second)) < _LEAST
    if min(len(first), len(second)) < 2 or not (first.sum() and second.sum()):
        return Distance(
            value=float("nan"), floor=float("nan"), low=0.0, high=1.0, level=level, method=method
        )
    apart = _shares(second.sum(axis=0)) - _shares(first.sum(axis=0))
    value = float(np.abs(apart).sum()) / 2.0
    both = np.concatenate([first, second])
    null = _drawn(both, len(second), rng) - _drawn(both, len(first), rng)
    again = _drawn(second, len(second), rng) - _drawn(first, len(first), rng)
    spread = np.quantile(np.abs(again - apart).sum(axis=1) / 2.0, level)
    upper = np.quantile(np.abs(again).sum(axis=1) / 2.0, level)
    return Distance(
        value=value,
        floor=float(np.abs(null).sum(axis=1).mean()) / 2.0,
        low=0.0 if few else max(0.0, value - float(spread)),
        high=1.0 if few else min(1.0, max(value, float(upper))),
        level=level,
        method=method,
    )


def _shares(sums: Any) -> Array:  # noqa: ANN401 (counts or floats, any number of rows)
    """Return sums over classes, the last axis, as shares."""
    totals = np.maximum(np.sum(sums, axis=-1, keepdims=True), 1)
    shares: Array = sums / totals
    return shares


def _drawn(counts: Counts, size: int, rng: np.random.Generator) -> Array:
    """Return shares of `size` clusters drawn with replacement, shape [draws, class_count]."""
    # Clusters that are alike are drawn together: six Piggles have few ways to fall.
    rows, often = np.unique(counts, axis=0, return_counts=True)
    weights = rng.multinomial(size, often / len(counts), size=_DRAWS)
    return _shares(weights @ rows)
