"""The pages at the top level agree with the program and with each other."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import pigglesim
from tests.support.front_door import run_here

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
TEXTS = {name: (ROOT / name).read_text() for name in PAGES}
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
HEADING = r"^## \[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d\d-\d\d)$"


def test_one_version_everywhere():
    printed = subprocess.run(
        [sys.executable, "-m", "pigglesim", "--version"], capture_output=True, text=True, check=True
    ).stdout
    newest = re.search(HEADING, TEXTS["CHANGELOG.md"], re.MULTILINE)
    versions = {PROJECT["version"], pigglesim.__version__, newest[1], str(CITATION["version"])}
    assert versions == {printed.removeprefix("pigglesim ").strip()}


def test_the_changelog_is_in_order():
    versions = re.findall(HEADING, TEXTS["CHANGELOG.md"], re.MULTILINE)
    numbers = [tuple(map(int, version.split("."))) for version, _ in versions]
    assert numbers == sorted(set(numbers), reverse=True)
    assert all(date != "unreleased" for _, date in versions[1:])


def test_the_changelog_knows_the_formats():
    from pigglesim.chance import odds
    from pigglesim.experiments import shard as identity
    from pigglesim.films.codec import VERSION
    from pigglesim.match.entries import SCHEMA

    line = re.findall(r"Records are of format .*", TEXTS["CHANGELOG.md"])[0]
    assert line == (
        f"Records are of format {SCHEMA}, films of format {VERSION}, "
        f"studies of format {identity.SCHEMA}, odds of format {odds._FORMAT['version']}."
    )


def test_the_citation_agrees():
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "authors"} <= set(CITATION)
    for key, name in {"title": "name", "abstract": "description"}.items():
        assert CITATION[key] == PROJECT[name]
    assert all(CITATION[key] == PROJECT[key] for key in ("license", "authors", "keywords"))
    date = re.search(HEADING, TEXTS["CHANGELOG.md"], re.MULTILINE)[2]
    assert str(CITATION.get("date-released", "unreleased")) == date


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_points_at_is_there(page):
    text = TEXTS[page]
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("https://keepachangelog.com/"):
            assert (ROOT / target).exists(), target
    for path in re.findall(r"`((?:scripts|tests|docs|models|scenes|pigglesim)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path
    for script in re.findall(r"(scripts/\w[\w.-]*\w)", text):
        assert (ROOT / script).exists(), script


@pytest.mark.parametrize("page", PAGES)
def test_flags_that_a_page_names_exist(page):
    for verb, flag in set(re.findall(r"`(?:pigglesim )?([a-z]+) --([\w-]+)", TEXTS[page])):
        words = [] if verb == "pigglesim" else [verb]
        assert f"--{flag}" in run_here(*words, "--help").output, (verb, flag)


def test_extras_that_the_changelog_names_are_those_there_are():
    (line,) = re.findall(r"\*\*Extras\.\*\*([^;]+);", TEXTS["CHANGELOG.md"])
    assert set(re.findall(r"`(\w+)`", line)) == set(PROJECT["optional-dependencies"])
