"""One recorded match as people see it: all of it, some rounds, or a move at a time."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from pigglesim.cli.match_view import ViewOfMatch, match_document, show_end, view_of
from pigglesim.cli.options import print_json, progress_console, result_console
from pigglesim.cli.replay_choice import tell_fault
from pigglesim.errors import SpecError, one_line
from pigglesim.films.store import films_beside
from pigglesim.games.game import NonPlayer
from pigglesim.match.entries import Decision, MatchRecord
from pigglesim.match.record import Found
from pigglesim.match.replay import game_of, replay
from pigglesim.match.runner import ChanceSource, Match, MatchEvent
from pigglesim.verbs.table import board_of_record, chance_of_record, source_of_record

__all__ = ["ReplayRequest", "show_replay"]

_FAULTY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """What of a match shall be shown, and how."""

    rounds: tuple[int, int | None]
    """The first and the last; None for the last of the match."""
    step: bool
    resimulate: bool
    boards: bool


def show_replay(found: Found, file: Path, request: ReplayRequest, *, as_json: bool) -> None:
    """Show a record; of one that is cut off what is there, and what is missing.

    Raises:
        RecordError: If a roll comes out otherwise than recorded.
        SpecError: If the rounds asked for were not played.
    """
    record = found.record or found.so_far
    if record is None:
        assert found.fault is not None
        tell_fault(found.fault, many=False)
        raise typer.Exit(_FAULTY)
    played, kept = _shown(record, request), films_beside(file, number=found.number)
    if as_json:
        document = match_document(game_of(record), played) | {"resimulated": request.resimulate}
        if films := len(kept.rolls()):
            document["films"] = films
        if found.fault is not None:
            document["fault"] = found.fault.to_json()
        print_json(document)
    elif not request.step:
        show_end(game_of(record), played, result_console(), file)
        if found.so_far is not None:
            result_console().print(_missing(played))
        if films := len(kept.rolls()):
            told = f"films of {films} of {len(record.outcomes)} rolls: pigglesim film {kept.path}"
            result_console().print(told, style="dim", markup=False, soft_wrap=True)
    if request.resimulate:
        rolls = len(record.outcomes)
        progress_console().print(f"{rolls} rolls simulated again: every bit is the same")
    if found.fault is not None:
        tell_fault(found.fault, many=False)
        raise typer.Exit(_FAULTY)


def _missing(played: Match[Any]) -> str:
    """Return what a record that is cut off does not hold, as a sentence."""
    game = game_of(played.record)
    turn = game.turn(played.state)
    if turn is NonPlayer.OVER:
        return "Cut off: only the footer is missing."
    due = "a roll" if turn is NonPlayer.CHANCE else f"the turn of {turn}"
    return f"Cut off in round {game.round_of(played.state)}: {due} and all after it are missing."


def _shown(record: MatchRecord, request: ReplayRequest) -> Match[Any]:
    """Play a record again, showing the moves asked for, and return it."""
    game, first = game_of(record), request.rounds[0]
    last = request.rounds[1]
    source = _source(record) if request.resimulate else None
    board = board_of_record(record.header)
    console = result_console() if request.boards or request.step else None
    events: list[MatchEvent[Any]] = []

    def in_rounds(event: MatchEvent[Any]) -> bool:
        number = game.round_of(event.before)
        return first <= number and (last is None or number <= last)

    with view_of(game, board, console=console) as view:

        def on_event(event: MatchEvent[Any]) -> None:
            if not in_rounds(event):
                return
            events.append(event)
            if not request.step:
                view.on_event(event)

        played = replay(record, resimulate=source, on_event=on_event)
    if not events and record.entries:
        raise SpecError(
            f"rounds from 1 to {game.round_of(played.state)}",
            got=f"{first} to {last or 'the end'}",
            remedy="--from-round 1",
        )
    if request.step:
        _step_through(events, view_of(game, board, console=console))
    return played


def _source(record: MatchRecord) -> ChanceSource:
    """Return what rolls a record again; fair dice and cards are drawn again from their seed."""
    if record.header.chance.get("source") == "fair":
        return source_of_record(record.header)
    return chance_of_record(record.header)


def _step_through(events: Sequence[MatchEvent[Any]], view: ViewOfMatch) -> None:
    """Show one move after another, as the person at the prompt asks for it."""
    at = 0
    while at < len(events):
        entry = events[at].entry
        if isinstance(entry, Decision):
            print(one_line(f"decision {entry.index}: {entry.seat} {entry.action}"))
        view.on_event(events[at])
        print(f"[{at + 1} of {len(events)}] Enter next, b back, q quit: ", end="", flush=True)
        answer = sys.stdin.readline()
        if not sys.stdin.isatty():
            # A pipe shows no key that was pressed: the line ends here.
            print()
        word = answer.strip().lower()
        if not answer or word in {"q", "quit"}:
            return
        at = max(0, at - 1) if word in {"b", "back"} else at + 1
