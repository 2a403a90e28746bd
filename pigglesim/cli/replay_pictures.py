"""The rolls of a recorded match in pictures: those that were filmed, the others rolled again."""

from pathlib import Path
from typing import TYPE_CHECKING

from pigglesim.cli.picture_options import Pictures
from pigglesim.cli.progress import progress_bar
from pigglesim.cli.replay_films import rolls_of
from pigglesim.cli.table import chance_of_record
from pigglesim.errors import RecordError
from pigglesim.match.entries import MatchRecord
from pigglesim.match.scan import Found

if TYPE_CHECKING:
    from pigglesim.chance.filmed import FilmedChance

__all__ = ["picture_replay"]


def picture_replay(
    found: Found, file: Path, rounds: tuple[int, int | None], pictures: Pictures
) -> None:
    """Film all rolls of some rounds, and draw how the last of them ended.

    Args:
        found: The record.
        file: Where it was found; films may have been kept beside it.
        rounds: The first and the last; None for the last of the match.
        pictures: What is wanted.

    Raises:
        RecordError: If a roll cannot be made again.
        SpecError: If nothing was rolled in those rounds, or nothing can be drawn.
    """
    from pigglesim.films.store import films_beside
    from pigglesim.match.filming import films_of
    from pigglesim.scene.load import load_scene

    record = found.record or found.so_far
    if record is None:
        # Its fault is told where the record is shown.
        return
    rolls = rolls_of(record, rounds)
    # A picture alone is of the last roll.
    first = rolls[0] if pictures.video is not None else rolls[-1]
    films = []
    with progress_bar("rolls") as progress:
        task = progress.add_task("reading films, or rolling again", total=rolls[-1] - first + 1)
        for film in films_of(
            record,
            kept=films_beside(file, number=found.number),
            again=lambda: _source(record),
            first=first,
            last=rolls[-1],
        ):
            films.append(film)
            progress.advance(task)
    pictures.take(films, load_scene(str(record.header.chance.get("scene", films[-1].scene))))


def _source(record: MatchRecord) -> "FilmedChance":
    """Return what rolls the match again."""
    from pigglesim.chance.filmed import FilmedChance

    source = record.header.chance.get("source")
    if source != "physical":
        raise RecordError(
            "a match rolled on physics, whose rolls can be seen",
            got=f"one whose chance was {source}",
            remedy="pigglesim match --out FILE, without --chance",
        )
    return FilmedChance(source=chance_of_record(record.header))
