"""The rolls of a recorded match in pictures: those that were filmed, the others rolled again."""

from pathlib import Path

from pigglesim.chance.physical import FilmedChance
from pigglesim.cli.picture_options import Pictures
from pigglesim.cli.progress import progress_bar
from pigglesim.cli.replay_films import rolls_in
from pigglesim.films.store import films_beside
from pigglesim.match.filming import films_of
from pigglesim.match.record import Found
from pigglesim.scene.load import load_scene
from pigglesim.verbs.table import chance_of_record

__all__ = ["picture_replay"]


def picture_replay(
    found: Found, file: Path, rounds: tuple[int, int | None], pictures: Pictures
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
