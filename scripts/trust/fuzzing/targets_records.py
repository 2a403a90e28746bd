"""Records of matches of every game: as text, as JSON lines sealed again, and in both forms."""

import json
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from pigglesim.match.entries import Comment
from pigglesim.match.record import Sealer, format_record, parse_record, read_record, scan
from pigglesim.match.replay import interrupted_record, without_positions
from scripts.trust.fuzzing.target import Form, target

PLAYED = Path(__file__).parents[3] / "tests" / "playthroughs"
_SMALL = 6_000
"""Maximum bytes of a seed."""
_WORDS = (
    *("header", "footer", "decision", "outcome", "forfeit", "comment", "illegal", "A", "B", "C"),
    *("L", "snout_up", "field:N", "line:path/woods", "off", "=>", "result:", "scores:"),
    *("position:", "final_state:", "round", "forfeits", "\u001b[2J", "\u202e", "{}"),
)


@cache
def _records():
    """Return the beginnings of matches of every game and variant, one with positions of bodies."""
    found = []
    for path in sorted(PLAYED.glob("*.jsonl")):
        whole = read_record(path)
        for count in (2, 9):
            entries = [*whole.entries[:count], Comment(text="so far")]
            found.append(without_positions(interrupted_record(whole.header, entries)))
    return *found, interrupted_record(whole.header, whole.entries[:5])


def _texts():
    texts = (format_record(record, text=True).encode() for record in _records())
    return [text for text in texts if len(text) < _SMALL]


def _plain_lines():
    """Return records as JSON lines without their seals."""
    found = []
    for record in _records():
        tables = [json.loads(line) for line in format_record(record).splitlines()]
        lines = (_compact({k: v for k, v in each.items() if k != "sha256"}) for each in tables)
        found.append("\n".join(lines).encode())
    return [lines for lines in found if len(lines) < _SMALL]


def _compact(table):
    return json.dumps(table, ensure_ascii=False, separators=(",", ":"))


def _sealed(data):
    """Return lines of JSON sealed as a record's are; other lines stay."""
    sealer, lines = Sealer(), []
    for line in data.split(b"\n"):
        try:
            lines.append(sealer.seal(_compact(json.loads(line))).encode())
        except Exception:
            lines.append(line + b"\n")
    return b"".join(lines)


@target("record-text", Form.TEXT, _texts, words=_WORDS, file="it.jsonl")
@target("record-lines", Form.LINES, _plain_lines, words=_WORDS, file="it.jsonl", wrap=_sealed)
def _scan(path):
    """Read the records of a file, write each again, and report the faults."""
    error = None
    for found in islice(scan(path), 3):
        record = found.record or found.intact
        if record is not None:
            assert parse_record(format_record(record)) == record
        if found.error is not None:
            error = error or found.error
            json.dumps(found.to_json(), allow_nan=False)
    if error is not None:
        raise error


@target("record-forms", Form.LINES, _plain_lines, words=_WORDS, wrap=_sealed)
def _both_forms(path):
    """Read a record, and write and read it in the other form."""
    try:
        record = parse_record(path.read_bytes().decode())
    except UnicodeDecodeError:
        return
    bare = without_positions(record)
    again = parse_record(format_record(bare, text=True))
    assert replace(again, header=bare.header) == bare
