"""Lord of the P.I.G.S. by its verbs: a match, its replay, scenarios, speed, and bad input."""

import json

import pytest

from pigglesim.errors import PigglesimError
from tests.front_door import run_here


def test_a_match_is_told_recorded_and_replayed(tmp_path):
    file = tmp_path / "match.txt"
    words = ("match", "lord_of_the_pigs", "--agents", "greedy,uniform,uniform,uniform")
    done = run_here(*words, "--seed", 7, "--out", file)
    assert done.exit_code == 0
    assert "President submits " in done.output
    again = run_here("replay", file)
    assert again.exit_code == 0
    assert "Turn 1 · President first · Submission" in again.output
    assert done.output.splitlines()[-3] in again.output


def test_a_series_is_one_match():
    rules = ("--rule", "series=regular", "--rule", "series_games=2", "--rule", "turn_cap=9")
    done = run_here(
        "match", "lord_of_the_pigs", "--agents", "uniform", "--seed", 2, *rules, "--json"
    )
    record = json.loads(done.output)
    assert record["house_rules"]["series"] == "regular"
    assert record["reason"] == "series"
    assert sum(record["scores"].values()) in range(13)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--players", 5), "players"),
        (("--agents", "greedy,uniform"), "4"),
        (("--rule", "diplomacy=on"), "diplomacy_wars"),
        (("--rule", "turn_cap=0"), "from 1 to 10000"),
        (("--chance", "physical"), "fair"),
    ],
)
def test_what_cannot_be_is_told(words, fault):
    with pytest.raises(PigglesimError, match=fault):
        run_here("match", "lord_of_the_pigs", *words)
