"""Every module says what it is, and a start loads no heavy library."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "pigglesim").rglob("*.py"))


def test_every_module_says_what_it_is():
    for path in SOURCES:
        assert ast.get_docstring(ast.parse(path.read_text())), path


def test_the_front_door_loads_no_heavy_library():
    heavy = ["numpy", "pybullet", "mujoco", "trimesh", "scipy"]
    heavy += ["shapely", "pydantic", "manifold3d"]
    code = f"import sys, pigglesim.cli.app; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_roll_loads_no_mesh_library():
    heavy = ["trimesh", "scipy", "manifold3d", "networkx"]
    code = (
        "import sys, runpy\nsys.argv = ['pigglesim', 'roll', '1', '--json']\n"
        "try:\n    runpy.run_module('pigglesim', run_name='__main__')\n"
        f"finally:\n    print([m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
