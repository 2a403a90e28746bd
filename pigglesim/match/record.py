"""Records of matches as files: sealed JSON lines, or text to read and annotate."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from pigglesim.errors import RecordError, SpecError
from pigglesim.files.kinds import FileKind
from pigglesim.files.reading import read_file
from pigglesim.lasting import name_for_good
from pigglesim.match.entries import MatchRecord
from pigglesim.match.sealed import format_sealed, parse_sealed
from pigglesim.match.text import format_text, parse_text
from pigglesim.match.text_lines import MAGIC

__all__ = [
    "TEXT_SUFFIX",
    "expect_record_name",
    "format_record",
    "parse_record",
    "read_record",
    "write_record",
    "write_records",
]

_KIND = FileKind(name="record", most_bytes=1 << 25)
TEXT_SUFFIX = ".txt"
"""Files of this suffix are written as text, all others as JSON lines."""


def format_record(record: MatchRecord, *, text: bool = False) -> str:
    """Return a record as the content of its file.

    Args:
        record: The record.
        text: Whether to write text that people read; JSON lines otherwise.

    Raises:
        RecordError: If a number in it is not finite, or as text if it does not fit the rules.
    """
    return format_text(record) if text else format_sealed(record)


def parse_record(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record that the content of a file holds, in either form.

    Args:
        text: The content of a file, or the part of it that holds one record.
        first: Number of the first line in its file.

    Raises:
        CutError: If its end is missing; what is there comes with the error.
        LocatedError: If a line was changed, moved or cut off (the line is named), or the record
            is of a newer version or no record at all.
    """
    is_text = text.removeprefix("\ufeff").startswith(MAGIC)
    return (parse_text if is_text else parse_sealed)(text, first=first)


_OTHER = frozenset({".film", ".glb", ".gif", ".html", ".mp4", ".png", ".svg", ".webm"})
"""Suffixes of what a record is drawn as."""


def expect_record_name(path: Path) -> None:
    """Refuse the name of a page, picture or video for a record.

    Raises:
        RecordError: If it ends as one of those.
    """
    if path.suffix.lower() in _OTHER:
        raise RecordError(
            "a record that ends in .jsonl or .txt",
            got=repr(path.name),
            remedy=f"{path.stem}.jsonl; replay writes pages, pictures and videos of it",
        )


def write_record(record: MatchRecord, path: Path) -> None:
    """Write a record to a file; another of that name is replaced, whole or not at all.

    Raises:
        RecordError: If the file cannot be written.
    """
    write_records([record], path)


def write_records(records: Iterable[MatchRecord], path: Path) -> int:
    """Write records to one file, one after another, and return how many.

    Another file of that name is replaced, whole or not at all. An interruption (Ctrl-C) keeps
    what was written by then, and is let out after that.

    Raises:
        RecordError: If the file cannot be written.
    """
    expect_record_name(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    writer = _Writer(text=path.suffix.lower() == TEXT_SUFFIX)
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            try:
                writer.write(records, file)
            except KeyboardInterrupt:
                if not writer.count:
                    raise
                writer.stopped = True
        name_for_good(part, path)
    except OSError as error:
        raise RecordError(
            f"to write {str(path)!r}", got=str(error.strerror), remedy="another --out"
        ) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    if writer.stopped:
        raise KeyboardInterrupt
    return writer.count


class _Writer:
    """Writes records one after another, and counts them.

    Args:
        text: Whether as text.
    """

    def __init__(self, *, text: bool) -> None:
        self._text = text
        self.count = 0
        self.stopped = False
        """Whether it was interrupted after some were written."""

    def write(self, records: Iterable[MatchRecord], file: TextIO) -> None:
        """Write every record, with a blank line between texts."""
        for record in records:
            # The gap lets a reader find the next record when the end of this is broken.
            gap = "\n" if self._text and self.count else ""
            file.write(gap + format_record(record, text=self._text))
            self.count += 1


def read_record(path: Path) -> MatchRecord:
    """Return the one record in a file, in either form.

    Raises:
        CutError: If its end is missing; what is there comes with the error.
        RecordError: If it cannot be read, or is not a whole and untouched record.
    """
    try:
        # Bytes, so that no line ending is translated before it is checked.
        text = read_file(path, _KIND).decode("utf-8")
    except SpecError as fault:
        raise RecordError(fault.expected, got=fault.got, remedy="check the path") from None
    except UnicodeDecodeError:
        raise RecordError(
            f"a record at {str(path)!r}", got="no UTF-8 text", remedy="check the path"
        ) from None
    return parse_record(text)
