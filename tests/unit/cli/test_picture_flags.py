"""`--png` and `--video` of roll and replay, and how machines without OpenGL are told."""

import json

import pytest

from tests.support.front_door import run, run_here
from tests.support.graphics import picture_size, size_of

ROLL = ("roll", "2", "--seed", "3", "--size", "160x90")


@pytest.mark.usefixtures("graphics")
def test_one_roll_is_drawn_and_filmed_and_its_result_is_the_same(tmp_path):
    png, video = tmp_path / "a.png", tmp_path / "a.mp4"
    plain = run_here("roll", "2", "--seed", "3", "--json")
    drawn = run_here(*ROLL, "--json", "--png", png, "--video", video, "--fps", 10)
    assert drawn.exit_code == 0
    assert json.loads(drawn.stdout) == json.loads(plain.stdout)
    assert picture_size(png) == (160, 90)
    assert size_of(video) == (160, 90)
    assert f"wrote {png}: 160x90" in drawn.stderr
    assert sorted(tmp_path.iterdir()) == [video, png]


@pytest.mark.slow
@pytest.mark.usefixtures("graphics")
def test_rounds_of_a_match_are_filmed_and_the_last_roll_drawn(tmp_path):
    record, video = tmp_path / "m.jsonl", tmp_path / "m.gif"
    words = ("--a", "greedy", "--b", "greedy", "--seed", "5", "--no-boards", "--out", record)
    assert run_here("match", *words).exit_code == 0
    words = ("--no-boards", "--size", "64x36", "--fps", "5", "--to-round", "1")
    done = run_here("replay", record, *words, "--video", video, "--png", tmp_path / "m.png")
    assert done.exit_code == 0
    assert "2 of 2 rolls" in done.stderr
    assert picture_size(video) == (64, 36)
    assert picture_size(tmp_path / "m.png") == (64, 36)


@pytest.mark.parametrize(
    "env",
    [
        {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"},
        {"MESA_GL_VERSION_OVERRIDE": "2.1", "LIBGL_ALWAYS_SOFTWARE": "1"},
    ],
    ids=["no driver", "OpenGL 2.1"],
)
def test_a_machine_without_opengl_reports_what_to_install(env, tmp_path):
    done = run(*ROLL, "--png", tmp_path / "a.png", env=env)
    assert done.returncode == 2
    assert "OpenGL" in done.stderr
    assert "apt-get install libegl1 libgl1 libgl1-mesa-dri" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
