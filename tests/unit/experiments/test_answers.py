"""Answers by SQL are those of the rows themselves, and their intervals hold what they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pigglesim.experiments.estimates import answer
from pigglesim.experiments.statistics import (
    Moments,
    difference,
    independence_of,
    mean_of,
    posterior_of,
    share_from,
    share_of,
)
from tests.throws_table import POSES, ZONES, connection_with, random_pours

RUNS = 1000


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
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), dice=st.integers(1, 6), stood=st.sampled_from([0, 3]))
def test_every_share_of_pours_is_that_of_the_rows(seed, dice, stood):
    rows = random_pours(np.random.default_rng(seed), dice=dice, stood=stood)
    kind = "knock" if stood else "pour"
    found = answer(connection_with(rows), kind=kind, factors=["model"])
    assert [cell.factors["model"] for cell in found.cells] == ["model 0", "model 1"]
    for cell in found.cells:
        whole = rows_of(rows, cell.cell)
        rolled = [row for row in whole if not row["standing"]]

        def hits(says, rolled=rolled):
            return per_throw(rolled, says)

        thrown, shown = hits(lambda _: True), hits(lambda row: row["orientation"] is not None)
        assert (cell.throws, cell.dice) == (30 - cell.cell, thrown.sum())
        assert cell.orientations == tuple(POSES)
        assert cell.shares == tuple(
            share_of(hits(lambda row, n=name: row["orientation"] == n), shown) for name in POSES
        )
        zones = {zone: hits(lambda row, z=zone: row["zone"] == z) for zone in ZONES}
        assert cell.zones == {zone: share_of(count, thrown) for zone, count in zones.items()}
        assert cell.joint.orientations == (*POSES, "none")
        assert cell.joint.shares == tuple(
            tuple(
                share_of(
                    hits(lambda row, at=(name, zone): (row["orientation"], row["zone"]) == at),
                    thrown,
                )
                for zone in ZONES
            )
            for name in (*POSES, None)
        )
        board = hits(lambda row: row["zone"] != "off")
        leans = hits(lambda row: row["zone"] != "off" and (row["leaning"] or row["stacked"]))
        assert cell.leaning == share_of(leans, board)
        assert cell.off_board == share_of(thrown - board, thrown)
        assert cell.unsettled == sum(hits(lambda r: r["zone"] != "off" and not r["orientation"]))
        expected = mean_of(hits(lambda row: row["points"]).astype(float))
        for got, scale in ((cell.points_per_throw, 1), (cell.points_per_die, dice)):
            assert got.value * scale == pytest.approx(expected.value)
            assert got.low * scale == pytest.approx(expected.low)
        if stood:
            knocked = per_throw(whole, lambda row: row["knocked"])
            assert cell.knocked == share_of(knocked, np.full(cell.throws, stood))
            assert cell.knocks_per_throw.high == pytest.approx(mean_of(knocked).high)
        else:
            assert cell.knocked is cell.knocks_per_throw is None


def test_contrasts_pair_the_trials_that_both_cells_have():
    rows = random_pours(np.random.default_rng(3), cells=3, trials=40)
    found = answer(connection_with(rows), kind="pour", factors=["model"])
    assert {(each.low, each.high) for each in found.contrasts} == {
        ("model 0", "model 1"),
        ("model 0", "model 2"),
    }
    assert {each.quantity for each in found.contrasts} == {*POSES, "points a die", "off the board"}
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


def test_dice_that_never_showed_anything_have_no_shares():
    (cell,) = answer(drops([None, None, None]), kind="drop", factors=[]).cells
    assert (cell.orientations, cell.shares, cell.unsettled) == ((), (), 3)
    rows = random_pours(np.random.default_rng(2), cells=1, trials=4, dice=2)
    rows["orientation"], rows["zone"] = [None] * 8, ["off"] * 8
    (cell,) = answer(connection_with(rows), kind="pour", factors=[]).cells
    assert (cell.orientations, cell.shares, cell.unsettled) == ((), (), 0)
    assert (cell.off_board.value, cell.off_board.trials, cell.throws) == (1.0, 8, 4)
    assert cell.independence is None


def patterns(rows):
    found, often = np.unique(rows, axis=0, return_counts=True)
    return {tuple(map(int, row)): int(n) for row, n in zip(found, often, strict=True)}


@pytest.mark.slow
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


@pytest.mark.slow
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
