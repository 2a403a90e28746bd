"""A film told in words: as a table, in one line, and as plain values."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pigglesim.films.codec import actor_to_json
from pigglesim.films.film import Actor, Film
from pigglesim.pictures.board import ZONE_NAMES, pose_mark
from pigglesim.roll_codec import knock_to_json, landing_to_json
from pigglesim.rolls import Landing

__all__ = ["film_document", "film_line", "film_view"]

_ORIGIN = ("seed", "roll", "engine", "pigglesim")
"""What is told of where a film comes from."""


def film_view(console: Console, film: Film, *, size: int) -> None:
    """Print what is in a film.

    Args:
        console: Where to.
        film: The film.
        size: Of its file [bytes].
    """
    origin, lies = film.origin, _lies(film)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("body", "model", "came", "lies", "first struck"):
        table.add_column(heading)
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
    """Return what is in a film of a match in one line.

    Args:
        film: The film.
        index: Number of the roll.
        size: Of its file [bytes].
    """
    rolled = " ".join(actor.name for actor in film.actors if not actor.standing)
    standing = sum(actor.standing for actor in film.actors)
    met = f"; {standing} on the board, {len(film.impacts)} struck, {len(film.knocks)} knocked"
    return (
        f"{index:>6}  {film.end - film.start:.2f} s, {film.frames.count} frames, "
        f"{size / 1000:.1f} kB; rolled {rolled}{met if standing else ''}"
    )


def film_document(film: Film, *, size: int) -> dict[str, Any]:
    """Return everything about a film but its poses, as plain values; SI units in the names.

    Args:
        film: The film.
        size: Of its file [bytes].
    """
    return {
        "scene": film.scene,
        "start_s": film.start,
        "end_s": film.end,
        "rests_from_s": film.rests_from,
        "frames": film.frames.count,
        "bytes": size,
        "bodies": [actor_to_json(actor) for actor in film.actors],
        "readings": {name: landing_to_json(at) for name, at in film.readings},
        "knocks": [knock_to_json(knock) for knock in film.knocks],
        "impacts": [
            {"time_s": hit.time, "struck": hit.struck, "by": hit.by} for hit in film.impacts
        ],
        "origin": dict(film.origin),
    }


def _model(actor: Actor) -> str:
    return "+".join(word for word in (actor.model, actor.color, actor.rune) if word)


def _lies(film: Film) -> dict[str, str]:
    """Return how each came to lie, in a few words, by name."""
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
