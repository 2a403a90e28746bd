"""Estimates against closed forms, rows and simulations: shares, means, distances and ratings."""

from functools import partial
from math import inf, isnan, log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pigglesim.experiments.estimates import Counts, answer, count_throws
from pigglesim.experiments.statistics import (
    Method,
    Moments,
    binomial,
    difference,
    independence_of,
    mean_of,
    posterior_of,
    share_from,
    share_of,
    total_variation,
)
from pigglesim.experiments.tournament import MeetingPoints, rate
from tests.support.throws_table import POSES, ZONES, connection_with, random_pours

RUNS = 1000


def clustered(p, clusters, size, likeness, rng, runs=RUNS):
    """Beta-binomial hits, shape [runs, clusters]: `likeness` is the correlation in a cluster."""
    if likeness:
        scale = (1 - likeness) / likeness
        own = rng.beta(p * scale, (1 - p) * scale, (runs, clusters))
    else:
        own = np.full((runs, clusters), p)
    return rng.binomial(size, own)


@pytest.mark.parametrize("likeness", [0.0, 0.1, 0.5])
@pytest.mark.parametrize(("p", "clusters"), [(0.5, 20), (0.5, 200), (0.08, 100), (0.02, 400)])
def test_share_intervals_cover_the_truth_at_their_level(p, clusters, likeness):
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


def test_intervals_of_differences_cover_the_truth_at_their_level():
    rng = np.random.default_rng(6)
    first = clustered(0.40, 120, 6, 0.1, rng)
    second = clustered(0.46, 80, 6, 0.1, rng)
    held = 0
    for a, b in zip(first, second, strict=True):
        found = difference(share_of(a, np.full(120, 6)), share_of(b, np.full(80, 6)))
        held += found.low <= 0.06 <= found.high
    assert 0.92 <= held / RUNS <= 0.98


def multinomial(shares, clusters, rng):
    """Counts of clusters of six that are alike: two classes a cluster at most."""
    picks = rng.choice(len(shares), (clusters, 2), p=shares)
    return np.array([3 * np.bincount(pair, minlength=len(shares)) for pair in picks])


def test_noise_alone_makes_the_floor():
    rng = np.random.default_rng(8)
    shares = np.array([0.5, 0.4, 0.1])
    found = [
        total_variation(multinomial(shares, 150, rng), multinomial(shares, 150, rng), rng=rng)
        for _ in range(100)
    ]
    values = np.array([each.value for each in found])
    floors = np.array([each.floor for each in found])
    assert floors.mean() == pytest.approx(values.mean(), abs=4 * values.std() / 100**0.5)
    # Nothing differs: neither bound may say so.
    assert np.mean([each.low > 0 for each in found]) < 0.1


@pytest.mark.parametrize("moved", [0.02, 0.1, 0.3])
def test_the_bounds_of_a_distance_hold_at_least_at_their_level(moved):
    rng = np.random.default_rng(9)
    one, other = np.array([0.5, 0.4, 0.1]), np.array([0.5 - moved, 0.4 + moved, 0.1])
    found = [
        total_variation(multinomial(one, 150, rng), multinomial(other, 120, rng), rng=rng)
        for _ in range(100)
    ]
    # Three standard errors of 100 runs below .95.
    assert np.mean([moved <= each.high for each in found]) > 0.885
    assert np.mean([each.low <= moved for each in found]) > 0.885
    assert all(each.low <= each.value <= each.high for each in found)


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize(("p", "trials"), [(0.5, 100), (0.08, 400), (0.02, 1000)])
def test_binomial_intervals_cover_the_truth_at_their_level(p, trials, method):
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


def distance(first, second):
    return total_variation(first, second, rng=np.random.default_rng(1))


def known():
    return mean_of(np.array([1.0, 2.0, 3.0]))


def unknown():
    return mean_of(np.array([5.0]))


@pytest.mark.parametrize(
    ("find", "value", "low", "high"),
    [
        (lambda: share_of(counts(1), counts(2)), 0.5, 0.0, 1.0),
        (lambda: share_of(counts(0, 0, 0), counts(0, 0, 0)), None, 0.0, 1.0),
        (lambda: binomial(0, 0), None, 0.0, 1.0),
        (lambda: distance(counts([0, 0]), counts([1, 1])), None, 0.0, 1.0),
        (lambda: distance(counts([0, 0], [0, 0]), counts([1, 1], [1, 0])), None, 0.0, 1.0),
        (lambda: distance(counts([0, 2], [0, 1]), counts([1, 1], [0, 2])), 0.25, 0.0, 1.0),
        # Fewer than 20 clusters bound no distance.
        (lambda: distance(counts(*[[6, 0]] * 19), counts(*[[0, 6]] * 19)), 1.0, 0.0, 1.0),
        (unknown, 5.0, -inf, inf),
        (lambda: difference(known(), unknown()), 3.0, -inf, inf),
        (lambda: difference(unknown(), known(), correlation=0.5), -3.0, -inf, inf),
    ],
)  # fmt: skip
def test_too_little_data_bound_nothing(find, value, low, high):
    found = find()
    assert found.value == value or (value is None and isnan(found.value))
    assert (found.low, found.high) == (low, high)
    assert (found.level, bool(found.method)) == (0.95, True)


def test_a_distance_from_nothing_has_no_floor():
    assert isnan(distance(counts([0, 0]), counts([1, 1])).floor)


def test_a_distance_is_at_most_one_by_rounding_too():
    # Sides that share no class: the sum of these shares is a little more than 2 in floating point.
    one, other = [20, 37, 23, 3, 13, 5], [19, 13, 6, 40, 17, 39, 35]
    first, second = counts(*[one + [0] * 7] * 20), counts(*[[0] * 6 + other] * 20)
    found = distance(first, second)
    assert found.value == found.high == 1.0


def rows_of(rows, cell):
    """Return the rows of a cell as dicts."""
    names = list(rows)
    every = (dict(zip(names, row, strict=True)) for row in zip(*rows.values(), strict=True))
    return [row for row in every if row["cell"] == cell]


def per_throw(rows, says):
    """Return the sum of a quantity over the dice of each throw."""
    found = {}
    for row in rows:
        found[row["trial"]] = found.get(row["trial"], 0) + int(says(row) or 0)
    return np.array(list(found.values()))


@pytest.mark.slow
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), dice=st.integers(1, 6), stood=st.sampled_from([0, 3]))
def test_every_share_of_pours_is_that_of_the_rows(seed, dice, stood):
    check_cells(seed, dice, stood, 0.95)


@pytest.mark.parametrize(("dice", "stood"), [(1, 3), (3, 0)])
def test_every_share_at_another_level_is_that_of_the_rows(dice, stood):
    check_cells(7, dice, stood, 0.8)


def check_cells(seed, dice, stood, level):
    """Compare every estimate of two cells with that of their rows."""
    share = partial(share_of, level=level)
    rows = random_pours(np.random.default_rng(seed), dice=dice, stood=stood)
    kind = "knock" if stood else "pour"
    connection = connection_with(rows)
    counted = count_throws(connection, kind=kind, factors=["model"])
    found = answer(connection, kind=kind, factors=["model"], level=level)
    assert [cell.factors["model"] for cell in found.cells] == ["model 0", "model 1"]
    assert [cell.cell for cell in found.cells] == [0, 1]
    assert found.level == level
    for cell in found.cells:
        whole = rows_of(rows, cell.cell)
        rolled = [row for row in whole if not row["standing"]]

        def hits(says, rolled=rolled):
            return per_throw(rolled, says)

        thrown, shown = hits(lambda _: True), hits(lambda row: row["orientation"] is not None)
        by_pose = [hits(lambda row, n=name: row["orientation"] == n) for name in POSES]
        assert counted.cells[cell.cell].patterns == patterns(np.transpose(by_pose))
        assert cell.independence == independence_of(patterns(np.transpose(by_pose)), level=level)
        assert (cell.throws, cell.dice) == (30 - cell.cell, thrown.sum())
        assert cell.orientations == tuple(POSES)
        assert cell.shares == tuple(
            share(hits(lambda row, n=name: row["orientation"] == n), shown) for name in POSES
        )
        zones = {zone: hits(lambda row, z=zone: row["zone"] == z) for zone in ZONES}
        assert cell.zones == {zone: share(count, thrown) for zone, count in zones.items()}
        assert cell.joint.orientations == (*POSES, "none")
        assert cell.joint.shares == tuple(
            tuple(
                share(
                    hits(lambda row, at=(name, zone): (row["orientation"], row["zone"]) == at),
                    thrown,
                )
                for zone in ZONES
            )
            for name in (*POSES, None)
        )
        board = hits(lambda row: row["zone"] != "off")
        leans = hits(lambda row: row["zone"] != "off" and (row["leaning"] or row["stacked"]))
        assert cell.leaning == share(leans, board)
        assert cell.off_board == share(thrown - board, thrown)
        assert cell.unsettled == sum(hits(lambda r: r["zone"] != "off" and not r["orientation"]))
        expected = mean_of(hits(lambda row: row["points"]).astype(float), level=level)
        for got, scale in ((cell.points_per_throw, 1), (cell.points_per_die, dice)):
            assert got.value * scale == pytest.approx(expected.value)
            assert got.low * scale == pytest.approx(expected.low)
        if stood:
            knocked = per_throw(whole, lambda row: row["knocked"])
            assert cell.knocked == share(knocked, np.full(cell.throws, stood))
            assert cell.knocks_per_throw.high == pytest.approx(mean_of(knocked, level=level).high)
        else:
            assert cell.knocked is cell.knocks_per_throw is None


def test_a_factor_may_have_a_quote_in_its_name():
    rows = random_pours(np.random.default_rng(5), cells=2, trials=5, dice=1)
    connection = connection_with(rows)
    connection.execute('ALTER TABLE throws RENAME model TO "mo""del"')
    found = answer(connection, kind="pour", factors=['mo"del'])
    assert [cell.factors for cell in found.cells] == [{'mo"del': "model 0"}, {'mo"del': "model 1"}]


def test_one_piggle_that_stood_is_enough_for_a_share_of_knocks():
    rows = random_pours(np.random.default_rng(5), cells=1, trials=1, dice=1, stood=1)
    (cell,) = answer(connection_with(rows), kind="knock", factors=[]).cells
    assert (cell.knocked.trials, cell.knocked.clusters) == (1, 1)


def test_knocks_are_counted_by_throw_and_by_piggle():
    rows = random_pours(np.random.default_rng(5), cells=1, trials=20, dice=2, stood=3)
    (cell,) = answer(connection_with(rows), kind="knock", factors=[]).cells
    knocked = per_throw(rows_of(rows, 0), lambda row: row["knocked"])
    assert cell.knocks_per_throw.value == pytest.approx(knocked.sum() / 20)
    assert cell.knocked == share_of(knocked, np.full(20, 3))
    assert cell.knocks_per_throw.high == pytest.approx(mean_of(knocked).high)


def test_an_orientation_that_only_one_part_has_is_added():
    some = Counts(throws=1, throws_shown=1, shown=2, shown_squares=4, hits={"up": (2, 4, 4)})
    more = Counts(throws=1, throws_shown=1, shown=1, shown_squares=1, hits={"down": (1, 1, 1)})
    assert (some + more).hits == {"up": (2, 4, 4), "down": (1, 1, 1)}
    assert (some + more).moments("down") == Moments.of(np.array([0, 1]), np.array([2, 1]))
    assert (some + more).moments("head") == Moments.of(np.array([0, 0]), np.array([2, 1]))
    assert (some + more).share("up") == share_of(np.array([2, 0]), np.array([2, 1]))


def test_contrasts_pair_the_trials_that_both_cells_have():
    rows = random_pours(np.random.default_rng(3), cells=3, trials=40)
    found = answer(connection_with(rows), kind="pour", factors=["model"])
    assert {(each.low, each.high) for each in found.contrasts} == {
        ("model 0", "model 1"),
        ("model 0", "model 2"),
    }
    assert {each.quantity for each in found.contrasts} == {
        *POSES,
        "points per die",
        "off the board",
    }
    (share,) = (
        each.difference
        for each in found.contrasts
        if (each.high, each.quantity) == ("model 2", "Snout-Up")
    )
    (h0, t0), (h1, t1) = (
        (
            per_throw(rows_of(rows, cell), lambda row: row["orientation"] == "Snout-Up"),
            per_throw(rows_of(rows, cell), lambda row: row["orientation"] is not None),
        )
        for cell in (0, 2)
    )
    r0, r1 = ((h - h.sum() / t.sum() * t) / t.sum() for h, t in ((h0, t0), (h1, t1)))
    covariance = len(r1) / (len(r1) - 1) * r0[: len(r1)] @ r1
    spread = Moments.of(h0, t0).variance * Moments.of(h1, t1).variance
    first, second = share_of(h0, t0), share_of(h1, t1)
    expected = difference(first, second, correlation=covariance / spread**0.5)
    for name in ("value", "low", "high"):
        assert getattr(share, name) == pytest.approx(getattr(expected, name))


def paired_drops(*cells):
    """Single dice of each cell that show these, trial by trial."""
    rows = random_pours(np.random.default_rng(1), cells=1, trials=sum(map(len, cells)), dice=1)
    rows["orientation"] = [name for cell in cells for name in cell]
    rows["cell"] = [at for at, cell in enumerate(cells) for _ in cell]
    rows["trial"] = [trial for cell in cells for trial in range(len(cell))]
    rows["model"] = [f"model {at}" for at in rows["cell"]]
    for name in ("zone", "leaning", "stacked", "points", "knocked"):
        rows[name] = [None] * len(rows["cell"])
    return connection_with(rows)


@pytest.mark.parametrize(
    ("second", "ratio"),
    [
        # Shares of 1/2 have arms of one length a, and those of a difference are a sqrt(2 - 2 r)
        # for a correlation r: pairing multiplies the width by sqrt(1 - r).
        ("1111" * 30 + "2222" * 30, 0.0),  # r = 1
        ("1112" * 30 + "2221" * 30, 0.5**0.5),  # r = 3/4 - 1/4
        ("1122" * 30 + "2211" * 30, 1.0),  # r = 0
        ("2222" * 30 + "1111" * 30, 2.0**0.5),  # r = -1: pairing makes it wider
    ],
)
def test_a_difference_shows_how_much_pairing_narrows_it(second, ratio):
    first = "1111" * 30 + "2222" * 30
    found = answer(paired_drops(first, second), kind="drop", factors=["model"]).contrasts
    assert [each.quantity for each in found] == ["1", "2"]
    for each in found:
        assert each.width_ratio == pytest.approx(ratio, abs=1e-6)
        wide = difference(binomial(120, 240), binomial(120, 240))
        assert each.difference.high - each.difference.low == pytest.approx(
            ratio * (wide.high - wide.low), abs=1e-6
        )


@pytest.mark.parametrize("second", ["1111", "2", "1"])
def test_an_unknown_correlation_is_not_shown(second):
    # A share of all or none does not vary, and one throw in common shows no correlation.
    found = answer(paired_drops("1212", second), kind="drop", factors=["model"]).contrasts
    assert {each.width_ratio for each in found} == {None}
    for each in found:
        hits = "1212".count(each.quantity), second.count(each.quantity)
        wide = difference(binomial(hits[0], 4), binomial(hits[1], len(second)))
        assert (each.difference.low, each.difference.high) == (wide.low, wide.high)


def test_cells_are_not_compared_where_one_shows_nothing():
    for cells in (("1212", [None] * 4), ([None] * 4, "1212")):
        assert answer(paired_drops(*cells), kind="drop", factors=["model"]).contrasts == ()


def test_a_grid_contrasts_each_factor_with_all_others_equal():
    rows = random_pours(np.random.default_rng(4), cells=6, trials=20)
    rows["height_mm"] = [(10, 20)[cell % 2] for cell in rows["cell"]]
    rows["model"] = [f"model {cell // 2}" for cell in rows["cell"]]
    connection = connection_with(rows, {"height_mm": "INTEGER"})
    found = answer(connection, kind="pour", factors=["model", "height_mm"])
    seen = {(each.factor, each.low, each.high, *each.others.values()) for each in found.contrasts}
    assert seen == {
        *(("model", "model 0", f"model {k}", h) for k in (1, 2) for h in (10, 20)),
        *(("height_mm", 10, 20, f"model {k}") for k in (0, 1, 2)),
    }


def drops(names):
    """Single dice that show these, one after another."""
    rows = random_pours(np.random.default_rng(1), cells=1, trials=len(names), dice=1)
    rows["orientation"] = list(names)
    rows["ending"] = ["decided" if name else "timed out" for name in names]
    for name in ("zone", "leaning", "stacked", "points", "knocked"):
        rows[name] = [None] * len(names)
    return connection_with(rows)


def test_single_dice_are_binomial():
    found = answer(drops(["1", None, "10", "2", "1"]), kind="drop", factors=[])
    (cell,) = found.cells
    assert (cell.throws, cell.dice, cell.unsettled) == (5, 5, 1)
    assert cell.orientations == ("1", "2", "10")
    assert [share.trials for share in cell.shares] == [4, 4, 4]
    wilson = stats.binomtest(2, 4).proportion_ci(method="wilson")
    assert (cell.shares[0].low, cell.shares[0].high) == pytest.approx((wilson.low, wilson.high))
    assert cell.posterior.alphas == (2.5, 1.5, 1.5)
    first = cell.posterior.intervals[0]
    assert (first.low, first.high) == pytest.approx(stats.beta(2.5, 3.0).interval(0.95))
    assert cell.joint is cell.independence is cell.off_board is None
    assert not found.contrasts


@pytest.mark.parametrize("method", list(Method))
def test_shares_have_the_form_that_is_asked(method):
    (single,) = answer(drops("1121"), kind="drop", factors=[], method=method).cells
    assert single.shares[0] == binomial(3, 4, method=method)
    rows = random_pours(np.random.default_rng(5), cells=1, trials=20, dice=2)
    (cell,) = answer(connection_with(rows), kind="pour", factors=[], method=method).cells
    assert {each.method for each in cell.shares} == {f"ratio of clusters, {method.label}"}


def test_dice_that_never_showed_anything_have_no_shares():
    (cell,) = answer(drops([None, None, None]), kind="drop", factors=[]).cells
    assert (cell.orientations, cell.shares, cell.unsettled) == ((), (), 3)
    rows = random_pours(np.random.default_rng(2), cells=1, trials=4, dice=2)
    rows["orientation"], rows["zone"] = [None] * 8, ["off"] * 8
    (cell,) = answer(connection_with(rows), kind="pour", factors=[]).cells
    assert (cell.orientations, cell.shares, cell.unsettled) == ((), (), 0)
    assert (cell.off_board.value, cell.off_board.trials, cell.throws) == (1.0, 8, 4)
    assert cell.independence is None


def test_a_throw_that_shows_nothing_does_not_count_where_all_others_are_alike():
    rows = random_pours(np.random.default_rng(2), cells=1, trials=6, dice=2)
    rows["orientation"] = [None if trial < 2 else POSES[0] for trial in rows["trial"]]
    (cell,) = answer(connection_with(rows), kind="pour", factors=[]).cells
    shown = np.array([0, 0, 2, 2, 2, 2])
    assert cell.shares[0] == share_of(shown, shown)


def patterns(rows):
    found, often = np.unique(rows, axis=0, return_counts=True)
    return {tuple(map(int, row)): int(n) for row, n in zip(found, often, strict=True)}


def test_independent_dice_give_a_uniform_p_value():
    rng = np.random.default_rng(13)
    found = [
        independence_of(patterns(rng.multinomial(6, [0.51, 0.41, 0.08], 300)), level=0.95)
        for _ in range(RUNS)
    ]
    assert stats.kstest([each.p_value for each in found], "uniform").pvalue > 0.01
    held = np.mean([each.agreement.low <= 0.0 <= each.agreement.high for each in found])
    assert 0.929 <= held <= 0.971
    assert found[0].pairs == 300 * 15


def test_likeness_is_found_without_bias_and_its_interval_holds():
    # Each die shows what the throw's own draw shows with chance r, else a draw of its own: two
    # dice of a throw then agree oftener by r**2 (1 - sum p**2).
    rng = np.random.default_rng(14)
    shares, r = np.array([0.51, 0.41, 0.08]), 0.4
    truth = r**2 * (1.0 - shares @ shares)
    found = []
    for _ in range(RUNS):
        whole = rng.choice(3, p=shares, size=(200, 1))
        dice = np.where(rng.random((200, 6)) < r, whole, rng.choice(3, p=shares, size=(200, 6)))
        rows = (dice[:, :, None] == np.arange(3)).sum(axis=1)
        found.append(independence_of(patterns(rows), level=0.95).agreement)
    values = np.array([each.value for each in found])
    assert values.mean() == pytest.approx(truth, abs=4 * values.std() / RUNS**0.5)
    # Linearisation is a little short at 200 throws.
    assert 0.92 <= np.mean([each.low <= truth <= each.high for each in found]) <= 0.975


def test_the_posterior_of_alike_dice_is_as_wide_as_fewer():
    trials = np.full(100, 6)
    apart = np.random.default_rng(15).multinomial(6, [0.5, 0.3, 0.2], 100)
    alike = 6 * np.random.default_rng(15).multinomial(1, [0.5, 0.3, 0.2], 100)
    sums = [[Moments.of(rows[:, k], trials) for k in range(3)] for rows in (apart, alike)]
    free, one, bound = (
        posterior_of(each, single=single, level=0.95)
        for each, single in ((sums[0], False), (sums[1], True), (sums[1], False))
    )
    assert sum(free.alphas) == pytest.approx(600, rel=0.15)
    assert sum(one.alphas) == 601.5
    assert sum(bound.alphas) == pytest.approx(101.5, rel=0.02)
    share = share_from(sums[1][0])
    assert bound.intervals[0].low == pytest.approx(share.low, abs=0.01)


def met(first, second, *points):
    return MeetingPoints(first=first, second=second, points=np.array(points, dtype=float))


@pytest.mark.parametrize(
    ("points", "won", "lost"), [((2, 2, 1, 2), 7, 1), ((1, 0.5), 1.5, 2.5), ((2,), 2, 0)]
)
def test_two_agents_are_apart_by_their_log_odds(points, won, lost):
    ratings = rate([met(0, 1, *points)], 2)
    apart = 400 * log10((won + 0.5) / (lost + 0.5))
    assert ratings.difference(0, 1).value == pytest.approx(apart)
    assert ratings.coefficient(0).value == pytest.approx(apart / 2)
    assert ratings.values.sum() == pytest.approx(0.0, abs=1e-9)


def dispersion(points):
    share = (points.sum() + 0.5) / (2 * len(points) + 1)
    spread = np.append(points - points.mean(), np.full(20, (2 * share * (1 - share)) ** 0.5))
    return (spread**2).mean() / (2 * share * (1 - share))


def test_as_many_points_are_made_as_the_ratings_say():
    meetings = [met(0, 1, 2, 1, 1), met(0, 2, 2, 2, 0, 1.5), met(1, 2, 0.5, 0, 1), met(0, 3, 1)]
    values = rate(meetings, 4).values
    for agent in range(4):
        made = expected = 0.0
        for each in meetings:
            if agent in (each.first, each.second):
                matches, points = 2 * len(each.points) + 1, each.points.sum() + 0.5
                other = each.second if agent == each.first else each.first
                # A meeting counts the more, the less its pairs are spread.
                weight = 1 / dispersion(each.points)
                made += weight * (points if agent == each.first else matches - points)
                expected += weight * matches / (1 + 10 ** ((values[other] - values[agent]) / 400))
        assert made == pytest.approx(expected)


def test_pairs_that_are_alike_inform_less_of_the_spread_than_matches_would():
    # One wins, one loses, in each pair: nothing varies, and yet it is not known for sure.
    even = rate([met(0, 1, *[1.0] * 50)], 2).difference(0, 1)
    assert even.value == pytest.approx(0.0, abs=1e-9)
    assert 50 < even.high < 150
    # With both matches of each pair alike, an interval is wider than with one of each.
    mixed = rate([met(0, 1, *[2.0, 0.0] * 25)], 2).difference(0, 1)
    varied = rate([met(0, 1, *[2.0, 0.0, 1.0, 1.0, 1.0] * 10)], 2).difference(0, 1)
    assert mixed.high > 1.3 * varied.high


@pytest.mark.parametrize("gap", [0.0, 120.0, 300.0])
def test_intervals_cover_the_truth_at_their_level(gap):
    rng, inside, rounds = np.random.default_rng(8), 0, 400
    true = np.array([gap, 0.0, -gap]) / 2.0
    for _ in range(rounds):
        meetings = []
        for first, second in ((0, 1), (0, 2), (1, 2)):
            share = 1.0 / (1.0 + 10.0 ** ((true[second] - true[first]) / 400.0))
            # The two matches of a pair are alike half of the time.
            one, other = rng.random((2, 60)) < share
            other = np.where(rng.random(60) < 0.5, one, other)
            meetings.append(met(first, second, *(one * 1.0 + other)))
        found = rate(meetings, 3).difference(0, 2)
        inside += found.low <= true[0] - true[2] <= found.high
    # Binomial(400, .95): mean 380, standard deviation 4.4; four of them.
    assert 362 <= inside <= 398
