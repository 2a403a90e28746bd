"""The workflows for hosted machines name what is there: scripts, modules, verbs, flags."""

import os
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.support.front_door import run_here

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
JOBS = {
    f"{file.stem} {name}": job
    for file in FILES
    for name, job in yaml.safe_load(file.read_text())["jobs"].items()
}
LINES = [
    line
    for job in JOBS.values()
    for step in job["steps"]
    for line in step.get("run", "").splitlines()
]


@pytest.mark.parametrize("line", LINES)
def test_a_command_names_what_is_there(line):
    first, *words = line.split()
    if first == "pigglesim":
        usage = run_here(words[0], "--help").output
        flags = [word for word in words if word.startswith("--")]
        assert flags and all(f"{flag} " in usage for flag in flags)
    elif first.startswith("./"):
        assert os.access(ROOT / first, os.X_OK)
    elif (module := re.search(r"-m (scripts[\w.]+)", line)) is not None:
        assert find_spec(module[1])


def test_the_first_and_the_last_python_that_classifiers_name_are_tried():
    kind = "Programming Language :: Python :: 3."
    named = [int(each.removeprefix(kind)) for each in PROJECT["classifiers"] if kind in each]
    tried = JOBS["check wheel"]["strategy"]["matrix"]["python"]
    assert {f"3.{min(named)}", f"3.{max(named)}"} <= set(tried)
