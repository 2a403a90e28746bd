"""Every imported library is declared, and what starts quickly loads little."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = CONFIGURATION["project"]
MODULES = {
    "markdown-it-py": "markdown_it",
    "mujoco-core": "mujoco",
    "pillow": "PIL",
    "pybullet-arm64": "pybullet",
}
"""Where a distribution is imported by another name than its own."""
FRONT_DOOR = {
    *("errors", "signals", "limits", "notebook_display", "units", "glyphs", "version"),
}
"""Rooms that every verb loads."""
EXTRAS_IN = {
    "envs": "pigglesim/envs/",
    "mujoco": "pigglesim/physics/",
    "cluster": "pigglesim/experiments/dask_cluster.py",
    "convex": "pigglesim/bodies/scan.py",
}
BEHIND = {"websockets"}
"""Libraries that another one imports, by a name that is given to it: WebSockets of uvicorn."""
WRITTEN = {
    "pigglesim/site/compiling.py": {"page_data", "page_puzzles"},
    "pigglesim/site/puzzles.py": {"page_puzzles"},
    "pigglesim/site/six.py": {"page_six"},
}
"""Modules that are written into the folder of a site, and imported there alone."""
HEAVY = {
    *("numpy", "pybullet", "mujoco", "trimesh", "scipy", "shapely", "pydantic", "manifold3d"),
    *("networkx", "duckdb", "matplotlib", "pyglet"),
}
VERB = """
import runpy
sys.argv = ['pigglesim', {}]
runpy.run_module('pigglesim', run_name='__main__')
"""


def modules(requirements):
    """Return the names by which the distributions of requirements are imported."""
    names = (re.match(r"[\w.-]+", word)[0].lower() for word in requirements)
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def imported(path):
    """Return the libraries that a source imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            found |= {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
    return {name.split(".")[0] for name in found} - sys.stdlib_module_names - {"pigglesim"}


def test_every_import_is_declared_and_every_declared_library_is_imported():
    needed = modules(PROJECT["dependencies"])
    extras = {name: modules(words) for name, words in PROJECT["optional-dependencies"].items()}
    used = set()
    for path in sorted((ROOT / "pigglesim").rglob("*.py")):
        name, found = path.relative_to(ROOT).as_posix(), imported(path)
        own = (extras[extra] for extra, place in EXTRAS_IN.items() if name.startswith(place))
        found -= WRITTEN.get(name, set())
        assert found <= needed.union(*own), name
        used |= found
    assert used | BEHIND == needed.union(*extras.values())


def test_scripts_import_what_there_is():
    files = [path for path in (ROOT / "scripts").rglob("*") if path.suffix in {"", ".py"}]
    sources = [path.read_bytes() for path in files if path.is_file()]
    scripts = [ast.parse(code) for code in sources if re.match(rb"#!.*python|\"\"\"", code)]
    for node in (node for script in scripts for node in ast.walk(script)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("pigglesim"):
            exec(ast.unparse(node), {})
    assert len(scripts) > 10


@pytest.mark.parametrize(
    ("code", "allowed", "allowed_rooms"),
    [
        ("import pigglesim", set(), {"notebook_display", "version"}),
        ("import pigglesim.errors, pigglesim.landing, pigglesim.games.registry", set(), set()),
        (
            VERB.format("'--version'"),
            {"annotated_doc", "shellingham", "typer"},
            {"cli", "files", *FRONT_DOOR},
        ),
        (
            VERB.format("'--help'"),
            {"annotated_doc", "shellingham", "typer"},
            {"cli", *FRONT_DOOR},
        ),
    ],
    ids=["package", "rules", "version", "help"],
)
def test_a_cold_start_loads_no_more_than_this(code, allowed, allowed_rooms, tmp_path):
    tops, rooms = loaded(code, tmp_path)
    assert tops - sys.stdlib_module_names - {"pigglesim"} <= allowed
    assert not allowed_rooms or rooms <= allowed_rooms


@pytest.mark.parametrize(
    ("code", "light"),
    [
        ("import pigglesim.cli.app", HEAVY - {"networkx", "duckdb", "matplotlib", "pyglet"}),
        (
            VERB.format("'roll', '1', '--engine', 'bullet'"),
            {"numba", "textual", *HEAVY} - {"numpy", "pybullet", "shapely", "pydantic"},
        ),
        (
            "import pigglesim; pigglesim.roll; pigglesim.known; pigglesim.play_match",
            {"scipy", "duckdb", "matplotlib", "pyglet", "trimesh", "manifold3d", "networkx"},
        ),
    ],
    ids=["command line", "roll", "three names"],
)
def test_heavy_libraries_wait_until_they_are_needed(code, light, tmp_path):
    assert not loaded(code, tmp_path)[0] & light


def test_a_roll_loads_neither_agents_nor_records(tmp_path):
    _, rooms = loaded(VERB.format("'roll', '1', '--engine', 'bullet'"), tmp_path)
    assert {"chance", "physics", "scene"} <= rooms
    assert not rooms & {"agents", "experiments", "json_codec", "match", "solvers", "table"}


def loaded(code, folder):
    """Return the packages, and the rooms of pigglesim, that some code loads in a new process."""
    code = f"""
import atexit, sys
def show(before):
    new = set(sys.modules) - before
    print(*{{name.split('.')[0] for name in new}})
    print(*{{name.split('.')[1] for name in new if name.startswith('pigglesim.')}})
atexit.register(show, set(sys.modules))  # a verb ends the process
{code}
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder)
    *_, tops, rooms = done.stdout.splitlines()
    return set(tops.split()), set(rooms.split())
