"""Questions in SQL about the throws of studies, answered in a process that can do nothing else."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import connection, get_context
from pathlib import Path
from time import monotonic
from typing import Any

import duckdb

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.experiments.estimates import sql_text
from pigglesim.experiments.shard import COLUMNS, columns_of
from pigglesim.experiments.store import stored_study, whole_shards
from pigglesim.experiments.study import Study
from pigglesim.experiments.worker_pool import leave_with_parent, start_process


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnswer:
    """Columns and rows of an answer."""

    columns: tuple[str, ...]
    """Names, each once."""
    rows: Iterator[tuple[Any, ...]]
    """Values of JSON, read as they are needed."""


_MEMORY = "400MB"
_SPECIAL = "*?[]"
"""Characters that a folder name may not have, as DuckDB would take it for a pattern."""


def open_throws(
    folder: Path,
    *others: Path,
    study: Study | None = None,
    shards: Sequence[Mapping[int, Path]] = (),
) -> duckdb.DuckDBPyConnection:
    """Return a connection whose view `throws` holds every row of a study's finished shards.

    It reads no other file, loads no extension, and its settings are locked. Close it when done.

    Args:
        folder: Folder of the study.
        others: Folders of more studies, whose throws are appended: numbers of cells and throws
            continue, and the columns of factors are left out.
        study: Definition of the first folder, if it was read before.
        shards: Finished shards of each folder, if their checksums were compared before.

    Raises:
        RecordError: If it is not the folder of a study.
        SpecError: If DuckDB would misread its name.
    """
    folders = [folder, *others]
    studies = [study or stored_study(folder), *map(stored_study, others)]
    checked = shards or [*map(whole_shards, folders, studies)]
    paths = [_paths_of_shards(*each) for each in zip(folders, checked, strict=True)]
    sources = [_source(each, f"shards_{k}", paths[k]) for k, each in enumerate(studies)]
    source = sources[0]
    if others:
        names = ", ".join(f'"{name}"' for name in COLUMNS if name not in {"cell", "throw"})
        cells, throws, parts = 0, 0, []
        for each, rows in zip(studies, sources, strict=True):
            parts.append(
                f'SELECT cell + {cells} AS cell, "throw" + {throws} AS "throw", {names} '
                f"FROM ({rows})"
            )
            cells += each.cell_count
            throws += each.most_throws * each.cell_count
        source = " UNION ALL ".join(parts)
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": _MEMORY,
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            # Variables of this program must not become tables.
            "python_enable_replacements": False,
        },
    )
    try:
        # Only results go to standard output. DuckDB refuses this in a notebook without widgets,
        # where it has no bar.
        with suppress(duckdb.InvalidInputException):
            connection.execute("SET enable_progress_bar = false")
        places = ", ".join(sql_text(f"{_shards_folder(each)}/") for each in folders)
        connection.execute(f"SET allowed_directories = [{places}]")
        connection.execute("SET enable_external_access = false")
        for k, files in enumerate(paths):
            connection.execute(f"SET VARIABLE shards_{k} = ?", [files])
        connection.execute(f"CREATE VIEW throws AS {source}")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as fault:
        connection.close()
        raise _refused(fault) from None
    return connection


def _shards_folder(folder: Path) -> Path:
    return folder.resolve() / "shards"


def _paths_of_shards(folder: Path, shards: Mapping[int, Path]) -> list[str]:
    """Return the paths of all finished shards, as DuckDB reads them."""
    place = _shards_folder(folder)
    if any(letter in str(place) for letter in _SPECIAL):
        raise SpecError(
            f"the folder {place} has one of {' '.join(_SPECIAL)} in its name", fix="rename it"
        )
    return [f"{place}/{path.name}" for path in shards.values()]


def _source(study: Study, variable: str, files: Sequence[str]) -> str:
    """Return SQL of the rows of a study; the variable holds the paths of its shards.

    With the paths in its text, the view of 100,000 shards would take 0.6 GB.
    """
    types = columns_of(study)
    if files:
        # With these types, no matter what the files hold.
        row = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in types.items())
        return f"SELECT {row} FROM read_parquet(getvariable('{variable}'))"
    row = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in types.items())
    return f"SELECT {row} WHERE false"


def run_query(connection: duckdb.DuckDBPyConnection, question: str) -> QueryAnswer:
    """Return the answer to one SELECT.

    Raises:
        SpecError: If it is not one SELECT, or wrong, or not allowed.
    """
    try:
        _check_question(connection, question)
        # DuckDB's own text has no comment or semicolon, so it may stand in brackets.
        tree = "json_deserialize_sql(json_serialize_sql(?::VARCHAR))"
        row = connection.execute(f"SELECT {tree}", [question]).fetchone()
        text = str(row and row[0])
        columns = connection.execute(f"SELECT * FROM ({text}) LIMIT 0").description or []
        names = ", ".join(f"column{number}" for number in range(len(columns)))
        cursor = connection.execute(f"SELECT to_json(answer) FROM ({text}) AS answer({names})")
    except duckdb.Error as fault:
        raise _refused(fault) from None
    return QueryAnswer(columns=tuple(column[0] for column in columns), rows=_rows(cursor))


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    try:
        while rows := cursor.fetchmany(1000):
            for (text,) in rows:
                # JSON has no NaN and no infinity.
                yield tuple(json.loads(text, parse_constant=lambda _: None).values())
    except duckdb.Error as fault:
        raise _refused(fault) from None


def _refused(fault: duckdb.Error) -> SpecError:
    text = " ".join(str(fault).partition("LINE ")[0].split())
    fix = "use the columns that `DESCRIBE throws` shows"
    if isinstance(fault, duckdb.OutOfMemoryException):
        fix = _FEWER
    elif isinstance(fault, duckdb.IOException | duckdb.InvalidInputException):
        fix = "correct the question, or run the study again to remake torn shards"
    return SpecError(f"DuckDB cannot answer: {text[:300]}", fix=fix)


_READING = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""Kinds of queries that only read; others, such as COPY and INSERT, may be nested in a SELECT."""
_TABLES = frozenset(
    {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
)
"""Functions that make rows from their arguments alone."""
_EXAMPLE = "use SELECT orientation, count(*) FROM throws GROUP BY ALL"
_FEWER = "ask for counts or for fewer rows"
_NAME_LETTERS = frozenset("_ -")
"""Characters of a table's name beside letters and digits; a file's name has a dot or a slash."""


def _check_question(connection: duckdb.DuckDBPyConnection, question: str) -> None:
    """Raise SpecError unless a question is one SELECT that only reads throws."""
    try:
        question.encode()
    except UnicodeEncodeError:
        # A terminal may pass bytes that are not UTF-8.
        raise _not_select("bytes that are not UTF-8") from None
    statements = connection.extract_statements(question)
    # Only the syntax tree shows a COPY within a SELECT, and files in the place of tables.
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [question]).fetchone()
    assert row is not None
    try:
        tree = json.loads(row[0])
    except RecursionError:
        raise _not_select("a question that nests too deeply") from None
    selects = [statement.type == duckdb.StatementType.SELECT for statement in statements] == [True]
    if not selects or tree["error"]:
        raise _not_select(", ".join(statement.type.name for statement in statements) or "nothing")
    waiting = [tree["statements"]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            _check_node(node)
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _check_node(node: dict[str, Any]) -> None:
    """Raise where a part of a question does more than read throws."""
    kind, name = str(node.get("type")), ""
    if kind.endswith("_NODE") and kind not in _READING:
        raise _not_select(f"a question with {kind.partition('_')[0]} in it")
    if kind == "TABLE_FUNCTION":
        called = str(node["function"]["function_name"])
        name = f"{called}()" if called.lower() not in _TABLES else ""
    if kind == "BASE_TABLE":
        table = str(node["table_name"])
        plain = all(letter.isalnum() or letter in _NAME_LETTERS for letter in table)
        name = "" if plain else table
    if name:
        raise SpecError(f"{name[:80]!r} is not the view `throws`", fix=_EXAMPLE)


def _not_select(question: str) -> SpecError:
    return SpecError(f"{question} is not one SELECT", fix=_EXAMPLE)


LONGEST = 300.0
"""Default limit on the time of an answer [s]."""
_MEMORY_ROOM = 900 << 20
"""Bytes that an answer may take, beyond those that the process has at its start."""
_ROWS = 200
"""Rows that are sent together."""

_Message = list[tuple[Any, ...]] | PigglesimError


@contextmanager
def query_study(folder: Path, question: str, *, seconds: float = LONGEST) -> Iterator[QueryAnswer]:
    """Answer one SELECT about the throws of a study, in a process that ends with the block.

    It may take `seconds` in all, including the time in which its rows are read.

    Raises:
        RecordError: If it is not the folder of a study.
        SpecError: If the question is wrong or not allowed, or takes too much time or memory.
    """
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    process = start_process(_serve, (sender, folder, question))
    sender.close()
    try:
        messages = _messages(receiver, process, seconds)
        columns = next(messages)
        yield QueryAnswer(columns=columns, rows=messages)
    finally:
        receiver.close()
        # It holds nothing that must be cleaned up.
        process.kill()
        process.join()
        process.close()


def _messages(
    pipe: "connection.Connection[Any, _Message]",
    process: Any,  # noqa: ANN401 (a SpawnProcess)
    seconds: float,
) -> Iterator[Any]:
    """Yield the names of the columns, then the rows.

    Messages are lists of these; an empty one ends them, and an error is raised here.
    """
    end = monotonic() + seconds
    while True:
        remaining = end - monotonic()
        if remaining <= 0.0 or not pipe.poll(remaining):
            raise SpecError(
                f"the answer takes more than {seconds:g} s",
                fix="ask for less, or use a larger --time-limit",
            )
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            process.join()
            status = process.exitcode or 0
            ending = f"signal {-status}" if status < 0 else f"status {status}"
            raise SpecError(
                f"DuckDB ended with {ending} over the question",
                fix="ask for less, or check the folder with pigglesim study show",
            ) from None
        if isinstance(message, PigglesimError):
            raise message
        if not message:
            return
        for row in message:
            if monotonic() > end:
                break
            yield row


def _serve(pipe: "connection.Connection[_Message, Any]", folder: Path, question: str) -> None:
    """Answer in a process of its own."""
    leave_with_parent()
    with suppress(BrokenPipeError), closing(pipe):
        try:
            with open_throws(folder) as throws:
                _limit_memory()
                answer = run_query(throws, question)
                pipe.send([answer.columns])
                while rows := list(islice(answer.rows, _ROWS)):
                    pipe.send(rows)
                pipe.send([])
        except PigglesimError as fault:
            pipe.send(fault)
        except MemoryError:
            pipe.send(SpecError(f"the answer takes more than {_MEMORY_ROOM >> 20} MB", fix=_FEWER))


def _limit_memory() -> None:
    """Limit the memory of this process, where the system allows it."""
    status = Path("/proc/self/statm")
    if sys.platform == "win32" or not status.exists():
        return
    import resource  # noqa: PLC0415 (not on Windows)

    now = int(status.read_text().split()[5]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = now + _MEMORY_ROOM
    resource.setrlimit(
        resource.RLIMIT_DATA,
        (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard),
    )
