"""A journal is in one process's hands, and never shortened by another."""

import pytest

from pigglesim.errors import RecordError
from pigglesim.match.record import Journal, read_record, read_unfinished
from tests.front_door import run_here

WORDS = ["match", "--chance", "tabular", "--seed", 5, "--b", "uniform", "--no-boards"]


@pytest.fixture
def record(tmp_path):
    out = tmp_path / "whole.jsonl"
    assert run_here(*WORDS, "--out", out).exit_code == 0
    return read_record(out)


def test_two_matches_cannot_be_written_to_one_file(record, tmp_path):
    out = tmp_path / "m.jsonl"
    journal = Journal(out, record.header)
    journal.add(record.entries[0])
    with pytest.raises(RecordError, match="still played"):
        Journal(out, record.header)
    journal.add(record.entries[1])
    journal.close()
    assert read_unfinished(out)[1] == record.entries[:2]
    with pytest.raises(RecordError, match="--resume"):
        Journal(out, record.header)
    assert read_unfinished(out)[1] == record.entries[:2]


def test_whoever_resumes_what_another_has_gone_on_with_is_refused(record, tmp_path):
    out = tmp_path / "m.jsonl"
    Journal(out, record.header, begun=record.entries[:3]).close()
    found = read_unfinished(out)[1]
    other = Journal(out, record.header, begun=found)
    other.add(record.entries[3])
    other.close()
    with pytest.raises(RecordError, match="continued since"):
        Journal(out, record.header, begun=found)
    assert read_unfinished(out)[1] == record.entries[:4]
