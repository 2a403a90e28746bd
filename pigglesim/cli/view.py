"""`pigglesim view`: show fresh rolls, a film or a recorded match in a window."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.api.roll import expect_cupful
from pigglesim.api.sources import make_chance
from pigglesim.chance.physical import FilmedChance
from pigglesim.cli import options
from pigglesim.cli.consoles import print_json
from pigglesim.cli.drawing import watch
from pigglesim.cli.flags import WORD, Flag, refuse_idle
from pigglesim.cli.records import chosen_record, takes_of_record
from pigglesim.errors import SpecError
from pigglesim.films.codec import SUFFIX, read_film
from pigglesim.landing import RollRequest, Seat
from pigglesim.render.palette import SIDES
from pigglesim.render.session import Clip, Films
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene

_FRESH = ("piggles", "rolls", "seat", "seed", "engine")
"""Flags of fresh rolls."""
_RECORDED = ("record", "from_roll")
"""Flags of a recorded match."""


def view(
    context: typer.Context,
    *,
    file: Annotated[
        Path | None, WORD, "Film, or record written by `match --out`. Default: a fresh roll."
    ] = None,
    piggles: Annotated[int, "Number of Piggles of a fresh roll: 1 to 6."] = 6,
    rolls: Annotated[int, Flag(low=1), "Number of fresh rolls, one after another."] = 1,
    seat: options.Seat = "A",
    scene: Annotated[
        str | None, options.SCENE, "Scene: a name or a TOML file. Default: that of FILE."
    ] = None,
    seed: options.Seed = None,
    engine: options.Engine = None,
    record: options.Record = None,
    from_roll: Annotated[int, Flag(low=0), "Roll of the match to begin with, from 0."] = 0,
    camera: options.Camera = "table",
    speed: Annotated[float, Flag(low=0.0625, high=8.0), "Playback speed: 1 is real time."] = 1.0,
    viewer: options.Viewer = "window",
    as_json: options.Json = False,
) -> None:
    """Watch rolls in a window: orbit, pause, step, scrub, inspect.

    Click a Piggle for its full reading.

    Without FILE a new cup is poured. FILE is a film of `roll --film`, or the record of a match,
    whose rolls are shown in order: from the films next to it, or simulated again bit for bit.

    F1 in the window lists every key. With --viewer null nothing is drawn: the rolls run to the end,
    and the text that a window would show is printed.

    Examples:
        pigglesim view
        pigglesim view --seed 7 --rolls 3 --camera top
        pigglesim view roll.film --speed 0.25
        pigglesim view match.jsonl --from-roll 4
    """
    if file is None or file.suffix == SUFFIX:
        refuse_idle(context, _RECORDED, why="it selects rolls of a recorded match")
    if file is not None:
        refuse_idle(context, _FRESH, why=f"the rolls of {file} are shown")
    if as_json and viewer != "null":
        raise SpecError("--json needs --viewer null", fix="add --viewer null")
    draws = "film" if file is not None and file.suffix == SUFFIX else "replay"
    draws = "roll" if file is None else f"{draws} {file}"
    instead = f"pigglesim {draws} --png F.png or --video F.mp4, which need no display"
    if file is None:
        table, takes = _fresh(
            (seat, piggles), rolls, scene=scene or "piggles_classic", seed=seed, engine=engine
        )
        title = f"{table.title}: fresh rolls"
    else:
        table, takes = _recorded(file, record, scene=scene, first=from_roll)
        title = file.name
    seen = watch(
        Films(takes),
        table,
        title=title,
        instead=instead,
        camera=camera,
        speed=speed,
        viewer=viewer,
    )
    if as_json:
        print_json({"seen": seen})
    elif seen:
        print("\n".join(seen))


def _fresh(
    cup: tuple[str, int], rolls: int, *, scene: str, seed: int | None, engine: str | None
) -> tuple[Scene, Iterator[Clip]]:
    seat, piggles = cup
    table = load_scene(scene)
    expect_cupful(table, piggles)
    thrower = Seat(seat)
    names = tuple(f"{thrower}{number}" for number in range(1, piggles + 1))
    chance = make_chance(scene, models=None, engine=engine, seed=options.chosen_seed(seed))
    source = FilmedChance(
        source=chance,
        command=f"pigglesim view --seed {chance.seed} --seat {seat} --piggles {piggles}",
    )

    def takes() -> Iterator[Clip]:
        for index in range(rolls):
            _, film = source.filmed(RollRequest(thrower=thrower, piggles=names), index=index)
            title = f"{SIDES[thrower]} rolls {' '.join(names)}"
            yield Clip(film=film, title=title, story=(f"seed {chance.seed}, roll {index}",))

    return table, takes()


def _recorded(
    file: Path, number: int | None, *, scene: str | None, first: int
) -> tuple[Scene, Iterator[Clip]]:
    if file.suffix == SUFFIX:
        film = read_film(file)
        rolled = " ".join(actor.name for actor in film.actors if not actor.standing)
        return load_scene(scene or film.scene), iter([Clip(film=film, title=f"{rolled} rolled")])
    found = chosen_record(file, number)
    if found is None or not (found.record or found.so_far):
        raise SpecError(
            f"{file} holds no whole record or several",
            fix=f"list them with pigglesim replay {file}, and add --record 1",
        )
    return takes_of_record(found, file, scene=scene, first=first)
