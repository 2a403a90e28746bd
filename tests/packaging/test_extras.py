"""Whatever needs an extra says, without it, in one line how to install it; and harms nothing."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.packaging.extras import ABSENT, APIS, VERBS

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def without(code, folder, *, absent=ABSENT):
    """Run code in a process where some modules are not installed, as far as it can tell."""
    text = f"import sys\nfor name in {absent}: sys.modules[name] = None\n{code}"
    return subprocess.run(
        [sys.executable, "-c", text],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PIGGLESIM_TRACEBACK": ""},
    )


def verb(line, folder, *, absent=ABSENT):
    code = f"from pigglesim.cli.app import main\nsys.argv = {['pigglesim', *line.split()]}\nmain()"
    return without(code, folder, absent=absent)


@pytest.mark.parametrize(("extra", "line"), VERBS, ids=[line for _, line in VERBS])
def test_a_verb_names_the_extra_in_one_line(extra, line, tmp_path):
    (tmp_path / "pig.stl").write_text("solid pig\nendsolid pig\n")
    done = verb(line, tmp_path)
    (said,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert said.startswith("pigglesim: expected ")
    assert f"try: pip install 'pigglesim[{extra}]'" in said
    # Nothing is begun that cannot be ended.
    assert [path.name for path in tmp_path.iterdir()] == ["pig.stl"]


@pytest.mark.parametrize(("extra", "code"), APIS, ids=[code for _, code in APIS])
def test_the_same_is_raised_in_python(extra, code, tmp_path):
    done = without(code, tmp_path)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("pigglesim.")
    assert "Error: expected " in last
    assert f"try: pip install 'pigglesim[{extra}]'" in last


def test_every_extra_is_asked_for_above():
    assert {extra for extra, _ in VERBS + APIS} == set(EXTRAS)


def test_without_any_extra_rolls_and_matches_go_on(tmp_path):
    done = verb("roll 1 --seed 7 --json", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["provenance"]["engine"] == "bullet"
    done = verb("match --chance tabular --rule rounds=1 --seed 7 --json", tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "line",
    ["roll 1 --engine bullet", "match --engine bullet --out m.jsonl", "compare --pours 2"],
)
def test_where_pybullet_is_not_the_way_round_it_comes_first(line, tmp_path):
    done = verb(line, tmp_path, absent=("pybullet",))
    (said,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert "expected the physics engine pybullet, got not installed" in said
    assert "try: --engine mujoco, or pip install pybullet (Linux x86-64, Python 3.11" in said
    assert list(tmp_path.iterdir()) == []
