"""Matches of Modern from the command line: teams, the board, records."""

import json

import pytest

from tests.front_door import run

GAME = ("match", "--game", "piggles_modern")


@pytest.mark.slow
def test_a_match_on_physics_is_played_recorded_and_rolled_again_to_the_bit(tmp_path):
    file = tmp_path / "match.jsonl"
    words = ("--a", "uniform", "--b", "greedy", "--seed", 3, "--team-b", "rare", "--json")
    played = run(*GAME, *words, "--record", file)
    assert (played.returncode, played.stderr) == (0, "")
    document = json.loads(played.stdout)
    assert document["rules"] == "piggles_modern"
    assert document["house_rules"]["team_b"][5] == "blue+split"
    assert document["teams"]["A1"] == "piggle+orange+left"
    again = run("replay", file, "--resimulate", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["final_state"] == document["final_state"]


def test_the_board_tells_colours_runes_and_effects():
    words = ("--chance", "tabular", "--team-a", "red", "--team-b", "yellow", "--seed")
    shown = "".join(run(*GAME, *words, seed).stdout for seed in (4, 6))
    assert "A1 R←" in shown
    assert "B6 Y↔" in shown
    assert "(red, left) sends B" in shown
    assert "(yellow, adjacent) shields" in shown


def test_models_with_commas_are_a_team_of_modern_too():
    models = ",".join(["piggle+red+left"] * 5 + ["piggle"])
    words = ("--chance", "tabular", "--team-a", models, "--seed", 1, "--json")
    document = json.loads(run(*GAME, *words).stdout)
    assert document["house_rules"]["team_a"] == ["red+left"] * 5 + ["-"]


def test_at_the_table_of_classic_modern_is_played_with_the_standard_teams():
    words = ("--scene", "piggles_classic", "--chance", "tabular", "--seed", 1, "--json")
    document = json.loads(run(*GAME, *words).stdout)
    assert document["rules"] == "piggles_modern"
    assert document["house_rules"]["team_b"][0] == "orange+left"
