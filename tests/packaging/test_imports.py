"""What starts quickly loads little, and every library that is loaded is one that is declared."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.packaging import environments

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MODULES = {"mujoco-core": "mujoco", "pillow": "PIL"}
"""Where a distribution is imported by another name than its own."""
EXTRAS_IN = {
    "envs": "pigglesim/envs/",
    "mujoco": "pigglesim/physics/",
    "cluster": "pigglesim/experiments/run.py",
    "convex": "pigglesim/bodies/scan.py",
}


def modules(requirements):
    """Return the names by which the distributions of requirements are imported."""
    names = (re.match(r"[\w.-]+", word)[0].lower() for word in requirements)
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


DEPENDENCIES = modules(PROJECT["dependencies"])
EXTRAS = {name: modules(words) for name, words in PROJECT["optional-dependencies"].items()}


def imported(path):
    """Return the libraries that a source imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "import_module"
            # The front door opens rooms of its own.
            and isinstance(node.args[0], ast.Constant)
        ):
            found.add(node.args[0].value)
    tops = {name.split(".")[0] for name in found}
    return tops - sys.stdlib_module_names - {"pigglesim"}


@pytest.fixture(scope="module")
def uses():
    """The libraries that each source imports, by its path."""
    sources = sorted((ROOT / "pigglesim").rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): imported(path) for path in sources}


def test_every_import_is_declared_and_extras_stay_where_they_are_asked_for(uses):
    for path, found in uses.items():
        own = {
            module
            for extra, place in EXTRAS_IN.items()
            if path.startswith(place)
            for module in EXTRAS[extra]
        }
        assert found <= DEPENDENCIES | own, path


def test_every_extra_is_tried_in_an_environment():
    assert set(environments.EXTRAS) == set(PROJECT["optional-dependencies"])


def test_every_dependency_is_imported_somewhere(uses):
    used = set().union(*uses.values())
    assert used == DEPENDENCIES.union(*EXTRAS.values())


@pytest.mark.parametrize(
    ("code", "libraries"),
    [
        ("import pigglesim", set()),
        ("import pigglesim.errors, pigglesim.landing, pigglesim.games.registry", set()),
        (
            "import runpy; sys.argv = ['pigglesim', '--version']\n"
            "try: runpy.run_module('pigglesim', run_name='__main__')\n"
            "except SystemExit: pass",
            {"annotated_doc", "rich", "shellingham", "typer"},
        ),
    ],
    ids=["package", "rules", "version"],
)
def test_a_cold_start_loads_no_more_than_this(code, libraries, tmp_path):
    code = f"""
import sys
before = set(sys.modules)
{code}
tops = {{name.split('.')[0] for name in set(sys.modules) - before}}
print(*sorted(tops - sys.stdlib_module_names - {{'pigglesim'}}))
print(*sorted(n for n in sys.modules if n.startswith('pigglesim.') and '.cli' not in n))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    *_, loaded, rooms = done.stdout.splitlines() or [""]
    assert set(loaded.split()) <= libraries
    # The front door knows how faults are reported and what a file may hold, and no verb.
    if libraries:
        assert {room.split(".")[1] for room in rooms.split()} <= {
            *("errors", "files", "signals", "notebook_display", "units", "version")
        }
        assert len(rooms.split()) < 16
