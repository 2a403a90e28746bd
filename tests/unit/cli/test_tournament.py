"""`pigglesim tournament` as a person uses it: tables, JSON, stops, kills, faults."""

import json
import os
import signal
import time

import pytest

from tests.front_door import run, run_here, start

WORDS = ["tournament", "--agents", "uniform,greedy", "--seed", "5"]


def pairs_of(folder):
    path = folder / "pairs.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A tournament of 200 pairs that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole") / "cup"
    done = run(*WORDS, "--pairs", 200, "--workers", 2, "--out", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_json_tells_all(whole):
    folder, document = whole
    assert document["folder"] == str(folder)
    assert document["pairs"] == document["pairs_made"] == 200
    first, second = document["standings"]["agents"]
    assert (first["name"], second["name"]) == ("greedy", "uniform")
    # .71 and .29 on physics, .72 by odds: far apart, whatever the seed.
    assert first["share"]["low"] > 0.6 > 0.4 > second["share"]["high"]
    assert first["elo"]["low"] > second["elo"]["high"]


@pytest.mark.slow
def test_a_killed_tournament_goes_on_to_the_same_bytes(whole, tmp_path):
    folder = tmp_path / "cup"
    words = [*WORDS, "--pairs", "200", "--out", str(folder)]
    process = start(*words, "--workers", 2)
    until(lambda: pairs_of(folder) > 0)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    kept = pairs_of(folder)
    assert kept < 200
    # Workers leave with who started them: nobody is left in the group.
    until(lambda: not _alive(process.pid))
    done = run_here(*words, "--workers", 1, "--json")
    assert json.loads(done.stdout)["pairs_kept"] >= kept
    assert (folder / "pairs.jsonl").read_bytes() == (whole[0] / "pairs.jsonl").read_bytes()


def _alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_keeps_what_was_played_and_tells_it(tmp_path, number, code):
    folder = tmp_path / "cup"
    process = start(*WORDS, "--pairs", 5000, "--workers", 1, "--out", folder)
    until(lambda: pairs_of(folder) > 20)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "pairs are kept; to go on: pigglesim tournament --out" in err
    assert "Traceback" not in err
    assert "greedy" in out
    kept = pairs_of(folder)
    # --out alone goes on; fewer pairs than there are is nothing left to do.
    done = run_here("tournament", "--out", folder, "--pairs", 1, "--json")
    assert json.loads(done.stdout)["pairs"] == kept


def test_the_table_has_every_two(tmp_path):
    agents = "uniform,greedy,mcts:nodes=3"
    words = ["tournament", "--agents", agents, "--pairs", 2, "--workers", 1, "--seed", 1]
    done = run_here(*words, "--out", tmp_path / "cup", "--rule", "rounds=2")
    assert "mcts:nodes=3" in done.stdout
    assert "against each other" in done.stdout
    assert "6 pairs, 12 matches; 95% intervals. Seat A made" in done.stdout


def test_it_is_drawn(whole, tmp_path):
    for name in ("cup.png", "cup.svg"):
        run_here("tournament", "--out", whole[0], "--plot", tmp_path / name)
    assert (tmp_path / "cup.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "cup.svg").read_text().startswith("<?xml")


def test_a_team_is_of_both_seats(tmp_path):
    words = ["tournament", "--game", "piggles_modern", "--team", "red", "--pairs", 1, "--seed", 1]
    done = run_here(
        *words, "--agents", "uniform,greedy", "--workers", 1, "--out", tmp_path / "cup", "--json"
    )
    rules = json.loads(done.stdout)["tournament"]["house_rules"]
    assert rules["team_a"] == rules["team_b"]
    assert all(marking.startswith("red+") for marking in rules["team_a"])


def test_who_is_too_slow_forfeits_and_the_tournament_goes_on(tmp_path):
    words = ["tournament", "--agents", "greedy,mcts:nodes=1000000", "--pairs", 2, "--seed", 1]
    words += ["--workers", 1, "--time-limit", 0.01, "--out", tmp_path / "cup"]
    shown = run_here(*words).stdout
    assert "mcts:nodes=1000000 forfeited 4 of them: F4, time" in shown
    found = json.loads(run_here(*words, "--json").stdout)
    (told,) = found["standings"]["forfeits"]
    assert (told["cause"], told["matches"]) == ("time", 4)
    assert found["standings"]["reasons"] == {"forfeit": 4}
    assert found["tournament"]["time_limit"] == 0.01


FAULTS = [
    (("--agents", "greedy,uniform", "--time-limit", "0"), "--time-limit 5"),
    (("--agents", "greedy,uniform", "--plot", "cup.pdf"), "elo.png"),
    (("--agents", "greedy,uniform", "--game", "piggles_modern", "--team", "bleu"), "blue"),
    (("--agents", "greedy"), "two agents or more"),
    (("--agents", "greedy,gredy"), "try: greedy"),
    (("--agents", "greedy,mcts:nods=3"), "try: nodes"),
    (("--agents", "greedy,uniform", "--chance", "fysical"), "try: physical"),
    (("--agents", "greedy,uniform", "--game", "piggles"), "piggles_classic"),
    (("--agents", "greedy,uniform", "--odds", "nowhere.json"), "check the path"),
    (("--agents", "greedy,uniform", "--level", "1.5"), "--level 0.95"),
    (("--agents", "greedy,uniform", "--rule", "mud_dely=none"), "try: mud_delay"),
    ((), "--agents uniform,greedy"),
]


@pytest.mark.parametrize(("words", "told"), FAULTS)
def test_a_fault_is_one_line_and_harms_nothing(tmp_path, words, told):
    from pigglesim.errors import PigglesimError

    with pytest.raises(PigglesimError, match=told) as fault:
        run_here("tournament", *words, "--out", tmp_path / "cup")
    assert "\n" not in str(fault.value)
    assert not (tmp_path / "cup").exists()


def test_a_folder_of_another_tournament_is_refused(whole):
    done = run(*WORDS[:-1], 6, "--out", whole[0])
    assert done.returncode == 2
    assert "seed 5 and not 6" in done.stderr
    assert done.stderr.count("\n") == 1
