"""Answer SQL questions about the throws of a study, in a process that can do nothing else."""

import json
import math
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import islice
from multiprocessing import connection, get_context
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import duckdb

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.experiments.estimates import sql_text
from pigglesim.experiments.shard import COLUMNS
from pigglesim.experiments.store import read_definition, stored_study, whole_shards
from pigglesim.experiments.worker_pool import leave_with_parent, start_process


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Columns and rows of an answer."""

    columns: tuple[str, ...]
    """Names, each once."""
    rows: Iterator[tuple[Any, ...]]
    """Values that JSON knows; read as they are needed."""


_MEMORY = "400MB"
_SPECIAL = "*?[]"
"""Letters that a folder name may not hold: DuckDB would take it for many."""


def open_throws(folder: Path, *others: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection whose view `throws` holds every row of a study's finished shards.

    It reads the shards of this folder and no other file, loads nothing, and its settings are
    locked. Close it when done.

    Args:
        folder: Folder of the study.
        others: Folders of more studies, whose throws are put behind: cells and throws are numbered
            on, and the columns of factors are left out.

    Raises:
        RecordError: If it is no folder of a study.
        SpecError: If DuckDB cannot be given its name.
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
            str(place),
            expected=f"a folder without any of {' '.join(_SPECIAL)} in its name",
            fix="rename it",
        )
    if shards := whole_shards(folder):
        # Of just these types, whatever the files hold.
        row = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in types.items())
        names = ", ".join(sql_text(f"{place}/{path.name}") for path in shards.values())
        return f"SELECT {row} FROM read_parquet([{names}])"
    row = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in types.items())
    return f"SELECT {row} WHERE false"


def run_query(connection: duckdb.DuckDBPyConnection, question: str) -> Answer:
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

    The question is one SELECT without a comment or semicolon, as DuckDB writes it.
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
    match value:
        case float() | Decimal() if not math.isfinite(value):
            return None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case None | bool() | int() | str() | float():
            return value
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
        case dict():
            return {str(key): plain_value(inner) for key, inner in value.items()}
        case list() | tuple() | set():
            return [plain_value(inner) for inner in value]
        case UUID():
            return str(value)
        case _:
            return repr(value)


def _refused(fault: duckdb.Error) -> SpecError:
    text = " ".join(str(fault).partition("LINE ")[0].split())
    fix = "columns are those that `DESCRIBE throws` shows"
    if isinstance(fault, duckdb.OutOfMemoryException):
        fix = "ask for counts or for fewer rows"
    elif isinstance(fault, duckdb.IOException | duckdb.InvalidInputException):
        fix = "mend the question, or run the study again: it makes torn shards anew"
    return SpecError(text[:300], expected="a question that DuckDB can answer", fix=fix)


_READING = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""Kinds of queries that only read; of others (COPY, INSERT ...) one may stand within a SELECT."""
_TABLES = frozenset(
    {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
)
"""Functions that make rows of nothing but what they are given."""
_EXAMPLE = "SELECT orientation, count(*) FROM throws GROUP BY ALL"
_NAME_LETTERS = frozenset("_ -")
"""Letters of a table's name beside letters and digits: a file's name has a dot or a stroke."""


def checked_question(connection: duckdb.DuckDBPyConnection, question: str) -> duckdb.Statement:
    """Return the one SELECT that a question is.

    Raises:
        SpecError: If it is none, or would write, or names a file.
        duckdb.Error: If it is no SQL.
    """
    try:
        question.encode()
    except UnicodeEncodeError:
        # A terminal may have given bytes that are no letters.
        raise _no_select("what is no text in UTF-8") from None
    statements = connection.extract_statements(question)
    # A SELECT may hold a COPY, and what looks like a table may be a file: only its tree shows that.
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [question]).fetchone()
    assert row is not None
    try:
        tree = json.loads(row[0])
    except RecursionError:
        raise _no_select("one that is too deep") from None
    selects = [each.type == duckdb.StatementType.SELECT for each in statements] == [True]
    if not selects or tree["error"]:
        raise _no_select(", ".join(each.type.name for each in statements) or "nothing")
    for node in _nodes(tree["statements"]):
        _check(node)
    return statements[0]


def _check(node: dict[str, Any]) -> None:
    """Raise where a part of a question does more than read throws."""
    kind = str(node.get("type"))
    if kind.endswith("_NODE") and kind not in _READING:
        raise _no_select(f"one with {kind.partition('_')[0]} in it")
    if kind == "TABLE_FUNCTION":
        name = str(node["function"]["function_name"])
        if name.lower() not in _TABLES:
            raise _no_throws(f"{name}()")
    if kind == "BASE_TABLE":
        name = str(node["table_name"])
        if not all(letter.isalnum() or letter in _NAME_LETTERS for letter in name):
            raise _no_throws(name)


def _nodes(tree: object) -> Iterator[dict[str, Any]]:
    """Yield every table of a tree, however deep."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _no_select(got: str) -> SpecError:
    return SpecError(got, expected="one SELECT", fix=_EXAMPLE)


def _no_throws(name: str) -> SpecError:
    return SpecError(
        f"one from {name[:80]!r}",
        expected="a SELECT from the view `throws`",
        fix="ask the view `throws`, and nothing else",
    )


if sys.platform != "win32":  # nothing binds a process there
    import resource


LONGEST = 300.0
"""Default limit on the time of an answer [s]."""
_ROOM = 900 << 20
"""Bytes that an answer may take beside what the process has at its start."""
_ROWS = 200
"""Rows that are handed over together."""

_Message = tuple[str, Any]


@contextmanager
def query_study(folder: Path, question: str, *, seconds: float = LONGEST) -> Iterator[Answer]:
    """Answer one SELECT of the throws of a study, in a process that ends with the block.

    It may take `seconds` in all, with the time in which its rows are read.

    Raises:
        RecordError: If it is no folder of a study.
        SpecError: If the question is none, or wrong, or takes too long or too much.
    """
    here, there = get_context("spawn").Pipe(duplex=False)
    process = start_process(_serve, (there, folder, question))
    there.close()
    try:
        messages = _messages(here, process, seconds)
        columns = next(messages)
        yield Answer(columns=columns, rows=messages)
    finally:
        here.close()
        # It holds nothing that would have to be put away.
        process.kill()
        process.join()
        process.close()


def _messages(
    pipe: "connection.Connection[Any, _Message]",
    process: Any,  # noqa: ANN401 (a SpawnProcess)
    seconds: float,
) -> Iterator[Any]:
    """Yield the names of the columns, then the rows."""
    end = monotonic() + seconds
    while True:
        left = end - monotonic()
        if left <= 0.0 or not pipe.poll(left):
            raise SpecError(
                "one that takes longer",
                expected=f"a question that is answered in {seconds:g} s",
                fix="ask for less, or --time-limit with more seconds",
            )
        try:
            what, content = pipe.recv()
        except (EOFError, OSError):
            process.join()
            status = process.exitcode or 0
            ending = f"signal {-status}" if status < 0 else f"status {status}"
            raise SpecError(
                f"one that ended it, with {ending}",
                expected="a question that DuckDB can answer",
                fix="ask for less, or check the folder with pigglesim study show",
            ) from None
        if what == "end":
            return
        if what == "fault":
            raise content
        if what == "columns":
            yield content
            continue
        for row in content:
            if monotonic() > end:
                break
            yield row


def _serve(pipe: "connection.Connection[_Message, Any]", folder: Path, question: str) -> None:
    """Answer, and leave."""
    leave_with_parent()
    with suppress(BrokenPipeError), closing(pipe):
        try:
            with open_throws(folder) as throws:
                _bind_memory()
                _hand_over(pipe, run_query(throws, question))
        except PigglesimError as fault:
            pipe.send(("fault", fault))
        except MemoryError:
            pipe.send(("fault", _too_much()))


def _hand_over(pipe: "connection.Connection[_Message, Any]", answer: Answer) -> None:
    pipe.send(("columns", answer.columns))
    while rows := list(islice(answer.rows, _ROWS)):
        pipe.send(("rows", rows))
    pipe.send(("end", None))


def _bind_memory() -> None:
    """Limit how much more this process may hold, where the system allows it."""
    held = Path("/proc/self/statm")
    if sys.platform == "win32" or not held.exists():
        return
    now = int(held.read_text().split()[5]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = now + _ROOM
    resource.setrlimit(
        resource.RLIMIT_DATA,
        (most if hard == resource.RLIM_INFINITY else min(most, hard), hard),
    )


def _too_much() -> SpecError:
    return SpecError(
        "a larger one",
        expected=f"an answer of up to {_ROOM >> 20} MB at a time",
        fix="ask for counts or for fewer rows",
    )
