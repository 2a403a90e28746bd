"""Intervals hold the truth as often as they say, whatever the likeness within a cluster."""

import numpy as np
import pytest

from pigglesim.experiments.statistics import (
    Method,
    Moments,
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


@pytest.mark.parametrize("hits", [0, 6])
def test_all_or_none_is_not_certain(hits):
    share = share_of(np.full(100, hits), np.full(100, 6))
    assert 0.01 < share.high - share.low < 0.05
    assert share.low <= share.value <= share.high


def test_too_little_to_tell_is_anything():
    assert (
        share_of(np.array([1]), np.array([2])).low,
        share_of(np.array([1]), np.array([2])).high,
    ) == (0, 1)
    nothing = share_of(np.zeros(3, int), np.zeros(3, int))
    assert np.isnan(nothing.value)
    assert (nothing.low, nothing.high) == (0.0, 1.0)


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


def test_a_distance_of_nothing_is_anything():
    found = distance(np.zeros((1, 3), int), np.ones((4, 3), int), rng=np.random.default_rng(1))
    assert (found.low, found.high) == (0.0, 1.0)


def test_few_clusters_bound_no_distance():
    found = distance(
        np.tile([6, 0], (19, 1)), np.tile([0, 6], (19, 1)), rng=np.random.default_rng(1)
    )
    assert (found.value, found.low, found.high) == (1.0, 0.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize(("p", "trials"), [(0.5, 100), (0.08, 400), (0.02, 1000)])
def test_binomial_intervals_hold_the_truth_as_often_as_they_say(p, trials, method):
    rng = np.random.default_rng(10)
    found = [binomial(int(hits), trials, method=method) for hits in rng.binomial(trials, p, 2000)]
    # Three standard errors of 2,000 runs are .015; discrete counts add as much.
    assert 0.92 <= np.mean([each.low <= p <= each.high for each in found]) <= 0.98


def test_nothing_tried_is_anything():
    assert (binomial(0, 0).low, binomial(0, 0).high) == (0.0, 1.0)
    assert np.isnan(binomial(0, 0).value)
    assert np.isnan(Moments.of(np.ones(1, int), np.ones(1, int)).variance)


def test_a_difference_with_what_is_not_known_is_anything():
    known, unknown = mean_of(np.array([1.0, 2.0, 3.0])), mean_of(np.array([5.0]))
    assert (unknown.low, unknown.high) == (-np.inf, np.inf)
    found = difference(known, unknown)
    assert (found.value, found.low, found.high) == (3.0, -np.inf, np.inf)
    back = difference(unknown, known, correlation=0.5)
    assert (back.value, back.low, back.high) == (-3.0, -np.inf, np.inf)
