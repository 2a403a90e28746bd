"""The verbs as a person uses them: results on stdout, one line for a fault, exit 0, 1 or 2."""

import json
from pathlib import Path

import pytest

from pigglesim import benchmarks
from tests.front_door import run, run_here

FIXTURES = Path(__file__).parents[2] / "scenarios" / "piggles_classic.json"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    file = tmp_path_factory.mktemp("record") / "match with spaces.jsonl"
    played = run("match", "--seed", 12, "--b", "uniform", "--record", file, "--json")
    assert played.returncode == 0, played.stderr
    return file, json.loads(played.stdout)


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


def test_roll_shows_the_board_and_the_seed_it_chose():
    done = run("roll", 1)
    assert done.returncode == 0
    assert "A1" in done.stdout
    assert "seed" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_chosen_seed_rolls_the_same_again():
    first = json.loads(run("roll", 1, "--json").stdout)
    again = json.loads(run("roll", 1, "--seed", first["seed"], "--json").stdout)
    assert first == again


def test_a_roll_onto_a_saved_roll_keeps_what_it_does_not_strike(tmp_path):
    first = run("roll", 3, "--seed", 1, "--json")
    saved = tmp_path / "first.json"
    saved.write_text(first.stdout)
    before = {die["id"]: die for die in json.loads(first.stdout)["dice"] if not die["off_board"]}
    done = run("roll", 1, "--seat", "B", "--seed", 2, "--onto", saved, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    after = {die["id"]: die for die in document["dice"]}
    assert after.keys() == {*before, "B1"}
    struck = {knock["struck"] for knock in document["knocks"]}
    still = [name for name in before if name not in struck]
    assert still
    for name in still:
        apart = [
            abs(x - y)
            for x, y in zip(before[name]["position_m"], after[name]["position_m"], strict=True)
        ]
        assert max(apart) <= 0.003


def test_match_tells_how_it_ended(recorded):
    _, document = recorded
    assert {"seed", "rules", "house_rules", "winner", "reason", "scores", "rounds"} <= (
        document.keys()
    )
    assert document["rules"] == "piggles_classic"
    scores = document["scores"]
    if document["reason"] == "score":
        assert document["winner"] == max(scores, key=scores.get)


def test_replay_gives_the_same_end_without_physics(recorded):
    file, document = recorded
    done = run("replay", file, "--json")
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)
    assert again.pop("resimulated") is False
    assert again == document


def test_replay_resimulates_the_same_bits(recorded):
    file, document = recorded
    done = run("replay", file, "--resimulate", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["final_state"] == document["final_state"]


def test_replay_shows_every_roll(recorded):
    file, document = recorded
    done = run("replay", file)
    assert done.stdout.count(" rolls ") == document["rolls"]
    assert "Tally of A" in done.stdout


def test_the_house_rules_are_in_the_record(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text('mud_delay = "none"\nrounds = 1\n')
    done = run("match", "--house-rules", file, "--rule", "cocked=nudge", "--seed", 3, "--json")
    assert done.returncode == 0, done.stderr
    rules = json.loads(done.stdout)["house_rules"]
    assert (rules["mud_delay"], rules["rounds"], rules["cocked"]) == ("none", 1, "nudge")


def test_scenarios_pass(tmp_path):
    done = run("scenario", FIXTURES)
    assert done.returncode == 0, done.stdout
    assert done.stdout.strip().splitlines()[-1].endswith("passed, 0 failed")


@pytest.mark.slow
def test_bench_reports_spread(monkeypatch):
    monkeypatch.setattr(benchmarks, "_BY_ODDS", 5)
    done = run_here("bench", "--only", "match", "--repeats", 2, "--json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    for figures in ("seconds", "classic", "modern"):
        told = document["match"][figures]
        assert 0.0 < told["min"] <= told["median"] <= told["max"]


FAULTS = [
    (("roll", 0), "pigglesim roll 1"),
    (("roll", 7), "pigglesim roll 6"),
    (("roll", "--model", "pigle"), "try: piggle"),
    (("roll", "--model", "piggle,premium"), "1 or 6 models"),
    (("roll", "--scene", "piggles_clasic"), "try: piggles_classic"),
    (("roll", "--engine", "bulet"), "try: bullet"),
    (("roll", "--seat", "C"), "--seat A"),
    (("roll", "--seed", -1), "--seed 1"),
    (("roll", "--height", 1.5), "hold it higher"),
    (("roll", "--height", "nan"), "try: --height 4in, or another unit"),
    (("roll", "--rule", "mud_dely=none"), "try: mud_delay"),
    (("roll", "--rule", "mud_delay"), "name=value"),
    (("roll", "--onto", "nowhere.json"), "roll --json"),
    (("match", "--a", "gredy"), "try: greedy"),
    (("match", "--a", "mcts:nods=3"), "try: nodes"),
    (("match", "--chance", "fysical"), "try: physical"),
    (("match", "--chance", "tabular", "--team-b", "premium"), "--chance physical"),
    (("match", "--odds", "piggle"), "--chance tabular"),
    (("match", "--chance", "tabular", "--odds", "nowhere.json"), "check the path"),
    (("match", "--team-a", "piggle,piggle"), "1 or 6 models"),
    (("match", "--record", "no/such/folder/m.jsonl"), "--out match.jsonl"),
    (("match", "--house-rules", "nowhere.toml"), "check the path"),
    (("replay", "nowhere.jsonl"), "try:"),
    (("bench", "--only", "por"), "try: pour"),
]


@pytest.mark.parametrize(
    ("words", "remedy"), FAULTS, ids=[" ".join(map(str, w)) for w, _ in FAULTS]
)
def test_a_fault_is_one_line_with_its_remedy(words, remedy, tmp_path):
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert remedy in done.stderr
    assert done.stderr.startswith("pigglesim: expected ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["cut", "edited", "reordered", "binary", "empty", "other"])
def test_a_damaged_record_is_refused_in_one_line(recorded, tmp_path, damage):
    lines = recorded[0].read_text().splitlines(keepends=True)
    harmed = {
        "cut": "".join(lines[:-2]),
        "edited": "".join(lines).replace('"orientation":"up"', '"orientation":"down"', 1),
        "reordered": "".join([lines[0], lines[2], lines[1], *lines[3:]]),
        "binary": "\x00\x01\x02",
        "empty": "",
        "other": '{"a": 1}\n',
    }[damage]
    file = tmp_path / "harmed.jsonl"
    file.write_text(harmed)
    done = run("replay", file)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_saved_roll_that_was_edited_is_refused(tmp_path):
    document = json.loads(run("roll", 1, "--seed", 1, "--json").stdout)
    document["dice"][0]["rotation_xyzw"] = [0, 0, 0, 0]
    saved = tmp_path / "edited.json"
    saved.write_text(json.dumps(document))
    done = run("roll", 1, "--seat", "B", "--onto", saved)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unit quaternion" in done.stderr


def test_a_match_by_odds_tells_how_far_they_depart(tmp_path):
    from pigglesim.chance.odds import load_odds, odds_text

    told = {"thrown": 6, "standing": 0, "throws": 900, "floor": 0.02, "low": 0.05, "high": 0.123}
    table = json.loads(odds_text(load_odds("piggle"))) | {
        "model": "premium",
        "departures": [{"of": "points a pour", "value": 0.08, **told}],
    }
    (tmp_path / "mine.json").write_text(json.dumps(table))
    words = ["match", "--chance", "tabular", "--odds", "mine.json", "--seed", 4, "--no-boards"]
    words += ["--team-a", "premium", "--team-b", "premium", "--record", "m.jsonl"]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = "points a pour, 6 onto a cleared board: 0.080 (by noise alone 0.020), 0.050 to 0.123"
    assert told in done.stdout
    header = json.loads((tmp_path / "m.jsonl").read_text().splitlines()[0])
    assert header["chance"]["model"] == "premium"
    assert run("replay", "m.jsonl", "--no-boards", cwd=tmp_path).returncode == 0
    plain = run("match", "--chance", "tabular", "--odds", "mine.json", cwd=tmp_path)
    assert (plain.returncode, "teams of premium alone" in plain.stderr) == (2, True)


def test_the_version_is_that_of_the_package():
    from pigglesim import __version__

    assert run("--version").stdout == f"pigglesim {__version__}\n"
