"""Whatever needs an extra says, without it, in one line how to install it; and harms nothing."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from scripts.documentation.pages import PAGES
from tests.packaging.uses import ABSENT, APIS, PACKAGES, VERBS

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
INSTALL = shlex.join([sys.executable, "-m", "pip", "install"])
"""Of the environment that runs it: what works in a checkout, on whose path there is no `pip`."""


ONE_BY_ONE = """
import contextlib, io, json, os, sys, traceback
from pathlib import Path

for name in json.loads(sys.argv[1]): sys.modules[name] = None
from pigglesim.cli.app import main

found = []
for number, (kind, text) in enumerate(json.loads(sys.argv[2])):
    folder = Path(str(number))
    folder.mkdir()
    os.chdir(folder)
    Path("pig.stl").write_text("solid pig\\nendsolid pig\\n")
    out, said, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            if kind == "verb":
                sys.argv = ["pigglesim", *text.split()]
                main()
            else:
                exec(text, {})
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            status = 1
            traceback.print_exc()
    left = sorted(os.listdir())
    found.append([status, out.getvalue(), said.getvalue().splitlines(), left])
    os.chdir("..")
print(json.dumps(found))
"""


def tried(uses, folder, *, absent=ABSENT):
    """Try uses one by one where some modules are not installed, as far as a process can tell.

    Returns, for each, its exit status, what it printed, the lines of its faults, the files left.
    """
    words = [sys.executable, "-c", ONE_BY_ONE, json.dumps(absent), json.dumps(uses)]
    env = {**os.environ, "PIGGLESIM_TRACEBACK": ""}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    return {text: seen for (_, text), seen in zip(uses, found, strict=True)}


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory):
    """What came of every verb and call that needs an extra, where none is installed."""
    verbs = [("verb", line) for _, line in VERBS]
    calls = [("call", code) for _, code in APIS]
    return tried([*verbs, *calls], tmp_path_factory.mktemp("without extras"))


@pytest.mark.parametrize(("extra", "text"), VERBS + APIS, ids=[text for _, text in VERBS + APIS])
def test_a_missing_extra_is_one_line_with_the_command_that_installs_it(extra, text, without_extras):
    status, out, lines, left = without_extras[text]
    is_verb = (extra, text) in VERBS
    assert (status, out) == (2 if is_verb else 1, "")
    assert f"{INSTALL} {PACKAGES[extra]}" in lines[-1]
    assert lines[-1].startswith("pigglesim: " if is_verb else "pigglesim.")
    if is_verb:
        # Nothing is begun that cannot be ended.
        assert (len(lines), left) == (1, ["pig.stl"])


def test_every_extra_is_used_above_and_declares_its_packages():
    assert {extra for extra, _ in VERBS + APIS} == set(EXTRAS)
    declared = {name: {Requirement(word).name for word in EXTRAS[name]} for name in EXTRAS}
    assert declared == {name: set(words.split()) for name, words in PACKAGES.items()}


def test_no_remedy_or_page_installs_the_project_itself_from_an_index():
    """Nothing is published: a name that an index does not know cannot be installed from it."""
    for path in [*(ROOT / "pigglesim").rglob("*.py"), *PAGES, ROOT / "CONTRIBUTING.md"]:
        assert not re.search(r"pip install\b[^`\n]*\bpigglesim", path.read_text()), path


@pytest.mark.slow
def test_without_any_extra_rolls_and_matches_go_on(tmp_path):
    roll = "roll 1 --seed 7 --json"
    match = "match --chance tabular --rule rounds=1 --seed 7 --json"
    found = tried([("verb", roll), ("verb", match)], tmp_path)
    assert found[roll][0] == found[match][0] == 0
    assert found[roll][2] == []
    assert json.loads(found[roll][1])["provenance"]["engine"] == "bullet"


@pytest.mark.slow
def test_where_pybullet_is_not_the_way_round_it_comes_first(tmp_path):
    lines = ["roll 1 --engine bullet", "match --engine bullet --out m.jsonl", "compare --pours 2"]
    found = tried([("verb", line) for line in lines], tmp_path, absent=("pybullet",))
    for status, _, (said,), left in found.values():
        assert status == 2
        package = "pybullet" if sys.version_info < (3, 12) else "pybullet-arm64"
        install = f"{INSTALL} {package} (Python 3.13"
        assert "--engine mujoco" in said and install in said
        assert left == ["pig.stl"]
