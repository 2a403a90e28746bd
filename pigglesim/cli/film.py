"""`pigglesim film`: what is in the film of a roll, or in those of a match."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.cli.options import JsonOption, print_json, result_console
from pigglesim.cli.picture_options import PictureFlags
from pigglesim.cli.sharing_options import ShareTargets
from pigglesim.cli.watching import expect_to_show

__all__ = ["register"]

_HELP = """Summarise a film: who took part, how each landed, who was struck.

A folder that `match --film` or `replay --film` made is told film by film.

Examples:

  pigglesim film seven.film

  pigglesim film match.jsonl.films/roll-0003.film --json

  pigglesim film match.jsonl.films

  pigglesim film seven.film --video seven.mp4 --slow-motion 8 --camera low

  pigglesim film seven.film --html seven.html --glb seven.glb --svg seven.svg

  pigglesim film match.jsonl.films --html match.html
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(film)


def film(
    *,
    path: Annotated[Path, typer.Argument(help="Film written by --film, or a folder of films.")],
    pictures: PictureFlags,
    shares: ShareTargets,
    as_json: JsonOption = False,
) -> None:
    """Tell of one film, or of those in a folder."""
    from pigglesim.cli.film_view import film_document, film_line, film_view
    from pigglesim.errors import RecordError
    from pigglesim.films.store import FilmFolder, read_film
    from pigglesim.scene.load import load_scene

    drawn = pictures.pictures()
    shares.check()
    expect_to_show(drawn)
    if not path.is_dir():
        told = read_film(path)
        if drawn.wanted:
            drawn.take([told], load_scene(told.scene))
        shares.write_films([told])
        if as_json:
            print_json(film_document(told, size=path.stat().st_size))
        else:
            film_view(result_console(), told, size=path.stat().st_size)
        return
    folder = FilmFolder(path=path)
    if (drawn.wanted or shares) and folder.rolls():
        films = [folder.read(index) for index in folder.rolls()]
        drawn.take(films, load_scene(films[-1].scene))
        shares.write_films(films)
    documents: list[dict[str, Any]] = []
    for index in folder.rolls():
        told, length = folder.read(index), folder.file(index).stat().st_size
        if as_json:
            documents.append(film_document(told, size=length))
        else:
            result_console().print(
                film_line(told, index=index, size=length), markup=False, soft_wrap=True
            )
    if not folder.rolls():
        raise RecordError(
            f"films in the folder {str(path)!r}",
            got="none",
            remedy="pigglesim replay match.jsonl --film",
        )
    if as_json:
        print_json({"films": documents})
