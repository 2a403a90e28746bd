"""`converge`, `compare` and `odds check` as a person uses them."""

import json
import re
from collections import Counter

import pytest

from pigglesim.api import study as studies
from pigglesim.cli import compare as comparison_verbs
from pigglesim.experiments.shard import make_shard
from tests.support.front_door import run, run_here


@pytest.mark.slow
def test_converge_shows_shares_at_three_steps():
    words = ("converge", "--pours", 2, "--knock-pours", 1, "--seed", 1, "--workers", 2)
    done = run(*words, "--json")
    # Three steps, two pours and a knock each: in a log they are told at the start and at the end.
    assert re.match(r"pouring: 1 of 9 pours.*\n(?:.*\n)*pouring: 9 of 9 pours; .*\n$", done.stderr)
    document = json.loads(done.stdout)
    assert document["labels"] == ["2 ms", "1 ms", "0.5 ms"]
    assert (document["pours"], document["knock_pours"]) == ([2, 2, 2], [1, 1, 1])
    for row in document["rows"]:
        assert (len(row["shares"]), len(row["differences"])) == (3, 2)
        for share in row["shares"]:
            assert 0.0 <= share["low"] <= share["high"] <= 1.0
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
    words[words.index("--engines") + 1] = "bullet,impulse"
    shown = run_here(*words)
    assert "impulse - bullet" in shown.stdout
    assert "target" not in shown.stdout


@pytest.mark.slow
def test_a_stopped_comparison_says_so_first(monkeypatch):
    def interrupted(job, number):
        if number == 3:
            raise KeyboardInterrupt
        return make_shard(job, number)

    monkeypatch.setattr(studies, "make_shard", interrupted)
    monkeypatch.setattr(comparison_verbs, "ignore_interrupts", lambda: None)
    words = ["compare", "--engines", "bullet,mujoco", "--pours", 4, "--knock-pours", 0]
    words += ["--workers", 1, "--seed", 1]
    stopped = run_here(*words)
    assert stopped.exit_code == 130
    assert stopped.stdout.splitlines()[0] == "unfinished: 3 of 8 pours"
    document = json.loads(run_here(*words, "--json").stdout)
    assert (document["unfinished"], document["stopped"]) == ("unfinished: 3 of 8 pours", True)


@pytest.mark.slow
def test_odds_check_shows_matches_and_transitions_side_by_side():
    words = ["odds", "check", "--matches", "2", "--throws", "3", "--seed", "1", "--workers", "1"]
    document = json.loads(run_here(*words, "--engine", "bullet", "--json").stdout)
    assert list(document["match"]) == ["mean_score", "flips", "knocks", "zone_changes"]
    for sides in document["match"].values():
        for number in (sides["physics"], sides["odds"]):
            assert number["low"] <= number["value"] <= number["high"]
    assert (
        document["match"]["knocks"]["odds"]["value"] > document["match"]["flips"]["odds"]["value"]
    )
    sums = Counter()
    for row in document["transitions"]:
        for side in ("physics", "odds"):
            share = row["sides"][side]
            assert 0.0 <= share["low"] <= share["value"] <= share["high"] <= 1.0
            sums[row["thrown"], row["standing"], row["before"], side] += share["value"]
    assert {(thrown, standing) for thrown, standing, *_ in sums} == {(1, 6), (3, 6), (6, 6)}
    assert all(total == pytest.approx(1.0) for total in sums.values())
