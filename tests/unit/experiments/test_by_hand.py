"""Estimates worked out by hand.

Three throws, of 1, 3 and 2 dice, show 1, 1 and 0 Snout-Up Piggles, so the share is 2/6 = 1/3. Each
throw differs from its expectation by r = hits - trials / 3: 2/3, 0 and -2/3. The variance of the
share is 3 / (3 - 1) * sum of r**2 / 6**2 = 3/2 * 8/9 / 36 = 1/27 (Cochran 1977, 6.3). Six
independent dice would have 1/3 * 2/3 / 6 = 1/27 too: the design effect is 1, and 6 dice count.
Student's quantile for 95 % and 2 degrees of freedom is 4.30265, the normal one 1.95996.
"""

from functools import partial
from math import asin, pi, sqrt

import duckdb
import numpy as np
import pytest
from scipy.stats import beta

from pigglesim.agents.search import RewardEstimate, paired_difference
from pigglesim.experiments.balance_findings import _spread
from pigglesim.experiments.balance_findings import fit as fit_values
from pigglesim.experiments.estimates import sql_text
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import (
    Budget,
    Coefficients,
    Method,
    Moments,
    binomial,
    budget_of_mean,
    budget_on,
    difference,
    entropy_of,
    independence_of,
    mean_from,
    mean_of,
    mean_within,
    mean_without,
    normal_quantile,
    plausible_share,
    posterior_of,
    share_from,
    share_of,
    share_within,
    share_without,
    student,
    total_variation,
)

HITS, DICE = np.array([1, 1, 0]), np.array([1, 3, 2])
T2, Z = 4.302653, 1.959964


def test_the_variance_of_three_throws():
    sums = Moments.of(HITS, DICE)
    assert (sums.clusters, sums.tried, sums.hits, sums.trials) == (3, 3, 2, 6)
    assert (sums.hits_hits, sums.hits_trials, sums.trials_trials) == (2, 4, 14)
    assert sums.variance == pytest.approx(1 / 27, rel=1e-12)
    assert sums.design_effect == pytest.approx(1.0, rel=1e-12)


def test_sums_of_parts_are_those_of_the_whole():
    parts = (Moments.of(HITS[part], DICE[part]) for part in (slice(0, 1), slice(1, 3)))
    assert sum(parts, start=Moments.independent(0, 0)) == Moments.of(HITS, DICE)


def test_dice_that_are_alike_count_as_one():
    # Throws of two alike dice, 2, 0 and 2 of them hits: r is 2/3, -4/3 and 2/3, and the variance
    # 3/2 * 24/9 / 36 = 1/9, twice that of three throws with n in place of n - 1; 2 dice count.
    sums = Moments.of(np.array([2, 0, 2]), np.array([2, 2, 2]))
    assert sums.variance == pytest.approx(1 / 9, rel=1e-12)
    assert sums.design_effect == pytest.approx(3.0, rel=1e-12)


def test_wilson_s_interval_of_three_throws_has_student_s_quantile():
    # Wilson: middle (p + q/2) / (1 + q), half t sqrt(p (1 - p) / n + q / 4n) / (1 + q), where
    # q = t**2 / n = 18.51282 / 6 = 3.085471: (0.333333 + 1.542735) / 4.085471 = 0.459205 and
    # 4.302653 * sqrt(0.037037 + 0.128561) / 4.085471 = 0.428571.
    share = share_of(HITS, DICE)
    assert share.value == pytest.approx(1 / 3)
    assert (share.low, share.high) == pytest.approx((0.030634, 0.887776), abs=2e-6)
    assert (share.clusters, share.trials, share.level) == (3, 6, 0.95)


def test_where_all_are_hits_each_throw_counts_as_one_die():
    # p = 1 and n = 2 throws with a die, of 3: low = n / (n + t**2) = 2 / 20.51282.
    share = share_of(np.array([2, 3, 0]), np.array([2, 3, 0]))
    assert (share.low, share.high) == (pytest.approx(2 / (2 + T2**2), abs=1e-6), 1.0)


def test_wilson_s_interval_of_independent_dice_has_the_normal_quantile():
    # 1 of 2: q = 3.841459 / 2 = 1.920729; middle 1/2; half 1.959964 sqrt(1/8 + 0.240091) / 2.920729
    # = 0.405469.
    share = binomial(1, 2)
    assert (share.low, share.high) == pytest.approx((0.094531, 0.905469), abs=2e-6)
    assert str(share) == "0.5 [0.1, 0.9]"
    assert normal_quantile(0.95) == pytest.approx(Z, abs=1e-6)
    assert normal_quantile(0.9) == pytest.approx(1.644854, abs=1e-6)


def test_no_bound_leaves_0_to_1_by_rounding():
    assert {binomial(0, trials).low for trials in range(1, 100)} == {0.0}
    assert {binomial(trials, trials).high for trials in range(1, 100)} == {1.0}


def test_a_printed_pig_needs_as_many_throws_as_its_page_says():
    # docs/how-to/print.md: about 0.07 from 200 throws, 0.03 from 1,000.
    arms = [(share.high - share.low) / 2 for share in (binomial(100, 200), binomial(500, 1000))]
    assert [round(arm, 2) for arm in arms] == [0.07, 0.03]


def arcsine(x):
    """Distribution function of Beta(3/2, 1/2)."""
    return 2 / pi * (asin(sqrt(x)) - sqrt(x * (1 - x)))


def test_jeffreys_interval_of_one_hit():
    # Beta(1 + 1/2, 0 + 1/2), which reaches to 1 where there is no miss.
    share = binomial(1, 1, method=Method.JEFFREYS)
    assert (arcsine(share.low), share.high) == (pytest.approx(0.025), 1.0)
    none = binomial(0, 1, method=Method.JEFFREYS)
    assert (none.low, arcsine(1.0 - none.high)) == (0.0, pytest.approx(0.025))


def test_jeffreys_interval_of_throws_is_that_of_fewer_dice():
    # Two throws, 1 of 1 and 1 of 1: two count, and Student's 12.7062 for the normal quantile makes
    # them 2 (1.959964 / 12.7062)**2 = 0.047588: Beta(0.547588, 0.5), whose low end is near 0.
    sums = Moments.of(np.array([1, 1]), np.array([1, 1]))
    share = share_from(sums, method=Method.JEFFREYS)
    from scipy import stats

    assert share.low == pytest.approx(stats.beta(0.547588, 0.5).ppf(0.025), rel=1e-4)


def test_the_mean_of_three_has_student_s_interval():
    # 1, 2 and 6: mean 3, variance (4 + 1 + 9) / 2 = 7, standard error sqrt(7 / 3) = 1.527525.
    found = mean_of([1, 2, 6])
    half = T2 * 1.527525
    assert (found.value, found.low, found.high) == pytest.approx((3, 3 - half, 3 + half), abs=1e-5)


def test_points_a_die_are_a_ratio():
    found = mean_from(Moments.of(HITS, DICE))
    half = T2 * sqrt(1 / 27)
    assert (found.value, found.high - found.value) == pytest.approx((1 / 3, half), abs=1e-6)


def test_a_standard_error_has_the_quantile_of_its_throws():
    for clusters, quantile in ((2, 12.7062), (3, T2), (11, 2.228139), (10**7, Z)):
        assert student(0.0, 1.0, clusters=clusters).method == "Student"
        assert student(0.0, 1.0, clusters=clusters).high == pytest.approx(quantile, abs=2e-5)
    assert student(0.0, 1.0, clusters=3, level=0.9).high == pytest.approx(2.919986, abs=1e-5)


@pytest.mark.parametrize(
    ("correlation", "below", "above"),
    [(0.0, sqrt(0.13), sqrt(0.02)), (0.5, sqrt(0.07), 0.1), (-1.0, 0.5, 0.2), (1.0, 0.1, 0.0)],
)
def test_a_difference_adds_the_arms_that_face_each_other(correlation, below, above):
    # 0.8 [0.5, 0.9] less 0.5 [0.4, 0.7]: 0.3 and 0.2 below, 0.1 and 0.1 above; squared and added,
    # less twice their product times the correlation.
    first, second = (
        Interval(value=v, low=low, high=high, level=0.95, method="")
        for v, low, high in ((0.5, 0.4, 0.7), (0.8, 0.5, 0.9))
    )
    found = difference(first, second, correlation=correlation)
    assert found.value == pytest.approx(0.3)
    assert (found.value - found.low, found.high - found.value) == pytest.approx((below, above))


def test_a_sum_of_coefficients_has_their_covariance():
    # Variances 4 and 9, covariance 1: of the difference 4 + 9 - 2, of the sum 4 + 9 + 2.
    found = Coefficients(
        values=np.array([5.0, 3.0]), covariance=np.array([[4.0, 1.0], [1.0, 9.0]]),
        clusters=3, level=0.95, method="",
    )  # fmt: skip
    for each, value, variance in (
        (found.difference(0, 1), 2.0, 11.0),
        (found.of(np.array([1.0, 1.0])), 8.0, 15.0),
        (found.coefficient(1), 3.0, 9.0),
    ):
        half = T2 * sqrt(variance)
        assert (each.value, each.high - value) == pytest.approx((value, half), rel=1e-6)


def test_two_dice_of_three_throws():
    # Throws show 2 up, 1 up and none: dice of one throw agree in 2 of 3 pairs. Of the 12 pairs of
    # dice of different throws 4 agree. Of their difference, 1/3, each throw has
    # (agreeing - 2/3) / 3 = 1/9, -2/9 and 1/9: the standard error is sqrt(3/2 * 6/81) = 1/3, and
    # t = 1. Beyond 1 lies 1 - 1 / sqrt(3) of Student's distribution with 2 degrees of freedom.
    found = independence_of({(2, 0): 1, (1, 1): 1, (0, 2): 1}, level=0.95)
    assert found.agreement.value == pytest.approx(1 / 3)
    assert found.agreement.high - found.agreement.value == pytest.approx(T2 / 3, abs=1e-6)
    assert found.p_value == pytest.approx(1 - 1 / sqrt(3))
    assert found.pairs == 3


def test_dice_that_always_differ_are_not_independent():
    # All throws show one of each: never alike, where independent dice would be half of the time.
    found = independence_of({(1, 1): 3}, level=0.95)
    assert (found.agreement.value, found.p_value) == (-0.5, 0.0)


def test_the_only_orientation_is_certain():
    sums = [Moments.of(DICE, DICE)]
    (only,) = posterior_of(sums, single=True, level=0.95).intervals
    assert (only.value, only.low, only.high) == (1.0, 1.0, 1.0)
    assert only.method == "the only orientation"


def test_the_posterior_has_fewer_dice_by_the_design_effect():
    # Hits 4 and 2 of 6 alike dice: both design effects are 3, so the posterior is Beta of 4/3 + 1/2
    # and 2/3 + 1/2; its mean is (11/6) / 3.
    hits = np.array([2, 0, 2])
    sums = [Moments.of(each, np.array([2, 2, 2])) for each in (hits, 2 - hits)]
    found = posterior_of(sums, single=False, level=0.95)
    assert found.alphas == pytest.approx((11 / 6, 7 / 6))
    assert found.intervals[0].value == pytest.approx(11 / 18)
    assert found.intervals[0].method == "Dirichlet, Jeffreys' prior"
    assert posterior_of(sums, single=True, level=0.95).alphas == (4.5, 2.5)


def test_the_distance_of_shares():
    # 3/4, 1/4, 0 and 1/4, 1/4, 1/2 of the dice: half of 1/2 + 0 + 1/2. Where no cluster differs
    # from another nothing varies, and the bounds meet in the value.
    first, second = np.array([[3, 1, 0]] * 20), np.array([[1, 1, 2]] * 20)
    found = total_variation(first, second, rng=np.random.default_rng(1))
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_the_bounds_of_a_distance():
    # 200 and 280 of 400 dice: 1/5 apart, with a standard error of sqrt(0.25/400 + 0.21/400). The
    # noise of the distance is as large either way, so low is 1.96 errors below, and high is 1.645
    # above. Of two halves of all, 3/5 each, the distance is a normal number without its sign.
    first, second = (np.repeat(np.eye(2, dtype=int), [k, 400 - k], axis=0) for k in (200, 280))
    found = total_variation(first, second, rng=np.random.default_rng(1))
    error, pooled = sqrt(0.46 / 400), sqrt(2 * 0.24 / 400)
    assert found.value == pytest.approx(0.2)
    # A quantile of drawn distances errs by a twentieth of them.
    assert found.low == pytest.approx(0.2 - Z * error, abs=0.1 * error)
    assert found.high == pytest.approx(0.2 + 1.644854 * error, abs=0.1 * error)
    assert found.floor == pytest.approx(sqrt(2 / pi) * pooled, abs=0.05 * pooled)
    assert "clusters drawn again" in found.method


def test_the_variance_between_two_floors():
    # 1 and 3 on one floor, 8 on another: less their mean -3, -1 and 4, with sums -4 and 4. Squares
    # between are 16 / 2 + 16 = 24 of 26, so within a floor 2 / (3 - 2). A floor has 3 - 5/3 = 4/3
    # throws; counting is 2/3, floors (24 - 2) / (4/3). The error is sqrt(2) times both per floor,
    # where counting is that of 3/2 throws.
    found = budget_of_mean(np.array([1.0, 3.0, 8.0]), np.array([0, 0, 2]))
    assert (found.counting, found.floors) == pytest.approx((2 / 3, 16.5), rel=1e-12)
    assert found.floors_error == pytest.approx(sqrt(2) * (16.5 + 4 / 3), rel=1e-12)
    # Satterthwaite has 2 (17.1667 / 25.22)**2 = 0.93 degrees of freedom; at least four count.
    assert mean_within(4.0, found).high == pytest.approx(
        4 + 2.776445 * sqrt(2 / 3 + 16.5), rel=1e-6
    )
    assert mean_within(4.0, found).method == "Student"
    # As shares: the same hits and dice on two floors.
    shares = budget_on([Moments.of(HITS[:2], DICE[:2]), Moments.of(HITS[2:], DICE[2:])])
    # r is 2/3, 0 and -2/3 of 6 dice in 3 throws: 1/3, 0 and -1/3 of a mean throw; sums 1/3, -1/3.
    # Between 1/18 + 1/9 = 1/6 of 2/9; within 1/18; floors (1/6 - 1/18) / (4/3) = 1/12.
    assert (shares.counting, shares.floors) == pytest.approx((1 / 54, 1 / 12), rel=1e-12)
    nothing = budget_on([Moments.independent(0, 0)] * 2)
    assert np.isnan(nothing.counting) and nothing.floors == 0.0


def test_the_variance_between_three_floors():
    # Floors of 0 and 2, 3 and 5, 6 and 8: 2 within; between, 2 (9 + 0 + 9) / 2 = 18 = 2 + 2 * 8.
    # The error is sqrt(2 / (3 - 1)) times both per floor, where counting is that of two throws.
    found = budget_of_mean(np.array([0.0, 2.0, 3.0, 5.0, 6.0, 8.0]), np.repeat([0, 1, 2], 2))
    assert (found.counting, found.floors, found.floors_error) == pytest.approx((1 / 3, 8.0, 9.0))


def test_the_law_and_the_mesh_add_to_the_error_of_a_share():
    found = Budget(counting=1e-4, floors=4e-4).of_share(0.25, model_throws=1000.0, mesh=0.03)
    assert found.variance == pytest.approx(1e-4 + 4e-4 + 0.25 * 0.75 / 1000 + 9e-4, rel=1e-12)
    assert found.deviations()["mesh"] == pytest.approx(0.03, rel=1e-12)


def test_a_share_within_its_budget_is_worth_its_variance():
    # 1/4 * 3/4 / 0.01 = 18.75 trials: a Beta distribution of 17.75 in all.
    sums, budget = Moments.independent(2, 8), Budget(counting=0.004, floors=0.006)
    found = share_within(sums, budget, model_throws=100.0)
    bounds = beta(17.75 / 4, 17.75 * 3 / 4).ppf([0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(bounds, rel=1e-6)
    assert (found.value, found.clusters, found.trials) == (0.25, 8, 8)
    # Where none or all are hits: 1 / (1/8 + 1/100) trials, and Jeffreys' bound.
    worth, unseen = 1 / (1 / 8 + 1 / 100), Budget(counting=0.0, floors=0.0)
    none = share_within(Moments.independent(0, 8), budget, model_throws=100.0)
    every = share_within(Moments.independent(8, 8), unseen, model_throws=100.0)
    assert (none.low, none.high) == (0.0, pytest.approx(beta(0.5, worth + 0.5).ppf(0.975)))
    assert (every.low, every.high) == (pytest.approx(beta(worth + 0.5, 0.5).ppf(0.025)), 1.0)
    empty = share_within(Moments.independent(0, 0), unseen, model_throws=100.0)
    assert (empty.low, empty.high, empty.trials) == (0.0, 1.0, 0)


def test_results_without_their_control():
    # The slope for each is that of the other three, by least squares.
    results, control = np.array([0.2, 0.9, 0.4, 0.8]), np.array([-1.0, 1.5, -0.7, 0.4])
    others = [np.arange(4) != k for k in range(4)]
    slopes = [np.polyfit(control[each], results[each], 1)[0] for each in others]
    left = results - slopes * control
    mean, error = left.mean(), left.std(ddof=1) / 2
    found = mean_without(results, control, level=0.9)
    assert (found.value, found.low) == pytest.approx((mean, mean - 2.919986 * error), rel=1e-6)
    # Wilson's interval of mean (1 - mean) / error**2 trials, with Student's quantile for 2 degrees.
    share, ratio = share_without(results, control, level=0.9), 2.919986**2 * error**2
    ratio /= mean * (1 - mean)
    assert share.high + share.low == pytest.approx((2 * mean + ratio) / (1 + ratio), rel=1e-6)
    assert (share.value, share.level) == (pytest.approx(mean), 0.9)
    assert share.method == "control variate, Wilson"
    # A control that does not vary takes out nothing.
    assert mean_without(results, [0.5] * 4).value == pytest.approx(results.mean(), rel=1e-12)
    # For the one result whose control is not 0, no other shows a slope.
    assert mean_without(results, [5, 0, 0, 0]).value == pytest.approx(results.mean(), rel=1e-12)


def test_the_entropy_of_four_trials():
    # 3 of 4: 2 - 3/4 log2(3) = 0.811278 bit, and 1 / (8 ln 2) = 0.180337 for the second class. A
    # likelihood ratio of 8 ln 2 (1 - 0.811278) = 1.0465 does not reject equal shares (3.84).
    found = entropy_of([3, 1], rng=np.random.default_rng(1))
    assert (found.value, found.high) == (pytest.approx(0.991615, abs=1e-6), 1.0)
    # The posterior of a class is Beta(3 1/2, 1 1/2), whose entropy is symmetric about 1/2.
    shares = np.linspace(0.0, 1.0, 100_001)[1:-1]
    bits = -shares * np.log2(shares) - (1 - shares) * np.log2(1 - shares)
    order = np.argsort(bits)
    mass = np.cumsum(beta(3.5, 1.5).pdf(shares[order])) * 1e-5
    lowest = bits[order][np.searchsorted(mass, 0.025)]
    assert found.low == pytest.approx(lowest, abs=0.02)
    # 40 of 40: no correction, and 55 rejects equal shares. The posterior of the other class is
    # Beta(1/2, 40 1/2), whose entropy grows where it has any mass.
    certain, most = entropy_of([40, 0], rng=np.random.default_rng(1)), beta(0.5, 40.5).ppf(0.975)
    assert (certain.value, certain.low) == (0.0, 0.0)
    assert certain.method == "Miller; Dirichlet, Perks' prior"
    bits = -most * np.log2(most) - (1 - most) * np.log2(1 - most)
    assert certain.high == pytest.approx(bits, abs=0.02)


@pytest.mark.parametrize(
    ("counts", "value", "high"),
    [([7], 0.0, 0.0), ([], None, 0.0), ([0], None, 0.0), ([0, 0], None, 1.0)],
)
def test_the_entropy_of_one_class_and_of_no_trials(counts, value, high):
    found = entropy_of(counts, rng=np.random.default_rng(1))
    assert found.value == value or (value is None and np.isnan(found.value))
    assert (found.low, found.high, found.level) == (0.0, high, 0.95)
    assert found.method == entropy_of([1, 1], rng=np.random.default_rng(1)).method


def test_a_share_worth_two_trials_is_a_beta_of_one():
    known = plausible_share(0.3, 2.0, level=0.9)
    assert (known.clusters, known.trials) == (2, 2)
    assert (known.low, known.high) == pytest.approx(beta(0.3, 0.7).ppf([0.05, 0.95]), rel=1e-6)


@pytest.mark.parametrize("worth", [30.0, 100.0])
@pytest.mark.parametrize("share", [0.02, 0.3])
def test_a_share_worth_some_trials_covers_a_truth_that_strays_as_far(share, worth):
    known = plausible_share(share, worth, level=0.9)
    low, high = beta(worth * share, worth * (1.0 - share)).cdf([known.low, known.high])
    # A little more, as the truth of so many trials varies as one over one more of them. Wilson's
    # interval covers 0.77 at the rarest share for 0.95.
    assert 0.9 <= high - low <= 0.91
    assert low == pytest.approx(0.05, abs=0.01)
    assert known.level == 0.9


ROUGH, FREE = Budget(counting=0.004, floors=0.006), Budget(counting=0.0, floors=0.0)


@pytest.mark.parametrize(
    ("find", "method"),
    [
        (partial(share_of, HITS, DICE), "ratio of clusters, Wilson"),
        (partial(share_from, Moments.of(HITS, DICE), method=Method.JEFFREYS),
         "ratio of clusters, Jeffreys"),
        (partial(binomial, 1, 3), "Wilson"),
        (partial(binomial, 1, 3, method=Method.JEFFREYS), "Jeffreys"),
        (partial(plausible_share, 0.3, 9.0), "Beta"),
        (partial(share_within, Moments.independent(2, 8), ROUGH, model_throws=9.0), "Beta"),
        (partial(share_within, Moments.independent(0, 8), FREE, model_throws=9.0), "Beta"),
        (partial(share_within, Moments.independent(8, 8), FREE, model_throws=9.0), "Beta"),
        (partial(share_within, Moments.of(HITS, 0 * DICE), FREE, model_throws=9.0),
         "ratio of clusters, Wilson"),
        (partial(mean_within, 0.3, ROUGH), "Student"),
        (partial(mean_of, HITS), "Student"),
        (partial(mean_from, Moments.of(HITS, DICE)), "Student"),
        (partial(mean_without, [0.2, 0.9, 0.4, 0.8], [-1.0, 1.5, -0.7, 0.4]), "control variate"),
        (partial(share_without, [0.2, 0.9, 0.4, 0.8], [-1.0, 1.5, -0.7, 0.4]),
         "control variate, Wilson"),
    ],
)  # fmt: skip
def test_an_interval_has_its_method_and_the_level_that_is_asked(find, method):
    usual, narrow = find(), find(level=0.5)
    assert (usual.level, narrow.level) == (0.95, 0.5)
    assert usual.method == narrow.method == method
    assert usual.value == pytest.approx(narrow.value, nan_ok=True)
    if np.isfinite(usual.value):
        assert narrow.high - narrow.low < 0.9 * (usual.high - usual.low)


@pytest.mark.parametrize(("correlation", "method"), [(0.0, "Newcombe"), (0.5, "Newcombe, pairs")])
def test_a_difference_has_the_level_of_its_sides(correlation, method):
    sides = binomial(2, 8, level=0.8), binomial(3, 8, level=0.8)
    found = difference(*sides, correlation=correlation)
    assert (found.level, found.method) == (0.8, method)


@pytest.mark.parametrize("end", [1.0, 0.0])
def test_a_share_without_luck_is_cut_at_its_ends(end):
    # All had bad luck, and would have won more than all without it; or lost more than all.
    results = np.array([1.0, 1.0, 0.9, 0.8])
    results, control = (results if end else 1.0 - results), [-1.0, -2.0, -8.0, -9.0]
    assert abs(mean_without(results, control).value - 0.5) > 0.51
    # Wilson's interval of 4 of 4, or of 0 of 4.
    found, arm = share_without(results, control), T2**2 / (4 + T2**2)
    bounds = (end - arm, end) if end else (end, end + arm)
    assert (found.value, found.low, found.high) == pytest.approx((end, *bounds), abs=1e-6)


@pytest.mark.parametrize(
    ("floors", "counting"),
    [([0, 1, 2], 7 / 3), ([5, 5, 5], 7 / 3), ([0], 0.0)],
    ids=["one throw on each", "one floor", "one throw"],
)
def test_too_few_throws_or_floors_show_no_spread_between_floors(floors, counting):
    # 1, 2 and 6 vary by 14 / 2, and their mean by a third of that.
    found = budget_of_mean(np.array([1.0, 2.0, 6.0])[: len(floors)], np.array(floors))
    assert found.counting == pytest.approx(counting)
    assert (found.floors, found.floors_error) == (0.0, 0.0)


def test_shares_that_do_not_vary_have_no_design_effect():
    none, every = (Moments.of(hits, DICE) for hits in (0 * DICE, DICE))
    assert posterior_of([none, every], single=False, level=0.9).alphas == (0.5, 6.5)
    # One share of two halves with its complement: the third, of no die, does not count.
    hits = np.array([2, 0, 2])
    sums = [Moments.of(each, np.array([2, 2, 2])) for each in (hits, 2 - hits, 0 * hits)]
    assert posterior_of(sums, single=False, level=0.9).alphas == pytest.approx((11 / 6, 7 / 6, 0.5))
    # 1 and 5 of 6 dice: the variance of both is 1/36, and the effects 1 and 1/5 add up.
    rare = [Moments.of(np.array(each), np.full(3, 2)) for each in ([1, 0, 0], [1, 2, 2])]
    assert posterior_of(rare, single=False, level=0.9).alphas == pytest.approx((4 / 3, 14 / 3))
    with pytest.raises(ValueError, match="shorter"):
        posterior_of(sums, single=False, level=0.9, budgets=[ROUGH])


def test_dice_that_show_one_thing_alone_have_an_unknown_likeness():
    found = independence_of({(2, 0): 3}, level=0.9)
    assert (found.agreement.value, found.p_value, found.agreement.level) == (0.0, 1.0, 0.9)
    assert np.isnan(found.agreement.low) and np.isnan(found.agreement.high)


@pytest.mark.parametrize(
    "patterns", [{}, {(1, 0): 5, (0, 1): 4}, {(2, 0): 1}, {(2, 0): 1, (0, 0): 1}]
)
def test_dice_without_pairs_in_throws_and_between_them_have_no_likeness(patterns):
    assert independence_of(patterns, level=0.95) is None


def test_two_throws_show_a_likeness_and_any_number_of_them_the_same():
    two = independence_of({(2, 0): 1, (0, 2): 1}, level=0.95)
    # Pairs of a throw are alike, and those of dice of both throws never.
    assert two.agreement.value == 1.0
    many = independence_of({(2, 0): 10**10, (0, 2): 10**10}, level=0.95)
    assert many.agreement.value == pytest.approx(0.5)


def test_the_spread_of_three_scores():
    # 0, 3 and 6: mean squares 9, 0 and 9 about the mean; deviation sqrt(18 / 2) = 3. The squares
    # have a deviation of sqrt(54 / 2), so a standard error of 3; their root one of 3 / (2 * 3).
    found = _spread(np.array([[0.0], [3.0], [6.0]]), 0.95)
    assert (found.mean.value, found.deviation.value) == (3.0, 3.0)
    assert found.deviation.high - 3.0 == pytest.approx(T2 / 2, abs=1e-6)


def test_the_spread_of_two_matches_and_of_equal_scores():
    # 0, 0 and 4, 0: mean squares 1 and 5 about 1; deviation sqrt(6). The squares have a standard
    # error of sqrt(8 / 2) = 2, their root one of 2 / (2 sqrt(6)); t is 12.7062 for two.
    found = _spread(np.array([[0.0, 0.0], [4.0, 0.0]]), 0.95).deviation
    assert found.value == pytest.approx(sqrt(6))
    assert found.high - sqrt(6) == pytest.approx(12.7062 / sqrt(6), abs=1e-4)
    equal = _spread(np.full((3, 2), 7.0), 0.95).deviation
    assert (equal.low, equal.high) == (0.0, 0.0)


def test_the_values_of_pieces_are_least_squares():
    # 1, 1 and 2 more of a piece, leads of 1, 2 and 2: 7/6 each; residuals -1/6, 5/6 and -1/3.
    found = fit_values(np.array([[1.0], [1.0], [2.0]]), np.array([1.0, 2.0, 2.0]))
    assert found.values[0] == pytest.approx(7 / 6)
    # Leverages 1/6, 1/6 and 2/3. HC3 divides each residual by 1 less its leverage: -1/5, 1 and -1.
    # Weighted by 1, 1 and 4: 1/25 + 1 + 4 = 126/25, over the square of 6.
    assert found.covariance[0, 0] == pytest.approx(126 / 25 / 36)
    half = T2 * sqrt(126 / 25 / 36)
    assert found.coefficient(0).high - 7 / 6 == pytest.approx(half, abs=1e-5)
    assert found.coefficient(0).method == "regression, HC3, Student"


def test_a_win_probability_of_four_playouts():
    # Rewards 1, 1, 1 and 0: the mean is 3/4, the spread 3/16; with one more 0 and 1 the share is
    # 4/6 and its spread 2/9, which is more: the standard error is sqrt(2/9 / 3).
    estimate = RewardEstimate()
    for reward in (1.0, 1.0, 1.0, 0.0):
        estimate.add(reward)
    assert (estimate.mean, estimate.error) == pytest.approx((0.75, sqrt(2 / 27)))
    low, high = estimate.interval()
    assert (low, high) == (0.0, 1.0)
    for reward in (1.0, 0.0) * 30:
        estimate.add(reward)
    # 33 of 64: spread 33 * 31 / 64**2, and 34 * 32 / 66**2 with two more is less than 1/10**4 more.
    error = sqrt(34 * 32 / 66**2 / 63)
    half = 1.998341 * error
    assert estimate.interval() == pytest.approx((33 / 64 - half, 33 / 64 + half))


def test_a_loss_is_a_mean_of_paired_differences():
    # Differences 1, 0, 0 and 1: mean 1/2, spread 1/4, standard error sqrt(1/4 / 3); the fifth
    # reward has no partner.
    assert paired_difference([1, 1, 0, 1], [0, 1, 0, 0, 1], weight=1) == pytest.approx(
        (0.5, sqrt(1 / 12))
    )
    # Where all are equal, the spread is that of one more differing game: 1 / (3 + 1) of three.
    assert paired_difference([1, 1, 0], [1, 1, 0], weight=1) == pytest.approx((0.0, sqrt(1 / 8)))


@pytest.mark.parametrize("text", ["", "plastic", "pig's", "''; DROP TABLE throws; --"])
def test_a_name_with_quotes_is_that_name_in_sql(text):
    assert duckdb.sql(f"SELECT {sql_text(text)}").fetchall() == [(text,)]
