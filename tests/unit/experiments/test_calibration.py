"""Predictions over the floors of a fit are calibrated, on few synthetic worlds.

`scripts/calibration` uses simulated drops and more worlds, and writes docs/trust/calibration.md.
"""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from pigglesim.experiments import fit
from pigglesim.experiments.floor_posterior import MODEL_GRID
from pigglesim.experiments.tracked_throws import FollowedThrow
from scripts.verification import calibration
from scripts.verification.calibration import (
    Check,
    World,
    findings,
    reliability,
    synthetic_die,
    text_of,
    uniform_p,
    urn,
)

RANGES = fit.Ranges(fit.PARAMETERS)


def emulator_of(rng):
    """Return an emulator whose shares depend much on the floor."""
    points = RANGES.design(64, seed=int(rng.integers(2**31)))
    weights = rng.normal(0.0, 0.05, (RANGES.features(points).shape[1], 4))
    raised = np.exp(RANGES.features(points) @ weights)
    return fit.Emulator(RANGES, points, 1e6 * raised / raised.sum(axis=1, keepdims=True))


def ranks_of(worlds, rng):
    """Return the rank of every parameter in the posterior of each world, shape [worlds, 6]."""
    ranks = []
    for _ in range(worlds):
        emulators, law = [emulator_of(rng) for _ in range(3)], rng.choice(MODEL_GRID)
        point = RANGES.points(rng.uniform(-1.0, 1.0, (1, 6)))
        dice = [
            SimpleNamespace(
                counts=rng.multinomial(2000, rng.dirichlet(law * each.shares(point)[0])),
                labels_known=True,
            )
            for each in emulators
        ]
        known = fit.posterior(emulators, dice, rng=rng, samples=5000, floors=64)
        weights = np.array([floor.weight for floor in known.floors])
        ranks.append(weights @ [floor.point < point[0] for floor in known.floors])
    return np.array(ranks)


def test_the_floor_is_as_uncertain_as_the_error_of_the_law_makes_it():
    ranks = ranks_of(12, np.random.default_rng(1))
    # A tenth is expected; a likelihood that trusts the law has five tenths.
    assert np.mean((ranks < 0.05) | (ranks > 0.95)) < 0.25
    assert ranks.mean() == pytest.approx(0.5, abs=0.12)


def test_an_urn_gives_the_counts_of_a_law_that_strays():
    rng = np.random.default_rng(2)
    hits = [sum(urn(rng.binomial(1, 0.3, 200).tolist(), 200, 40.0, rng)) / 200 for _ in range(600)]
    assert np.mean(hits) == pytest.approx(0.3, abs=0.01)
    # Beta-binomial: p (1 - p) (1 / n) (1 + (n - 1) / (worth + 1)).
    assert np.var(hits) == pytest.approx(0.21 / 200 * (1 + 199 / 41), rel=0.2)


def test_synthetic_bodies_rest_in_few_outcomes_that_list_every_pose():
    rng = np.random.default_rng(3)
    dice = [synthetic_die(rng, f"body {number}") for number in range(12)]
    assert len({die.support.poses[0].height for die in dice}) == 12
    for die in dice:
        assert 2 <= len(die.outcomes) <= calibration.MOST
        assert sorted(pose for outcome in die.outcomes for pose in outcome.poses) == list(
            range(len(die.support.poses))
        )


def world(index, *, rank, within):
    check = Check(counts=(50, 50), shares=(0.5, 0.5), worth=100.0, within=within)
    return World(
        index=index, law=50.0 + index, found=100.0, ranks=(rank,) * 6, new=check, left_out=(check,)
    )


def test_ranks_that_crowd_at_the_ends_and_outcomes_outside_are_found():
    rng = np.random.default_rng(4)
    even = [world(k, rank=float(rng.random()), within=(True, True)) for k in range(100)]
    crowded = [world(k, rank=float(k % 2), within=(True, False)) for k in range(100)]
    assert findings(even, 1)["ranks"]["height of the floor"]["p"] > 0.01
    found = findings(crowded, 1)
    assert found["ranks"]["height of the floor"]["p"] < 1e-9
    assert found["inside_90"]["a body not fitted"]["value"] == pytest.approx(0.5)
    assert list(found["inside_90_by_law"]) == ["20 to 100 throws", "100 to 1,000 throws"]
    text = text_of({"synthetic": found})
    assert "| a body not fitted | 50.0 % [" in text
    assert "| friction of the floor | 50, 0, 0, 0, 0, 0, 0, 0, 0, 50 | 0.00 |" in text


def test_uniform_ranks_pass():
    assert uniform_p(np.linspace(0.001, 0.999, 200).tolist()) > 0.99


def thrown(number, face, faces):
    return FollowedThrow(
        number=number, position_error=0.1, rotation_error=0.1, face=face, first_face=0, faces=faces
    )


def test_faces_are_as_reliable_as_they_come_up():
    rng = np.random.default_rng(5)
    sure, honest = (160, 40, 0, 0, 0, 0), []
    for number in range(300):
        honest.append(thrown(number, int(rng.random() > 0.8), sure))
    rows, p = reliability(honest)
    assert p > 0.01
    (row,) = [row for row in rows if row["low"] == 0.7]
    assert row["came"]["trials"] == 300
    assert row["came"]["low"] < row["predicted"] < row["came"]["high"]
    _, p = reliability([replace(one, face=number % 2) for number, one in enumerate(honest)])
    assert p < 1e-9


@pytest.mark.slow
def test_worlds_are_saved_and_go_on_where_they_stopped(tmp_path, monkeypatch):
    for name, value in {"POOL": 4, "THROWS": 128, "SAMPLES": 2000}.items():
        monkeypatch.setattr(calibration, name, value)
    monkeypatch.setattr(calibration, "note", lambda text: None)
    sizes = {"seed": 1, "points": 56, "drops": 100}
    (first,) = calibration.worlds_in(tmp_path, wanted=1, **sizes)
    assert len(first.left_out) == calibration.FITTED
    assert sum(first.new.shares) == pytest.approx(1.0)
    assert all(0.0 <= rank <= 1.0 for rank in first.ranks)

    def stopped(plan, emulators, index):
        raise KeyboardInterrupt

    monkeypatch.setattr(calibration, "world_of", stopped)
    with pytest.raises(KeyboardInterrupt):
        calibration.worlds_in(tmp_path, wanted=2, **sizes)
    assert calibration.worlds_in(tmp_path, wanted=1, **sizes) == [first]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--fit", "none.json"], "no bodies left out in none.json (FileNotFoundError)"),
        (["--fit", "odd.json"], "no bodies left out in odd.json (KeyError)"),
        (["--tosses", "."], "toss.toml"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, words, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.json").write_text("{}")
    done = CliRunner().invoke(calibration.APP, ["out", "--worlds", "0", *words])
    assert done.exit_code == 2
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_counted_bodies_are_summed(tmp_path):
    file = tmp_path / "fit.json"
    rows = [{"name": "a", "within_90": [True, False]}, {"name": "b", "within_90": [True]}]
    file.write_text(json.dumps({"left_out": rows}))
    done = CliRunner().invoke(
        calibration.APP, [str(tmp_path / "out"), "--worlds", "0", "--fit", str(file), "--json"]
    )
    assert json.loads(done.stdout)["counted"]["inside"] == 2


def test_a_stop_shows_where_the_progress_is(tmp_path, monkeypatch):
    def stopped(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(calibration, "worlds_in", stopped)
    done = CliRunner().invoke(calibration.APP, [str(tmp_path)])
    assert done.exit_code == 130
    assert f"progress is saved in {tmp_path}: repeat the command" in done.stderr
