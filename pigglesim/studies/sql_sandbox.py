"""What a question in SQL is answered with."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

import duckdb

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.studies.worker_pool import leave_with_parent, start_process


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a question was answered with."""

    columns: tuple[str, ...]
    """Names, each once."""
    rows: Iterator[tuple[Any, ...]]
    """Values that JSON knows; read as they are needed."""


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
    if not _is_text(question):
        raise _no_select("what is no text in UTF-8")
    statements = connection.extract_statements(question)
    # A SELECT may hold a COPY, and what looks like a table may be a file: only its tree tells.
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


def _is_text(question: str) -> bool:
    """Return whether it can be handed on: a terminal may have given bytes that are no letters."""
    try:
        question.encode()
    except UnicodeEncodeError:
        return False
    return True


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
    return SpecError("one SELECT", got=got, remedy=_EXAMPLE)


def _no_throws(name: str) -> SpecError:
    return SpecError(
        "a SELECT from the view `throws`",
        got=f"one from {name[:80]!r}",
        remedy="ask the view `throws`, and nothing else",
    )


if sys.platform != "win32":  # nothing binds a process there
    import resource


LONGEST = 300.0
"""How long an answer may take, unless more is asked for [s]."""
_ROOM = 900 << 20
"""Bytes that an answer may take beside what the process has at its start."""
_ROWS = 200
"""Rows that are handed over together."""

_Message = tuple[str, Any]


@contextmanager
def answered(folder: Path, question: str, *, seconds: float = LONGEST) -> Iterator[Answer]:
    """Answer one SELECT of the throws of a study, in a process that ends with the block.

    Args:
        folder: Of the study.
        question: The SELECT.
        seconds: How long it may take in all, with the time in which its rows are read.

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
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        if left <= 0.0 or not pipe.poll(left):
            raise SpecError(
                f"a question that is answered in {seconds:g} s",
                got="one that takes longer",
                remedy="ask for less, or --time-limit with more seconds",
            )
        try:
            what, told = pipe.recv()
        except (EOFError, OSError):
            process.join()
            raise SpecError(
                "a question that DuckDB can answer",
                got=f"one that ended it, with {_ending(process.exitcode)}",
                remedy="ask for less, or check the folder with pigglesim study show",
            ) from None
        if what == "end":
            return
        if what == "fault":
            raise told
        if what == "columns":
            yield told
            continue
        for row in told:
            if time.monotonic() > end:
                break
            yield row


def _ending(status: int | None) -> str:
    return f"signal {-status}" if status is not None and status < 0 else f"status {status}"


def _serve(pipe: "connection.Connection[_Message, Any]", folder: Path, question: str) -> None:
    """Answer, and leave."""
    # Slow to import, and of no use to the process that asks.
    from pigglesim.studies.query import ask, open_throws  # noqa: PLC0415

    leave_with_parent()
    with suppress(BrokenPipeError), closing(pipe):
        try:
            with open_throws(folder) as throws:
                _bind_memory()
                _hand_over(pipe, ask(throws, question))
        except PigglesimError as fault:
            pipe.send(("fault", fault))
        except MemoryError:
            pipe.send(("fault", _too_much()))


def _hand_over(pipe: "connection.Connection[_Message, Any]", answer: Answer) -> None:
    pipe.send(("columns", answer.columns))
    rows = []
    for row in answer.rows:
        rows.append(row)
        if len(rows) == _ROWS:
            pipe.send(("rows", rows))
            rows = []
    pipe.send(("rows", rows))
    pipe.send(("end", None))


def _bind_memory() -> None:
    """Let this process hold so much more and no more, where the system can tell and bind it."""
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
        f"an answer of up to {_ROOM >> 20} MB at a time",
        got="a larger one",
        remedy="ask for counts or for fewer rows",
    )
