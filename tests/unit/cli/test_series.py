"""`pigglesim tournament` and `balance` as a person uses them: tables, JSON, stops, kills."""

import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest

import pigglesim
from pigglesim.errors import RecordError, SpecError
from tests.support.front_door import run, run_here, start
from tests.support.own_agent import AGENT
from tests.support.waiting import group_is_alive, wait_for

WORDS = ["tournament", "--agents", "uniform,greedy", "--seed", "5"]
BALANCE = ["balance", "--matches", 4, "--seed", 5, "--quiet"]


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A tournament of 200 pairs that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole") / "cup"
    done = run(*WORDS, "--pairs", 200, "--workers", 2, "--out", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_json_is_complete(whole):
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
    wait_for(lambda: lines_of(folder / "pairs.jsonl") > 0)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    kept = lines_of(folder / "pairs.jsonl")
    assert kept < 200
    # Workers leave with who started them: nobody is left in the group.
    wait_for(lambda: not group_is_alive(process.pid))
    done = run_here(*words, "--workers", 1, "--json")
    assert json.loads(done.stdout)["pairs_kept"] >= kept
    assert (folder / "pairs.jsonl").read_bytes() == (whole[0] / "pairs.jsonl").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_saves_and_reports_what_was_played(tmp_path, number, code):
    folder = tmp_path / "cup"
    process = start(*WORDS, "--pairs", 5000, "--workers", 1, "--out", folder)
    wait_for(lambda: lines_of(folder / "pairs.jsonl") > 20)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "pairs are saved; to resume: pigglesim tournament --out" in err
    assert "Traceback" not in err
    assert "greedy" in out
    kept = lines_of(folder / "pairs.jsonl")
    # --out alone goes on; fewer pairs than there are is nothing left to do.
    done = run_here("tournament", "--out", folder, "--pairs", 1, "--json")
    assert json.loads(done.stdout)["pairs"] == kept


def test_the_table_has_every_two(tmp_path):
    agents = "uniform,greedy,mcts:nodes=3"
    words = ["tournament", "--agents", agents, "--pairs", 2, "--workers", 1, "--seed", 1]
    done = run_here(*words, "--out", tmp_path / "cup", "--rule", "rounds=2")
    assert "mcts:nodes=3" in done.stdout
    assert "against each other" in done.stdout
    assert "6 pairs, 12 matches; 95 % intervals. Seat A made" in done.stdout


def test_who_is_too_slow_forfeits_and_the_tournament_goes_on(tmp_path):
    words = ["tournament", "--agents", "greedy,mcts:nodes=1000000", "--pairs", 2, "--seed", 1]
    words += ["--workers", 1, "--time-limit", 0.25, "--out", tmp_path / "cup"]
    shown = run_here(*words).stdout
    assert "mcts:nodes=1000000 forfeited 4 of them: F4, time (more than 0.25 s)" in shown
    found = json.loads(run_here(*words, "--json").stdout)
    (forfeit,) = found["standings"]["forfeits"]
    assert (forfeit["cause"], forfeit["matches"]) == ("time", 4)
    assert found["standings"]["reasons"] == {"forfeit": 4}
    assert found["tournament"]["time_limit"] == 0.25


@pytest.fixture(scope="module")
def balanced(tmp_path_factory):
    folder = tmp_path_factory.mktemp("balanced") / "study"
    done = run_here(*map(str, BALANCE), "--workers", "1", "--out", str(folder), "--json")
    return folder, json.loads(done.stdout)


def test_python_finds_what_the_command_finds(tmp_path):
    words = ["balance", "--game", "piggles_classic", "--parts", "seats", "--matches", 2]
    words += ["--factor", "rounds=2,1", "--seed", 5, "--workers", 1, "--quiet", "--json"]
    document = json.loads(run_here(*words, "--out", tmp_path / "study").stdout)
    played = []
    found = pigglesim.balance(
        ["piggles_classic"], parts=["seats"], factors={"rounds": [2, 1]}, matches=2, seed=5,
        progress=lambda *numbers: played.append(numbers),
    )  # fmt: skip
    del document["folder"], document["stopped"]
    assert json.loads(found.to_json()) == document
    assert played[-1] == (found.findings.matches, found.findings.matches)
    with pytest.raises(SpecError, match="no folder for the report"):
        found.write_report()
    assert repr(found) == "BalanceResult(piggles_classic; greedy; 16 matches; seed 5)"


def test_json_of_a_balance_study_is_complete(balanced):
    folder, document = balanced
    assert document["folder"] == str(folder)
    assert (document["trials"], document["stopped"]) == (84, False)
    classic, modern = document["findings"]["found"]
    assert (classic["game"], modern["game"]) == ("piggles_classic", "piggles_modern")
    assert classic["points_of"] is None
    assert [each["name"] for each in classic["comparisons"]] == ["premium:1", "premium:6"]
    # Fewer random teams than kinds of Piggles: no interval.
    assert modern["points_of"]["kinds"]["red+left"]["low"] is None
    assert modern["timeline"]["matches"] == 16


@pytest.mark.slow
def test_a_report_is_one_page_with_its_pictures_and_the_same_again(balanced):
    folder = balanced[0]
    before = (folder / "trials.jsonl").read_bytes()
    files = json.loads(run_here("balance", "report", str(folder), "--json").stdout)["files"]
    page = (folder / "report.html").read_text()
    pictures = {path.name for path in (folder / "pictures").iterdir()}
    names = {"seats", "rounds", "values-piggles_classic", "values-piggles_modern", "effects"}
    assert pictures == {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    assert len(files) == 1 + len(pictures)
    assert page.count("<figure>") == len(names)
    assert "The balance of Classic and Modern" in page
    assert "colour:orange" in page
    assert not re.search(r"<script|src=\"http|\bnan\b|\binf\b", page)
    run_here("balance", "report", str(folder))
    assert (folder / "report.html").read_text() == page
    assert (folder / "trials.jsonl").read_bytes() == before
    # A study may still grow in a folder that holds a report.
    more = run_here("balance", "--out", str(folder), "--matches", "6", "--quiet", "--workers", "1")
    assert "126 trials" in more.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["tournament", "--agents", "uniform,mine.py:Mine", "--pairs", 1, "--out", "cup"],
        ["balance", "--agents", "mine.py:Mine", "--parts", "premium:1", "--matches", 2],
    ],
    ids=["tournament", "balance"],
)
def test_a_series_does_not_go_on_with_an_edited_agent(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "aid_of_mine.py").write_text("")
    (tmp_path / "mine.py").write_text(f"import aid_of_mine\n{AGENT.format(0)}")
    words = [*words, *([] if "--out" in words else ["--out", "cup"]), "--seed", 1, "--workers", 1]
    assert run_here(*words, "--quiet").exit_code == 0
    lines = {path.name: path.read_bytes() for path in (tmp_path / "cup").iterdir()}
    for name in ("mine.py", "aid_of_mine.py"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(f"{text}\n# edited")
        with pytest.raises(RecordError, match=r"agents mine\.py:Mine has changed"):
            run_here(*words, "--quiet")
        assert {path.name: path.read_bytes() for path in (tmp_path / "cup").iterdir()} == lines
        (tmp_path / name).write_text(text)
    assert run_here(*words, "--quiet").exit_code == 0


def test_a_tournament_says_that_a_command_cannot_be_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agent = Path(__file__).parents[3] / "docs" / "examples" / "players" / "hold_at_20.py"
    name = f"cmd:{sys.executable} {agent}"
    words = ["tournament", "--game", "piggy_six", "--rule", "target=5", "--pairs", 1, "--seed", 1]
    words += ["--agents", f"uniform,{name}", "--out", "cup", "--workers", 1]
    done = run_here(*words)
    assert f"{name} is a command: whether it has changed cannot be compared" in done.stderr
    assert json.loads(run_here(*words, "--json").stdout)["not_compared"] == [name]


@pytest.mark.parametrize("words", [WORDS, BALANCE], ids=["tournament", "balance"])
def test_an_emptied_file_of_house_rules_does_not_go_on_under_the_old_ones(
    tmp_path, monkeypatch, words
):
    monkeypatch.chdir(tmp_path)
    rules = tmp_path / "rules.toml"
    rules.write_text("rounds = 1\n")
    words = [*words, "--house-rules", "rules.toml", "--out", "cup", "--workers", 1]
    words += ["--pairs", 1, "--quiet"] if words[0] == "tournament" else ["--parts", "premium:1"]
    assert run_here(*words).exit_code == 0
    rules.write_text("# rounds = 1\n")
    with pytest.raises(RecordError, match=r"house_rules .*rounds"):
        run_here(*words)
    # Without a word about rules, those of the folder hold.
    assert run_here(words[0], "--out", "cup", "--workers", 1, "--quiet").exit_code == 0


@pytest.mark.parametrize("flag", ["--game", "--agents", "--parts"])
def test_an_empty_list_is_not_taken_for_none_given(tmp_path, flag):
    with pytest.raises(SpecError, match="empty"):
        run_here("balance", flag, " , ", "--out", tmp_path / "cup", "--matches", 2)


RULES = ["balance", "--game", "piggles_classic", "--parts", "seats", "--matches", 2, "--seed", 5]
RULES += ["--workers", 1, "--quiet", "--out", "cup"]


def test_rules_are_compared_and_the_study_goes_on_under_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = run_here(*RULES, "--factor", "rounds=2,1").stdout
    assert one.index("Differences between rules") < one.index("First player")
    assert re.search(r"rounds: 1 - 2  rounds +\S1 in all +\S +8", one)
    # Names of rows stay readable beside long names of rules.
    assert re.search(r"^decisions, mean  +4.000", one, re.MULTILINE)
    document = json.loads(run_here("balance", "--out", "cup", "--json", "--quiet").stdout)
    found = {each["quantity"]: each for each in document["findings"]["differences"]}
    assert found["rounds"]["difference"]["value"] == -1.0
    assert (found["rounds"]["low"], found["rounds"]["high"]) == ("2", "1")
    assert 0.0 < found["mean score"]["width_ratio"] < 1.0
    assert [each["rules"] for each in document["findings"]["found"]] == ["rounds=2", "rounds=1"]
    with pytest.raises(RecordError, match="another balance: factors rounds"):
        run_here(*RULES, "--factor", "rounds=2,3")


def test_files_of_rules_are_compared_and_an_edited_one_is_another_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.toml").write_text("rounds = 1\n")
    (tmp_path / "theirs.toml").write_text("rounds = 2\nmud_delay = 'none'\n")
    words = [*RULES, "--factor", "house_rules=ours.toml,theirs.toml"]
    assert "theirs.toml - ours.toml" in re.sub(r"\s+", " ", run_here(*words).stdout)
    (tmp_path / "ours.toml").write_text("rounds = 3\n")
    with pytest.raises(RecordError, match=r"factors house_rules ours\.toml rounds 1 and not 3"):
        run_here(*words)


@pytest.mark.slow
def test_the_report_of_rules_has_their_differences_and_a_picture_of_each(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parts = ["--parts", "seats,premium:6", "--factor", "rounds=2,1"]
    assert (
        run_here(*(word for word in RULES if word not in ("--parts", "seats")), *parts).exit_code
        == 0
    )
    # One pair has no interval, and no picture.
    run_here("balance", "report", "cup")
    assert not list((tmp_path / "cup" / "pictures").glob("values-*"))
    run_here("balance", "--out", "cup", "--matches", 8, "--quiet", "--workers", 1)
    run_here("balance", "report", "cup")
    page = (tmp_path / "cup" / "report.html").read_text()
    assert "Differences between rules" in page
    assert "premium:6, points" in page
    assert {path.stem for path in (tmp_path / "cup" / "pictures").glob("values-*")} == {
        "values-piggles_classic-0", "values-piggles_classic-1",
    }  # fmt: skip


def test_four_columns_of_results_leave_room_for_their_names(tmp_path):
    words = ["balance", "--agents", "greedy,uniform", "--parts", "seats", "--matches", 2]
    shown = run_here(*words, "--seed", 1, "--workers", 1, "--out", tmp_path / "cup").stdout
    assert len(re.findall(r"^decisions, mean  ", shown, re.MULTILINE)) == 2
