"""Saved matches of a folder: who played, how each ended, and a person's own results."""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pigglesim.errors import PigglesimError
from pigglesim.games.registry import find, make_game, playable_names
from pigglesim.match.entries import Footer, Header
from pigglesim.match.record import peek_footer, peek_header
from pigglesim.serve.access import Access
from pigglesim.table.session import HUMAN
from pigglesim.table.state_message import player_words
from pigglesim.table.view import make_view, result_sentence

_LISTED = 50
"""Maximum saved matches in the list."""
_COUNTED = 2000
"""Maximum saved matches in a person's results, the newest first."""


def saved_files(folder: Path) -> Iterator[Path]:
    """Yield the records in a folder, the newest first."""
    files = [
        path
        for path in folder.glob("*.*")
        if path.suffix in {".jsonl", ".txt"} and path.is_file() and not path.is_symlink()
    ]
    yield from sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)


def history(folder: Path, access: Access, name: str) -> dict[str, Any]:
    """Return the message with the newest matches of a folder, and the results of a person."""
    rows, results = [], dict[str, dict[str, int]]()
    for number, path in enumerate(saved_files(folder)):
        if number >= _COUNTED:
            break
        status = path.stat()
        header, footer = _peeked(path, status.st_mtime_ns, status.st_size)
        if number < _LISTED:
            row = _row(header, footer) if header else {"title": path.name}
            rows.append({"table": access.table_of(path), "seconds": status.st_mtime, **row})
        if header and footer and (outcome := _outcome(header, footer, name)):
            counts = results.setdefault(find(header.game).title, {})
            counts[outcome] = counts.get(outcome, 0) + 1
    return {"is": "matches", "matches": rows, "results": results}


@lru_cache(maxsize=_COUNTED)
def _peeked(path: Path, _changed: int, _size: int) -> tuple[Header | None, Footer | None]:
    header = peek_header(path)
    known = header is not None and header.game in playable_names()
    return (header, peek_footer(path)) if known else (None, None)


def _row(header: Header, footer: Footer | None) -> dict[str, Any]:
    people = " · ".join(player_words(header, seat) for seat in header.agents)
    row = {"title": find(header.game).title, "players": people, "result": ""}
    if footer is not None and footer.result is not None:
        with suppress(PigglesimError):
            view = make_view(make_game(header.game, dict(header.house_rules)))
            view.people = header.names
            points = " : ".join(map(str, footer.scores.values()))
            row["result"] = f"{result_sentence(footer.result, view.names)}, {points}"
    return row


def _outcome(header: Header, footer: Footer, name: str) -> str | None:
    """Return whether a person won; None where they did not play, or could take decisions back."""
    people = [seat for seat, agent in header.agents.items() if agent == HUMAN]
    named = [seat for seat in people if name and header.names.get(seat) == name]
    own = people if len(people) == 1 else named
    if footer.result is None or len(own) != 1:
        return None
    (seat,), result = own, footer.result
    if result.winner is None and not result.shared:
        return "drawn"
    return "won" if seat in {result.winner, *result.shared} else "lost"
