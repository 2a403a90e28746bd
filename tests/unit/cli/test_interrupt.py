"""Ctrl-C in the middle of a match: what was played is kept as a valid record."""

import json
import signal

import pytest

from pigglesim.match.entries import Status
from pigglesim.match.record import read_all, read_record
from pigglesim.match.replay import replay
from tests.front_door import run, start

pytestmark = pytest.mark.slow


def test_an_interrupted_match_is_saved_and_replays(tmp_path):
    file = tmp_path / "match.jsonl"
    # A hundred rounds with Piggles that come straight back take a minute: stopped long before.
    words = ["match", "--seed", "4", "--rule", "rounds=100", "--rule", "mud_delay=none"]
    words += ["--rule", "exhaustion=off", "--b", "uniform", "--record", file]
    process = start(*words, env={"PYTHONUNBUFFERED": "1"})
    assert process.stdout is not None
    shown = 0
    while shown < 3:
        line = process.stdout.readline()
        assert line, "the match ended before it could be stopped"
        shown += line.startswith("Tally")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped before its end" in out
    assert "Traceback" not in err
    record = read_record(file)
    assert record.footer.status is Status.INTERRUPTED
    assert len(record.outcomes) >= 2
    assert replay(record).record.footer == record.footer


def test_an_interrupted_what_if_shows_and_writes_what_is_done(tmp_path):
    record, out = tmp_path / "m.txt", tmp_path / "branches.jsonl"
    run("match", "--chance", "tabular", "--seed", 3, "--no-boards", "--out", record)
    words = ["--what-if", "0", "--action", "skip", "--times", "1000000", "--out", out, "--seed", 1]
    process = start("replay", record, *words)
    assert process.stderr is not None
    # The first line of progress comes with the first match that is played on.
    assert "played on" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    shown, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (130, False)
    records, faults = read_all(out)
    count = sum(1 for _ in records)
    assert count >= 1
    assert faults == []
    assert f"{count} matches of each action" in shown


def test_a_reader_that_leaves_early_is_no_fault():
    with start("match", "--seed", 4) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 1


def test_json_is_one_document_even_when_it_is_long():
    done = run("match", "--seed", 4, "--json")
    assert done.returncode == 0
    json.loads(done.stdout)
