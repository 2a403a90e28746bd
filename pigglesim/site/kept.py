"""Matches of earlier visits, as the browser stores them, where anything can have happened."""

from typing import Any

Message = dict[str, Any]
_LATEST = 1e12
"""A time that no clock of a page shows [s]."""


def kept_matches(stored: object) -> dict[str, Message]:
    """Return the matches by name, without those that are damaged.

    What their wishes and actions say is checked when one is opened.
    """
    entries = stored if isinstance(stored, list) else []
    return {entry["table"]: entry for entry in entries if _is_kept(entry)}


def _is_kept(entry: object) -> bool:
    match entry:
        case {
            "table": str(table),
            "wish": {"do": "new", "game": str()} | {"do": "link", "text": str()},
            "actions": list(actions),
            "row": {
                "table": str(named),
                "seconds": int() | float() as seconds,
                "title": str(),
                "players": str(),
                "result": str(),
            },
        }:
            plain = all(isinstance(action, str) for action in actions)
            return plain and named == table and 0 <= seconds < _LATEST
        case _:
            return False
