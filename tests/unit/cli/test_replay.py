"""`replay`: parts of a match, a move at a time, other forms, other decisions."""

import json

import pytest
from typer.testing import CliRunner

from pigglesim.cli.app import app
from pigglesim.errors import PigglesimError
from pigglesim.match.record import read_record
from tests.support.front_door import run_here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    words = ["match", "--chance", "tabular", "--b", "uniform", "--no-boards"]
    for seed in (3, 4):
        for suffix in ("jsonl", "txt"):
            out = folder / f"{seed}.{suffix}"
            done = run_here(*words, "--seed", seed, "--out", out, "--date", "2026-11-21")
            assert done.exit_code == 0
    # Two of them to a file, with a broken one between.
    first, second = ((folder / f"{seed}.jsonl").read_text() for seed in (3, 4))
    broken = second.replace("load", "lead", 1)
    (folder / "many").write_text(first + broken + second)
    return folder


def rules_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("─")]


def test_one_form_becomes_the_other(folder, tmp_path):
    for name, other in [("3.jsonl", "t.txt"), ("3.txt", "t.jsonl")]:
        done = run_here("replay", folder / name, "--write", tmp_path / other)
        assert done.exit_code == 0
        form = other.partition(".")[2]
        assert (tmp_path / other).read_bytes() == (folder / f"3.{form}").read_bytes()


def test_rounds_are_picked(folder):
    whole = rules_of(run_here("replay", folder / "3.txt").stdout)
    some = rules_of(run_here("replay", folder / "3.txt", "--from-round", 2, "--to-round", 3).stdout)
    picked = [line for line in whole if "Round 2 " in line or "Round 3 " in line]
    assert some == [*picked, whole[-1]]
    assert 2 < len(some) < len(whole)


def test_a_step_at_a_time_forth_and_back(folder):
    def steps(keys: str) -> list[str]:
        words = ["replay", str(folder / "3.txt"), "--step"]
        shown = CliRunner().invoke(app, words, input=keys, catch_exceptions=False)
        assert shown.exit_code == 0
        return [line.split("]")[0] for line in shown.stdout.splitlines() if line.startswith("[")]

    total = len(read_record(folder / "3.txt").entries)
    assert steps("\n\nb\nb\nb\n\nq\n") == [f"[{n} of {total}" for n in (1, 2, 3, 2, 1, 1, 2)]
    shown = CliRunner().invoke(app, ["replay", str(folder / "3.txt"), "--step"], input="q\n")
    assert shown.stdout.startswith("decision 0: A load A1 A2 A3 A4 A5 A6\n")
    assert steps("") == [f"[1 of {total}"]
    assert steps("\n" * 99)[-1] == f"[{total} of {total}"


def test_a_file_of_many_is_listed_and_its_faults_reported(folder):
    done = run_here("replay", folder / "many")
    assert done.exit_code == 2
    assert [line.split()[0] for line in done.stdout.splitlines()[:2]] == ["1", "3"]
    (line,) = done.stderr.splitlines()
    assert line.startswith("pigglesim: many, record 2: ")
    document = json.loads(run_here("replay", folder / "many", "--json").stdout)
    assert [row["seed"] for row in document["records"]] == [3, 4]
    assert [fault["record"] for fault in document["faults"]] == [2]


def test_one_of_many_is_shown_and_all_that_are_whole_are_written(folder, tmp_path):
    done = run_here("replay", folder / "many", "--record", 3, "--json")
    assert json.loads(done.stdout)["seed"] == 4
    with pytest.raises(PigglesimError, match="no record 4"):
        run_here("replay", folder / "many", "--record", 4)
    done = run_here("replay", folder / "many", "--write", tmp_path / "all.txt", "--json")
    assert done.exit_code == 2
    document = json.loads(done.stdout)
    assert (document["written"], [fault["record"] for fault in document["faults"]]) == (2, [2])
    texts = [(folder / f"{seed}.txt").read_text() for seed in (3, 4)]
    assert (tmp_path / "all.txt").read_text() == "\n".join(texts)


def test_a_cut_record_is_shown_up_to_the_cut(folder, tmp_path):
    lines = (folder / "3.jsonl").read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:4]) + lines[4][:50])
    done = run_here("replay", cut)
    assert done.exit_code == 2
    assert "Cut off in round 1: a roll and all after it are missing." in done.stdout
    assert "line 5" in done.stderr


def what_if(folder, *words):
    done = run_here("replay", folder / "3.txt", "--what-if", *words, "--seed", 1, "--json")
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_what_if_on_a_decided_position_knows_the_answer(folder):
    record = read_record(folder / "3.txt")
    last = record.decisions[-1]
    compared = what_if(folder, last.index, "--times", 20, "--action", "skip", "--action", "concede")
    assert (compared["seat"], compared["recorded"]) == (str(last.seat), last.action)
    rows = {row["action"]: row for row in compared["actions"]}
    # To concede loses always: Wilson's lower bound of 20 out of 20 is 20 / (20 + 1.96^2).
    lost = rows["concede"]["shares"][f"{last.seat.other} wins"]
    assert lost["value"] == lost["high"] == 1.0
    assert lost["low"] == pytest.approx(20 / (20 + 1.959964**2), abs=1e-6)
    # To skip rolls nothing: the Tally alone decides, the same each time.
    scores = rows["skip"]["mean_scores"]
    assert all(mean["value"] == mean["low"] == mean["high"] for mean in scores.values())
    assert all(row["matches"] == 20 for row in rows.values())


def test_what_if_tries_what_differs_and_does_not_concede(folder):
    record = read_record(folder / "3.txt")
    first = record.decisions[0]
    compared = what_if(folder, 0, "--times", 1)
    # Piggles of one model in the Pen are alike; the recorded load stands for those of its number.
    tried = [row["action"] for row in compared["actions"]]
    assert [len(action.split()) - 1 for action in tried] == list(range(7))
    assert first.action in tried
    assert "concede" not in tried
    assert compared["chance"] == "tabular"


def test_decisions_are_listed_by_number(folder):
    record = read_record(folder / "3.txt")
    listed = run_here("replay", folder / "3.txt", "--decisions", "--json")
    rows = json.loads(listed.stdout)["decisions"]
    made = [(row["decision"], row["action"]) for row in rows]
    assert made == [(each.index, each.action) for each in record.decisions]
    # Of six in the Pen 64 loads can be made, and one may concede.
    assert (rows[0]["round"], rows[0]["legal_actions"]) == (1, 65)
    shown = run_here("replay", folder / "3.txt", "--decisions", "--round", 1).stdout
    assert shown.splitlines()[1].split()[:4] == ["0", "1", "A", "65"]
    assert f"--what-if {shown.splitlines()[-2].split()[0]}" in shown


def test_what_if_writes_its_branches_and_repeats(folder, tmp_path):
    out = tmp_path / "branches.txt"
    words = [2, "--action", "skip", "--action", "concede", "--times", 3]
    compared = what_if(folder, *words, "--out", out)
    assert compared == what_if(folder, *words)
    assert [row["action"] for row in compared["actions"]] == ["skip", "concede"]
    listed = json.loads(run_here("replay", out, "--json").stdout)
    assert listed["faults"] == []
    winners = [row["winner"] for row in listed["records"]]
    assert len(winners) == 6
    skipped = winners[0::2]
    share = compared["actions"][0]["shares"]["A wins"]["value"]
    assert share == pytest.approx(skipped.count("A") / 3)
