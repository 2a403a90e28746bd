"""The viewer as every verb opens it."""

from collections.abc import Iterator
from functools import partial
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from pigglesim.errors import SpecError, unknown_name

if TYPE_CHECKING:
    from pigglesim.cli.picture_options import Pictures
    from pigglesim.match.entries import MatchRecord
    from pigglesim.render.playlist import Clip, Show
    from pigglesim.scene.scene import Scene


ViewOption: TypeAlias = Annotated[
    bool, typer.Option("--view", help="Watch it in a window; F1 lists the keys.")
]

DRAWN_INSTEAD = "leave --view out: --png F.png and --video F.mp4 need no display"
"""The remedy of verbs that can draw what they cannot show."""
_SIZE = (1280, 720)
_VIEWERS = ("window", "null")


def expect_to_show(drawn: "Pictures", *, view: bool = False, instead: str = DRAWN_INSTEAD) -> None:
    """Raise unless this machine can draw and show what is asked for, before the work for it.

    Args:
        drawn: Pictures and videos that are asked for.
        view: Whether a window is.
        instead: What to do where no window opens.

    Raises:
        SpecError: If it has no display or no OpenGL 3.3.
    """
    if view:
        # First: what is drawn beside a window is drawn on its display.
        from pigglesim.render.window import expect_window

        expect_window(instead=instead)
    if drawn.wanted:
        from pigglesim.render.offscreen import Offscreen

        with Offscreen(16, 16):
            return


def watch(
    show: "Show",
    scene: "Scene",
    *,
    title: str,
    instead: str,
    camera: str = "table",
    speed: float = 1.0,
    viewer: str = "window",
) -> list[str]:
    """Show it until the window is closed, or all is over where there is none.

    Args:
        show: What is to be seen.
        scene: The table it stands on.
        title: Of the window.
        instead: What to do where no window opens.
        camera: Where one looks from at first: a name, or `azimuth,elevation,distance`.
        speed: How much faster than in life rolls are shown; the nearest that there is is taken.
        viewer: `window`, or `null` for none.

    Returns:
        What could be read where there is no window.

    Raises:
        SpecError: If there is no such viewer or camera, no display, or no OpenGL 3.3.
    """
    from pigglesim.films.playback import SPEEDS
    from pigglesim.render.camera import parse_camera
    from pigglesim.render.session import Watching
    from pigglesim.render.window import NullWindow

    if viewer not in _VIEWERS:
        raise unknown_name("viewer", viewer, _VIEWERS)
    watching = Watching(
        show=show,
        scene=scene,
        size=_SIZE,
        camera=parse_camera(camera),
        speed=min(SPEEDS, key=lambda each: abs(log2(each) - log2(max(speed, 2.0**-4)))),
    )
    if viewer == "null":
        nobody = NullWindow(watching)
        nobody.run()
        return nobody.seen
    from pigglesim.render.window import open_window

    open_window(watching, title=f"{title} - pigglesim", instead=instead)
    return []


def takes_of_record(
    record: "MatchRecord",
    file: Path,
    *,
    number: int = 1,
    scene: str | None = None,
    first: int = 0,
    last: int | None = None,
) -> "tuple[Scene, Iterator[Clip]]":
    """Return the table of a recorded match and its rolls, each made when it is asked for.

    Args:
        record: The match.
        file: Where the record is: films may lie beside it.
        number: Which record of the file it is, from 1.
        scene: The scene's file, where it was not one that comes with pigglesim.
        first: Number of the first roll to show.
        last: Number of the last one; None for all.

    Raises:
        PigglesimError: If there is no such roll, a kept film is broken, or there are no films
            and they cannot be made again.
    """
    from pigglesim.api.sources import chance_of_record
    from pigglesim.chance.physical import FilmedChance
    from pigglesim.films.store import films_beside
    from pigglesim.match.replay import films_of, game_of
    from pigglesim.scene.load import load_scene
    from pigglesim.tui.table_show import recorded_takes

    outcomes = record.outcomes
    count = len(outcomes)
    last = count - 1 if last is None else last
    if first >= count:
        raise SpecError(
            f"a roll from 0 to {count - 1}" if count else "a match with a roll",
            got=str(first) if count else "none",
            remedy="--from-roll 0" if count else "the record of a match that was played",
        )
    kept = films_beside(file, number=number)
    again = None
    if not all(kept.has(outcome.index) for outcome in outcomes[first : last + 1]):
        # What cannot be simulated again is told now, not when its turn comes.
        physics = chance_of_record(record.header, scene=scene, flag="--view")
        again = partial(FilmedChance, source=physics)
    place = record.header.chance.get("scene")
    table = load_scene(scene or (place if isinstance(place, str) else "piggles_classic"))
    game = game_of(record)
    films = films_of(record, kept=kept, again=again, first=first, last=last)
    return table, recorded_takes(game, record, films, scene=table, first=first)
