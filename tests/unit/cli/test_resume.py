"""A match that is killed in the middle goes on to the very record it would have become."""

import signal
from dataclasses import replace

import pytest

from pigglesim.errors import PigglesimError
from pigglesim.match.entries import Status
from pigglesim.match.record import Journal, read_record, write_record
from pigglesim.match.replay import so_far
from tests.front_door import run, run_here, start

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


def test_a_half_written_line_is_played_again(tmp_path):
    out = tmp_path / "m.txt"
    assert run_here(*QUICK, "--out", out).exit_code == 0
    whole, record = out.read_bytes(), read_record(out)
    out.unlink()
    journal = Journal(out, record.header, begun=record.entries[:4])
    journal.add(record.entries[4])
    journal.close()
    part = tmp_path / "m.txt.part"
    part.write_bytes(part.read_bytes()[:-25])
    assert run_here("match", "--resume", out, "--no-boards").exit_code == 0
    assert out.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("form", ["m.txt", "m.jsonl"])
@pytest.mark.slow
def test_every_place_of_a_stop_resumes_to_the_same_bytes(form, tmp_path):
    out = tmp_path / form
    assert run_here(*QUICK, "--out", out).exit_code == 0
    bytes_of_whole, record = out.read_bytes(), read_record(out)
    for count in range(0, len(record.entries), 3):
        stopped = so_far(record.header, record.entries[:count])
        assert stopped.footer.status is Status.INTERRUPTED
        write_record(stopped, out)
        assert run_here("match", "--resume", out, "--no-boards").exit_code == 0
        assert out.read_bytes() == bytes_of_whole


FAULTS = [
    ((), "one played to its end"),
    (("pig_pile", "--a", "uniform"), "got pig_pile, --a"),
    (("--a", "uniform"), "got --a"),
    (("--seed", "1"), "got --seed"),
    (("--out", "other.txt"), "got --out"),
]


@pytest.mark.parametrize(("words", "told"), FAULTS)
def test_what_cannot_be_resumed_is_told(words, told, tmp_path):
    out = tmp_path / "m.jsonl"
    assert run_here(*QUICK, "--out", out).exit_code == 0
    content = out.read_bytes()
    with pytest.raises(PigglesimError, match=told):
        run_here("match", "--resume", out, *words)
    assert out.read_bytes() == content


def test_another_version_or_other_odds_are_refused(tmp_path):
    out = tmp_path / "m.jsonl"
    assert run_here(*QUICK, "--out", out).exit_code == 0
    record = read_record(out)
    begun = record.entries[:2]
    write_record(so_far(replace(record.header, version="0.0.1"), begun), out)
    with pytest.raises(PigglesimError, match="resume it with the version that began it"):
        run_here("match", "--resume", out)
    other = dict(record.header.chance) | {"odds_sha256": "0" * 64}
    write_record(so_far(replace(record.header, chance=other), begun), out)
    with pytest.raises(PigglesimError, match="--odds with the file that it was rolled by"):
        run_here("match", "--resume", out)
