"""Other engines than `impulse` need no compiler."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

PROGRAM = """
import sys

class NoCompiler:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ImportError(name)

sys.meta_path.insert(0, NoCompiler())
import numpy as np
from pigglesim.bodies.body import support_for
from pigglesim.bodies.load import load_model
from pigglesim.landing import STANDARD_READING, RestPlace
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.landing_reading import read_landing
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Board
from pigglesim.throws import sample_drops

body, floor = load_model("d6"), load_floor("tabletop")
dropper = Dropper(
    body, support_for(body), [pose.label for pose in body.poses],
    surface=floor.surface("plastic"), stepping=floor.stepping, engine=make_engine(sys.argv[1]),
)
drops = sample_drops(floor.fall, body, trials=range(2), seed=1, purpose=("drop",))
pose = body.poses[dropper.drop_all(drops).poses[0]]
place = RestPlace(position=(0.0, 0.06, pose.height), rotation=(0.0, 0.0, 0.0, 1.0))
print(read_landing(body, place, (), board=Board(), rules=STANDARD_READING).zone)
assert not {"numba", "shapely"} & {*sys.modules}
"""


@pytest.mark.parametrize(("engine", "package"), [("bullet", "pybullet"), ("mujoco", "mujoco")])
def test_a_drop_and_its_reading_need_no_compiler(engine, package):
    if find_spec(package) is None:
        pytest.skip(f"needs {package}")
    command = [sys.executable, "-P", "-c", PROGRAM, engine]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "field:N\n"
