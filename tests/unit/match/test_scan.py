"""Files of many records: every whole one is read, every broken one is told."""

import hashlib
import json
from pathlib import Path

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.errors import RecordError
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.entries import MatchRecord, Status
from pigglesim.match.record import (
    Journal,
    format_record,
    read_all,
    read_record,
    read_unfinished,
    scan,
    write_records,
)
from pigglesim.match.runner import play
from tests.simple_odds import simple_chance

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
def test_many_records_go_to_one_file_and_an_interruption_keeps_those_written(name, tmp_path):
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
def test_an_unreadable_file_is_told_with_its_path(content, tmp_path):
    path = tmp_path / "m.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordError):
        read_record(path)
    if not content:
        with pytest.raises(RecordError, match=r"m\.jsonl"):
            list(scan(path))


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
def test_a_broken_record_is_told_in_one_line_and_the_next_is_read(name, tmp_path):
    text, line, fault = BROKEN[name]
    path = written(tmp_path, JSON_LINES[0], text, JSON_LINES[2], TEXTS[3])
    records, faults = read_all(path)
    assert list(records) == [RECORDS[0], RECORDS[2], RECORDS[3]]
    (told,) = faults
    assert (told.file, told.record) == ("many", 2)
    assert told.line == line + JSON_LINES[0].count("\n")
    assert "\n" not in told.sentence
    assert told.sentence.startswith("many, record 2: line ")
    with pytest.raises(RecordError, match=fault):
        raise told.error
    document = json.loads(json.dumps(told.to_json()))
    assert {"file", "record", "line", "problem", "fix"} <= document.keys()


@pytest.mark.parametrize("text", [cut(JSON_LINES[0], 9), cut(JSON_LINES[0], 9)[:-20]])
def test_a_record_that_is_cut_is_there_up_to_the_cut(text, tmp_path):
    (found,) = scan(written(tmp_path, text))
    assert found.record is None
    assert found.so_far is not None
    assert found.so_far.footer.status is Status.INTERRUPTED
    whole = text.count("\n") - 1
    assert found.so_far.entries == RECORDS[0].entries[:whole]


def test_what_is_no_text_is_told_and_passed_over(tmp_path):
    path = tmp_path / "many"
    noise = b"\xff\xfe\x00" * 2_000_000 + b"\n"
    broken = JSON_LINES[1].encode().replace(b'"load', b'"l\xff', 1)
    path.write_bytes(noise + broken + JSON_LINES[2].encode())
    records, faults = read_all(path)
    assert list(records) == [RECORDS[2]]
    assert [fault.record for fault in faults] == [1, 2]
    assert all("UTF-8" in fault.sentence for fault in faults)


def test_a_record_without_end_is_not_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("pigglesim.match.record._MOST_LINES", 200)
    endless = cut(JSON_LINES[1], 5) + "more\n" * 1000
    path = written(tmp_path, JSON_LINES[0], endless, JSON_LINES[2])
    records, faults = read_all(path)
    assert list(records) == [RECORDS[0], RECORDS[2]]
    assert ["too many lines" in fault.sentence for fault in faults] == [True]


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
