"""The page of Piggy Six says what the program does: solved values, and a game."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pigglesim.cli.app import app

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "piggy_six.md").read_text()
ROWS = [
    [cell.strip(" `") for cell in row.strip("|").split("|")]
    for row in PAGE.splitlines()
    if row.startswith("|")
]
SOLVED = [row for row in ROWS if row[-1].startswith("pigglesim solve")]
QUICK = [
    row
    for row in SOLVED
    if "--target 20" in row[-1] or row[-1].endswith("piggy_six --target 50 --ending race")
]


def run(words, folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("row", QUICK, ids=lambda row: row[-1])
def test_solved_values_are_those_of_the_commands(row, tmp_path, monkeypatch):
    told = json.loads(run([*shlex.split(row[-1])[1:], "--json"], tmp_path, monkeypatch))
    if len(row) == 4:
        assert (told["one_turn"]["stop_at"], row[2]) == (
            int(row[1]),
            f"{told['one_turn']['expected']:.9f}",
        )
    else:
        assert f"{told.get('first_player_win', told.get('win')):.9f}" == row[1]


def test_the_game_on_the_page_is_played_so(tmp_path, monkeypatch):
    block = PAGE.split("## Example game")[1].split("```console\n$ ")[1].split("```")[0]
    command, *lines = block.splitlines()
    shown = run(shlex.split(command)[1:], tmp_path, monkeypatch)
    story = [line for line in shown.splitlines() if re.match(r"Player \w (rolls|stops|wins)", line)]
    assert "\n".join(lines) in "\n".join(story)
