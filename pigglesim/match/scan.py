"""Files of many records, read one by one; a broken one is reported, and the next is read.

A record begins with its header's line. It ends with its footer (in text, with the blank line after
its result), or where the next one begins; what lies between records is no record and is reported
as one fault. One record is in memory at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pigglesim.errors import PigglesimError, RecordError
from pigglesim.match.entries import MatchRecord
from pigglesim.match.faults import CutError, Fault, LocatedError, fault_of
from pigglesim.match.record import parse_record
from pigglesim.match.replay import replay, so_far
from pigglesim.match.text_lines import MAGIC

__all__ = ["Found", "read_all", "scan"]

_LONGEST_LINE = 1 << 20
"""Bytes of a line of which more is no line of a record."""
_MOST_LINES = 1 << 20
"""Lines of which more are no record: the longest game has thousands."""
_MOST_BYTES = 1 << 25
"""Bytes of which more are no record: as values they take twenty times the room."""

_HEADER, _FOOTER = b'{"kind":"header"', b'{"kind":"footer"'
_TEXT, _RESULT = MAGIC.encode(), b"result:"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a file holds at one place: a record, or a fault."""

    number: int
    """Which record of the file, from 1."""
    line: int
    """Where it begins."""
    record: MatchRecord | None
    """The record; None if it is broken."""
    fault: Fault | None = None
    """What is wrong with it."""
    so_far: MatchRecord | None = None
    """Of a record whose end is missing, what is there, as if it had been interrupted."""


@dataclass(slots=True, kw_only=True)
class _Chunk:
    """The lines of one record."""

    line: int
    lines: list[bytes] = field(default_factory=list)
    is_text: bool = False
    is_known: bool = True
    """Whether it begins as a record does."""
    ending: bool = False
    """Whether its footer or result has come."""
    size: int = 0
    """Bytes of its lines."""


def read_all(path: Path, *, strict: bool = False) -> tuple[Iterator[MatchRecord], list[Fault]]:
    """Return the records of a file, and the list of what is wrong with the others.

    The records are read as they are asked for; the list grows meanwhile and is whole when they
    are at their end. Every record is played through the rules.

    Args:
        path: A file of records in either form, or in both.
        strict: Whether to raise at the first broken record.

    Raises:
        RecordError: If the file cannot be read; if `strict`, while iterating, if a record is
            broken.
    """
    faults: list[Fault] = []

    def records() -> Iterator[MatchRecord]:
        for found in scan(path):
            if found.record is not None:
                yield found.record
            elif found.fault is not None:
                if strict:
                    raise found.fault.error
                faults.append(found.fault)

    if not path.is_file():
        raise _unreadable(path, "no such file")
    return records(), faults


def scan(path: Path) -> Iterator[Found]:
    """Yield every record of a file, or what is wrong with it, in order.

    Raises:
        RecordError: If the file cannot be read, or is empty.
    """
    number = 0
    # What is no file, such as a pipe, may have no end.
    if path.exists() and not path.is_file():
        raise _unreadable(path, "no file, but a folder, a pipe or a device")
    try:
        with path.open("rb") as file:
            for number, chunk in enumerate(_chunks(file), start=1):
                yield _found(path, number, chunk)
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None
    if not number:
        raise _unreadable(path, "an empty file")


def _unreadable(path: Path, got: str) -> RecordError:
    return RecordError(f"a record at {str(path)!r}", got=got, remedy="check the path")


def _found(path: Path, number: int, chunk: _Chunk) -> Found:
    partial = None
    try:
        record = parse_record(_decoded(chunk), first=chunk.line)
        if not chunk.is_text:
            # Text has been played while it was read.
            _play(record, chunk.line)
        return Found(number=number, line=chunk.line, record=record)
    except CutError as cut:
        error: LocatedError = cut
        try:
            partial = so_far(cut.header, cut.entries)
        except PigglesimError as refused:
            error = _with_line(refused, chunk.line)
    except PigglesimError as other:
        error = _with_line(other, chunk.line)
    fault = Fault(file=path.name, record=number, line=error.line or chunk.line, error=error)
    return Found(number=number, line=chunk.line, record=None, fault=fault, so_far=partial)


def _decoded(chunk: _Chunk) -> str:
    words = []
    for number, line in enumerate(chunk.lines, start=chunk.line):
        try:
            words.append(line.decode())
        except UnicodeDecodeError:
            raise LocatedError(
                "UTF-8 text", got="other bytes", remedy="use an untouched copy", line=number
            ) from None
    if not chunk.is_known:
        raise LocatedError(
            "the header of a match",
            got=repr(words[0].strip()[:60]),
            remedy="use an untouched copy, or leave out what is no record",
            line=chunk.line,
        )
    return "".join(words)


def _play(record: MatchRecord, line: int) -> None:
    try:
        replay(record)
    except PigglesimError as error:
        raise _with_line(error, line) from None


def _with_line(error: PigglesimError, first: int) -> LocatedError:
    """Return an error of a record of JSON lines with the line of the entry it is about."""
    known = error.entry if isinstance(error, LocatedError) else None
    return fault_of(error, line=first if known is None else first + 1 + known)


def _chunks(file: BinaryIO) -> Iterator[_Chunk]:
    """Yield the lines of one record after another."""
    current: _Chunk | None = None
    for number, line in _lines(file):
        begins = line.startswith((_HEADER, _TEXT))
        blank = not line.strip()
        if current is not None and (begins or (current.ending and (blank or not current.is_text))):
            yield current
            current = None
        if current is None:
            if blank:
                continue
            current = _Chunk(line=number, is_text=line.startswith(_TEXT), is_known=begins)
        if current.is_known or not current.lines:
            current.lines.append(line)
            current.size += len(line)
        if len(current.lines) > _MOST_LINES or current.size > _MOST_BYTES:
            current = _Chunk(line=current.line, lines=[b"too many lines or bytes"], is_known=False)
        current.ending = current.ending or line.startswith(_RESULT if current.is_text else _FOOTER)
    if current is not None:
        yield current


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        if number == 1:
            line = line.removeprefix(_BOM)
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            # The rest of such a line is skipped: only its beginning is told.
            while (more := file.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
            line = line[:80] + b"\n"
        yield number, line
