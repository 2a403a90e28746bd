"""Floors of a fit by weight, and what their predictions are worth."""

from types import SimpleNamespace

import numpy as np
import pytest

from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import DropTally, ErrorBudget
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.floor_posterior import (
    DiePrediction,
    FloorPosterior,
    budget_of,
    drawn_floors,
    mean_shares,
    model_throws_of,
    read_posterior,
)
from pigglesim.experiments.statistics import plausible_share

POINT = (0.3, 0.4, 1.0, 200.0, 0.2, 10.0)
THROW = ("height_mm", "drift_spread_m_s", "spin_spread_rad_s")


def tallies_of(counts):
    return [DropTally(counts=(*row, 0), endings=()) for row in np.asarray(counts).tolist()]


def posterior_of(floors, **changes):
    words = {
        "ground": "tabletop",
        "ground_sha256": "0",
        "fitted_to": ("kitten",),
        "materials": ("printed",),
        "kind": "drop",
        "model_throws": 200.0,
        "floors": floors,
    }
    return FloorPosterior(**{**words, **changes})


def test_floors_stand_for_the_weighted_points():
    rng = np.random.default_rng(1)
    points = np.abs(rng.normal(POINT, 0.1, (5000, 6)))
    points[:, 1] = np.minimum(points[:, 1], 1.0)
    weights = rng.exponential(size=5000) ** 2
    weights /= weights.sum()
    floors = drawn_floors(points, weights, throw=THROW, count=256)
    drawn = np.array([floor.weight for floor in floors])
    assert drawn.sum() == pytest.approx(1.0)
    mean = drawn @ np.array([floor.point for floor in floors])
    spread = np.sqrt(weights @ (points - weights @ points) ** 2)
    assert np.all(np.abs(mean - weights @ points) < 4.0 * spread / 16.0)


def test_a_point_with_all_the_weight_is_the_only_floor():
    floors = drawn_floors(np.array([POINT, POINT]), np.array([0.0, 1.0]), throw=THROW, count=64)
    assert [(floor.weight, *floor.point) for floor in floors] == [(1.0, *POINT)]


def test_the_variance_between_floors_is_found_below_that_of_counting():
    # Shares of a Dirichlet law of 50 throws vary between floors by p (1 - p) / 51.
    rng = np.random.default_rng(2)
    truth = rng.dirichlet(50.0 * np.array([0.5, 0.3, 0.2]), size=400)
    counts = np.array([rng.multinomial(150, shares) for shares in truth])
    budget = budget_of(tallies_of(counts), np.full(400, 1 / 400), model_throws=200.0)
    assert budget.between == pytest.approx(1 / 51, rel=0.15)
    assert budget.counting == pytest.approx(1 / (400 * 150))
    assert 1.0 / budget.throws == pytest.approx(budget.between + budget.counting + 1 / 200)
    assert mean_shares(tallies_of(counts), np.full(400, 1 / 400)) == pytest.approx(
        counts.sum(axis=0) / counts.sum()
    )


def test_floors_that_do_not_differ_add_no_variance():
    rng = np.random.default_rng(3)
    counts = rng.multinomial(10_000, (0.5, 0.3, 0.2), size=200)
    budget = budget_of(tallies_of(counts), np.full(200, 1 / 200), model_throws=1e5)
    assert budget.between < 3e-5  # a twentieth of one floor's own counting would be 5e-6


@pytest.mark.parametrize("true_throws", [60.0, 1000.0])
def test_the_worth_of_a_law_is_found_from_bodies_left_out(true_throws):
    rng = np.random.default_rng(4)
    predictions = []
    for _ in range(60):
        shares = rng.dirichlet(np.full(4, 5.0))
        die = SimpleNamespace(
            counts=rng.multinomial(5000, rng.dirichlet(true_throws * shares)), labels_known=True
        )
        # Exact shares: 10^7 drops on one floor.
        tallies = tallies_of([np.round(1e7 * shares).astype(int)])
        predictions.append(DiePrediction(die=die, tallies=tallies, weights=np.ones(1)))
    value, (low, high) = model_throws_of(predictions)
    # Sixty bodies of three free shares determine a variance to a tenth.
    assert value == pytest.approx(true_throws, rel=0.35)
    assert low < value < high < 2.5 * low


def test_intervals_that_are_worth_their_throws_cover_the_truth():
    rng = np.random.default_rng(5)
    budget = ErrorBudget(counting=1 / 2000, between=1 / 300, model=1 / 200)
    covered = []
    for _ in range(1500):
        shares = rng.dirichlet(np.full(3, 8.0))
        truth = rng.dirichlet(budget.throws * shares)
        interval = plausible_share(float(shares[0]), budget.throws, level=0.9)
        covered.append(interval.low <= truth[0] <= interval.high)
    assert np.mean(covered) == pytest.approx(0.9, abs=0.023)  # three standard errors


def test_a_file_of_floors_is_read_as_it_was_written(tmp_path):
    floors = drawn_floors(np.array([POINT]), np.array([1.0]), throw=THROW, count=8)
    written = posterior_of(floors)
    written.write(tmp_path / "floors.json")
    assert read_posterior(tmp_path / "floors.json") == written


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"weight": 1.0', '"weight": 0.9', "weights that add up to 1, not to 0.9"),
        ('"weight": 1.0', '"weight": -1.0', "weight: must be above 0"),
        ('"weight": 1.0', '"weight": NaN', "weight: nan"),
        ('"friction": 0.3', '"friction": "0.3 N"', "friction: must be a number"),
        ("rolling_lever_mm", "rolling_lever_m", "rolling_lever_mm: missing"),
    ],
)
def test_a_faulty_file_of_floors_is_one_line(tmp_path, old, new, problem):
    file = tmp_path / "floors.json"
    posterior_of(drawn_floors(np.array([POINT]), np.array([1.0]), throw=THROW, count=8)).write(file)
    text = file.read_text()
    text = text.replace('"weight":1.0', '"weight": 1.0')
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(SpecError, match=problem):
        read_posterior(file)


def test_floors_are_for_their_ground_and_materials_alone():
    known = posterior_of(drawn_floors(np.array([POINT]), np.array([1.0]), throw=THROW, count=8))
    same = SimpleNamespace(sha256="0")
    known.expect_fit(same, [SimpleNamespace(name="cube", material="printed", kind=ThrowKind.DROP)])
    with pytest.raises(SpecError, match="the fit is of printed bodies, rod is of steel"):
        known.expect_fit(same, [SimpleNamespace(name="rod", material="steel", kind=ThrowKind.DROP)])
    with pytest.raises(SpecError, match="the fit is of a drop, cube was thrown as a flip"):
        known.expect_fit(
            same, [SimpleNamespace(name="cube", material="printed", kind=ThrowKind.FLIP)]
        )
    with pytest.raises(SpecError, match="the floor tabletop has changed since the fit"):
        known.expect_fit(SimpleNamespace(sha256="1"), [])


def test_no_floor_is_no_posterior():
    with pytest.raises(ValueError, match="floors"):
        posterior_of([])
