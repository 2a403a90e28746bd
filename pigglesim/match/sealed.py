"""Records as JSON lines, each sealed by a hash of all before it.

A line ends with the SHA-256 of the line before's seal and of its own content, so that a line
that was edited, moved, taken out or cut off is found and named.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence

from pigglesim.errors import RecordError
from pigglesim.games.game import JSON
from pigglesim.match.entries import SCHEMA, Header, MatchRecord
from pigglesim.match.entry_json import (
    entry_from_json,
    entry_to_json,
    footer_from_json,
    footer_to_json,
    header_from_json,
    header_to_json,
)
from pigglesim.match.faults import CutError, LocatedError, fault_of

__all__ = ["Sealer", "check_schema", "format_sealed", "parse_sealed"]


class Sealer:
    """Writes the lines of one record, each sealed by those before it."""

    def __init__(self) -> None:
        self._seal = ""
        self._count = 0

    def line(self, plain: Mapping[str, object]) -> str:
        """Return the next line, with its line end.

        Raises:
            RecordError: If a number in it is not finite.
        """
        self._count += 1
        try:
            line, self._seal = _sealed(plain, self._seal)
        except ValueError:
            raise RecordError(
                f"finite numbers in line {self._count}", got="inf or nan", remedy="check the roll"
            ) from None
        return f"{line}\n"


def _dump(plain: Mapping[str, object]) -> str:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _sealed(plain: Mapping[str, object], previous: str) -> tuple[str, str]:
    """Return a line and its seal."""
    content = _dump(plain)
    # A lone surrogate, which JSON can escape and UTF-8 cannot write, is a ValueError too.
    seal = hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()
    return f'{content[:-1]},"sha256":"{seal}"}}', seal


def format_sealed(record: MatchRecord) -> str:
    """Return a record as JSON lines.

    Raises:
        RecordError: If a number in it is not finite.
    """
    plain: list[dict[str, JSON]] = [
        header_to_json(record.header),
        *(entry_to_json(entry) for entry in record.entries),
        footer_to_json(record.footer),
    ]
    sealer = Sealer()
    return "".join(sealer.line(table) for table in plain)


def _fault(number: int, got: str) -> LocatedError:
    return LocatedError(
        "the record as it was written",
        got=got,
        remedy="use an untouched copy of the record",
        line=number,
    )


def _tables(lines: Sequence[str], first: int, *, ended: bool) -> list[dict[str, object]]:
    """Return the content of every line, each checked against its seal.

    Of a file that does not end with a line end, a last line that is cut is left out.
    """
    tables: list[dict[str, object]] = []
    previous = ""
    for number, line in enumerate(lines, start=first):
        try:
            table = json.loads(line)
        except (ValueError, RecursionError):
            if number - first == len(lines) - 1 and tables and not ended:
                break
            raise _fault(number, "a line that is cut or is no JSON") from None
        if not isinstance(table, dict):
            raise _fault(number, "a line that is no table")
        if number == first:
            _check_header(table, number)
        seal = table.pop("sha256", None)
        try:
            whole, previous = _sealed(table, previous)
        except (ValueError, RecursionError):
            raise _fault(number, "a number that is not finite, or no text") from None
        if line != whole:
            got = "no seal" if seal is None else "a line edited, moved, or after one taken out"
            raise _fault(number, got)
        tables.append(table)
    return tables


def _check_header(table: Mapping[str, object], number: int) -> None:
    schema = table.get("schema")
    if table.get("kind") != "header" or type(schema) is not int:
        raise LocatedError(
            "the header of a match",
            got="something else",
            remedy="check the path",
            line=number,
        )
    check_schema(schema, line=number, version=str(table.get("pigglesim")))


def check_schema(schema: int, *, line: int, version: str) -> None:
    """Raise `LocatedError` if a record was written by a newer pigglesim than this one."""
    if not 1 <= schema <= SCHEMA:
        raise LocatedError(
            f"a record of schema version 1 to {SCHEMA}",
            got=f"version {schema}",
            remedy=f"a pigglesim as new as the one that wrote it ({version})",
            line=line,
        )


def _header(table: Mapping[str, object], line: int) -> Header:
    try:
        return header_from_json(table)
    except RecordError as error:
        raise fault_of(error, line=line) from None


def parse_sealed(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record that JSON lines hold; the rules are not asked.

    Args:
        text: The lines.
        first: Number of the first line in its file.

    Raises:
        CutError: If its end is missing; what is there comes with the error.
        LocatedError: If a line was changed, moved or cut off (the line is named), or the record
            is of a newer version or no record at all.
    """
    lines = text.removesuffix("\n").split("\n")
    tables = _tables(lines, first, ended=text.endswith("\n"))
    header = _header(tables[0], first)
    whole = len(tables) > 1 and tables[-1].get("kind") == "footer"
    entries = []
    for number, table in enumerate(tables[1:-1] if whole else tables[1:], start=first + 1):
        if table.get("kind") == "footer":
            raise _fault(number, "a footer before the last line")
        try:
            entries.append(entry_from_json(table))
        except RecordError as error:
            raise fault_of(error, line=number) from None
    if not whole:
        ends = "no more lines" if len(tables) == len(lines) else "half a line"
        raise CutError(header, entries, got=ends, line=first + len(lines) - 1)
    try:
        footer = footer_from_json(tables[-1])
    except RecordError as error:
        raise fault_of(error, line=first + len(tables) - 1) from None
    return MatchRecord(header=header, entries=tuple(entries), footer=footer)
