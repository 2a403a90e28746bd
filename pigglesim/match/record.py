"""Record files: sealed JSON lines, complete files, journals, and many records per file."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO

from pigglesim.durable_io import (
    DRAWN,
    FILM,
    PAGES,
    AppendFile,
    publish_file,
    sync_folder,
    try_lock,
    write_atomically,
)
from pigglesim.errors import PigglesimError, RecordError, SpecError, cut
from pigglesim.files import FileKind, read_file
from pigglesim.games.game import JSON
from pigglesim.json_codec import from_json, to_json
from pigglesim.match.entries import (
    Comment,
    CutError,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    LocatedError,
    MatchOutcome,
    MatchRecord,
    Status,
    check_schema,
    fault_of,
)
from pigglesim.match.replay import interrupted_record, replay
from pigglesim.match.text import MAGIC, format_text, parse_text

_KINDS: dict[str, type[Header | Entry | Footer]] = {
    "header": Header,
    "decision": Decision,
    "outcome": MatchOutcome,
    "forfeit": Forfeit,
    "comment": Comment,
    "footer": Footer,
}
"""Parts of a record, by the value of a line's first key."""
_NAMES = {kind: name for name, kind in _KINDS.items()}
_LINE = re.compile(r'\{"kind":"(\w+)",')
_HEADER = re.compile(r'\{"kind":"header","schema":(\d{1,9}),', re.ASCII)
_MAX_HEADER = 1 << 16
"""Maximum bytes of a header that is read ahead."""
_COPY = "use an untouched copy of the record"
_SEALED = re.compile(r'(.*),"sha256":"([0-9a-f]{64})"\}', re.DOTALL)


class Sealer:
    """Sealer of the lines of one record; each seal depends on the lines before it."""

    def __init__(self) -> None:
        self._seal = ""
        self._count = 0

    def line(self, part: Header | Entry | Footer) -> str:
        """Return the next line, including its newline.

        Raises:
            RecordError: If a number in it is not finite, or a text is not UTF-8.
        """
        try:
            # A lone surrogate, which UTF-8 cannot encode, also raises ValueError.
            return self.seal(f'{{"kind":"{_NAMES[type(part)]}",{to_json(part)[1:]}')
        except ValueError:
            problem = f"line {self._count + 1} has a number that is not finite, or no UTF-8 text"
            raise RecordError(problem, fix="check the roll, the date and the names") from None

    def seal(self, content: str) -> str:
        """Return a JSON object as the next line, with its seal and newline."""
        self._seal = hashlib.sha256(f"{self._seal}\n{content}".encode()).hexdigest()
        self._count += 1
        return f'{content[:-1]},"sha256":"{self._seal}"}}\n'


def _parse(content: str) -> Header | Entry | Footer:
    """Return the part of a record in a line without its seal."""
    match = _LINE.match(content)
    if match is None or match[1] not in _KINDS:
        raise RecordError("unknown kind of line", fix="use a newer pigglesim")
    return from_json(_KINDS[match[1]], "{" + content[match.end() :])


def parse_sealed(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record in JSON lines, without checking the rules.

    Raises:
        CutError: If its end is missing; the error holds the part before.
        LocatedError: If a line was changed, moved or cut off (the line is named), or the text
            is of a newer version or not a record.
    """
    lines = text.removesuffix("\n").split("\n")
    header_start = _HEADER.match(lines[0])
    if header_start is None:
        raise LocatedError("not the header of a record", fix="choose a record", line=first)
    version = re.search(r'"version":"([^"]{1,40})"', lines[0])
    check_schema(int(header_start[1]), line=first, version=version[1] if version else "unknown")
    if len(lines) > 1 and not text.endswith("\n") and not _SEALED.fullmatch(lines[-1]):
        # The last line was cut.
        whole = lines[:-1]
    else:
        whole = lines
    sealer, parts = Sealer(), list[Header | Entry | Footer]()
    for number, line in enumerate(whole, start=first):
        try:
            parts.append(_parse_line(line, sealer, parts))
        except RecordError as error:
            raise fault_of(error, line=number) from None
        except UnicodeEncodeError:
            raise LocatedError("the line is not text", fix=_COPY, line=number) from None
    header, *rest = parts
    assert isinstance(header, Header)
    entries = [part for part in rest if not isinstance(part, Header | Footer)]
    footer = rest[-1] if rest else None
    if not isinstance(footer, Footer):
        raise CutError(header, entries, line=first + len(lines) - 1)
    return MatchRecord(header=header, entries=tuple(entries), footer=footer)


def _parse_line(
    line: str, sealer: Sealer, before: Sequence[Header | Entry | Footer]
) -> Header | Entry | Footer:
    """Return the part of a record in a line, given the parts in the lines before it."""
    sealed = _SEALED.fullmatch(line)
    if sealed is None:
        raise RecordError("the line has no seal", fix=_COPY)
    if sealer.seal(f"{sealed[1]}}}") != f"{line}\n":
        raise RecordError("the line was edited or moved, or one was deleted", fix=_COPY)
    if before and isinstance(before[-1], Footer):
        raise RecordError("the line follows the footer", fix=_COPY)
    part = _parse(f"{sealed[1]}}}")
    if isinstance(part, Header) is bool(before):
        raise RecordError("a header belongs in the first line", fix=_COPY)
    return part


RECORD_KIND = FileKind(name="record", max_bytes=1 << 25)
"""Kind of the file of one record."""
TEXT_SUFFIX = ".txt"
"""Suffix of files written as text; all others are JSON lines."""


def format_record(record: MatchRecord, *, text: bool = False) -> str:
    """Return a record as the content of its file: as readable text, or as JSON lines.

    Raises:
        RecordError: If a number is not finite or, for text, if the record does not fit the rules.
    """
    sealer = Sealer()
    parts = (record.header, *record.entries, record.footer)
    return format_text(record) if text else "".join(map(sealer.line, parts))


def parse_record(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record in the content of a file, from line `first` on, in either form.

    Raises:
        CutError: If its end is missing; the error holds the part before.
        LocatedError: If a line was changed, moved or cut off (the line is named), or the text
            is of a newer version or not a record.
    """
    is_text = text.removeprefix("\ufeff").startswith(MAGIC)
    return (parse_text if is_text else parse_sealed)(text, first=first)


def expect_record_name(path: Path) -> None:
    """Reject the file name of a page, picture or video for a record.

    Raises:
        RecordError: If the name ends in one of their suffixes.
    """
    if path.suffix.lower() in {FILM, *PAGES, *DRAWN}:
        raise RecordError(
            f"{path.name!r} is not the name of a record",
            expected=".jsonl or .txt",
            fix=f"use {path.stem}.jsonl, and draw it with pigglesim replay",
        )


def write_record(record: MatchRecord, path: Path) -> None:
    """Write a record to a file, replacing an existing one atomically.

    Raises:
        RecordError: If the file cannot be written.
    """
    write_records([record], path)


def write_records(records: Iterable[MatchRecord], path: Path) -> int:
    """Write records to one file, one after another, and return their number.

    An existing file is replaced atomically. An interruption (Ctrl-C) saves the records written
    by then, and is raised after that.

    Raises:
        RecordError: If the file cannot be written.
    """
    expect_record_name(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    text, count, stopped = path.suffix.lower() == TEXT_SUFFIX, 0, False
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            try:
                for record in records:
                    # The gap lets a reader find the next record if the end of this one is broken.
                    gap = "\n" if text and count else ""
                    file.write(gap + format_record(record, text=text))
                    count += 1
            except KeyboardInterrupt:
                if not count:
                    raise
                stopped = True
        publish_file(part, path)
    except OSError as error:
        problem = f"cannot write {str(path)!r}: {error.strerror}"
        raise RecordError(problem, fix="use another --out") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    if stopped:
        raise KeyboardInterrupt
    return count


def read_record(path: Path) -> MatchRecord:
    """Return the only record in a file, in either form.

    Raises:
        CutError: If its end is missing; the error holds the part before.
        RecordError: If it cannot be read, or is not a complete and unchanged record.
    """
    try:
        # Read bytes, so that no line ending is translated before it is checked.
        text = read_file(path, RECORD_KIND).decode("utf-8")
    except SpecError as fault:
        raise fault.converted(RecordError, fix="check the path") from None
    except UnicodeDecodeError:
        raise RecordError(f"{str(path)!r} is not UTF-8 text", fix="check the path") from None
    return parse_record(text)


def journal_of(path: Path) -> Path:
    """Return the journal's file for a record that will be written to `path`."""
    return path.with_name(f"{path.name}.part")


def is_begun(path: Path) -> bool:
    """Return True if a journal with content exists for the record at `path`."""
    part = journal_of(path)
    return part.exists() and part.stat().st_size > 0


class Journal:
    """Writer of a record while its match is played.

    The complete record will be at `path`; `begun` are the entries of a resumed match.

    Raises:
        RecordError: If the journal cannot be written, is in use, or belongs to another match.
    """

    def __init__(self, path: Path, header: Header, *, begun: Sequence[Entry] = ()) -> None:
        self._out = path
        self._part = journal_of(path)
        self._sealer = Sealer()
        lines = [self._sealer.line(part) for part in (header, *begun)]
        with self._writing(), self._part.open("a+b") as file:
            self._file = self._begin(file, "".join(lines).encode())

    def _begin(self, file: BinaryIO, lines: bytes) -> AppendFile:
        status = os.fstat(file.fileno())
        if not try_lock(file) or not os.path.samestat(status, self._part.stat()):
            raise self._holds("a match that is still played")
        file.seek(0)
        content = file.read()
        if not lines.startswith(content[: content.rfind(b"\n") + 1]):
            raise self._holds("another match, or one that was continued since")
        if os.name == "nt":  # pragma: no cover (an open file cannot be replaced there)
            file.close()
        # The old content is replaced at once: a kill in between loses nothing.
        write_atomically(self._part, lines)
        journal = AppendFile(self._part)
        if not try_lock(journal.file):
            raise self._holds("a match that is still played")
        return journal

    def _holds(self, content: str) -> RecordError:
        fix = f"wait for it, use --resume {self._out}, or another --out"
        return RecordError(f"{str(self._part)!r} holds {content}", fix=fix)

    def add(self, entry: Entry) -> None:
        """Append an entry.

        Raises:
            RecordError: If it cannot be written; the file then has no part of it.
        """
        with self._writing():
            self._file.add(self._sealer.line(entry).encode())

    def close(self) -> None:
        """Close the file; the journal stays until `finish`.

        Raises:
            RecordError: If the disk refuses the write.
        """
        with self._writing():
            self._file.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RecordError(
                f"cannot write {str(self._part)!r}: {error.strerror}",
                fix=f"make room, then use --resume {self._out}, or another --out",
            ) from None


def finish(record: MatchRecord, path: Path) -> None:
    """Write the complete record to its file, and remove the journal.

    Raises:
        RecordError: If it cannot be written; the journal stays.
    """
    write_record(record, path)
    part = journal_of(path)
    if part.exists():
        part.unlink(missing_ok=True)
        sync_folder(part.parent)


def peek_header(path: Path) -> Header | None:
    """Return the header of a record in JSON lines, without reading on; None if there is none."""
    try:
        with path.open("rb") as file:
            parse_sealed(file.readline(_MAX_HEADER).decode())
    except CutError as cut:
        return cut.header
    except (OSError, UnicodeDecodeError, RecordError):
        pass
    return None


def peek_footer(path: Path) -> Footer | None:
    """Return the footer of a record in JSON lines, without the lines before it and their seals.

    It is for lists; None if there is none.
    """
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _MAX_HEADER))
            last = file.read(_MAX_HEADER).decode(errors="replace").rstrip("\n").split("\n")[-1]
        sealed = _SEALED.fullmatch(last)
        part = _parse(f"{sealed[1]}}}") if sealed else None
    except (OSError, RecordError):
        return None
    return part if isinstance(part, Footer) else None


def read_unfinished(path: Path) -> tuple[Header, tuple[Entry, ...]]:
    """Return header and entries of a match that was killed, cut off or interrupted.

    The journal next to `path`, the file for the complete record, is read first.

    Raises:
        RecordError: If there is none, it is broken, or the match is finished.
    """
    try:
        record = read_record(journal_of(path) if is_begun(path) else path)
    except CutError as cut:
        return cut.header, cut.entries
    if record.footer.status is Status.FINISHED:
        fix = f"use pigglesim replay {path}"
        raise RecordError(f"the match in {str(path)!r} is finished", fix=fix)
    return record.header, record.entries


_MAX_LINE = 1 << 20
"""Maximum bytes of a line."""
_MAX_LINES = 1 << 20
"""Maximum lines of a record; the longest game has thousands."""
_MAX_BYTES = 1 << 25
"""Maximum bytes of a record; parsed values take twenty times the memory."""

_HEADER_START, _FOOTER_START = b'{"kind":"header"', b'{"kind":"footer"'
_TEXT, _RESULT = MAGIC.encode(), b"result:"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedRecord:
    """One record of a file, or its fault."""

    file: str
    """Name of the file."""
    number: int
    """Number of the record in the file, from 1."""
    line: int
    """Number of its first line."""
    record: MatchRecord | None
    """The record; None if it is broken."""
    error: LocatedError | None = None
    """Its fault, if it is broken."""
    intact: MatchRecord | None = None
    """Intact part of a record whose end is missing, as if interrupted there."""

    @property
    def sentence(self) -> str:
        """Fault of a broken record in one line."""
        return f"{self.file}, record {self.number}: {self.error}"

    def to_json(self) -> dict[str, JSON]:
        """Return the fault of a broken record as plain values."""
        names = ("line", "problem", "expected", "fix", "rule", "position")
        properties = {name: getattr(self.error, name) for name in names}
        plain: dict[str, JSON] = {"file": self.file, "record": self.number, "line": self.line}
        return plain | {name: value for name, value in properties.items() if value is not None}


@dataclass(slots=True, kw_only=True)
class _Chunk:
    """Lines of one record."""

    line: int
    lines: list[bytes] = field(default_factory=list)
    is_text: bool = False
    is_known: bool = True
    """True if it begins as a record does."""
    ending: bool = False
    """True once its footer or result was read."""
    size: int = 0
    """Total bytes of its lines."""

    def ends_before(self, line: bytes) -> bool:
        """Return True if a line is not part of it."""
        after_end = self.ending and not (self.is_text and line.strip())
        return after_end or line.startswith((_HEADER_START, _TEXT))

    def add(self, line: bytes) -> None:
        """Add a line; only the first line is stored if it is not a record."""
        if self.is_known or not self.lines:
            self.lines.append(line)
            self.size += len(line)
        if len(self.lines) > _MAX_LINES or self.size > _MAX_BYTES:
            self.lines, self.size = [b"too many lines or bytes"], 0
            self.is_text = self.is_known = self.ending = False
        self.ending = self.ending or line.startswith(_RESULT if self.is_text else _FOOTER_START)


def read_all(
    file: str | os.PathLike[str], *, strict: bool = False
) -> tuple[Iterator[MatchRecord], list[LocatedRecord]]:
    """Return the intact records of a file in either form, and a list of the broken ones.

    The records are read lazily. The list grows meanwhile and is complete at their end. Every
    record is played through the rules.

    Raises:
        RecordError: If the file cannot be read; if `strict`, while iterating, at the first broken
            record.
    """
    broken: list[LocatedRecord] = []
    path = Path(file)

    def records() -> Iterator[MatchRecord]:
        for located in scan(path):
            if located.record is not None:
                yield located.record
            elif located.error is not None:
                if strict:
                    raise located.error
                broken.append(located)

    if not _exists(path):
        raise _unreadable(path, "no such file")
    return records(), broken


def scan(path: Path) -> Iterator[LocatedRecord]:
    """Yield every record of a file, or its fault, in order.

    Raises:
        RecordError: If the file cannot be read, or is empty.
    """
    number = 0
    _exists(path)
    try:
        with path.open("rb") as file:
            for number, chunk in enumerate(_chunks(file), start=1):
                yield _located(path, number, chunk)
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None
    if not number:
        raise _unreadable(path, "the file is empty")


def _exists(path: Path) -> bool:
    """Return whether there is such a file.

    Raises:
        RecordError: If it is a special file, such as a pipe, which may have no end.
    """
    try:
        if path.exists() and not path.is_file():
            raise _unreadable(path, "not a regular file")
        return path.exists()
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None


def _unreadable(path: Path, problem: str) -> RecordError:
    return RecordError(f"cannot read {cut(repr(str(path)), 400)}: {problem}", fix="check the path")


def _located(path: Path, number: int, chunk: _Chunk) -> LocatedRecord:
    make = partial(LocatedRecord, file=path.name, number=number, line=chunk.line)
    intact = None
    try:
        record = parse_record(_text_of(chunk), first=chunk.line)
        if not chunk.is_text:
            # Text was already played while it was parsed.
            replay(record)
        return make(record=record)
    except CutError as cut:
        error: LocatedError = cut
        try:
            intact = interrupted_record(cut.header, cut.entries)
        except PigglesimError as refused:
            error = _with_line(refused, chunk.line)
    except PigglesimError as other:
        error = _with_line(other, chunk.line)
    return make(record=None, error=error, intact=intact)


def _text_of(chunk: _Chunk) -> str:
    data = b"".join(chunk.lines)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = chunk.line + data.count(b"\n", 0, error.start)
        raise LocatedError("not UTF-8 text", fix=_COPY, line=line) from None
    if not chunk.is_known:
        beginning = text.partition("\n")[0].strip()[:60]
        raise LocatedError(f"not the header of a record: {beginning!r}", fix=_COPY, line=chunk.line)
    return text


def _with_line(error: PigglesimError, first: int) -> LocatedError:
    """Return an error in a record of JSON lines with the line of its entry."""
    entry = error.entry if isinstance(error, LocatedError) else None
    return fault_of(error, line=first if entry is None else first + 1 + entry)


def _chunks(file: BinaryIO) -> Iterator[_Chunk]:
    current: _Chunk | None = None
    for number, line in _lines(file):
        if current is not None and current.ends_before(line):
            yield current
            current = None
        if current is None:
            if not line.strip():
                continue
            is_text = line.startswith(_TEXT)
            is_known = is_text or line.startswith(_HEADER_START)
            current = _Chunk(line=number, is_text=is_text, is_known=is_known)
        current.add(line)
    if current is not None:
        yield current


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(_MAX_LINE):
        number += 1
        if number == 1:
            line = line.removeprefix(_BOM)
        if len(line) == _MAX_LINE and not line.endswith(b"\n"):
            # The rest of such a line is skipped: only its beginning is reported.
            while (rest := file.readline(_MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            line = line[:80] + b"\n"
        yield number, line
