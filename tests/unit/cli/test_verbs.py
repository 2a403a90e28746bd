"""The verbs as a person uses them: results on stdout, one line for a fault, exit 0, 1 or 2."""

import json

import pytest

from pigglesim.errors import SpecError
from pigglesim.landing import Orientation
from tests.support.front_door import run, run_here


def test_roll_prints_one_document_and_nothing_else():
    done = run("roll", 2, "--seed", 5, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert {"seed", "dice", "knocks", "settle"} <= document.keys()
    assert document["seed"] == 5
    for die in document["dice"]:
        assert {
            "id", "model", "orientation", "zone", "on_line", "points", "position_m",
            "rotation_xyzw", "leaning", "stacked", "off_board",
        } <= die.keys()  # fmt: skip
        assert die["on_line"] == die["zone"].startswith("line:")
        assert die["off_board"] == (die["zone"] == "off") == (die["orientation"] is None)


def test_the_house_rules_are_in_the_record(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text('mud_delay = "none"\nrounds = 1\n')
    done = run("match", "--house-rules", file, "--rule", "cocked=nudge", "--seed", 3, "--json")
    assert done.returncode == 0, done.stderr
    rules = json.loads(done.stdout)["house_rules"]
    assert (rules["mud_delay"], rules["rounds"], rules["cocked"]) == ("none", 1, "nudge")


def test_a_match_by_odds_reports_how_far_they_depart(tmp_path):
    from pigglesim.chance.odds import load_odds, odds_text

    departure = {
        "thrown": 6,
        "standing": 0,
        "throws": 900,
        "floor": 0.02,
        "low": 0.05,
        "high": 0.123,
    }
    table = json.loads(odds_text(load_odds("piggle"))) | {
        "model": "premium",
        "departures": [{"of": "points a pour", "value": 0.08, **departure}],
    }
    (tmp_path / "mine.json").write_text(json.dumps(table))
    words = ["match", "--chance", "tabular", "--odds", "mine.json", "--seed", 4, "--no-boards"]
    words += ["--team-a", "premium", "--team-b", "premium", "--record", "m.jsonl"]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    sentence = "points per pour, 6 onto a cleared board: total variation 0.080, where noise alone"
    assert f"{sentence} gives 0.020" in " ".join(done.stdout.split())
    header = json.loads((tmp_path / "m.jsonl").read_text().splitlines()[0])
    assert header["chance"]["model"] == "premium"
    assert run("replay", "m.jsonl", "--no-boards", cwd=tmp_path).returncode == 0
    plain = run("match", "--chance", "tabular", "--odds", "mine.json", cwd=tmp_path)
    assert (plain.returncode, "premium" in plain.stderr) == (2, True)


MODERN = ("match", "--game", "piggles_modern")


@pytest.mark.slow
def test_a_match_on_physics_is_played_recorded_and_rolled_again_to_the_bit(tmp_path):
    file = tmp_path / "match.jsonl"
    words = ("--a", "uniform", "--b", "greedy", "--seed", 3, "--team-b", "rare", "--json")
    played = run_here(*MODERN, *words, "--record", file)
    assert played.exit_code == 0
    document = json.loads(played.stdout)
    assert document["rules"] == "piggles_modern"
    assert document["house_rules"]["team_b"][5] == "blue+split"
    assert document["teams"]["A1"] == "piggle+orange+left"
    again = run_here("replay", file, "--resimulate", "--json")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["final_state"] == document["final_state"]


def test_the_board_shows_colours_runes_and_effects():
    words = (
        "--chance",
        "tabular",
        "--team-a",
        "red",
        "--team-b",
        "yellow",
        "--b",
        "uniform",
        "--seed",
    )
    shown = "".join(run_here(*MODERN, *words, seed).stdout for seed in (4, 6))
    assert "A1 R←" in shown
    assert "B6 Y↔" in shown
    assert "(red, left) sends B" in shown
    assert "(yellow, adjacent) shields" in shown


@pytest.mark.slow
def test_a_roll_shows_when_it_was_decided_and_is_the_same_roll():
    words = ["roll", 1, "--seed", 8, "--engine", "impulse", "--json"]
    done = run_here(*words, "--decided")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    (decided,) = (document.pop("decided")).values()
    assert document == json.loads(run_here(*words).stdout)
    assert decided["outcome"] == Orientation(document["dice"][0]["orientation"]).label
    assert decided["looks"][0]["bits"]["value"] >= decided["looks"][-1]["bits"]["value"] >= 0.0
    assert [each["level"] for each in decided["certain_from"]] == [0.5, 0.9, 0.99]
    # Whoever sees the throw exactly misses nothing from the start.
    exact = json.loads(run_here(*words, "--decided", "--hand-error", 0).stdout)["decided"]
    assert next(iter(exact.values()))["looks"][0]["bits"]["value"] == 0.0
    shown = run_here("roll", 1, "--seed", 8, "--decided").stdout
    assert "90 % certain" in shown


def test_an_error_of_a_hand_without_looks_is_refused():
    with pytest.raises(SpecError, match=r"--hand-error needs --decided; add --decided"):
        run_here("roll", "--hand-error", 2)
