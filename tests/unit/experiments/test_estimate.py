"""Intervals hold the truth as often as they say, whatever the likeness within a cluster."""

from math import inf, isnan

import numpy as np
import pytest

from pigglesim.experiments.statistics import (
    Method,
    binomial,
    difference,
    distance,
    mean_of,
    share_of,
)

RUNS = 1000


def clustered(p, clusters, size, likeness, rng, runs=RUNS):
    """Beta-binomial hits, shape [runs, clusters]: `likeness` is the correlation in a cluster."""
    if likeness:
        scale = (1 - likeness) / likeness
        own = rng.beta(p * scale, (1 - p) * scale, (runs, clusters))
    else:
        own = np.full((runs, clusters), p)
    return rng.binomial(size, own)


@pytest.mark.slow
@pytest.mark.parametrize("likeness", [0.0, 0.1, 0.5])
@pytest.mark.parametrize(("p", "clusters"), [(0.5, 20), (0.5, 200), (0.08, 100), (0.02, 400)])
def test_share_intervals_hold_the_truth_as_often_as_they_say(p, clusters, likeness):
    rng = np.random.default_rng(4)
    trials = np.full(clusters, 6)
    shares = [share_of(hits, trials) for hits in clustered(p, clusters, 6, likeness, rng)]
    held = np.mean([share.low <= p <= share.high for share in shares])
    # Four standard errors of 1,000 runs are .03; discrete counts and the asymmetry of rare
    # shares, alike in clusters, take up to another .01.
    assert 0.91 <= held <= 0.99


def test_independent_trials_give_wilson_s_interval():
    # 200 clusters of one trial, 20 hits; Wilson (1927) with Student's 1.972 for z.
    hits = np.array([1] * 20 + [0] * 180)
    share = share_of(hits, np.ones(200, int))
    assert (share.low, share.high) == pytest.approx((0.0655, 0.1499), abs=5e-4)


@pytest.mark.slow
def test_differences_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(6)
    first = clustered(0.40, 120, 6, 0.1, rng)
    second = clustered(0.46, 80, 6, 0.1, rng)
    held = 0
    for a, b in zip(first, second, strict=True):
        found = difference(share_of(a, np.full(120, 6)), share_of(b, np.full(80, 6)))
        held += found.low <= 0.06 <= found.high
    assert 0.92 <= held / RUNS <= 0.98


def test_means_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(7)
    found = [mean_of(row) for row in rng.normal(3.0, 2.0, (RUNS, 12))]
    assert 0.92 <= np.mean([each.low <= 3.0 <= each.high for each in found]) <= 0.98


def multinomial(shares, clusters, rng):
    """Counts of clusters of six that are alike: two classes a cluster at most."""
    picks = rng.choice(len(shares), (clusters, 2), p=shares)
    return np.array([3 * np.bincount(pair, minlength=len(shares)) for pair in picks])


@pytest.mark.slow
def test_noise_alone_makes_the_floor():
    rng = np.random.default_rng(8)
    shares = np.array([0.5, 0.4, 0.1])
    found = [
        distance(multinomial(shares, 150, rng), multinomial(shares, 150, rng), rng=rng)
        for _ in range(100)
    ]
    values = np.array([each.value for each in found])
    floors = np.array([each.floor for each in found])
    assert floors.mean() == pytest.approx(values.mean(), abs=4 * values.std() / 100**0.5)
    # Nothing differs: neither bound may say so.
    assert np.mean([each.low > 0 for each in found]) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("moved", [0.02, 0.1, 0.3])
def test_the_bounds_of_a_distance_hold_at_least_as_often_as_they_say(moved):
    rng = np.random.default_rng(9)
    one, other = np.array([0.5, 0.4, 0.1]), np.array([0.5 - moved, 0.4 + moved, 0.1])
    found = [
        distance(multinomial(one, 150, rng), multinomial(other, 120, rng), rng=rng)
        for _ in range(100)
    ]
    # Three standard errors of 100 runs below .95.
    assert np.mean([moved <= each.high for each in found]) > 0.885
    assert np.mean([each.low <= moved for each in found]) > 0.885
    assert all(each.low <= each.value <= each.high for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize(("p", "trials"), [(0.5, 100), (0.08, 400), (0.02, 1000)])
def test_binomial_intervals_hold_the_truth_as_often_as_they_say(p, trials, method):
    rng = np.random.default_rng(10)
    found = [binomial(int(hits), trials, method=method) for hits in rng.binomial(trials, p, 2000)]
    # Three standard errors of 2,000 runs are .015; discrete counts add as much.
    assert 0.92 <= np.mean([each.low <= p <= each.high for each in found]) <= 0.98


@pytest.mark.parametrize("hits", [0, 6])
def test_all_or_none_is_not_certain(hits):
    share = share_of(np.full(100, hits), np.full(100, 6))
    assert 0.01 < share.high - share.low < 0.05
    assert share.low <= share.value <= share.high


def counts(*rows):
    return np.array(rows, dtype=np.int64)


KNOWN, UNKNOWN = mean_of(np.array([1.0, 2.0, 3.0])), mean_of(np.array([5.0]))


@pytest.mark.parametrize(
    ("found", "value", "low", "high"),
    [
        (share_of(counts(1), counts(2)), 0.5, 0.0, 1.0),
        (share_of(counts(0, 0, 0), counts(0, 0, 0)), None, 0.0, 1.0),
        (binomial(0, 0), None, 0.0, 1.0),
        (distance(counts([0, 0]), counts([1, 1]), rng=np.random.default_rng(1)), None, 0.0, 1.0),
        # Fewer than 20 clusters bound no distance.
        (
            distance(counts(*[[6, 0]] * 19), counts(*[[0, 6]] * 19), rng=np.random.default_rng(1)),
            1.0, 0.0, 1.0,
        ),
        (UNKNOWN, 5.0, -inf, inf),
        (difference(KNOWN, UNKNOWN), 3.0, -inf, inf),
        (difference(UNKNOWN, KNOWN, correlation=0.5), -3.0, -inf, inf),
    ],
    ids=range(8),
)  # fmt: skip
def test_too_little_data_bound_nothing(found, value, low, high):
    assert found.value == value or (value is None and isnan(found.value))
    assert (found.low, found.high) == (low, high)
