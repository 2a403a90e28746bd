"""The page of Piggy Six has the values that the program solves."""

import json
import shlex
from pathlib import Path

import pytest

from tests.support.front_door import run_here

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "piggy_six.md").read_text()
ROWS = [
    [cell.strip(" `") for cell in row.strip("|").split("|")]
    for row in PAGE.splitlines()
    if row.startswith("|")
]
SOLVED = [row for row in ROWS if row[-1].startswith("pigglesim solve")]
QUICK = [row for row in SOLVED if "target 20" in row[-1] or "six --target 50 --e" in row[-1]]


@pytest.mark.slow
@pytest.mark.parametrize("row", QUICK, ids=lambda row: row[-1])
def test_solved_values_are_those_of_the_commands(row):
    document = json.loads(run_here(*shlex.split(row[-1])[1:], "--json").stdout)
    if len(row) == 4:
        turn = document["one_turn"]
        assert row[1:3] == [str(turn["stop_at"]), f"{turn['expected']:.9f}"]
    else:
        assert f"{document.get('first_player_win', document.get('win')):.9f}" == row[1]
