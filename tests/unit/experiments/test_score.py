"""Scores of predictions: known answers, invariants, and p-values that are uniform when right."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from pigglesim.experiments.counted_dice import best_matching, deficit, score, total_variation


def rng(seed=0):
    return np.random.default_rng(seed)


def test_chi_square_of_exact_shares_is_scipy_s():
    counts, shares = [30, 50, 40], [0.3, 0.3, 0.4]
    expected = stats.chisquare(counts, 120 * np.array(shares)).pvalue
    assert score(counts, shares, throws=None, rng=rng()).p == pytest.approx(expected)


def test_as_many_throws_as_counts_is_the_test_of_two_samples():
    # Two samples of n each, pooled: to first order the chi-square of a 2 x k table.
    counts, hits = np.array([300, 520, 380]), np.array([330, 470, 400])
    found = score(counts.tolist(), (hits / 1200).tolist(), throws=1200, rng=rng())
    table = stats.chi2_contingency(np.stack([counts, hits]), correction=False).pvalue
    assert found.p == pytest.approx(table, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("throws", "matched"), [(None, False), (2000, False), (2000, True)])
def test_p_is_uniform_when_the_prediction_is_right(throws, matched):
    truth, total = np.array([0.3, 0.34, 0.36]), 330
    source, found = rng(7), []
    for k in range(250):
        shares = source.multinomial(throws, truth) / throws if throws else truth
        counts = source.multinomial(total, truth)
        if matched:
            order = best_matching(counts.tolist(), shares.tolist())
            counts = counts[list(order)]
        found.append(
            score(counts.tolist(), shares.tolist(), throws=throws, matched=matched, rng=rng(k)).p
        )
    assert stats.kstest(found, "uniform").pvalue > 1e-3


def test_a_deficit_is_at_least_what_its_total_variation_demands():
    # Pinsker: the divergence is at least 2 TV^2, for any prediction.
    source = rng(3)
    for _ in range(50):
        counts, shares = source.integers(1, 90, 4), source.dirichlet(np.ones(4))
        observed = counts / counts.sum()
        least = 2 * counts.sum() * total_variation(observed, shares) ** 2
        assert deficit(counts, shares) >= least - 1e-9


def test_the_best_matching_has_the_least_deficit_of_all():
    source = rng(4)
    for _ in range(30):
        counts, shares = source.integers(1, 90, 4), source.dirichlet(np.ones(4))
        chosen = counts[list(best_matching(counts.tolist(), shares.tolist()))]
        every = [deficit(np.array(order), shares) for order in permutations(counts)]
        assert deficit(chosen, shares) == pytest.approx(min(every))
