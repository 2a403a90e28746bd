"""No index of the engine counts from the end, as its compiled code does not test for that.

The package is copied, so that code with numba's test of every index is compiled anew.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pigglesim

PACKAGE = Path(pigglesim.__file__).parent
PROBE = """
from pigglesim.jit import compiled_as_numpy

@compiled_as_numpy
def entry(numbers, index):
    return numbers[index]
"""
REFUSED = """
import numpy as np
from pigglesim.physics.impulse.probe import entry
numbers = np.ones(3)
assert entry(numbers, 2) == 1.0
for index in (-1, 3):
    try:
        entry(numbers, index)
    except IndexError:
        print(index)
"""
THROWN = """
from pathlib import Path
from pigglesim.chance.physical import physical_chance
from pigglesim.chance_types import DiceRequest
from pigglesim.landing import RollRequest, Seat
from pigglesim.scene.load import load_scene, team_models
from tests.support.small_throws import DROPPERS, THROWS, bits

for name in (*THROWS, *DROPPERS):
    bits(name)
for file in sorted(Path("scenes").glob("*.toml")):
    scene = load_scene(file.stem)
    models = team_models(scene)
    chance = physical_chance(scene, models, engine="impulse", seed=5)
    mine, others = ([name for name in models if name.startswith(seat)] for seat in "AB")
    for index in range(10):
        if scene.dice:
            chance.dice(DiceRequest(thrower=Seat.A, count=scene.dice.most), index=index)
        if models:
            landed = chance.roll(
                RollRequest(thrower=Seat.A, piggles=tuple(mine)), index=index
            ).landings
            standing = tuple((name, at) for name, at in landed if at.place is not None)
            chance.roll(
                RollRequest(thrower=Seat.B, piggles=tuple(others), standing=standing), index=index
            )
    print(scene.id, len(models))
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Return a function that runs code with a copy of the package whose indices are tested."""
    folder = tmp_path_factory.mktemp("checked")
    ignored = shutil.ignore_patterns("__pycache__", "compiled", "webassembly")
    shutil.copytree(PACKAGE, folder / "pigglesim", ignore=ignored)
    (folder / "pigglesim" / "physics" / "impulse" / "probe.py").write_text(PROBE)
    for data in ("models", "scenes"):
        if (PACKAGE.parent / data).is_dir():
            shutil.copytree(PACKAGE.parent / data, folder / data)
    own = {
        "PYTHONPATH": f"{folder}{os.pathsep}{Path.cwd()}",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_OPT": "1",  # compiled in less time; indices are the same
    }
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}

    def run(code):
        words = [sys.executable, "-P", "-c", code]
        done = subprocess.run(
            words, cwd=folder, env=environment | own, capture_output=True, text=True, check=False
        )
        assert not done.returncode, done.stderr
        return done.stdout.split("\n")[:-1]

    return run


@pytest.mark.slow
def test_an_index_outside_an_array_is_found(checked):
    assert checked(REFUSED) == ["-1", "3"]


@pytest.mark.slow
def test_no_throw_has_an_index_outside_an_array(checked):
    # Compiling it takes a minute or two.
    assert len(checked(THROWN)) == 4
