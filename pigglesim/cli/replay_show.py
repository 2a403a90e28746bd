"""The films of a recorded match, kept beside its record: what is missing is rolled again."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from pigglesim.api.sources import board_of_record, chance_of_record, source_of_record
from pigglesim.chance.physical import FilmedChance
from pigglesim.chance_types import ShuffleResult
from pigglesim.cli.consoles import print_json, progress_console, result_console
from pigglesim.cli.drawing import Pictures
from pigglesim.cli.match_view import ViewOfMatch, match_document, show_end, view_of
from pigglesim.cli.progress import progress_bar
from pigglesim.cli.replay_choice import tell_fault
from pigglesim.errors import SpecError, one_line
from pigglesim.films.store import films_beside
from pigglesim.games.game import NonPlayer
from pigglesim.match.entries import Decision, MatchOutcome, MatchRecord
from pigglesim.match.record import LocatedRecord
from pigglesim.match.replay import films_of, game_of, replay
from pigglesim.match.runner import ChanceSource, Match, MatchEvent
from pigglesim.scene.load import load_scene

_FAULTY = 2


def keep_films(
    found: LocatedRecord, file: Path, *, rounds: tuple[int, int | None], as_json: bool
) -> None:
    """Keep a film of every roll of some rounds; of a record that is cut off of what is there.

    An interruption (Ctrl-C) leaves those that were made.

    Args:
        found: The record.
        file: Where it was.
        rounds: The first and the last; None for the last of the match.
        as_json: Whether to print a document alone.

    Raises:
        RecordError: If a roll was none of physics, comes out otherwise, or a kept film is broken.
        SpecError: If nothing was rolled in those rounds.
    """
    record = found.record or found.so_far
    if record is None:
        assert found.fault is not None
        tell_fault(found.fault, many=False)
        raise typer.Exit(_FAULTY)
    folder, rolls = films_beside(file, number=found.number), rolls_in(record, rounds)
    made = 0
    films = films_of(
        record,
        kept=folder,
        again=lambda: FilmedChance(source=chance_of_record(record.header, flag="--film")),
        first=rolls[0],
        last=rolls[-1],
    )
    with progress_bar("films", quiet=as_json) as bar:
        task = bar.add_task("kept", total=len(rolls))
        for index, film in zip(rolls, films, strict=True):
            if not folder.has(index):
                folder.write(index, film)
                made += 1
            bar.advance(task)
    size = sum(folder.file(index).stat().st_size for index in rolls)
    if as_json:
        print_json({"films": len(rolls), "made": made, "bytes": size, "folder": str(folder.path)})
    else:
        result_console().print(
            f"{len(rolls)} films in {folder.path}, {size / 1000:.0f} kB; {made} of them made now",
            markup=False,
            soft_wrap=True,
        )
    if found.fault is not None:
        tell_fault(found.fault, many=False)
        raise typer.Exit(_FAULTY)


def rolls_in(record: MatchRecord, rounds: tuple[int, int | None]) -> list[int]:
    """Return the numbers of the rolls of Piggles in some rounds."""
    game = game_of(record)
    first, last = rounds
    rolls: list[int] = []

    def on_event(event: MatchEvent[Any]) -> None:
        entry, number = event.entry, game.round_of(event.before)
        if not isinstance(entry, MatchOutcome) or isinstance(entry.result, ShuffleResult):
            return
        if first <= number <= (last or number):
            rolls.append(entry.index)

    replay(record, on_event=on_event)
    if not rolls:
        raise SpecError(
            "rounds in which anything was rolled",
            got=f"{first} to {last or 'the end'}",
            remedy="--from-round 1",
        )
    return rolls


def picture_replay(
    found: LocatedRecord, file: Path, rounds: tuple[int, int | None], pictures: Pictures
) -> None:
    """Film all rolls of some rounds, and draw how the last of them ended.

    Args:
        found: The record; if it is broken that is told where it is shown.
        file: Where it was found; films may have been kept beside it.
        rounds: The first and the last; None for the last of the match.
        pictures: What is wanted, if anything.

    Raises:
        RecordError: If a roll was none of physics, or comes out otherwise.
        SpecError: If nothing was rolled in those rounds, or nothing can be drawn.
    """
    record = found.record or found.so_far
    if record is None or not pictures.wanted:
        return
    rolls = rolls_in(record, rounds)
    # A picture alone is of the last roll.
    first = rolls[0] if pictures.video is not None else rolls[-1]
    films = []
    with progress_bar("rolls") as progress:
        wanted = sum(first <= index for index in rolls)
        task = progress.add_task("reading films, or rolling again", total=wanted)
        for film in films_of(
            record,
            kept=films_beside(file, number=found.number),
            again=lambda: FilmedChance(source=chance_of_record(record.header, flag="--png")),
            first=first,
            last=rolls[-1],
        ):
            films.append(film)
            progress.advance(task)
    pictures.take(films, load_scene(str(record.header.chance.get("scene", films[-1].scene))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """What of a match shall be shown, and how."""

    rounds: tuple[int, int | None]
    """The first and the last; None for the last of the match."""
    step: bool
    resimulate: bool
    boards: bool


def show_replay(found: LocatedRecord, file: Path, request: ReplayRequest, *, as_json: bool) -> None:
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
