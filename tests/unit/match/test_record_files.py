"""Files of records: whole ones are read, broken and hostile ones are reported in one line."""

import hashlib
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

from pigglesim.agents.registry import make_agent
from pigglesim.cli.consoles import PlainConsole
from pigglesim.cli.records import MatchView
from pigglesim.errors import IllegalActionError, PigglesimError, RecordError
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.entries import Comment, CutError, LocatedError, MatchRecord, Status
from pigglesim.match.record import (
    Journal,
    format_record,
    parse_record,
    peek_header,
    read_all,
    read_record,
    read_unfinished,
    scan,
    write_record,
    write_records,
)
from pigglesim.match.replay import game_of, interrupted_record, replay
from pigglesim.match.runner import play
from pigglesim.rng import MAX_SEED
from pigglesim.scene.scene import Board
from tests.support.junk import with_junk
from tests.support.simple_odds import simple_chance

LONG = make_game("piggles_classic", {"exhaustion": "off", "mud_delay": "none", "rounds": 10})


def sealed(tables: list[dict]) -> str:
    """Write tables as the format says: each seal is of the seal before it and the content."""
    text, seal = "", ""
    for table in tables:
        content = json.dumps(
            {key: value for key, value in table.items() if key != "sha256"},
            separators=(",", ":"),
            ensure_ascii=False,
        )
        seal = hashlib.sha256(f"{seal}\n{content}".encode()).hexdigest()
        text += f'{content[:-1]},"sha256":"{seal}"}}\n'
    return text


def match(seed: int) -> MatchRecord:
    return play(
        LONG,
        agents={seat: make_agent("uniform") for seat in BOARD_SEATS},
        chance=simple_chance(seed=seed, knock=0.3),
        seed=seed,
    ).record


RECORDS = [match(seed) for seed in range(4)]
JSON_LINES = [format_record(record) for record in RECORDS]
TEXTS = [format_record(record, text=True) for record in RECORDS]


def written(folder: Path, *parts: str) -> Path:
    path = folder / "many"
    path.write_text("".join(parts))
    return path


def test_both_forms_may_share_a_file(tmp_path):
    path = written(tmp_path, JSON_LINES[0], TEXTS[1], JSON_LINES[2], "\n", TEXTS[3])
    records, faults = read_all(path)
    assert list(records) == RECORDS
    assert faults == []
    lines = path.read_text().splitlines()
    for number, found in enumerate(scan(path), start=1):
        assert found.number == number
        assert lines[found.line - 1].startswith(('{"kind":"header"', "pigglesim match record"))


@pytest.mark.parametrize("name", ["many.jsonl", "many.txt"])
def test_many_records_go_to_one_file_and_an_interruption_leaves_those_written(name, tmp_path):
    def stopping():
        yield from RECORDS[:2]
        raise KeyboardInterrupt

    path = tmp_path / name
    assert write_records(RECORDS, path) == len(RECORDS)
    assert list(read_all(path)[0]) == RECORDS
    with pytest.raises(KeyboardInterrupt):
        write_records(stopping(), path)
    assert list(read_all(path)[0]) == RECORDS[:2]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
def test_an_unreadable_file_is_reported_with_its_path(content, tmp_path):
    path = tmp_path / "m.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordError):
        read_record(path)
    if not content:
        with pytest.raises(RecordError, match=r"m\.jsonl"):
            list(scan(path))


def test_a_name_that_the_system_refuses_is_reported_in_one_line():
    path = Path("x" * 5000)
    for read in (read_record, lambda path: list(scan(path)), read_all):
        with pytest.raises(RecordError, match="File name too long; check the path"):
            read(path)


def without_line(text: str, number: int) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(lines[: number - 1] + lines[number:])


def cut(text: str, lines: int) -> str:
    return "".join(text.splitlines(keepends=True)[:lines])


def illegal(text: str) -> tuple[str, int]:
    """Make decision 16, move 17, load a Piggle that lies elsewhere; return text and line."""
    tables = [json.loads(line) for line in text.splitlines()]
    at = next(n for n, table in enumerate(tables) if table.get("index") == 16 and "action" in table)
    tables[at]["action"] = "load A1 A2 A3 A4 A5 A6 B1"
    return sealed(tables), at + 1


BROKEN = {
    "edited": (JSON_LINES[1].replace("load", "lead", 1), 2, "edited or moved"),
    "newer": (
        sealed([json.loads(line) | {"schema": 9} for line in JSON_LINES[1].splitlines()[:1]]),
        1,
        "schema version 9.*as new as the one that wrote it",
    ),
    "newer text": (TEXTS[1].replace("record 4", "record 9", 1), 1, "schema version 9"),
    "cut text": (cut(TEXTS[1], 30), 30, "the rest of this record was cut off"),
    "no header": (without_line(JSON_LINES[1], 1), 1, "the header of a record"),
    "illegal": (*illegal(JSON_LINES[1]), "decision 16: .*R8"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_reported_in_one_line_and_the_next_is_read(name, tmp_path):
    text, line, fault = BROKEN[name]
    path = written(tmp_path, JSON_LINES[0], text, JSON_LINES[2], TEXTS[3])
    records, faults = read_all(path)
    assert list(records) == [RECORDS[0], RECORDS[2], RECORDS[3]]
    (broken,) = faults
    assert (broken.file, broken.number) == ("many", 2)
    assert broken.to_json()["line"] == line + JSON_LINES[0].count("\n")
    assert "\n" not in broken.sentence
    assert broken.sentence.startswith("many, record 2: line ")
    with pytest.raises(RecordError, match=fault):
        raise broken.error
    document = json.loads(json.dumps(broken.to_json()))
    assert {"file", "record", "line", "problem", "fix"} <= document.keys()


@pytest.mark.parametrize("text", [cut(JSON_LINES[0], 9), cut(JSON_LINES[0], 9)[:-20]])
def test_a_record_that_is_cut_is_there_up_to_the_cut(text, tmp_path):
    (found,) = scan(written(tmp_path, text))
    assert found.record is None
    assert found.intact is not None
    assert found.intact.footer.status is Status.INTERRUPTED
    whole = text.count("\n") - 1
    assert found.intact.entries == RECORDS[0].entries[:whole]


def test_what_is_no_text_is_reported_and_passed_over(tmp_path):
    path = tmp_path / "many"
    noise = b"\xff\xfe\x00" * 2_000_000 + b"\n"
    broken = JSON_LINES[1].encode().replace(b'"load', b'"l\xff', 1)
    path.write_bytes(noise + broken + JSON_LINES[2].encode())
    records, faults = read_all(path)
    assert list(records) == [RECORDS[2]]
    assert [fault.number for fault in faults] == [1, 2]
    assert all("UTF-8" in fault.sentence for fault in faults)


def test_a_record_without_end_is_not_held_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("pigglesim.match.record._MAX_LINES", 200)
    endless = cut(JSON_LINES[1], 5) + "more\n" * 1000
    path = written(tmp_path, JSON_LINES[0], endless, JSON_LINES[2])
    records, faults = read_all(path)
    assert list(records) == [RECORDS[0], RECORDS[2]]
    assert ["too many lines" in fault.sentence for fault in faults] == [True]


def test_a_header_is_read_ahead_and_nothing_else_is_one(tmp_path):
    path, record = tmp_path / "match.jsonl", match(3)
    path.write_text(format_record(record))
    assert peek_header(path) == record.header
    for content in (
        b"",
        b"\xff\n",
        b"{}\n",
        format_record(record).replace("uniform", "x").encode(),
    ):
        path.write_bytes(content)
        assert peek_header(path) is None
    assert peek_header(tmp_path) is None


def test_two_matches_cannot_be_written_to_one_file(tmp_path):
    out, record = tmp_path / "m.jsonl", RECORDS[0]
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


def test_whoever_resumes_what_another_has_gone_on_with_is_refused(tmp_path):
    out, record = tmp_path / "m.jsonl", RECORDS[0]
    Journal(out, record.header, begun=record.entries[:3]).close()
    found = read_unfinished(out)[1]
    other = Journal(out, record.header, begun=found)
    other.add(record.entries[3])
    other.close()
    with pytest.raises(RecordError, match="continued since"):
        Journal(out, record.header, begun=found)
    assert read_unfinished(out)[1] == record.entries[:4]


WHOLE = RECORDS[0]
TABLES = [json.loads(line) for line in format_record(WHOLE).splitlines()]
HEADER = format_record(WHOLE, text=True).split("\n\n")[0] + "\n\n"


def faults_of(path: Path) -> list[PigglesimError]:
    return [found.error for found in scan(path) if found.error is not None]


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
    monkeypatch.setattr("pigglesim.match.record._MAX_BYTES", 1 << 22)
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
def test_a_line_that_is_no_record_is_reported_in_one_line(tmp_path, line):
    path = tmp_path / "it.jsonl"
    path.write_bytes(line + b"\n" + format_record(WHOLE).encode())
    found = list(scan(path))
    assert [each.record is None for each in found] == [True, False]
    assert str(found[0].error).isprintable()


@pytest.mark.parametrize("seed", [0, 2**53 - 1, 2**53, 2**63, MAX_SEED])
def test_every_seed_is_read_as_it_was_written(seed, tmp_path):
    """JSON has a seed that JavaScript would round as text."""
    played = match(seed)
    header = json.loads(format_record(played).splitlines()[0])
    assert header["seed"] == (seed if seed < 2**53 else str(seed))
    assert parse_record(format_record(played)).header.seed == seed
    write_record(played, tmp_path / "match.txt")
    assert read_record(tmp_path / "match.txt").header.seed == seed
    assert replay(read_record(tmp_path / "match.txt")).record == played


def test_numbers_beyond_any_are_refused():
    with pytest.raises(LocatedError, match=r"the seed has 129 bits .expected at most 128."):
        parse_record(sealed([TABLES[0] | {"seed": str(MAX_SEED + 1)}, *TABLES[1:]]))
    with pytest.raises(LocatedError, match="the seed has"):
        parse_record(sealed([TABLES[0] | {"seed": 10**400}, *TABLES[1:]]))


JUNK = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "A1", "B", "load A1", [], [[]], [1], ["A1"], {}, {"A": 1}]
)


def test_the_format_is_sealed_as_it_says():
    assert sealed(TABLES) == format_record(WHOLE)


@settings(max_examples=300)
@given(with_junk([TABLES], JUNK))
def test_junk_anywhere_is_reported_and_never_crashes(tables):
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
    record = interrupted_record(WHOLE.header, [Comment(text=words), *WHOLE.entries])
    console = PlainConsole(width=400)
    console.file = io.StringIO()
    with MatchView(game_of(record), Board(), console=console) as view:
        replay(record, on_event=view.on_event)
    shown = console.file.getvalue()
    assert r"\x1b]0;owned \x1b[2J \x9b1m [link=http://x]y[/link] [/] \u202eback" in shown
    assert all(line.isprintable() for line in shown.splitlines())


def test_an_error_comes_out_of_another_process_as_it_was():
    where = {"line": 3, "entry": 1, "position": "x", "rule": "R1"}
    for error in (
        IllegalActionError("b", expected="a", fix="c", rule="R8"),
        LocatedError("b", expected="a", fix="c", **where),
        CutError(WHOLE.header, WHOLE.entries[:2], line=4),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))
        assert again.__dict__ == error.__dict__
