"""The page about Pig Pile says what the program does."""

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from pigglesim.games.pig_pile.game import FORMS
from pigglesim.games.pig_pile.state import PigPileRules
from tests.front_door import run_here

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "pig_pile.md").read_text()
(COMMANDS,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)


def rows(header):
    table = PAGE.split(header)[1].split("\n\n")[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()[2:]]


def test_the_house_rules_on_the_page_are_those_of_the_program():
    told = {name.strip("`"): (default.strip("`"), ruling) for name, default, ruling, _ in rows(
        "| switch |"
    )}  # fmt: skip
    rules = PigPileRules()
    defaults = dict(word.split("=") for word in rules.to_text().split())
    assert told == {
        spec.name: (defaults[spec.name], spec.metadata["ruling"]) for spec in fields(rules)
    }


def test_the_actions_on_the_page_read_back():
    for written, _, _ in rows("| text |"):
        action = FORMS.read(written.strip("`"))
        assert FORMS.read(FORMS.write(action)) == action


@pytest.mark.parametrize("command", [c for c in COMMANDS.splitlines() if " play " not in c])
def test_the_commands_on_the_page_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, first, *words = shlex.split(command)
    assert first == "pigglesim"
    done = run_here(*words)
    assert done.exit_code == 0
    if words[0] == "match":
        shown = [line.strip("─ ") for line in done.output.splitlines()]
        (example,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
        wanted = [line.strip("─ ") for line in example.splitlines()]
        assert shown[: len(wanted)] == wanted


def test_a_person_can_play_as_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = next(c for c in COMMANDS.splitlines() if " play " in c)
    words = shlex.split(command)[2:]
    done = run_here(*words, "--plain", "--seed", "2", "--hints", "greedy", stdin="1\n1\nquit\n")
    assert done.exit_code == 0
    assert "Player A plays" in done.output


def test_the_learning_environment_on_the_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    shown = capsys.readouterr().out
    assert "5 x 46: the seat, player 1 after the seat" in shown
    assert shown.endswith("97 actions\n")
