"""Matches that are stopped, killed, resumed and replaced: nothing finished is lost."""

import json
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pigglesim.errors import PigglesimError, RecordError, SpecError
from pigglesim.match.entries import Status
from pigglesim.match.record import format_record, read_record, write_record
from pigglesim.match.replay import interrupted_record
from tests.support.front_door import run, run_here, start
from tests.support.own_agent import AGENT

WORDS = ["match", "--seed", "4", "--rule", "rounds=3", "--b", "uniform", "--date", "today"]
QUICK = ["match", "--chance", "tabular", "--seed", 5, "--b", "uniform", "--no-boards"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The record of the match that nobody disturbed, as text."""
    out = tmp_path_factory.mktemp("whole") / "m.txt"
    assert run(*WORDS, "--out", out).returncode == 0
    return out.read_bytes()


@pytest.mark.slow
def test_killed_in_the_middle_and_resumed_it_is_the_same_bytes(whole, tmp_path):
    out = tmp_path / "m.txt"
    with start(*WORDS, "--out", out, env={"PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Tally"):
                break
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL
    (part,) = tmp_path.iterdir()
    assert part.name == "m.txt.part"
    shown = run_here("replay", part, "--no-boards")
    assert shown.exit_code == 2
    assert "and all after it are missing" in shown.stdout
    # It was killed anywhere: what matters is that something was there and something was not.
    assert 3 <= part.read_text().count("\n") < whole.count(b"\nA ") + whole.count(b"\nB ") + 8
    with pytest.raises(PigglesimError, match="--resume"):
        run_here(*WORDS, "--out", out)
    done = run("match", "--resume", part, "--no-boards")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("form", ["m.txt", "m.jsonl"])
@pytest.mark.slow
def test_every_place_of_a_stop_resumes_to_the_same_bytes(form, tmp_path):
    out = tmp_path / form
    assert run_here(*QUICK, "--out", out).exit_code == 0
    bytes_of_whole, record = out.read_bytes(), read_record(out)
    for count in range(0, len(record.entries), 3):
        stopped = interrupted_record(record.header, record.entries[:count])
        assert stopped.footer.status is Status.INTERRUPTED
        write_record(stopped, out)
        assert run_here("match", "--resume", out, "--no-boards").exit_code == 0
        assert out.read_bytes() == bytes_of_whole


def test_another_version_or_other_odds_are_refused(tmp_path):
    out = tmp_path / "m.jsonl"
    assert run_here(*QUICK, "--out", out).exit_code == 0
    record = read_record(out)
    begun = record.entries[:2]
    write_record(interrupted_record(replace(record.header, version="0.0.1"), begun), out)
    with pytest.raises(PigglesimError, match="version"):
        run_here("match", "--resume", out)
    other = dict(record.header.chance) | {"odds_sha256": "0" * 64}
    write_record(interrupted_record(replace(record.header, chance=other), begun), out)
    with pytest.raises(PigglesimError, match="--odds with the file"):
        run_here("match", "--resume", out)


@pytest.mark.parametrize(
    ("verb", "form"), [("match", "m.jsonl"), ("match", "m.txt"), ("play", "m.jsonl")]
)
def test_a_match_does_not_go_on_with_an_edited_agent(tmp_path, monkeypatch, verb, form):
    monkeypatch.chdir(tmp_path)
    own, words, out = tmp_path / "mine.py", ["--seed", 5, "--chance", "tabular"], Path(form)
    own.write_text(AGENT.format(0))
    if verb == "match":
        run_here("match", *words, "--b", "mine.py:Mine", "--no-boards", "--out", out)
    else:
        # Where the keys end, the match is saved unfinished.
        words += ["--b", "mine.py:Mine", "--plain", "--out", out]
        run_here("play", *words, stdin="skip\nquit\n")
    record = read_record(out)
    assert list(record.header.code) == ["B"]
    write_record(interrupted_record(record.header, record.entries[:5]), out)
    begun, again = out.read_bytes(), [verb, "--resume", out, "--b", "mine.py:Mine"]
    own.write_text(AGENT.format(-1))
    with pytest.raises(RecordError, match=r"mine\.py:Mine has changed since the match"):
        run_here(*again)
    assert out.read_bytes() == begun
    assert sorted(path.name for path in tmp_path.glob("*.*")) == [form, "mine.py"]
    own.write_text(AGENT.format(0))
    if verb == "match":
        assert run_here(*again, "--no-boards").exit_code == 0
        assert format_record(read_record(out)) == format_record(record)
    else:
        assert run_here(*again, "--plain", stdin="quit\n").exit_code == 0


def test_a_match_says_that_a_command_cannot_be_compared(tmp_path):
    player = Path(__file__).parents[3] / "docs" / "examples" / "players" / "hold_at_20.py"
    name, out = f"cmd:{sys.executable} {player}", tmp_path / "m.jsonl"
    words = ["--rule", "target=9", "--a", name, "--seed", 1, "--chance", "fair", "--no-boards"]
    assert "compared" not in run_here("match", "piggy_six", *words, "--out", out).stderr
    record = read_record(out)
    assert record.header.code == {}
    write_record(interrupted_record(record.header, record.entries[:1]), out)
    done = run_here("match", "--resume", out, "--a", name, "--no-boards", "--json")
    assert f"{name} is a command: whether it has changed cannot be compared" in done.stderr
    assert json.loads(done.stdout)["winner"]


@pytest.mark.parametrize("verb", ["match --no-boards", "play --plain", "replay --what-if 1"])
def test_the_advice_for_programs_in_any_seat_can_be_followed(tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(AGENT.format(0) + AGENT.format(-1).replace("Mine", "Other"))
    agents = "mine.py:Mine,uniform,mine.py:Other"
    words = ["--players", 3, "--rule", "rounds=1", "--seed", 1, "--no-boards", "--agents", agents]
    run_here("match", "pig_pile", *words, "--out", "m.jsonl")
    record = read_record(Path("m.jsonl"))
    if "replay" not in verb:
        write_record(interrupted_record(record.header, record.entries[:5]), Path("m.jsonl"))
    name, *flags = verb.split()
    flags += ["--action", record.entries[2].action, "--times", 1] if name == "replay" else []
    file = ["m.jsonl"] if name == "replay" else ["--resume", "m.jsonl"]
    with pytest.raises(PigglesimError, match="runs only if you name it") as refused:
        run_here(name, *file, *flags)
    advice = str(refused.value).partition("then add ")[2]
    assert advice == f"--agents {agents}"
    done = run_here(name, *file, *flags, *advice.split(), stdin="quit\n")
    assert done.exit_code == 0
    played_on = "played on by A mine.py:Mine, B uniform, C mine.py:Other, trial by trial"
    assert (played_on in done.output) is (name == "replay")


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_fault():
    with start("match", "--seed", 4) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 1


MATCH = ("match", "--game", "piggy_six", "--no-boards", "--chance", "fair")


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "match.jsonl"
    assert run_here(*MATCH, "--seed", 1, "--out", path).exit_code == 0
    return path


def test_a_finished_match_is_replaced_with_force_alone(record):
    before = record.read_bytes()
    with pytest.raises(SpecError, match=r"match\.jsonl.*--force"):
        run_here(*MATCH, "--seed", 2, "--out", record)
    assert record.read_bytes() == before
    assert [path.name for path in record.parent.iterdir()] == ["match.jsonl"]
    assert run_here(*MATCH, "--seed", 2, "--out", record, "--force").exit_code == 0
    assert record.read_bytes() != before


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "{record}", "--write", "{out}"),
        ("replay", "{record}", "--what-if", 1, "--times", 1, "--out", "{out}"),
        ("roll", 1, "--seed", 1, "--film", "{out}"),
        ("study", "odds", "nowhere", "--out", "{out}"),
    ],
    ids=lambda words: " ".join(map(str, words[:4])),
)
def test_no_verb_replaces_a_result(record, tmp_path, words):
    suffix = {"roll": ".film", "study": ".json"}.get(words[0], ".jsonl")
    out = tmp_path / f"mine{suffix}"
    out.write_text("mine")
    asked = [str(word).format(record=record, out=out) for word in words]
    with pytest.raises(SpecError, match="--force"):
        run_here(*asked)
    assert out.read_text() == "mine"
    if words[0] != "study":
        assert run_here(*asked, "--force").exit_code == 0
        assert out.read_bytes() != b"mine"
