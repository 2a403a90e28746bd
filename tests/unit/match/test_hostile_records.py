"""Records that are made to cost: time and room go by their size, and nothing waits for an end."""

import io
import json
import os
import pickle
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.cli.consoles import PlainConsole
from pigglesim.cli.records import MatchView
from pigglesim.errors import IllegalActionError, PigglesimError, RecordError, SpecError
from pigglesim.match.entries import Comment, CutError, LocatedError
from pigglesim.match.record import format_record, parse_record, read_record, scan
from pigglesim.match.replay import game_of, replay, so_far
from pigglesim.scene.scene import Board
from tests.junk import with_junk
from tests.unit.match.test_scan import RECORDS, sealed

WHOLE = RECORDS[0]
TABLES = [json.loads(line) for line in format_record(WHOLE).splitlines()]
HEADER = format_record(WHOLE, text=True).split("\n\n")[0] + "\n\n"


def faults_of(path: Path) -> list[PigglesimError]:
    return [found.fault.error for found in scan(path) if found.fault is not None]


@pytest.mark.parametrize(
    "body",
    [
        "round 1\n" + "x\n" * 120_000,
        "round 1\n" + "A load A1\n" + "   more\n" * 120_000,
        "{}" * 120_000 + "\n",
        "{a}" * 80_000 + "\n",
        ("{" + "a" * 100 + "}") * 5_000 + "\n",
        "{" + "\n" * 200_000,
        ";" * 900_000 + "\n",
        "A " * 120_000 + "\n",
    ],
    ids=["rounds", "words", "braces", "comments", "longer", "open", "marks", "one line"],
)
def test_text_takes_time_by_its_length(tmp_path, body):
    path = tmp_path / "it.txt"
    path.write_text(HEADER + body)
    began = time.process_time()
    faults = faults_of(path)
    assert time.process_time() - began < 10.0
    assert len(faults) == 1
    assert len(str(faults[0])) < 4_000


def test_lines_of_json_take_room_by_their_length(tmp_path, monkeypatch):
    monkeypatch.setattr("pigglesim.match.record._MOST_BYTES", 1 << 22)
    more = [{"kind": "comment", "text": "x", "more": [[]] * 200_000}] * 9
    path = tmp_path / "it.jsonl"
    path.write_text(sealed([*TABLES[:2], *more]))
    assert path.stat().st_size > 1 << 22
    tracemalloc.start()
    faults = faults_of(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ["too many lines or bytes" in str(fault) for fault in faults] == [True]
    assert peak < 60e6


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind":"header","schema":' + b"9" * 5000 + b"}",
        b'{"kind":"header","schema":1e999}',
        b'{"kind":"header","schema":' + b"[" * 100_000,
        b'{"kind":"header"' + b',"a":1' * 100_000 + b"}",
        b'{"kind":"header","schema":1,"seed":"\\ud800"}',
        b'{"kind":"header"' + b" " * (1 << 22),
    ],
    ids=["digits", "infinite", "deep", "keys", "surrogate", "blanks"],
)
def test_a_line_that_is_no_record_is_told_in_one_line(tmp_path, line):
    path = tmp_path / "it.jsonl"
    path.write_bytes(line + b"\n" + format_record(WHOLE).encode())
    found = list(scan(path))
    assert [each.record is None for each in found] == [True, False]
    assert str(found[0].fault.error).isprintable()


def test_numbers_beyond_any_are_refused():
    with pytest.raises(LocatedError, match="the seed has"):
        parse_record(sealed([TABLES[0] | {"seed": 10**400}, *TABLES[1:]]))


JUNK = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "A1", "B", "load A1", [], [[]], [1], ["A1"], {}, {"A": 1}]
)


def test_the_format_is_sealed_as_it_says():
    assert sealed(TABLES) == format_record(WHOLE)


@settings(max_examples=300, deadline=None)
@given(with_junk([TABLES], JUNK))
def test_junk_anywhere_is_told_and_never_crashes(tables):
    if not all(isinstance(table, dict) for table in tables):
        return
    with suppress(PigglesimError):
        again = replay(parse_record(sealed(tables)))
        assert again.record.footer == WHOLE.footer


def test_what_has_no_end_is_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for read in (read_record, lambda path: list(scan(path))):
        for path in (pipe, Path("/dev/zero"), tmp_path):
            with pytest.raises(RecordError, match="check the path"):
                read(path)


def test_a_comment_cannot_command_the_terminal_that_shows_it():
    words = "\x1b]0;owned \x1b[2J \x9b1m [link=http://x]y[/link] [/] \u202eback"
    record = so_far(WHOLE.header, [Comment(text=words), *WHOLE.entries])
    console = PlainConsole(width=400)
    console.file = io.StringIO()
    with MatchView(game_of(record), Board(), console=console) as view:
        replay(record, on_event=view.on_event)
    shown = console.file.getvalue()
    assert r"\x1b]0;owned \x1b[2J \x9b1m [link=http://x]y[/link] [/] \u202eback" in shown
    assert all(line.isprintable() for line in shown.splitlines())


@pytest.mark.parametrize(
    "error",
    [
        SpecError("b", expected="a", fix="c"),
        RecordError("b", expected="a", fix="c"),
        IllegalActionError("b", expected="a", fix="c", rule="R8"),
        LocatedError("b", expected="a", fix="c", line=3, entry=1, position="x", rule="R1"),
        CutError(WHOLE.header, WHOLE.entries[:2], line=4),
    ],
)
def test_an_error_comes_out_of_another_process_as_it_was(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    assert again.__dict__ == error.__dict__
