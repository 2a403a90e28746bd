"""Counts against shares: closed forms, another library's exact tests, and rates of false alarms."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy.stats import binomtest

from pigglesim.experiments.fairness import FairnessTest, compare_counts
from tests.support.front_door import run_here


def test_the_chi_square_of_six_counts_by_hand():
    found = compare_counts([18, 25, 15, 17, 14, 31])
    # 20 expected of each: (4 + 25 + 25 + 9 + 36 + 121) / 20 on 5 degrees of freedom.
    assert found.statistic == pytest.approx(11.0)
    # The survival function for 5 degrees of freedom in closed form.
    half = 11.0 / 2
    tail = math.erfc(math.sqrt(half)) + math.exp(-half) * (
        math.sqrt(half) / math.gamma(1.5) + half**1.5 / math.gamma(2.5)
    )
    assert found.p_value == pytest.approx(tail, rel=1e-9)
    assert found.test is FairnessTest.CHI_SQUARE
    assert [share.value for share in found.shares] == [n / 120 for n in (18, 25, 15, 17, 14, 31)]


@pytest.mark.parametrize("hits", range(9))
def test_of_two_equal_classes_the_exact_test_is_the_binomial_one(hits):
    found = compare_counts([hits, 8 - hits])
    assert found.test is FairnessTest.EXACT
    assert found.p_value == pytest.approx(binomtest(hits, 8).pvalue)


def test_the_exact_test_sums_every_outcome_as_far_off():
    counts, shares = (1, 4, 0), (0.5, 0.3, 0.2)

    def statistic(seen):
        return sum((n - 5 * p) ** 2 / (5 * p) for n, p in zip(seen, shares, strict=True))

    # All sequences of five throws, one by one.
    total = 0.0
    for throws in itertools.product(range(3), repeat=5):
        seen = [throws.count(k) for k in range(3)]
        if statistic(seen) >= statistic(counts) - 1e-12:
            total += math.prod(shares[k] for k in throws)
    # Weights count, not their sum.
    assert compare_counts(counts, (5, 3, 2)).p_value == pytest.approx(total)


def test_many_classes_with_few_throws_are_simulated():
    found = compare_counts([2] * 50)
    assert found.test is FairnessTest.SIMULATED
    assert found.p_value == 1.0
    far = compare_counts([100] + [0] * 49)
    assert far.p_value == pytest.approx(1e-5, rel=1e-4)


@pytest.mark.parametrize(("throws", "shares"), [(60, [1, 1, 1, 1, 1, 1]), (9, [3, 2, 1])])
def test_a_true_die_is_rejected_as_rarely_as_the_p_value_says(throws, shares):
    rng = np.random.default_rng(5)
    p = np.array(shares) / sum(shares)
    samples = rng.multinomial(throws, p, size=400)
    values = [compare_counts(row.tolist(), shares).p_value for row in samples]
    # Four standard deviations above the nominal rate; an exact test is conservative.
    assert np.mean(np.array(values) <= 0.05) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400)
    assert np.mean(np.array(values) <= 0.5) > 0.25


def test_fair_prints_a_table_json_and_a_picture(tmp_path):
    counts = ["18", "25", "15", "17", "14", "31"]
    text = run_here("fair", *counts).stdout
    assert "p = 0.0514" in text and "do not speak against equal shares" in text
    assert text.count(" *\n") == 1  # the last class alone
    assert "1 degree of freedom" in run_here("fair", "5", "6").stdout
    rounded = run_here("fair", "9", "9", "9", "--shares", ".33,.33,.33").stdout
    assert "do not speak against equal shares" in rounded
    named = ["--shares", "6,3,1", "--labels", "up,down,head"]
    picture = tmp_path / "fair.svg"
    done = run_here("fair", "61", "29", "10", *named, "--json", "--plot", picture)
    document = json.loads(done.stdout)
    assert document["labels"] == ["up", "down", "head"]
    assert document["expected"] == pytest.approx([0.6, 0.3, 0.1])
    assert document["shares"][0]["low"] < 0.61 < document["shares"][0]["high"]
    assert "down" in picture.read_text() and "p = " in picture.read_text()
