"""Ctrl-C within a query: DuckDB hears it too, and raises an error of its own in its place."""

import math
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb

from pigglesim.errors import SpecError
from pigglesim.studies.identity import COLUMNS
from pigglesim.studies.shard import sql_text
from pigglesim.studies.sql_sandbox import Answer, checked_question
from pigglesim.studies.store import read_definition, stored_study, whole_shards

_MEMORY = "400MB"
_SPECIAL = "*?[]"
"""What a name of a folder may not hold: DuckDB would take it for many."""


def open_throws(folder: Path, *others: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection whose view `throws` holds every row of a study's finished shards.

    It reads the shards of this folder and no other file, loads nothing, and its settings are
    locked. Close it when done.

    Args:
        folder: Of the study.
        others: Folders of more studies, whose throws are put behind: cells and throws are numbered
            on, and the columns of factors are left out.

    Raises:
        RecordError: If it is no folder of a study.
        SpecError: If its name cannot be told to DuckDB.
    """
    folders = [folder, *others]
    sources = [_source(each) for each in folders]
    source = sources[0]
    if others:
        names = ", ".join(f'"{name}"' for name in COLUMNS if name not in {"cell", "throw"})
        cells, throws, parts = 0, 0, []
        for each, rows in zip(folders, sources, strict=True):
            study = stored_study(each)
            parts.append(
                f'SELECT cell + {cells} AS cell, "throw" + {throws} AS "throw", {names} '
                f"FROM ({rows})"
            )
            cells += study.cell_count
            throws += study.most_throws * study.cell_count
        source = " UNION ALL ".join(parts)
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": _MEMORY,
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            # No variable of this program is a table.
            "python_enable_replacements": False,
        },
    )
    try:
        # Results have standard output to themselves. In a notebook without widgets there is no bar
        # to switch off, and DuckDB refuses to.
        with suppress(duckdb.InvalidInputException):
            connection.execute("SET enable_progress_bar = false")
        places = ", ".join(sql_text(f"{_shards(each)}/") for each in folders)
        connection.execute(f"SET allowed_directories = [{places}]")
        connection.execute("SET enable_external_access = false")
        connection.execute(f"CREATE VIEW throws AS {source}")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as fault:
        connection.close()
        raise _refused(fault) from None
    return connection


def _shards(folder: Path) -> Path:
    return folder.resolve() / "shards"


def _source(folder: Path) -> str:
    """Return SQL of the rows of a folder."""
    types: dict[str, str] = read_definition(folder)["columns"]
    place = _shards(folder)
    if any(letter in str(place) for letter in _SPECIAL):
        raise SpecError(
            f"a folder without any of {' '.join(_SPECIAL)} in its name",
            got=str(place),
            remedy="rename it",
        )
    if shards := whole_shards(folder):
        # Of just these types, whatever the files hold.
        row = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in types.items())
        names = ", ".join(sql_text(f"{place}/{path.name}") for path in shards.values())
        return f"SELECT {row} FROM read_parquet([{names}])"
    row = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in types.items())
    return f"SELECT {row} WHERE false"


def ask(connection: duckdb.DuckDBPyConnection, question: str) -> Answer:
    """Return the answer to one SELECT.

    Raises:
        SpecError: If it is none, or wrong, or asks for more than it may.
    """
    try:
        cursor = connection.execute(checked_question(connection, question))
        columns = connection.description or []
        types = [str(column[1]) for column in columns]
        if any(_ZONED in kind for kind in types):
            # DuckDB hands these to Python only with a library that nothing else here needs.
            tree = "json_deserialize_sql(json_serialize_sql(?::VARCHAR))"
            row = connection.execute(f"SELECT {tree}", [question]).fetchone()
            cursor = connection.execute(_as_text(str(row and row[0]), types))
    except duckdb.Error as fault:
        raise _refused(fault) from None
    return Answer(columns=_once([column[0] for column in columns]), rows=_rows(cursor))


_ZONED = "TIMESTAMP WITH TIME ZONE"


def _as_text(question: str, types: list[str]) -> str:
    """Return the same question with times that have a zone as text, within lists and maps too.

    Args:
        question: As DuckDB writes it: one SELECT, and no comment or semicolon.
        types: Of its columns.
    """
    texts = [kind.replace(_ZONED, "VARCHAR") for kind in types]
    names = ", ".join(f"column{number}" for number in range(len(types)))
    values = ", ".join(f"column{number}::{text}" for number, text in enumerate(texts))
    return f"SELECT {values} FROM ({question}) AS answer({names})"


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    try:
        while rows := cursor.fetchmany(1000):
            for row in rows:
                yield tuple(map(plain_value, row))
    except duckdb.Error as fault:
        raise _refused(fault) from None


def _once(names: list[str]) -> tuple[str, ...]:
    """Return names with a number after those that come again."""
    taken: dict[str, None] = {}
    last: dict[str, int] = {}
    for name in names:
        number, new = last.get(name, 1), name
        while new in taken:
            number += 1
            new = f"{name}_{number}"
        last[name] = number
        taken[new] = None
    return tuple(taken)


def plain_value(value: Any) -> Any:  # noqa: ANN401 (whatever SQL knows)
    """Return a value as JSON knows it: what is no finite number is null, a date is text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        if not value.is_finite():
            return None
        return int(value) if value == value.to_integral_value() else float(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {str(key): plain_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain_value(inner) for inner in value]
    return str(value) if isinstance(value, UUID) else repr(value)


def _refused(fault: duckdb.Error) -> SpecError:
    text = " ".join(str(fault).partition("LINE ")[0].split())
    remedy = "columns are those that `DESCRIBE throws` shows"
    if isinstance(fault, duckdb.OutOfMemoryException):
        remedy = "ask for counts or for fewer rows"
    elif isinstance(fault, duckdb.IOException | duckdb.InvalidInputException):
        remedy = "mend the question, or run the study again: it makes torn shards anew"
    return SpecError("a question that DuckDB can answer", got=text[:300], remedy=remedy)
