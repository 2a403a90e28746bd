"""`--png` and `--video` of roll and replay, and how machines without OpenGL are told."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tests.front_door import run, run_here
from tests.graphics import likeness, picture_size, size_of

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


@pytest.mark.usefixtures("graphics")
def test_an_odd_size_is_evened_for_the_video_alone_and_told(tmp_path):
    png, video = tmp_path / "a.png", tmp_path / "a.mp4"
    words = ("roll", "1", "--seed", "3", "--size", "161x91", "--fps", 5)
    done = run_here(*words, "--png", png, "--video", video)
    assert "a.mp4: an even size, 160x90, as videos need" in done.stderr
    assert picture_size(png) == (161, 91)
    assert size_of(video) == (160, 90)


@pytest.mark.usefixtures("graphics")
def test_a_film_is_drawn_as_the_roll_it_was_made_of(tmp_path):
    film, size = tmp_path / "a.film", ("--size", "160x90")
    run_here(*ROLL, "--film", film, "--png", tmp_path / "roll.png")
    assert run_here("film", film, *size, "--png", tmp_path / "film.png").exit_code == 0
    pictures = [np.asarray(Image.open(tmp_path / f"{name}.png")) for name in ("roll", "film")]
    # What a film keeps is rounded, by less than a pixel.
    assert likeness(*pictures) > 0.98


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
    ("words", "told"),
    [
        (("--png", "a.jpg"), "ends in .png"),
        (("--video", "a.avi"), ".mp4 or .webm or .gif"),
        (("--png", "no/a.png"), "no such folder"),
        (("--png", "a.png", "--size", "20000x20000"), "sides of 16 to 8192 pixels"),
        (("--png", "a.png", "--camera", "tabel"), "try: table"),
        (("--size", "160x90"), "add --png or --video"),
        (("--png", "a.png", "--fps", "10"), "add --video"),
        (("--video", "a.mp4", "--at", "1"), "add --png"),
        (("--video", "a.mp4", "--slow-motion", "0"), "--slow-motion 4"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_rolled(words, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match="expected") as fault:
        run_here("roll", "1", *words)
    assert told in str(fault.value)
    assert not list(tmp_path.iterdir())


def test_a_match_by_odds_has_nothing_to_film(tmp_path):
    record = tmp_path / "m.jsonl"
    assert run_here("match", "--chance", "tabular", "--no-boards", "--out", record).exit_code == 0
    with pytest.raises(Exception, match=r"rolled on physics.*tabular"):
        run_here("replay", record, "--png", tmp_path / "a.png")


@pytest.mark.parametrize(
    "env",
    [
        {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"},
        {"MESA_GL_VERSION_OVERRIDE": "2.1", "LIBGL_ALWAYS_SOFTWARE": "1"},
    ],
    ids=["no driver", "OpenGL 2.1"],
)
def test_a_machine_without_opengl_is_told_what_to_install(env, tmp_path):
    done = run(*ROLL, "--png", tmp_path / "a.png", env=env)
    assert done.returncode == 2
    assert "expected OpenGL 3.3, which draws pictures" in done.stderr
    assert "apt-get install libegl1 libgl1 libgl1-mesa-dri" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_machine_without_any_library_of_opengl_is_told_the_same(tmp_path):
    code = (
        "import ctypes.util, ctypes, sys\n"
        "real = ctypes.CDLL.__init__\n"
        "def absent(self, name, *rest, **more):\n"
        "    if name and ('EGL' in str(name) or 'libGL' in str(name)):\n"
        "        raise OSError(f'{name}: cannot open shared object file')\n"
        "    real(self, name, *rest, **more)\n"
        "ctypes.CDLL.__init__ = absent\n"
        "ctypes.util.find_library = lambda name: None\n"
        f"sys.argv = ['pigglesim', 'roll', '1', '--png', {str(tmp_path / 'a.png')!r}]\n"
        "from pigglesim.cli.app import main\nmain()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 2
    assert "apt-get install libegl1" in done.stderr
