"""Records of matches as files: JSON lines, each sealed by a hash of all before it.

A line ends with the SHA-256 of the line before's seal and of its own content, so that a line
that was edited, moved, taken out or cut off is found and named.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from pigglesim.errors import RecordError
from pigglesim.games.game import JSON
from pigglesim.match.entries import (
    SCHEMA,
    MatchRecord,
    entry_from_json,
    entry_to_json,
    footer_from_json,
    footer_to_json,
    header_from_json,
    header_to_json,
)

__all__ = ["format_record", "parse_record", "read_record", "write_record"]

_SHORTEST = 2
"""A header and a footer."""


def _dump(plain: Mapping[str, object]) -> str:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _sealed(plain: Mapping[str, object], previous: str) -> tuple[str, str]:
    """Return a line and its seal."""
    content = _dump(plain)
    seal = hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()
    return f'{content[:-1]},"sha256":"{seal}"}}', seal


def format_record(record: MatchRecord) -> str:
    """Return a record as the text of its file.

    Raises:
        RecordError: If a number in it is not finite.
    """
    plain: list[dict[str, JSON]] = [
        header_to_json(record.header),
        *(entry_to_json(entry) for entry in record.entries),
        footer_to_json(record.footer),
    ]
    lines: list[str] = []
    seal = ""
    for number, table in enumerate(plain, start=1):
        try:
            line, seal = _sealed(table, seal)
        except ValueError:
            raise RecordError(
                f"finite numbers in line {number}", got="inf or nan", remedy="check the roll"
            ) from None
        lines.append(f"{line}\n")
    return "".join(lines)


def _fault(number: int, got: str) -> RecordError:
    return RecordError(
        f"line {number} as it was written", got=got, remedy="use an untouched copy of the record"
    )


def _tables(text: str) -> list[dict[str, object]]:
    """Return the content of every line, each checked against its seal."""
    tables: list[dict[str, object]] = []
    previous = ""
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        try:
            table = json.loads(line)
        except (ValueError, RecursionError):
            raise _fault(number, "a line that is cut or is no JSON") from None
        if not isinstance(table, dict):
            raise _fault(number, "a line that is no table")
        if number == 1:
            _check_schema(table)
        seal = table.pop("sha256", None)
        try:
            whole, previous = _sealed(table, previous)
        except ValueError:
            raise _fault(number, "a number that is not finite") from None
        if line != whole:
            got = "no seal" if seal is None else "a line edited, moved, or after one taken out"
            raise _fault(number, got)
        tables.append(table)
    return tables


def _check_schema(table: Mapping[str, object]) -> None:
    schema = table.get("schema")
    if table.get("kind") != "header" or type(schema) is not int:
        raise RecordError(
            "line 1 to be the header of a match", got="something else", remedy="check the path"
        )
    if schema > SCHEMA:
        raise RecordError(
            f"a record of schema version {SCHEMA} or older",
            got=f"version {schema}",
            remedy=f"a pigglesim as new as the one that wrote it ({table.get('pigglesim')})",
        )


def parse_record(text: str) -> MatchRecord:
    """Return the record that a file's text holds.

    Raises:
        RecordError: If a line was changed, moved or cut off (the line is named), or the record
            is of a newer version or no record at all.
    """
    tables = _tables(text)
    if len(tables) < _SHORTEST or tables[-1].get("kind") != "footer":
        raise RecordError(
            f"a footer after line {len(tables)}",
            got="the end of the file",
            remedy="use a whole copy: the rest of this record was cut off",
        )
    for number, table in enumerate(tables[1:-1], start=2):
        if table.get("kind") == "footer":
            raise _fault(number, "a footer before the last line")
    return MatchRecord(
        header=header_from_json(tables[0]),
        entries=tuple(entry_from_json(table) for table in tables[1:-1]),
        footer=footer_from_json(tables[-1]),
    )


def write_record(record: MatchRecord, path: Path) -> None:
    """Write a record to a file; another of that name is replaced, whole or not at all.

    Raises:
        RecordError: If the file cannot be written.
    """
    text = format_record(record)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise RecordError(
            f"to write {str(path)!r}", got=str(error.strerror), remedy="another --out"
        ) from None
    finally:
        part.unlink(missing_ok=True)


def read_record(path: Path) -> MatchRecord:
    """Return the record in a file.

    Raises:
        RecordError: If it cannot be read, or is not a whole and untouched record.
    """
    try:
        # Bytes, so that no line ending is translated before it is checked.
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise RecordError(
            f"a record at {str(path)!r}", got=str(error.strerror), remedy="check the path"
        ) from None
    except UnicodeDecodeError:
        raise RecordError(
            f"a record at {str(path)!r}", got="no UTF-8 text", remedy="check the path"
        ) from None
    return parse_record(text)
