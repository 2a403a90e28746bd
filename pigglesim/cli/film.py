"""`pigglesim film`: what is in the film of a roll, or in those of a match."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.cli.options import JsonOption, print_json, result_console

__all__ = ["register"]

_HELP = """Tell what is in a film: who took part, how each came to lie, who was struck and when.

A folder that `match --film` or `replay --film` made is told film by film.

Examples:

  pigglesim film seven.film

  pigglesim film match.jsonl.films/roll-0003.film --json

  pigglesim film match.jsonl.films
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(film)


def film(
    path: Annotated[Path, typer.Argument(help="A file that --film wrote, or a folder of them.")],
    as_json: JsonOption = False,
) -> None:
    """Tell of one film, or of those in a folder."""
    from pigglesim.cli.film_view import film_document, film_line, film_view
    from pigglesim.errors import RecordError
    from pigglesim.films.store import FilmFolder, read_film

    if not path.is_dir():
        told = read_film(path)
        if as_json:
            print_json(film_document(told, size=path.stat().st_size))
        else:
            film_view(result_console(), told, size=path.stat().st_size)
        return
    folder = FilmFolder(path=path)
    documents: list[dict[str, Any]] = []
    for index in folder.rolls():
        told, size = folder.read(index), folder.file(index).stat().st_size
        if as_json:
            documents.append(film_document(told, size=size))
        else:
            result_console().print(
                film_line(told, index=index, size=size), markup=False, soft_wrap=True
            )
    if not folder.rolls():
        raise RecordError(
            f"films in the folder {str(path)!r}",
            got="none",
            remedy="pigglesim replay match.jsonl --film",
        )
    if as_json:
        print_json({"films": documents})
