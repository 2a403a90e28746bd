"""Studies whose throws draw their floors from a fit, and intervals for the one true floor."""

import json
from functools import reduce
from math import inf
from operator import add

import duckdb
import numpy as np
import pytest

import pigglesim
from pigglesim.bodies.variant import read_source
from pigglesim.data_files import fit_file
from pigglesim.experiments.design import Design
from pigglesim.experiments.estimates import answer
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.floor_posterior import Floors, PlausibleFloor
from pigglesim.experiments.shard import COLUMNS, StudyPlan, Thrower
from pigglesim.experiments.statistics import (
    Moments,
    binomial,
    budget_of_mean,
    budget_on,
    components,
    difference,
    mean_within,
    share_within,
)
from pigglesim.experiments.study import Study
from pigglesim.scene.load import load_floor
from tests.support.front_door import run, run_here
from tests.support.throws_table import connection_with, random_pours

FLOORS = (
    (0.75, (0.5, 0.2, 2.0, 30.0, 0.1, 5.0)),
    (0.25, (0.2, 0.4, 0.5, 60.0, 0.3, 15.0)),
)
THROW = ("height_mm", "drift_spread_m_s", "spin_spread_rad_s")


def fit_text(floors=FLOORS, **changes):
    words = {
        "ground": "tabletop",
        "ground_sha256": load_floor("tabletop").sha256,
        "fitted_to": ["kitten"],
        "materials": ["printed"],
        "kind": "drop",
        "model_throws": 200.0,
        "floors": [
            PlausibleFloor.of_point(point, THROW, weight=weight).model_dump()
            for weight, point in floors
        ],
    }
    return json.dumps(words | changes)


@pytest.fixture
def fit(tmp_path):
    folder = tmp_path / "fit"
    folder.mkdir()
    (folder / "floors.json").write_text(fit_text())
    return folder


def thrown(**words):
    """Return the columns of the first shard of each cell."""
    study = Study(**{"models": ("d6",), "throws": 250, "engine": "impulse", "seed": 4, **words})
    thrower = Thrower(StudyPlan.of(study))
    return [thrower.throw(cell) for cell in range(study.cell_count)]


def test_the_fit_that_comes_with_the_program_is_small_and_of_its_floor():
    printed = Floors.of("printed")
    assert fit_file("printed").stat().st_size < 100_000
    assert (printed.id, printed.ground.id) == ("printed", "tabletop")
    assert len(printed.weights) >= 64
    assert printed.known.materials == ("printed",)
    assert Floors.of(str(fit_file("printed"))).sha256 == printed.sha256
    one = Floors.of("felt")
    assert (one.known, one.weights.tolist(), one.places(one.ground)) == (None, [1.0], [one.ground])


def test_each_drop_is_that_of_the_floor_that_it_drew(fit):
    (drawn,) = thrown(floors=str(fit))
    for number, (_, (friction, restitution, lever, height, drift, spin)) in enumerate(FLOORS):
        (alone,) = thrown(
            factors={
                "friction": (friction,),
                "restitution": (restitution,),
                "rolling_lever_mm": (lever,),
                "height_mm": (height,),
                "drift_spread_m_s": (drift,),
                "spin_spread_rad_s": (spin,),
            }
        )
        here = drawn["drawn_floor"] == number
        assert 0.5 * FLOORS[number][0] < np.mean(here) < 1.5 * FLOORS[number][0]
        for name in ("trial", "pose", "time_s", "down_x"):
            assert np.array_equal(drawn[name][here], alone[name][here]), name
            assert name == "trial" or not np.array_equal(drawn[name], alone[name])


def test_a_design_on_floors_that_are_alike_is_one_on_that_floor(tmp_path):
    ground = load_floor("tabletop")
    own, fall = ground.surface("plastic"), ground.fall
    same = (own.contact.friction, own.contact.restitution, own.rolling_lever * 1e3)
    same += (fall.height * 1e3, fall.drift_spread, fall.spin_spread)
    (tmp_path / "floors.json").write_text(fit_text(((0.5, same), (0.5, same))))
    source = read_source("d6")
    plan = Design(
        source=source, target={"6": 0.2, "others": 0.8}, free=("ballast",), materials=("lead",),
        floors=(Floors.of("tabletop"),), surface="plastic", engine="impulse", drops=300,
        check=1000, seed=1,
    )  # fmt: skip
    numbers = range(100, 400)

    def dropped(*floors):
        return [
            np.sum(own, axis=0).tolist() for own in plan._drop(source.body, "a", floors, numbers)
        ]

    assert dropped(Floors.of(str(tmp_path))) == dropped(*plan.floors)
    other = ((0.5, same), (0.5, (*same[:3], 20.0, *same[4:])))
    (tmp_path / "floors.json").write_text(fit_text(other))
    assert dropped(Floors.of(str(tmp_path))) != dropped(*plan.floors)


def test_floors_are_drawn_by_weight_the_same_in_every_cell_and_part(fit):
    floors = Floors.of(str(fit))
    many = floors.drawn(range(40_000), seed=3)
    # Four standard errors of a share of 40,000.
    assert np.mean(many == 0) == pytest.approx(0.75, abs=0.009)
    assert np.array_equal(many[300:777], floors.drawn(range(300, 777), seed=3))
    assert not np.array_equal(many[:99], floors.drawn(range(99), seed=4))
    low, high = thrown(floors=str(fit), factors={"spinning_lever_mm": (0.1, 1.0)})
    assert np.array_equal(low["drawn_floor"], high["drawn_floor"])


def test_a_pour_has_the_surface_of_its_floor_and_its_own_hand(fit):
    study = Study(
        kind=ThrowKind.POUR, throws=4, shard_size=4, floors=str(fit), engine="impulse", seed=1
    )
    plan = StudyPlan.of(study)
    base = plan.base.scene
    for (_, (friction, restitution, lever, *_)), (setup,) in zip(
        FLOORS, plan.setups_on, strict=True
    ):
        contacts = setup.scene.contacts
        assert (contacts.board.friction, contacts.board.restitution) == (friction, restitution)
        assert contacts.rolling_lever == pytest.approx(lever * 1e-3)
        assert (setup.scene.hand, contacts.cup) == (base.hand, base.contacts.cup)
    drawn = plan.drawn(range(4))
    for trial in range(4):
        chance, _ = Thrower(plan).pour(0, trial)
        assert chance.scene == plan.setups_on[int(drawn[trial])][0].scene


def test_the_variance_components_are_those_of_one_factor_by_hand():
    # Floors of 2 and 4 throws: 0, 1 and 1, 1, 1, 0. Mean 2/3; sums of what is left -1/3, 1/3.
    # Between 1/18 + 1/36 = 1/12; all squares 4/3; within (4/3 - 1/12) / 4 = 5/16.
    # Between floors (1/12 - 5/16) / (6 - 20/6).
    sums = np.array([-1 / 3, 1 / 3])
    counting, floors = components(np.array([2, 4]), sums, sums, 4 / 3)
    assert counting == pytest.approx(5 / 96)
    assert floors == pytest.approx((1 / 12 - 5 / 16) / (8 / 3))
    groups = [
        Moments.of(np.array([0, 1]), np.ones(2, int)),
        Moments.of(np.array([1, 1, 1, 0]), np.ones(4, int)),
    ]
    found = budget_on(groups)
    assert (found.counting, found.floors) == (pytest.approx(5 / 96), 0.0)


@pytest.mark.parametrize(("dice", "worth"), [(1, 30.0), (1, 400.0), (6, 60.0)])
def test_intervals_cover_the_share_on_the_one_true_floor(dice, worth):
    """Shares of floors are Beta(worth): the truth is one of them, changed by the law's error."""
    rng = np.random.default_rng(dice + int(worth))
    law, sets, throws, mean = 300.0, 250, 80, 0.2
    covered, counted = [], []
    for _ in range(sets):
        shares = rng.beta(worth * mean, worth * (1.0 - mean), 100)
        hits = rng.binomial(dice, shares[:, None], (100, throws))
        tried = np.full(throws, dice)
        groups = [Moments.of(row, tried) for row in hits]
        sums, budget = reduce(add, groups), budget_on(groups)
        counted.append(np.sqrt(budget.counting))
        budget = budget.of_share(sums.value, model_throws=law)
        found = share_within(sums, budget, model_throws=law)
        floors = rng.choice(shares, 40)
        truth = rng.beta(law * floors, law * (1.0 - floors))
        covered += [(found.low <= truth) & (truth <= found.high)]
    # Sets are independent, and at the worst all truths of a set are covered or none.
    assert np.mean(covered) == pytest.approx(0.955, abs=0.015)
    # Counting is that of dice on their own floors, not of the mixture of floors.
    within = mean * (1.0 - mean) * worth / (worth + 1.0)
    assert np.mean(counted) == pytest.approx(np.sqrt(within / (dice * 100 * throws)), rel=0.03)


def test_too_few_throws_to_distinguish_floors_give_wide_intervals_but_not_all():
    rng = np.random.default_rng(9)
    hits = rng.binomial(1, 0.3, (50, 3))
    groups = [Moments.of(row, np.ones(3, int)) for row in hits]
    found = share_within(reduce(add, groups), budget_on(groups), model_throws=inf)
    alone = binomial(int(hits.sum()), hits.size)
    assert alone.high - alone.low < found.high - found.low < 0.8


def test_a_share_of_nothing_is_unknown():
    nothing = [Moments.of(np.zeros(3, int), np.zeros(3, int))] * 2
    found = share_within(reduce(add, nothing), budget_on(nothing), model_throws=100.0)
    assert np.isnan(found.value)
    assert (found.low, found.high) == (0.0, 1.0)
    assert np.isnan(budget_on(nothing).variance)


def rows_of(rng, *, floors=8, throws=400):
    """Two cells whose throws share their floors: a table as a study stores it."""
    drawn = rng.integers(floors, size=throws)
    level = rng.uniform(0.2, 0.8, floors)
    return [
        (cell, trial, int(drawn[trial]), "1" if rng.random() < level[drawn[trial]] + shift else "2")
        for cell, shift in ((0, 0.0), (1, 0.1))
        for trial in range(throws)
    ]


def answered(rows, **words):
    connection = duckdb.connect()
    columns = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in COLUMNS.items())
    connection.execute("CREATE TABLE given (cell INT, trial BIGINT, drawn INT, shown VARCHAR)")
    connection.executemany("INSERT INTO given VALUES (?, ?, ?, ?)", rows)
    connection.execute(
        f"CREATE VIEW throws AS SELECT blank.* REPLACE (given.cell AS cell, given.trial AS trial, "
        f"given.trial AS throw, 0 AS die, FALSE AS standing, given.shown AS orientation), "
        f"given.drawn AS drawn_floor, given.cell AS height_mm FROM given, (SELECT {columns}) blank"
    )
    return answer(connection, kind="drop", factors=["height_mm"], **words)


def test_cells_on_the_same_floors_are_compared_floor_by_floor():
    rows = rows_of(np.random.default_rng(2))
    found = answered(rows, model_throws=1e9)
    one, two = (
        np.array([shown == "1" for cell, _, _, shown in rows if cell == k], float) for k in (0, 1)
    )
    drawn = np.array([floor for cell, _, floor, _ in rows if cell == 0])
    throws = np.bincount(drawn)
    rest = [values - values.mean() for values in (one, two, two - one)]
    parts = [
        components(throws, sums, sums, float(values @ values))
        for values in rest
        for sums in [np.bincount(drawn, weights=values)]
    ]
    for cell, (counting, floors) in zip(found.cells, parts, strict=False):
        assert cell.budgets[0].counting == pytest.approx(counting)
        assert cell.budgets[0].floors == pytest.approx(floors)
    contrast = next(each for each in found.contrasts if each.quantity == "1")
    # The floors differ alike in both cells: their difference is known far better than either.
    half = (contrast.difference.high - contrast.difference.low) / 2.0
    # From the normal quantile to Student's for seven degrees of freedom.
    assert 0.95 * 1.96 < half / np.sqrt(sum(parts[2])) < 1.05 * 2.36
    assert half < 0.5 * (found.cells[0].shares[0].high - found.cells[0].shares[0].low) / 2.0


def test_the_numbers_of_trials_change_no_estimate():
    rows = rows_of(np.random.default_rng(4))
    later = [(cell, trial + 100_000, floor, shown) for cell, trial, floor, shown in rows]
    for words in ({}, {"model_throws": 100.0}):
        one, other = answered(rows, **words), answered(later, **words)
        assert [cell.throws for cell in other.cells] == [400, 400]
        assert [cell.shares for cell in one.cells] == [cell.shares for cell in other.cells]
        assert one.contrasts == other.contrasts


def test_a_floor_that_only_one_cell_has_drawn_adds_to_no_covariance():
    # Trials 0 to 3 of both cells on floor 0, and 4 and 5 of the first alone on floor 1.
    both, alone = (("1", "1"), ("1", "2"), ("2", "2"), ("2", "2")), ("1", "1")
    rows = [(cell, k, 0, pair[cell]) for k, pair in enumerate(both) for cell in (0, 1)]
    rows += [(0, 4 + k, 1, shown) for k, shown in enumerate(alone)]
    contrast = next(each for each in answered(rows).contrasts if each.quantity == "1")
    # Shares of 2/3 and 1/4. Products of what is left, over 6 * 4, and 4 / 3 for the mean of each:
    # (1/3)(3/4) - (1/3)(1/4) + 2 (2/3)(1/4) = 1/2.
    covariance = 4 / 3 * (1 / 2) / 24
    # The variances are p (1 - p) / (n - 1).
    correlation = covariance / np.sqrt((2 / 9 / 5) * (3 / 16 / 3))
    expected = difference(binomial(4, 6), binomial(1, 4), correlation=correlation)
    found = contrast.difference
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize(
    ("second", "hits", "correlation"),
    [(["1", "2"] + ["1"] * 10, 11, 1), (["2", "1"] + ["2"] * 10, 1, -1)],
)
def test_a_correlation_of_a_few_common_trials_is_at_most_one(second, hits, correlation):
    # Two trials in common, with the only miss of one cell, and that of the other or its only hit:
    # alone they show a correlation near 2, or -2.
    rows = [(0, k, 0, shown) for k, shown in enumerate(["1"] * 11 + ["2"])]
    rows += [(1, 10 + k, 0, shown) for k, shown in enumerate(second)]
    contrast = next(each for each in answered(rows).contrasts if each.quantity == "1")
    expected = difference(binomial(11, 12), binomial(hits, 12), correlation=correlation)
    found = contrast.difference
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_points_of_pours_on_floors_vary_between_floors():
    rows = random_pours(np.random.default_rng(6), cells=1, trials=40)
    rows["drawn_floor"] = [trial % 5 for trial in rows["trial"]]
    connection = connection_with(rows, {"drawn_floor": "INTEGER"})
    found = answer(connection, kind="pour", factors=[], model_throws=100.0)
    (cell,) = found.cells
    points = np.bincount(rows["trial"], weights=rows["points"])
    expected = mean_within(points.mean(), budget_of_mean(points, np.arange(40) % 5))
    got = cell.points_per_throw
    assert (got.value, got.low, got.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    # Dice of a throw are alike for their floor alone.
    assert cell.independence is None


def test_the_error_of_the_mesh_is_that_of_its_cell_and_orientation():
    rows = rows_of(np.random.default_rng(3), throws=40)
    found = answered(rows, model_throws=100.0, mesh={1: {"2": 0.03}})
    shown = [[budget.mesh for budget in cell.budgets] for cell in found.cells]
    assert shown == [[0.0, 0.0], [0.0, pytest.approx(0.03**2)]]


def test_a_notebook_shows_a_study_as_a_table():
    found = answered(rows_of(np.random.default_rng(2)))
    assert "<table" in found._repr_html_()


def test_intervals_over_floors_are_wider_than_those_of_counting():
    rows = rows_of(np.random.default_rng(3))
    over, plain = answered(rows, model_throws=100.0), answered(rows)
    for wide, narrow in zip(over.cells[0].shares, plain.cells[0].shares, strict=True):
        assert wide.value == narrow.value
        assert wide.high - wide.low > 3.0 * (narrow.high - narrow.low)
    assert plain.cells[0].budgets is None
    wide, narrow = (each.cells[0].posterior.intervals[0] for each in (over, plain))
    assert wide.high - wide.low > 3.0 * (narrow.high - narrow.low)


def budget_sd(budget):
    return sum(budget[part] for part in ("counting", "floors", "law", "mesh")) ** 0.5


def test_a_study_says_the_sources_of_each_width(fit, tmp_path):
    words = ["study", "--model", "d6", "--throws", 500, "--seed", 2, "--workers", 1]
    found = run_here(*words, "--floor", fit, "--out", tmp_path / "on", "--json", "--no-report")
    assert found.exit_code == 0, found.output
    cell = json.loads(found.stdout)["answers"]["cells"][0]
    share, budget = cell["shares"][0], cell["budgets"][0]
    assert budget["law"] == pytest.approx(share["value"] * (1.0 - share["value"]) / 200.0)
    assert budget["counting"] > 0.0
    shown = run_here("study", "report", tmp_path / "on").output
    assert "counting  floors     law    mesh     all" in shown
    budgets = [line for line in shown.splitlines() if line.endswith(f"{budget_sd(budget):.4f}")]
    assert budgets[0] in run_here("study", "show", tmp_path / "on").output
    assert "More throws narrow counting only" in shown
    assert "Sources of the width" in (tmp_path / "on" / "report.html").read_text()
    on = pigglesim.read_study(tmp_path / "on")
    event = on.probability("bool_and(orientation = '1')")
    assert event.value == on.shares["1"].value
    # The share has the error of the mesh, too: a hundredth of a per cent.
    bounds = (on.shares["1"].low, on.shares["1"].high)
    assert (event.low, event.high) == pytest.approx(bounds, rel=1e-4)


def test_a_fit_that_changed_is_another_study(fit, tmp_path):
    words = ["study", "--model", "d6", "--throws", 250, "--seed", 2, "--workers", 1, "--no-report"]
    words += ["--floor", fit, "--out", tmp_path / "on"]
    assert run_here(*words).exit_code == 0
    (fit / "floors.json").write_text(fit_text(model_throws=300.0))
    found = run(*words)
    assert found.returncode == 2
    assert "floors model_throws 200.0 and not 300.0" in found.stderr


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (fit_text(floors=()), "floors: must be of 1 or more entries"),
        (fit_text(floors=((0.5, FLOORS[0][1]),)), "weights that add up to 1, not to 0.5"),
        (
            fit_text().replace('"height_mm"', '"height_in"'),
            "unknown parameter of a drop",
        ),
        (fit_text().replace('"height_mm": 60.0', '"height_mm": "2in"'), "height_mm: must be"),
        (fit_text().replace('"height_mm": 60.0, ', ""), "the same parameters of the throw"),
        (fit_text(ground_sha256="0"), "the floor tabletop has changed since the fit"),
        ("", "floors.json"),
    ],
)
@pytest.mark.parametrize("verb", ["study", "print", "design"])
def test_a_faulty_fit_is_one_line_and_leaves_nothing(tmp_path, verb, text, problem):
    folder, out = tmp_path / "fit", tmp_path / "out"
    folder.mkdir()
    (folder / "floors.json").write_text(text)
    words = {
        "study": ["--model", "d6"],
        "print": ["d6", "--size", "30mm"],
        "design": ["d6", "--target", "6=.2"],
    }[verb]
    found = run(verb, *words, "--floor", folder, "--out", out)
    assert found.returncode in {1, 2}
    assert problem in found.stderr
    assert found.stderr.strip().count("\n") == 0
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--half-width", ".01"], "half_width with floors of a fit"),
        (["--factor", "floor=felt,tabletop"], "floors of a fit, and the factor floor"),
        (["--scene", "felt"], "the fit is on the floor tabletop"),
    ],
)
def test_flags_that_contradict_a_fit_are_refused(fit, tmp_path, words, problem):
    found = run("study", "--floor", fit, *words, "--out", tmp_path / "out")
    assert found.returncode in {1, 2}
    assert problem in found.stderr
    assert not (tmp_path / "out").exists()
