"""`analyse`: a table, a curve, files, and one line for every fault."""

import json
import re
import signal

import pytest

import pigglesim
from pigglesim.cli import analyse as verb
from pigglesim.cli.analyse import curve_lines
from pigglesim.errors import PigglesimError
from tests.support.front_door import run, run_here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    words = ["match", "--chance", "tabular", "--b", "uniform", "--no-boards"]
    for seed in (9, 4):
        assert run_here(*words, "--seed", seed, "--out", folder / f"{seed}.jsonl").exit_code == 0
    first, second = ((folder / f"{seed}.jsonl").read_text() for seed in (9, 4))
    (folder / "many.jsonl").write_text(first + second)
    (folder / "broken.jsonl").write_text(first.replace("load", "lead", 1))
    (folder / "cut.jsonl").write_text("".join(first.splitlines(keepends=True)[:8]))
    (folder / "newer.jsonl").write_text(first.replace('"schema":4', '"schema":9', 1))
    (folder / "no_record.jsonl").write_text("a diary\n")
    return folder


QUICK = ["--agent", "greedy", "--playouts", 320, "--seed", 1]


def test_it_says_what_python_says(folder):
    done = run_here("analyse", folder / "9.jsonl", *QUICK, "--json")
    (record,) = pigglesim.read_records(folder / "9.jsonl")
    found = pigglesim.analyse(record, agent="greedy", playouts=320, seed=1)
    assert json.loads(done.stdout) == found.document()
    again = run_here("analyse", folder / "many.jsonl", "--record", 1, *QUICK, "--json")
    assert again.stdout == done.stdout


def test_the_worst_are_marked(folder, tmp_path):
    files = [f"--{kind}={tmp_path / f'a.{kind}'}" for kind in ("html", "svg")]
    out = tmp_path / "a.txt"
    done = run_here("analyse", folder / "9.jsonl", *QUICK, "--worst", 2, *files, "--out", out)
    (record,) = pigglesim.read_records(folder / "9.jsonl")
    worst = pigglesim.analyse(record, agent="greedy", playouts=320, seed=1).worst(2)
    lines = done.stdout.splitlines()
    marked = {line.split()[-1]: int(line.split()[0]) for line in lines if "<" in line}
    assert marked == {f"<{rank}": each.decision for rank, each in enumerate(worst, start=1)}
    assert f"1. {worst[0].name}" in done.stdout
    assert worst[0].advice in done.stdout
    assert f"analyse --position @{folder / '9.jsonl'}:{worst[0].decision}" in done.stdout
    assert {file.name for file in tmp_path.iterdir()} == {"a.html", "a.svg", "a.txt"}
    with pytest.raises(PigglesimError, match=r"a.txt exists; .*--force"):
        run_here("analyse", folder / "9.jsonl", *QUICK, "--out", out)


@pytest.mark.parametrize(
    ("game", "rules", "head", "first"),
    [
        ("pig_pile", {"rounds": 1, "turn_cap": 6}, "round", ["1,", "turn", "1"]),
        ("lord_of_the_pigs", {"turn_cap": 2}, "turn", ["1"]),
    ],
)
def test_a_decision_has_its_round_and_turn(tmp_path, game, rules, head, first):
    match = pigglesim.play_match(game, agents="greedy", seed=9, house_rules=rules)
    match.save(tmp_path / "match.jsonl")
    words = ["--agent", "greedy", "--playouts", 5, "--seed", 1]
    done = run_here("analyse", tmp_path / "match.jsonl", *words)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0][:2] == ["no.", head]
    assert lines[1][: 1 + len(first)] == ["0", *first]


def test_every_action_at_a_position_is_valued(folder):
    (record,) = pigglesim.read_records(folder / "9.jsonl")
    seventh = pigglesim.analyse(record, agent="greedy", playouts=320, seed=1).decisions[7]
    done = run_here("analyse", "--position", f"@{folder / '9.jsonl'}:7", *QUICK, "--json")
    found = json.loads(done.stdout)
    # A position has the values that it has in the match.
    values = {each["action"]: each["values"]["B"]["value"] for each in found["actions"]}
    losses = {each["action"]: each["loss"]["value"] for each in found["actions"]}
    assert values[seventh.action] == seventh.after["B"].value
    assert losses[seventh.action] == seventh.loss.value
    assert (len(values), found["best"], found["seat"]) == (seventh.choices, seventh.best, "B")
    assert list(values.values()) == sorted(values.values(), reverse=True)
    shown = run_here("analyse", "--position", found["position"], *QUICK).stdout
    assert "Round 4, B (North) to move" in shown
    solved = pigglesim.analyse_position("bank=60,95 total=25 rolls=4 dice=2", "piggy_six", seed=1)
    (roll, stop), loss = solved.actions, solved.actions[1].loss
    assert (roll.action, stop.action, loss.method) == ("roll", "stop", "exact")
    assert loss.value == roll.after["A"].value - stop.after["A"].value > 0.0


def test_a_record_gives_the_house_rules_of_its_position(tmp_path):
    file = tmp_path / "short.jsonl"
    short = ["--rule", "rounds=2"]
    words = ["match", "--chance", "tabular", "--no-boards", "--seed", 9, *short, "--out", file]
    assert run_here(*words).exit_code == 0
    found = run_here("analyse", "--position", f"@{file}:0", *QUICK, "--json").stdout
    again = run_here("analyse", "--position", f"@{file}:0", *short, *QUICK, "--json").stdout
    assert found == again
    assert (
        found
        != run_here(
            "analyse",
            "--position",
            "@" + str(file) + ":0",
            *QUICK,
            "--json",
            "--game",
            "piggles_classic",
        ).stdout
    )


def test_a_cut_record_is_analysed_as_far_as_it_goes(folder):
    done = run("analyse", folder / "cut.jsonl", *QUICK)
    assert done.returncode == 2
    assert "no." in done.stdout
    assert "was cut off" in done.stderr


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("no_record.jsonl", "not the header of a record"),
        ("broken.jsonl", "the line was edited or moved.*use an untouched copy"),
        ("newer.jsonl", "schema version 9 .expected 4.; use a pigglesim as new as"),
    ],
)
def test_a_fault_of_a_file_is_one_line_with_a_remedy(folder, file, problem):
    done = run("analyse", file, *QUICK[2:], cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("  ")]
    assert line.startswith("pigglesim: ")
    assert re.search(problem, line), line


def test_ctrl_c_shows_what_is_done(folder, monkeypatch):
    monkeypatch.setattr(verb, "ignore_interrupts", lambda: None)

    def stopped(done, total=None, **_words):
        if total and done > total / 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(verb.Work, "update", lambda _self, *counts: stopped(*counts))
    done = run_here("analyse", folder / "9.jsonl", *QUICK)
    assert done.exit_code == 128 + signal.SIGINT
    assert "Stopped early" in done.stdout
    assert "no." in done.stdout


def test_the_curve_in_text():
    lines = curve_lines({"A": [0.5, 0.5, 1.0], "B": [0.5, 0.5, 0.0]}, marks=[(2, "1")], width=8)
    assert lines[0].startswith("win probability of A ")
    assert lines[1] == " 100 ┤    ╭─ A"
    assert lines[6] == "  50 ┤────╯"
    assert lines[-1] == "          1"
    three = curve_lines({"A": [1.0], "B": [0.5], "C": [0.0]}, marks=[], width=3)
    assert three[1:4] == ["    A █", "    B ▄", "    C  "]
