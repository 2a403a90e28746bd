"""A real window on a screen that nobody sees, with real keys and a real mouse."""

import os
import shutil
import subprocess
import time

import numpy as np
import pytest
from PIL import Image

from tests.support.front_door import run, start

TOOLS = ("Xvfb", "xdotool")
LONGEST = 150.0
"""A machine with other work may be slow [s]."""


@pytest.fixture(scope="module")
def screen():
    """The number of a screen of 1280 x 720 that is ours alone, as DISPLAY has it."""
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    if absent:
        reason = f"no {' and no '.join(absent)}: apt-get install xvfb xdotool"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x720x24", "-nolisten", "tcp"],
        pass_fds=(writer,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as display:
            yield f":{display.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def until(true, what):
    """Wait until something is so, and return it."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        if found := true():
            return found
        time.sleep(0.05)
    raise AssertionError(f"never: {what}")


class Hands:
    """A keyboard and a mouse at a screen."""

    def __init__(self, screen):
        self.screen = screen

    def do(self, *words):
        words = [str(word) for word in words]
        env = {**os.environ, "DISPLAY": self.screen}
        return subprocess.run(
            ["xdotool", *words], env=env, capture_output=True, text=True, timeout=LONGEST
        ).stdout.split()

    def window(self):
        return until(
            lambda: self.do("search", "--onlyvisible", "--name", "pigglesim$"), "a window"
        )[0]


def end(process):
    """End what is still running, and close what it was read by."""
    process.kill()
    process.communicate()


def picture(hands, folder):
    """Ask the window for a picture of what is seen, and return it; again if it is still opening."""
    there = len(list(folder.glob("*.png")))
    asked = 0.0

    def saved():
        nonlocal asked
        if time.monotonic() - asked > 5.0:
            asked = time.monotonic()
            hands.do("key", "p")
        file = folder / f"pigglesim-{there + 1}.png"
        try:
            with Image.open(file) as image:
                return [np.asarray(image.convert("RGB"))]
        except (OSError, SyntaxError):  # half of it is written
            return None

    return until(saved, "a picture")[0]


@pytest.mark.slow
def test_the_cup_is_poured_with_real_keys_and_a_real_mouse(screen, tmp_path):
    hands = Hands(screen)
    env = {"DISPLAY": screen, "OMP_NUM_THREADS": "1"}
    viewer = start("view", "--seed", "7", "--speed", "8", env=env, cwd=tmp_path)
    try:
        hands.window()
        hands.do("mousemove", 640, 520, "key", "End")
        landed = picture(hands, tmp_path)
        assert landed.shape == (720, 1280, 3)
        # The woods and a field of the board, as people see them.
        green = (landed[..., 1].astype(int) - landed[..., 0] > 8).mean()
        assert 0.02 < green < 0.4
        hands.do("key", "Return", "mousemove", 600, 560, "mousemove", 590, 555)
        held = picture(hands, tmp_path)
        # The glass cup is seen, and no time bar.
        assert (held != landed).any(axis=2).mean() > 0.05
        hands.do("mousedown", 1, "sleep", 0.3, "mouseup", 1, "key", "End")
        again = picture(hands, tmp_path)
        assert (again != held).any(axis=2).mean() > 0.05
        assert (again != landed).any(axis=2).mean() > 0.01
        hands.do("key", "F1", "sleep", 0.3, "key", "Escape")
        hands.do("key", "q")
        _, faults = viewer.communicate(timeout=LONGEST)
    finally:
        end(viewer)
    assert viewer.returncode == 0, faults


@pytest.mark.slow
def test_a_display_without_opengl_3_3_is_reported_in_one_line(screen):
    done = run("view", "--seed", "7", env={"DISPLAY": screen, "MESA_GL_VERSION_OVERRIDE": "2.1"})
    assert done.returncode == 2
    assert "OpenGL 3.3" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_picture_is_drawn_beside_a_window_that_opens(screen, tmp_path):
    """What draws off the screen must not keep the window from opening on it."""
    words = ["roll", "1", "--seed", "7", "--png", tmp_path / "roll.png", "--view"]
    viewer = start(*words, env={"DISPLAY": screen, "OMP_NUM_THREADS": "1"})
    try:
        assert Hands(screen).window()
    finally:
        end(viewer)
    assert (tmp_path / "roll.png").read_bytes().startswith(b"\x89PNG")
