"""Tracked throws from Python: followed by their own cube, and fitted."""

import json

import pytest

import pigglesim
from pigglesim.errors import PigglesimError
from tests.support.front_door import run_here
from tests.support.tracked_throws import CUBE, rows, thrown_cube, write


@pytest.fixture(scope="module")
def tosses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tosses")
    write(folder, rows(thrown_cube()))
    return folder


@pytest.mark.slow
def test_a_fit_follows_its_throws_better_than_a_solid_cube(tosses, tmp_path):
    counts = []
    fitted = pigglesim.fit_tracked(
        tosses, out=tmp_path / "cube.toml", points=64, progress=lambda *now: counts.append(now)
    )
    assert counts[-1] == (64, 64)
    found = {each["name"]: each for each in fitted.document()["parameters"]}
    assert found["friction"]["low"] < CUBE.friction < found["friction"]["high"]
    own = pigglesim.validate_tracked(tosses, parameters=fitted.file, draws=10, seed=1)
    solid = pigglesim.validate_tracked(tosses, draws=10, seed=1)
    assert own.finished
    own_error, solid_error = (
        each.scores[0]["position_error_percent"]["value"] for each in (own, solid)
    )
    assert own_error < solid_error
    words = ["validate", tosses, "--parameters", fitted.file, "--draws", 10, "--seed", 1, "--json"]
    assert json.loads(run_here(*words, "--workers", 1).stdout) == json.loads(own.to_json())


def test_what_cannot_be_followed_is_one_line(tmp_path):
    with pytest.raises(PigglesimError, match=r"no toss\.toml"):
        pigglesim.validate_tracked(tmp_path)
    (tmp_path / "toss.toml").write_text("")
    with pytest.raises(PigglesimError, match="invalid draws 3"):
        pigglesim.validate_tracked(tmp_path, draws=3)
    with pytest.raises(PigglesimError, match=r"ends with \.toml"):
        pigglesim.fit_tracked(tmp_path, out=tmp_path / "cube")
