"""Records of matches of every game: as text, as JSON lines sealed anew, and as bytes."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzzing.target import Feed, Form, Target, scratch_file

if TYPE_CHECKING:
    from pigglesim.match.entries import MatchRecord


PLAYED = Path(__file__).parents[1] / "playthroughs"
_SMALL = 6_000
"""Bytes of a seed: what is small is quick."""


@cache
def _records() -> "tuple[MatchRecord, ...]":
    """Return the beginnings of matches of every game and variant, one with places of bodies."""
    from pigglesim.match.entries import Comment
    from pigglesim.match.record import read_record
    from pigglesim.match.replay import so_far, without_places

    found = []
    for path in sorted(PLAYED.glob("*.jsonl")):
        whole = read_record(path)
        for count in (2, 9):
            entries = [*whole.entries[:count], Comment(text="so far")]
            found.append(without_places(so_far(whole.header, entries)))
    found.append(so_far(whole.header, whole.entries[:5]))
    return tuple(found)


def _texts() -> Sequence[bytes]:
    from pigglesim.match.record import format_record

    texts = (format_record(record, text=True).encode() for record in _records())
    return [text for text in texts if len(text) < _SMALL]


def _plain_lines() -> Sequence[bytes]:
    """Return records as JSON lines without their seals."""
    from pigglesim.match.record import format_record

    found = []
    for record in _records():
        tables = [json.loads(line) for line in format_record(record).splitlines()]
        for table in tables:
            del table["sha256"]
        found.append("\n".join(_compact(table) for table in tables).encode())
    return [lines for lines in found if len(lines) < _SMALL]


def _compact(table: object) -> str:
    return json.dumps(table, ensure_ascii=False, separators=(",", ":"))


def sealed_lines(data: bytes) -> bytes:
    """Return lines of JSON sealed as a record's are, as far as they can be."""
    from pigglesim.match.record import Sealer

    sealer, lines = Sealer(), []
    for line in data.split(b"\n"):
        try:
            lines.append(sealer.seal(_compact(json.loads(line))).encode())
        except Exception:
            lines.append(line + b"\n")
    return b"".join(lines)


def _scanned(*, seal: bool) -> Callable[[Path], Feed]:
    """Return what prepares to read all records of a file, play them, and tell of them."""

    def prepare(folder: Path) -> Feed:
        from pigglesim.match.record import format_record, parse_record, scan

        def read(path: Path) -> object:
            error = None
            for found in islice(scan(path), 3):
                record = found.record or found.so_far
                if record is not None:
                    written = format_record(record)
                    assert parse_record(written) == record
                if found.fault is not None:
                    error = error or found.fault.error
                    json.dumps(found.fault.to_json(), allow_nan=False)
            if error is not None:
                raise error
            return path

        feed = scratch_file(folder, "it.jsonl", read)
        return (lambda data: feed(sealed_lines(data))) if seal else feed

    return prepare


def _both(folder: Path) -> Feed:
    """Read a record, and write and read it in the other form."""
    from pigglesim.match.record import format_record, parse_record
    from pigglesim.match.replay import without_places

    def feed(data: bytes) -> object:
        try:
            record = parse_record(sealed_lines(data).decode())
        except UnicodeDecodeError:
            return None
        bare = without_places(record)
        again = parse_record(format_record(bare, text=True))
        assert replace(again, header=bare.header) == bare
        return again

    return feed


def _words() -> Iterator[str]:
    yield from ("header", "footer", "decision", "outcome", "forfeit", "comment", "illegal")
    yield from ("A", "B", "C", "L", "snout_up", "field:N", "line:path/woods", "off", "=>")
    yield from ("result:", "scores:", "position:", "round", "forfeits", "\u001b[2J", "\u202e", "{}")


_READERS = ("pigglesim.match", "pigglesim.games", "pigglesim.json_codec", "pigglesim.landing")
TARGETS = (
    Target(
        name="record-text", form=Form.TEXT, prepare=_scanned(seal=False), seeds=_texts,
        readers=_READERS, words=tuple(_words()),
    ),
    Target(
        name="record-lines", form=Form.LINES, prepare=_scanned(seal=True), seeds=_plain_lines,
        readers=_READERS, words=tuple(_words()),
    ),
    Target(
        name="record-forms", form=Form.LINES, prepare=_both, seeds=_plain_lines,
        readers=_READERS, words=tuple(_words()),
    ),
)  # fmt: skip
