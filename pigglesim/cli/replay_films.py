"""The films of a recorded match, kept beside its record: what is missing is rolled again."""

from pathlib import Path
from typing import Any

import typer

from pigglesim.asking import ShuffleResult
from pigglesim.chance.physical import FilmedChance
from pigglesim.cli.options import print_json, result_console
from pigglesim.cli.progress import progress_bar
from pigglesim.cli.replay_choice import tell_fault
from pigglesim.errors import SpecError
from pigglesim.films.store import films_beside
from pigglesim.match.entries import MatchRecord, Outcome
from pigglesim.match.filming import films_of
from pigglesim.match.record import Found
from pigglesim.match.replay import game_of, replay
from pigglesim.match.runner import MatchEvent
from pigglesim.verbs.table import chance_of_record

__all__ = ["keep_films", "rolls_in"]

_FAULTY = 2


def keep_films(found: Found, file: Path, *, rounds: tuple[int, int | None], as_json: bool) -> None:
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
        if not isinstance(entry, Outcome) or isinstance(entry.result, ShuffleResult):
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
