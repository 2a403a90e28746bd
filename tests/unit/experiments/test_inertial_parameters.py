"""The body of tracked throws by the balance of momentum: known bodies, noise, other laws."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pigglesim.experiments.inertial_parameters import flight_centre, measure_inertial_parameters
from pigglesim.experiments.tracked_throws import ThrowParameters
from scripts.verification.tracked_coverage import coverage, fitted, main, sets_in, table, thrown

CUBE = ThrowParameters(
    side=0.1,
    mass=0.37,
    centre=(0.001, -0.0005, 0.006),
    inertia=(8.2e-4, 8.0e-4, 7.6e-4),
    rounding=0.004,
    friction=0.17,
    restitution=0.3,
    impact_stages=8,
)


@pytest.fixture(scope="module")
def throws():
    return thrown(CUBE, 60, np.random.default_rng(3))


def truth(parameters):
    return np.array([parameters.rounding, *parameters.centre, *parameters.inertia])


def test_flights_give_the_centre_of_mass(throws):
    centre, error = flight_centre(throws)
    assert (error < 5e-4).all()
    assert (np.abs(centre - CUBE.centre) < 4.0 * error).all()


def test_impacts_give_body_and_rounding(throws):
    found = measure_inertial_parameters(throws)
    errors = found.errors
    assert found.impacts >= 10
    assert (np.abs(found.values - truth(CUBE)) < 4.0 * errors).all()
    # Far more closely than the prior, which is 25 % of the inertia, and 3 mm.
    assert (errors[4:] < 0.05 * truth(CUBE)[4:]).all()
    assert errors[0] < 1e-3


def test_the_law_of_contact_does_not_matter():
    for law in ({"friction": 0.4}, {"restitution": 0.5}, {"impact_stages": 1}):
        other = replace(CUBE, **law)
        found = measure_inertial_parameters(thrown(other, 60, np.random.default_rng(4)))
        away = np.abs(found.values - truth(other))
        assert (away < 4.0 * found.errors).all(), law


def test_without_impacts_the_prior_is_left(throws):
    short = replace(
        throws,
        tracks=tuple(
            replace(track, positions=track.positions[:12], rotations=track.rotations[:12])
            for track in throws.tracks
        ),
    )
    found, solid = measure_inertial_parameters(short), CUBE.mass * CUBE.side**2 / 6.0
    assert found.impacts == 0
    assert found.values[4:] == pytest.approx([1.25 * solid] * 3)
    assert found.errors[4:] == pytest.approx([0.25 * solid] * 3)


@pytest.mark.slow
def test_the_coverage_of_whole_fits_compares_each_interval_with_the_body_that_was_thrown():
    one = fitted(3, 12, 20)
    assert [*one["truth"]] == [
        "friction", "sliding_friction", "restitution", "rounding",
        "centre_x", "centre_y", "centre_z", "inertia_x", "inertia_y", "inertia_z",
    ]  # fmt: skip
    # Few throws constrain the body and the surface loosely, but not wildly.
    for name, truth in one["truth"].items():
        low, high = one["ends"][name]
        assert low - 2.0 * (high - low) < truth < high + 2.0 * (high - low), name
    outside = {**one, "truth": {**one["truth"], "friction": 9.0}}
    shares = dict(coverage([one, outside]))
    hits = [low <= one["truth"][name] <= high for name, (low, high) in one["ends"].items()]
    assert shares["rounding"].value == hits[3]
    assert shares["friction"].value == hits[0] / 2
    assert shares["all"].value == pytest.approx((2 * sum(hits) - hits[0]) / 20)


def test_saved_sets_of_tracked_throws_are_resumed_only_with_their_own_numbers(
    tmp_path, monkeypatch, capsys
):
    ends = {"friction": [0.1, 0.3], "centre_x": [-1.0, 1.0]}
    saved = [
        {"number": k, "throws": 3, "points": 5, "ends": ends,
         "truth": {"friction": 0.2 + 0.2 * k, "centre_x": 0.0}}
        for k in range(2)
    ]  # fmt: skip
    out = tmp_path / "sets.jsonl"
    out.write_text("".join(json.dumps(one) + "\n" for one in saved))
    assert sets_in(out, 3, 5) == saved
    monkeypatch.setattr("sys.argv", ["tracked_coverage", str(out), "2", "3", "5"])
    main()
    assert table(saved) in capsys.readouterr().out
    assert "| friction | 1 of 2 | 50.0 % [9.5 %, 90.5 %] |" in table(saved)
    assert "| centre x | 2 of 2 |" in table(saved)
    monkeypatch.setattr("sys.argv", ["tracked_coverage", str(out), "2"])
    with pytest.raises(SystemExit, match=r"has sets of 3 throws and 5 points .*30 and 300"):
        main()
    assert out.read_text().count("\n") == 2
