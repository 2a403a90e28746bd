"""Every command that the README shows runs, as it stands there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pigglesim.games.piggles.state import Reason
from tests.graphics import missing

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COMMANDS = [
    line.split("  #")[0].split(" #")[0].strip()
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]


def test_the_two_commands_come_first():
    assert COMMANDS[:2] == ["./scripts/run", "./scripts/test"]
    for command in COMMANDS[:2]:
        path = ROOT / command
        assert path.stat().st_mode & 0o111, f"{command} has no run bit"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder like a checkout, for what the commands write."""
    folder = tmp_path_factory.mktemp("as a user")
    shutil.copytree(ROOT / "tests" / "scenarios", folder / "tests" / "scenarios")
    return folder


def test_every_other_command_runs_in_the_order_of_the_page(folder):
    for command in COMMANDS[2:]:
        first, *words = shlex.split(command)
        assert first == "./scripts/run"
        if {"--png", "--video"}.intersection(words) and missing() and "CI" not in os.environ:
            # On a machine of one's own pictures may not be drawn.
            continue
        done = subprocess.run(
            [sys.executable, "-m", "pigglesim", *words], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        assert done.stdout


def test_the_learning_environment_on_the_page_runs(folder):
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (code,) = (block for block in blocks if "pigglesim.adapters" in block)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    ended, shapes = done.stdout.splitlines()
    # Who plays there is not seeded: a match may end in any way that the rules know.
    reason, points = ended.split(" ", 1)
    assert reason in set(Reason)
    assert points.startswith("{'A': ")
    assert shapes == "(603,) (2655,)"


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def switches_on_the_page(header):
    table = README.split(header)[1].split("\n\n")[0]
    return {
        word
        for row in table.splitlines()[2:]
        for word in re.findall(r"`([a-z_0-9]+)`", row.split("|")[1])
    }


def test_the_house_rules_on_the_page_are_those_of_the_program():
    from pigglesim.games.piggles.house_rules import HouseRules
    from pigglesim.games.piggles.modern_rules import ModernRules

    classic = switches_on_the_page("| switch |")
    assert classic == set(HouseRules().to_mapping())
    modern = switches_on_the_page("| switch of Modern |")
    assert modern == set(ModernRules().to_mapping()) - classic


def test_the_study_file_on_the_page_is_one():
    import tomllib

    from pigglesim.studies.study import Study
    from pigglesim.studies.study_file import checked_table

    (text,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    study = Study.from_definition(checked_table(tomllib.loads(text), source="the page"))
    assert study.cell_count == 6


def test_every_column_of_a_study_is_told():
    from pigglesim.studies.columns import COLUMNS

    table = README.split("| column |")[1].split("\n\n")[0]
    named = {word for row in table.splitlines()[2:] for word in re.findall(r"`(\w+)`", row)}
    assert set(COLUMNS) < named
