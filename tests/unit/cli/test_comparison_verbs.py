"""`converge`, `compare` and `odds check` as a person uses them."""

import json
import re

import pytest

from tests.front_door import run, run_here


@pytest.mark.slow
def test_converge_tells_shares_at_three_steps():
    words = ("converge", "--pours", 2, "--knock-pours", 1, "--seed", 1, "--workers", 2)
    done = run(*words, "--json")
    assert done.returncode == 0
    # Three steps, two pours and a knock each: in a log they are told at the start and at the end.
    assert re.match(r"pouring: 1 of 9 pours.*\n(?:.*\n)*pouring: 9 of 9 pours; .*\n$", done.stderr)
    document = json.loads(done.stdout)
    assert document["labels"] == ["2 ms", "1 ms", "0.5 ms"]
    assert (document["pours"], document["knock_pours"]) == ([2, 2, 2], [1, 1, 1])
    assert (document["seed"], document["target"], document["stopped"]) == (1, 0.01, False)
    for row in document["rows"]:
        assert {"pose", "zone", "leaning", "knock"} >= {row["group"]}
        assert (len(row["shares"]), len(row["differences"])) == (3, 2)
        for share in row["shares"]:
            assert 0.0 <= share["low"] <= share["high"] <= 1.0
            assert share["level"] == 0.95
    # Two pours tell nothing of a hundredth.
    assert {apart["verdict"] for apart in document["apart"]} == {"open"}


@pytest.mark.slow
def test_compare_puts_engines_side_by_side():
    words = ["compare", "--engines", "bullet,mujoco", "--pours", "2", "--knock-pours", "1"]
    words += ["--workers", "1", "--seed", "1"]
    done = run_here(*words, "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["labels"] == document["engines"] == ["bullet", "mujoco"]
    poses = [row for row in document["rows"] if row["group"] == "pose"]
    for side in (0, 1):
        assert sum(row["shares"][side]["value"] for row in poses) == pytest.approx(1.0)
    for row in document["rows"]:
        first, second = row["shares"]
        apart = second["value"] - first["value"]
        assert row["differences"][0]["value"] == pytest.approx(apart)
    words[words.index("--knock-pours") + 1] = "0"
    shown = run_here(*words, "--engines", "bullet,impulse")
    assert "impulse - bullet" in shown.stdout
    assert "target" not in shown.stdout


@pytest.mark.slow
def test_odds_check_tells_matches_and_transitions_side_by_side():
    words = ["odds", "check", "--matches", "2", "--throws", "3", "--seed", "1", "--workers", "1"]
    done = run_here(*words, "--engine", "bullet", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert list(told["match"]) == ["mean_score", "flips", "knocks", "zone_changes"]
    for sides in told["match"].values():
        assert set(sides) == {"physics", "odds"}
        for number in sides.values():
            assert number["low"] <= number["value"] <= number["high"]
    assert told["match"]["knocks"]["odds"]["value"] > told["match"]["flips"]["odds"]["value"]
    sums: dict[tuple[object, ...], list[float]] = {}
    for row in told["transitions"]:
        key = (row["thrown"], row["standing"], row["before"])
        for at, side in enumerate(("physics", "odds")):
            share = row["sides"][side]
            assert 0.0 <= share["low"] <= share["value"] <= share["high"] <= 1.0
            sums.setdefault(key, [0.0, 0.0])[at] += share["value"]
    assert {thrown for thrown, _, _ in sums} == {1, 3, 6}
    assert {standing for _, standing, _ in sums} == {6}
    assert all(total == pytest.approx([1.0, 1.0]) for total in sums.values())
