"""What a question to a study may hold: it reads the throws, and changes and opens nothing."""

import json
from collections.abc import Iterator
from typing import Any

import duckdb

from pigglesim.errors import SpecError

__all__ = ["checked_question"]

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
