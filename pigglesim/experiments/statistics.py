"""Estimates with their intervals: shares and means over clusters, differences and distances."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum, unique
from functools import reduce
from math import inf, isfinite, log, log2, nan, sqrt
from operator import add
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.experiments.interval import Interval
from pigglesim.rotations import Array, Indices

Counts = NDArray[np.int64]
"""Numbers of occurrences, with a row or an entry for each cluster."""

_LEVEL = 0.95
"""Default confidence level."""
_MIN_FREEDOM = 4.0
_MIN_CLUSTERS = 20
"""Minimum clusters for a bootstrap of a 95 % quantile."""
_DRAWS = 1000
"""Bootstrap draws; the level of the 95 % quantile is then exact to 0.007 (binomial)."""


@unique
class Method(StrEnum):
    """Form of the interval of a share."""

    WILSON = "wilson"
    JEFFREYS = "jeffreys"

    @property
    def label(self) -> str:
        """Name of its author."""
        return self.value.capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Interval):
    """Share of the trials, with its interval; NaN where there was no trial."""

    clusters: int
    """Number of units drawn independently, such as pours."""
    trials: int
    """Number of counted Piggles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalVariation(Interval):
    """Total variation between two vectors of shares: half the sum of absolute differences.

    The level is one-sided, of each bound. Noise alone makes the value positive.
    """

    floor: float
    """Expected value from noise alone, if both were draws from one source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Sums over clusters of hits, trials and their products, for the interval of a ratio.

    They are whole numbers, so that nothing is rounded before the last step.
    """

    clusters: int
    tried: int
    """Clusters with a trial."""
    hits: int
    trials: int
    hits_hits: int
    hits_trials: int
    trials_trials: int

    @classmethod
    def of(cls, hits: Counts, trials: Counts) -> "Moments":
        """Return the sums of hits and trials of each cluster, both of shape [cluster_count]."""
        return cls(
            clusters=len(trials),
            tried=int(np.count_nonzero(trials)),
            hits=int(hits.sum()),
            trials=int(trials.sum()),
            hits_hits=int(hits @ hits),
            hits_trials=int(hits @ trials),
            trials_trials=int(trials @ trials),
        )

    def __add__(self, other: "Moments") -> "Moments":
        """Return the sums of both."""
        return Moments(
            **{each.name: getattr(self, each.name) + getattr(other, each.name) for each in _SUMS}
        )

    @classmethod
    def independent(cls, hits: int, trials: int) -> "Moments":
        """Return the sums of independent trials, of which some are hits."""
        return cls(clusters=trials, tried=trials, hits=hits, trials=trials, hits_hits=hits,
                   hits_trials=hits, trials_trials=trials)  # fmt: skip

    @property
    def value(self) -> float:
        """Hits over trials; NaN without a trial."""
        return self.hits / self.trials if self.trials else nan

    @property
    def variance(self) -> float:
        """Variance of `value` by linearisation (Cochran 1977, 6.3); NaN below two clusters."""
        if self.clusters < 2 or not self.trials:
            return nan
        hits, trials = self.hits, self.trials
        residuals = (
            trials * trials * self.hits_hits
            - 2 * hits * trials * self.hits_trials
            + hits * hits * self.trials_trials
        )
        return self.clusters * residuals / ((self.clusters - 1) * trials**4)

    @property
    def design_effect(self) -> float:
        """Variance over that of as many independent trials; NaN where all or none are hits."""
        independent = self.value * (1.0 - self.value)
        return self.variance * self.trials / independent if independent > 0.0 else nan


_SUMS = fields(Moments)


SOURCES = ("counting", "floors", "law", "mesh")
"""Sources of the error of a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Variances of an estimate by their sources."""

    counting: float
    """Of the throws: it shrinks with their number."""
    floors: float
    """Between the plausible floors: the truth is one of them, so no number of throws narrows it."""
    law: float = 0.0
    """Of the laws of motion; 0 where it was not estimated."""
    mesh: float = 0.0
    """Of the mesh that stands for a smooth body."""
    floors_error: float = 0.0
    """Standard error of `floors`."""

    @property
    def variance(self) -> float:
        """Variance of the estimate."""
        return self.counting + self.floors + self.law + self.mesh

    def of_share(self, value: float, *, model_throws: float, mesh: float = 0.0) -> "Budget":
        """Return the budget of a share, with its errors of the law and of the mesh.

        The law is worth `model_throws` counted throws; `mesh` is a standard error.
        """
        return replace(self, law=value * (1.0 - value) / model_throws, mesh=mesh**2)

    def deviations(self) -> dict[str, float]:
        """Return the standard deviation from each source."""
        return {name: sqrt(getattr(self, name)) for name in SOURCES}

    def arm(self, level: float) -> float:
        """Return half the width of the interval of a mean: Student's, as `floors` is estimated.

        The degrees of freedom are Satterthwaite's (1946), but at least four: few throws on each
        floor say nothing of the floors, and their variance has bounds of its own.
        """
        variance = self.variance
        freedom = 2.0 * (variance / self.floors_error) ** 2 if self.floors_error else inf
        freedom = max(freedom, _MIN_FREEDOM)
        quantile = normal_quantile(level) if freedom > 1e6 else _student_quantile(freedom, level)
        return quantile * sqrt(variance)


def components(throws: Counts, first: Array, second: Array, products: float) -> tuple[float, float]:
    """Return how much two means over throws vary together: by counting, and between floors.

    The analysis of variance of one factor, unbalanced (Searle, Casella and McCulloch 1992, 3.6),
    with products in place of squares. Equal means give their variance.

    Args:
        throws: Number of throws on each floor, shape [floor_count]; none is 0.
        first: Sum over the throws of each floor of what is averaged, less its mean over all throws.
        second: The same of the other mean.
        products: Sum over all throws of the products of both.
    """
    count, floors = float(throws.sum()), len(throws)
    between = float((first * second / throws).sum())
    if count <= floors or floors < 2:
        # With one throw on each floor, differences of floors look like counting.
        return products / count / max(count - 1.0, 1.0), 0.0
    within = (products - between) / (count - floors)
    weight = count - float((throws * throws).sum()) / count
    return within / count, (between - (floors - 1) * within) / weight


def budget_on(groups: Sequence[Moments]) -> Budget:
    """Return the budget of a ratio from its sums on each floor, without that of the law."""
    total = reduce(add, groups)
    if not total.trials:
        return Budget(counting=nan, floors=0.0)
    throws = np.array([each.clusters for each in groups])
    # In whole numbers, as residuals of each throw about the ratio of all.
    residuals = [total.trials * each.hits - total.hits * each.trials for each in groups]
    scale = total.trials**2 / total.clusters
    squares = (
        total.trials**2 * total.hits_hits
        - 2 * total.hits * total.trials * total.hits_trials
        + total.hits**2 * total.trials_trials
    )
    sums = np.array([residual / scale for residual in residuals])
    return _budget(throws, sums, squares / scale**2)


def _budget(throws: Counts, sums: Array, squares: float) -> Budget:
    counting, floors = components(throws, sums, sums, squares)
    count, each = float(throws.sum()), float(throws.mean())
    error = 0.0
    if 1 < len(throws) < count:
        error = sqrt(2.0 / (len(throws) - 1)) * abs(floors + counting * count / each)
    return Budget(counting=counting, floors=max(0.0, floors), floors_error=error)


def budget_of_mean(values: Array | Counts, floors: Indices) -> Budget:
    """Return the budget of the mean of a value of each throw, given the number of its floor."""
    rest = values - values.mean()
    throws: Counts = np.bincount(floors)
    sums = np.bincount(floors, weights=rest)[throws > 0].astype(float)
    return _budget(throws[throws > 0], sums, float(rest @ rest))


def share_within(
    sums: Moments, budget: Budget, *, model_throws: float, level: float = _LEVEL
) -> Share:
    """Return a share with the interval that its budget gives.

    Where all or none are hits, no variance shows: it is then worth its trials and the law's.
    """
    if not sums.trials:
        return share_from(sums, level=level)
    spread = sums.value * (1.0 - sums.value)
    variance = (budget.arm(level) / normal_quantile(level)) ** 2
    unseen = 1.0 / (1.0 / sums.tried + 1.0 / model_throws)
    worth = spread / variance if variance > 0.0 < spread else unseen
    share = plausible_share(sums.value, worth, level=level)
    return replace(share, clusters=sums.clusters, trials=sums.trials)


def plausible_share(value: float, worth: float, *, level: float = _LEVEL) -> Share:
    """Return a share whose truth varies about it as that of so many trials.

    The bounds are quantiles of the Beta distribution of this mean and this variance; with no hit
    or no miss, those of Jeffreys' interval.
    """
    trials = max(worth - 1.0, 1e-3)
    hits, misses = trials * value, trials * (1.0 - value)
    if not 0.0 < value < 1.0:
        hits, misses = worth * value + 0.5, worth * (1.0 - value) + 0.5
    low = _beta_quantile(hits, misses, (1.0 - level) / 2.0)
    high = _beta_quantile(hits, misses, (1.0 + level) / 2.0)
    return Share(
        value=value, low=min(low, value), high=max(high, value), level=level, method="Beta",
        clusters=round(worth), trials=round(worth),
    )  # fmt: skip


def mean_within(value: float, budget: Budget, *, level: float = _LEVEL) -> Interval:
    """Return a mean with an interval for its budget."""
    arm = budget.arm(level)
    return Interval(value=value, low=value - arm, high=value + arm, level=level, method="Student")


def share_of(hits: Counts, trials: Counts | int, *, level: float = _LEVEL) -> Share:
    """Return a share with a cluster-robust interval of Wilson's form, as `share_from` does.

    `hits` and `trials` are those of each cluster, shape [cluster_count]; trials may be one number.
    """
    return share_from(Moments.of(hits, np.broadcast_to(trials, hits.shape)), level=level)


def share_from(sums: Moments, *, level: float = _LEVEL, method: Method = Method.WILSON) -> Share:
    """Return a share with a cluster-robust interval, from sums alone.

    The ratio estimator's variance (Cochran 1977, 6.3) gives the equivalent number of independent
    trials. Wilson's interval (1927) for that number, with Student's quantile for the number of
    clusters, stays within 0 and 1; so does Jeffreys' from the same number. Where all or none are
    hits the correlation within a cluster is unknown; each cluster then counts for one trial.
    """
    method_name = f"ratio of clusters, {method.label}"
    if sums.clusters < 2 or sums.trials == 0:
        low, high = 0.0, 1.0
    else:
        quantile = _student_quantile(sums.clusters - 1, level)
        low, high = _bounds(
            sums.value,
            _effective(sums.value, sums.variance, sums.tried),
            quantile=quantile,
            level=level,
            method=method,
        )
    return Share(
        value=sums.value,
        low=low,
        high=high,
        level=level,
        method=method_name,
        clusters=sums.clusters,
        trials=sums.trials,
    )


def _effective(value: float, variance: float, clusters: int) -> float:
    """Return the number of independent trials that is equivalent to a share with its variance."""
    known = 0.0 < value < 1.0 and variance > 0.0
    return value * (1.0 - value) / variance if known else float(clusters)


def binomial(
    hits: int, trials: int, *, level: float = _LEVEL, method: Method = Method.WILSON
) -> Share:
    """Return the share of independent trials that are hits.

    Wilson's interval (1927), or Jeffreys': the equal-tailed one of Beta(hits + 1/2, misses + 1/2),
    reaching to 0 or 1 where there is no hit or no miss (Brown, Cai and DasGupta 2001).
    """
    value, (low, high) = nan, (0.0, 1.0)
    if trials:
        value = hits / trials
        quantile = normal_quantile(level)
        low, high = _bounds(value, trials, quantile=quantile, level=level, method=method)
    return Share(
        value=value, low=low, high=high, level=level, method=method.label,
        clusters=trials, trials=trials,
    )  # fmt: skip


def _bounds(
    value: float, trials: float, *, quantile: float, level: float, method: Method
) -> tuple[float, float]:
    """Return the bounds of a share of so many independent trials."""
    match method:
        case Method.WILSON:
            ratio = quantile**2 / trials
            middle = (value + ratio / 2.0) / (1.0 + ratio)
            variance = value * (1.0 - value) / trials + ratio / (4.0 * trials)
            half = quantile / (1.0 + ratio) * sqrt(variance)
            low, high = middle - half, middle + half
        case Method.JEFFREYS:
            # A Student quantile above the normal one is equivalent to fewer trials.
            trials *= (normal_quantile(level) / quantile) ** 2
            hits, misses = trials * value + 0.5, trials * (1.0 - value) + 0.5
            low = _beta_quantile(hits, misses, (1.0 - level) / 2.0)
            high = _beta_quantile(hits, misses, (1.0 + level) / 2.0)
    return max(0.0, min(value, low)), min(1.0, max(value, high))


def entropy_of(counts: Sequence[int], *, rng: np.random.Generator) -> Interval:
    """Return the entropy of an outcome [bit], from counts of independent trials, with its interval.

    The plug-in entropy is too low by (classes seen - 1) / (2 trials) on average, which is added
    (Miller 1955). The interval is equal-tailed from the Dirichlet posterior with a prior of one
    trial in all (Perks 1947). It begins at 0 if all trials agree, and ends at the most possible if
    a likelihood-ratio test does not reject equal shares: no posterior draw reaches either end.
    """
    seen = np.array(counts)
    trials, classes = seen.sum(), len(seen)
    method = "Miller; Dirichlet, Perks' prior"
    most = log2(max(classes, 1))
    if not trials or classes < 2:
        value, high = (nan, most) if not trials else (0.0, 0.0)
        return Interval(value=value, low=0.0, high=high, level=_LEVEL, method=method)
    plain = float(_entropies(seen[None, :] / trials)[0])
    added = (np.count_nonzero(seen) - 1) / (2.0 * log(2.0) * float(trials))
    value = min(most, plain + added)
    drawn = _entropies(rng.dirichlet(seen + 1.0 / classes, size=_DRAWS))
    low, high = np.quantile(drawn, [(1.0 - _LEVEL) / 2.0, (1.0 + _LEVEL) / 2.0]).tolist()
    from scipy.special import chdtri

    equal = 2.0 * log(2.0) * trials * (most - plain) <= chdtri(classes - 1, 1.0 - _LEVEL)
    return Interval(
        value=value,
        low=0.0 if seen.max() == trials else min(value, low),
        high=most if equal else max(value, high),
        level=_LEVEL,
        method=method,
    )


def _entropies(shares: Array) -> Array:
    """Return the entropy of each row of shares [bit], shape [count]."""
    entropies: Array = -(shares * np.log2(np.where(shares > 0.0, shares, 1.0))).sum(axis=1)
    return np.maximum(entropies, 0.0)


def mean_of(per_cluster: Iterable[float], *, level: float = _LEVEL) -> Interval:
    """Return the mean over clusters, shape [cluster_count], with Student's interval."""
    values = np.array(list(per_cluster))
    count = len(values)
    value = float(values.mean()) if count else nan
    error = float(values.std(ddof=1) / sqrt(count)) if count > 1 else nan
    return student(value, error, clusters=count, level=level)


_NO_SPREAD = 1e-9
"""Sum of squares of a control below which it has no spread."""


def mean_without(
    results: Sequence[float], control: Sequence[float], *, level: float = _LEVEL
) -> Interval:
    """Return the mean of independent results, with their control variate taken out.

    `control` are numbers of the same clusters, whose mean is known to be zero. Each result loses
    its control times a slope: that of all other results on their controls. This slope is
    independent of the control, so the mean keeps its expectation; it costs a degree of freedom
    (Lavenberg and Welch 1981). The interval is Student's.
    """
    value, error = _without(results, control)
    return student(value, error, clusters=len(results) - 1, level=level, method=_CONTROLLED)


def share_without(
    results: Sequence[float], control: Sequence[float], *, level: float = _LEVEL
) -> Interval:
    """Return `mean_without` of results from 0 to 1, with an interval of Wilson's form.

    As in `share_from`, the variance gives the equivalent number of independent trials.
    """
    value, error = _without(results, control)
    value = min(max(value, 0.0), 1.0)
    low, high = _bounds(
        value,
        _effective(value, error**2, len(results)),
        quantile=_student_quantile(len(results) - 2, level),
        level=level,
        method=Method.WILSON,
    )
    method = f"{_CONTROLLED}, {Method.WILSON.label}"
    return Interval(value=value, low=low, high=high, level=level, method=method)


_CONTROLLED = "control variate"


def _without(results: Sequence[float], control: Sequence[float]) -> tuple[float, float]:
    """Return the mean of at least three results without their control, and its standard error."""
    result, controls = np.array(results, dtype=float), np.array(control)
    if np.ptp(result) == 0.0:
        # Equal results have no luck; rounding would give them a tiny error, and all certainty.
        return float(result.max()), 0.0
    count, apart = len(result), controls - controls.mean()
    # Without one of them, a sum of products about the means is smaller by this share of its own.
    own = count / (count - 1) * apart
    products = apart @ result - own * (result - result.mean())
    squares = apart @ apart - own * apart
    slopes = np.divide(products, squares, out=np.zeros(count), where=squares > _NO_SPREAD)
    left = result - slopes * controls
    return float(left.mean()), float(left.std(ddof=1)) / sqrt(count)


def mean_from(sums: Moments, *, level: float = _LEVEL) -> Interval:
    """Return hits per trial, which may exceed 1, with Student's interval from sums alone."""
    return student(sums.value, sqrt(max(0.0, sums.variance)), clusters=sums.clusters, level=level)


def student(
    value: float, error: float, *, clusters: int, level: float = _LEVEL, method: str = "Student"
) -> Interval:
    """Return a value with Student's interval from its standard error; unbounded for one cluster."""
    half = _student_quantile(clusters - 1, level) * error if clusters > 1 else inf
    return Interval(value=value, low=value - half, high=value + half, level=level, method=method)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Estimates that have noise in common."""

    values: Array
    """Shape [coefficient_count]."""
    covariance: Array
    """Shape [coefficient_count, coefficient_count]."""
    clusters: int
    level: float
    method: str

    def of(self, weights: Array) -> Interval:
        """Return a weighted sum of the coefficients, with Student's interval."""
        variance = max(0.0, float(weights @ self.covariance @ weights))
        return student(
            float(weights @ self.values),
            sqrt(variance),
            clusters=self.clusters,
            level=self.level,
            method=self.method,
        )

    def coefficient(self, number: int) -> Interval:
        """Return one coefficient with its interval."""
        return self.of(np.eye(len(self.values))[number])

    def difference(self, first: int, second: int) -> Interval:
        """Return one coefficient minus another."""
        unit = np.eye(len(self.values))
        return self.of(unit[first] - unit[second])


def difference(first: Interval, second: Interval, *, correlation: float = 0.0) -> Interval:
    """Return second minus first, with an interval from both their own.

    Newcombe's hybrid (1998): each side's distance to its own bound, squared and added; where the
    two are correlated, less twice their product times the correlation (his method 10 for pairs).
    """
    value = second.value - first.value
    below = _arm(second.value - second.low, first.high - first.value, correlation)
    above = _arm(second.high - second.value, first.value - first.low, correlation)
    method = "Newcombe, pairs" if correlation else "Newcombe"
    return Interval(
        value=value, low=value - below, high=value + above, level=first.level, method=method
    )


def _arm(first: float, second: float, correlation: float) -> float:
    """Return the distance of a difference to its bound, from those of both sides."""
    if not (isfinite(first) and isfinite(second)):
        return inf
    return sqrt(max(0.0, first**2 + second**2 - 2.0 * correlation * first * second))


def total_variation(first: Counts, second: Counts, *, rng: np.random.Generator) -> TotalVariation:
    """Return the total variation between two vectors of shares, with its floor and bounds.

    Noise makes the plug-in value too large. A bootstrap of whole clusters shows by how much: from
    both sides pooled for the floor, from each side for the bounds. `high` is a quantile of the
    bootstrapped value, which contains the noise twice and is therefore conservative. `low` is the
    value minus a quantile of the distance between bootstrapped and observed differences. Below 20
    clusters the bounds are 0 and 1.

    Args:
        first: Counts of each class in each cluster, shape [cluster_count, class_count].
        second: The same for the other side, shape [other_cluster_count, class_count].
        rng: Draws the clusters.
    """
    level, method = _LEVEL, f"clusters drawn again {_DRAWS} times"
    few = min(len(first), len(second)) < _MIN_CLUSTERS
    if min(len(first), len(second)) < 2 or not (first.sum() and second.sum()):
        return TotalVariation(value=nan, floor=nan, low=0.0, high=1.0, level=level, method=method)
    observed = _shares(second.sum(axis=0)) - _shares(first.sum(axis=0))
    value = min(1.0, float(np.abs(observed).sum()) / 2.0)
    pooled = np.concatenate([first, second])
    null = _bootstrap(pooled, len(second), rng) - _bootstrap(pooled, len(first), rng)
    resampled = _bootstrap(second, len(second), rng) - _bootstrap(first, len(first), rng)
    spread = np.quantile(np.abs(resampled - observed).sum(axis=1) / 2.0, level)
    upper = np.quantile(np.abs(resampled).sum(axis=1) / 2.0, level)
    return TotalVariation(
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


def _bootstrap(counts: Counts, size: int, rng: np.random.Generator) -> Array:
    """Return shares of `size` clusters drawn with replacement, shape [draws, class_count]."""
    # Equal clusters are drawn together: six Piggles have few results.
    rows, often = np.unique(counts, axis=0, return_counts=True)
    weights = rng.multinomial(size, often / len(counts), size=_DRAWS)
    return _shares(weights @ rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """Dirichlet posterior of all shares together, from Jeffreys' prior."""

    alphas: tuple[float, ...]
    """Parameters in the order of the shares, scaled down where dice of a throw are alike."""
    intervals: tuple[Interval, ...]
    """Mean and equal-tailed interval of each share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """Agreement of two dice of one throw."""

    agreement: Interval
    """Share of pairs of one throw that show the same orientation, less what independent dice of
    the same shares would."""
    p_value: float
    """Probability of at least this agreement or disagreement if dice were independent."""
    pairs: int


def posterior_of(
    sums: Sequence[Moments],
    *,
    single: bool,
    level: float,
    budgets: Sequence[Budget] | None = None,
) -> Posterior:
    """Return the Dirichlet posterior of all shares together, from Jeffreys' prior of 1/2 each.

    If dice of a throw are correlated, counts are first divided by the mean design effect of the
    shares (Rao and Scott 1981), at least 1: the posterior is then about as wide as the intervals
    by clusters. With `single`, all trials are independent. With `budgets` of the shares, their
    variances are used. Intervals are equal-tailed.
    """
    variances = [each.variance for each in budgets or sums]
    effect = 1.0 if single and budgets is None else _design_effect(sums, variances)
    alphas = tuple(moments.hits / effect + 0.5 for moments in sums)
    total = sum(alphas)
    intervals = tuple(
        Interval(
            value=alpha / total,
            low=_beta_quantile(alpha, total - alpha, (1.0 - level) / 2.0),
            high=_beta_quantile(alpha, total - alpha, (1.0 + level) / 2.0),
            level=level,
            method="Dirichlet, Jeffreys' prior",
        )
        if len(alphas) > 1
        else Interval(value=1.0, low=1.0, high=1.0, level=level, method="the only orientation")
        for alpha in alphas
    )
    return Posterior(alphas=alphas, intervals=intervals)


def _design_effect(sums: Sequence[Moments], variances: Sequence[float]) -> float:
    # Each share's effect counts by its 1 - share; these add up to one less than the shares.
    effects = [
        variance * moments.trials / moments.value
        for moments, variance in zip(sums, variances, strict=True)
        if 0 < moments.hits < moments.trials
    ]
    finite = [effect for effect in effects if isfinite(effect)]
    return max(1.0, sum(finite) / max(1, len(finite) - 1))


def independence_of(
    patterns: Mapping[tuple[int, ...], int], *, level: float
) -> Independence | None:
    """Return the excess of the agreement of two dice of a throw over that of independent dice.

    Dice of different throws are independent and have the same shares, so that their agreement
    estimates that of independent dice without bias. The interval is Student's, linearised, with
    throws as clusters: for independent dice the first-order noise of both cancels.

    `patterns` are numbers of throws by the number of dice that show each orientation.
    """
    if not patterns:
        # No die of the study ever showed anything.
        return None
    rows = np.array(list(patterns))
    frequency = np.array(list(patterns.values()), dtype=float)
    dice = rows.sum(axis=1)
    agreeing = (rows * (rows - 1.0)).sum(axis=1) / 2.0
    pairs = dice * (dice - 1.0) / 2.0
    throws, all_pairs, total = frequency.sum(), frequency @ pairs, frequency @ dice
    if not all_pairs:
        return None
    sums = frequency @ rows
    pairs_between = total**2 - frequency @ dice**2
    if not pairs_between:
        # One throw has all dice.
        return None
    within = (frequency @ agreeing) / all_pairs
    between = (sums @ sums - frequency @ (rows**2).sum(axis=1)) / pairs_between
    shares = sums / total
    influence = (agreeing - within * pairs) / all_pairs
    influence -= 2.0 * (rows - np.outer(dice, shares)) @ shares / total
    error = sqrt(throws / (throws - 1.0) * (frequency @ influence**2))
    value = float(within - between)
    # Where all dice ever showed the same, their correlation is unknown.
    spread = error if np.count_nonzero(sums) > 1 else nan
    agreement = student(value, spread, clusters=int(throws), level=level)
    size = abs(value) / error if error else (inf if value else 0.0)
    from scipy.special import stdtr

    return Independence(
        agreement=agreement,
        p_value=2.0 * float(stdtr(throws - 1.0, -size)),
        pairs=int(all_pairs),
    )


def normal_quantile(level: float) -> float:
    """Return the quantile of the standard normal for a two-sided interval of a level."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0)


# SciPy's functions take a quarter of a second to import, and the first throws need none of them.
# ruff: noqa: PLC0415


def _student_quantile(degrees_of_freedom: float, level: float) -> float:
    """Return the quantile of Student's t for a two-sided interval of a level."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1.0 + level) / 2.0))


def _beta_quantile(alpha: float, beta: float, probability: float) -> float:
    """Return a quantile of Beta(alpha, beta)."""
    from scipy.special import betaincinv

    return float(betaincinv(alpha, beta, probability))
