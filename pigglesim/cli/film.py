"""`pigglesim film`: a film as a table, as one line, as JSON, as pictures and as other files."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.text import Text

from pigglesim.cli import options
from pigglesim.cli.consoles import print_json, result_console, word_table
from pigglesim.cli.drawing import DrawFlags
from pigglesim.cli.flags import WORD
from pigglesim.errors import RecordError
from pigglesim.films.codec import FilmFolder, read_film
from pigglesim.films.film import Film, FilmActor
from pigglesim.json_codec import to_plain
from pigglesim.landing import Landing
from pigglesim.render.palette import ZONE_NAMES, pose_mark
from pigglesim.scene.load import load_scene

_ORIGIN = ("seed", "roll", "engine", "pigglesim")
"""Keys of the origin of a film that are shown."""


def film_view(console: Console, film: Film, *, size: int) -> None:
    """Print a summary of a film whose file has `size` bytes."""
    origin, lies = film.origin, _lies(film)
    table = word_table("body", "model", "came", "lies", "first struck")
    hits = {hit.struck: f"{hit.time:.3f} s by {hit.by}" for hit in film.impacts}
    for actor in film.actors:
        came = "on the board" if actor.standing else "rolled"
        names = actor.name, _model(actor), came
        cells = (*names, lies.get(actor.name, ""), hits.get(actor.name, ""))
        table.add_row(*(Text(cell) for cell in cells))
    console.print(table)
    told = [
        f"{film.end - film.start:.2f} s",
        f"{film.frames.count} frames",
        f"{size / 1000:.1f} kB",
        film.scene,
        *(f"{word} {origin[word]}" for word in _ORIGIN if word in origin),
    ]
    lines = [" · ".join(told)]
    if "command" in origin:
        lines.append(f"again: {origin['command']}")
    for line in lines:
        console.print(line, style="dim", soft_wrap=True)


def film_line(film: Film, *, index: int, size: int) -> str:
    """Return a summary of roll `index` of a match in one line; its file has `size` bytes."""
    rolled = " ".join(actor.name for actor in film.actors if not actor.standing)
    standing = sum(actor.standing for actor in film.actors)
    met = f"; {standing} on the board, {len(film.impacts)} struck, {len(film.knocks)} knocked"
    return (
        f"{index:>6}  {film.end - film.start:.2f} s, {film.frames.count} frames, "
        f"{size / 1000:.1f} kB; rolled {rolled}{met if standing else ''}"
    )


def film_document(film: Film, *, size: int) -> dict[str, Any]:
    """Return a film without trajectories as JSON values; its file has `size` bytes."""
    return {
        "scene": film.scene,
        "start_s": film.start,
        "end_s": film.end,
        "rests_from_s": film.rests_from,
        "frames": film.frames.count,
        "bytes": size,
        "bodies": [asdict(actor) for actor in film.actors],
        "readings": {name: to_plain(at) for name, at in film.readings},
        "knocks": [to_plain(knock) for knock in film.knocks],
        "impacts": [
            {"time_s": hit.time, "struck": hit.struck, "by": hit.by} for hit in film.impacts
        ],
        "origin": dict(film.origin),
    }


def _model(actor: FilmActor) -> str:
    return "+".join(word for word in (actor.model, actor.color, actor.rune) if word)


def _lies(film: Film) -> dict[str, str]:
    """Return each landing in a few words, by name."""
    faces = film.origin.get("faces")
    if isinstance(faces, list):
        names = (actor.name for actor in film.actors)
        return {name: f"face {face}" for name, face in zip(names, faces, strict=False)}
    return {name: _words(landing) for name, landing in film.readings}


def _words(landing: Landing) -> str:
    if landing.label is None:
        return ZONE_NAMES[landing.zone]
    pose = f"{pose_mark(landing)} {landing.label}".strip()
    held = " (leaning)" if landing.leaning else " (stacked)" if landing.stacked else ""
    return f"{pose}, {ZONE_NAMES[landing.zone]}{held}"


def film(
    *,
    path: Annotated[Path, WORD, "Film written by --film, or a folder of films."],
    draw: DrawFlags,
    as_json: options.Json = False,
) -> None:
    """Summarise a film: who took part, how each landed, who was struck.

    A folder made by `match --film` or `replay --film` is summarised film by film.

    Examples:
        pigglesim film seven.film
        pigglesim film match.jsonl.films/roll-0003.film --json
        pigglesim film match.jsonl.films
        pigglesim film seven.film --video seven.mp4 --slow-motion 8 --camera low
        pigglesim film seven.film --html seven.html --glb seven.glb --svg seven.svg
        pigglesim film match.jsonl.films --html match.html
    """
    draw.check()
    if not path.is_dir():
        told = read_film(path)
        if draw.pictures:
            draw.draw([told], load_scene(told.scene))
        draw.share_films([told])
        if as_json:
            print_json(film_document(told, size=path.stat().st_size))
        else:
            film_view(result_console(), told, size=path.stat().st_size)
        return
    folder = FilmFolder(path=path)
    if (draw.pictures or draw.shared) and folder.rolls():
        films = [folder.read(index) for index in folder.rolls()]
        draw.draw(films, load_scene(films[-1].scene))
        draw.share_films(films)
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
            f"no films in {str(path)!r}", fix="make them with pigglesim replay match.jsonl --film"
        )
    if as_json:
        print_json({"films": documents})
