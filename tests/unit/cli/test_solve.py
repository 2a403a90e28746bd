"""`pigglesim solve`: figures, positions, pictures, faults, and what a stop leaves."""

import json

import pytest
from typer.testing import CliRunner

from pigglesim.cli.app import app
from pigglesim.solvers import dice_game as kept
from pigglesim.solvers.kernel import score_sums


@pytest.fixture(autouse=True)
def _own_folder(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "solutions-of-solve"
    monkeypatch.setattr(kept, "user_cache", lambda: folder)


def run(*words):
    return CliRunner().invoke(app, ["solve", *words])


def document(*words):
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("variant", ["two-dice", "three-dice", "pig"])
@pytest.mark.parametrize("ending", ["equal-turns", "race"])
def test_figures_as_json(variant, ending):
    solution = document("piggy_six", "--target", "12", "--ending", ending, "--variant", variant)
    assert (solution["variant"], solution["ending"], solution["target"]) == (variant, ending, 12)
    assert solution["first_player_win"] + solution["second_player_win"] == pytest.approx(1.0)
    assert solution["bound"] <= 1e-9
    assert solution["solved"]
    # Who moves first in a race has the better of it; with equal turns who moves last has.
    assert (solution["first_player_win"] > 0.5) is (ending == "race")


def test_a_position_is_looked_up():
    at = document("--target", "20", "--position", "12,22,10", "--second")["position"]
    assert (at["best"], at["dice"], at["to_move"]) == ("roll", 2, "second")
    assert (at["stop"], at["roll"]) == (0.5, pytest.approx(25 / 36))
    start = document("--target", "20", "--position", "0,0,0")
    assert start["position"]["stop"] is None
    assert start["position"]["roll"] == pytest.approx(start["first_player_win"], abs=1e-9)
    three = document("--target", "8", "--variant", "three-dice", "--position", "1,2,3")
    assert set(three["position"]["rolls"]) == {"1", "2", "3"}


def test_without_json_the_answer_is_in_words(tmp_path):
    shown = run("--target", "20", "--position", "3,4,5", "--plot", str(tmp_path / "s.png")).stdout
    assert "the first player wins" in shown
    assert "the first player at 3 : 4 with 5 in the turn wins by roll:" in shown
    assert "stop at 14, 6.120578 on average" in shown
    held = run("--target", "20", "--hold", "8", "--variant", "pig", "--ending", "race").stdout
    assert "both hold at 8" in held
    alone = run("--target", "8", "--solitaire", "4,5", "--position", "1,2,3,4").stdout
    assert "against imaginary players who stop at 4 and 5" in " ".join(alone.split())
    assert "best: " in alone


def test_a_stop_shows_the_bounds_as_they_are(monkeypatch):
    sweep, parts = kept.sweep, []
    # In the middle of the third sweep.
    most = 2 * len(list(score_sums(14))) + 1

    def stopped(*arguments):
        if len(parts) == most:
            raise KeyboardInterrupt
        parts.append(1)
        return sweep(*arguments)

    monkeypatch.setattr(kept, "sweep", stopped)
    done = run("--target", "14", "--json")
    assert done.exit_code == 130
    solution = json.loads(done.stdout)
    assert not solution["solved"]
    assert 1e-9 < solution["bound"] < 1.0
    monkeypatch.undo()
    true = document("--target", "14", "--recompute")["first_player_win"]
    assert abs(solution["first_player_win"] - true) <= solution["bound"]
