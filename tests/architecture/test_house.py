"""The house keeps its own rules: small files, short functions, no banned names, whole packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "pigglesim").rglob("*.py"))
WRITTEN = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py"))]
NAMES = [str(path.relative_to(ROOT)) for path in SOURCES]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path):
    text = path.read_text()
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            told = len((ast.get_docstring(node, clean=False) or "").splitlines())
            assert length - told <= 60, f"{node.name}: {length - told} lines"


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_no_room_is_named_for_nothing(path):
    assert not {"utils", "helpers", "common", "base", "misc"} & {path.stem, *path.parts}
    assert "Manager" not in path.read_text()


def test_every_module_says_what_it_offers():
    for path in SOURCES:
        tree = ast.parse(path.read_text())
        assert ast.get_docstring(tree), path
        has_public = any(
            isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            for node in tree.body
        )
        names = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if has_public:
            assert "__all__" in names, path


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
