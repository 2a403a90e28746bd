"""`pigglesim film` and `view`: films as text, JSON and other files, and rolls in a window."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pigglesim.api.roll import DEFAULT_SCENE, Prepared, prepare, roll_command
from pigglesim.chance.physical import FilmedChance
from pigglesim.cli import options
from pigglesim.cli.consoles import print_json, result_console, say, word_table
from pigglesim.cli.drawing import DrawFlags, watch
from pigglesim.cli.flags import ARGUMENT, Flag, refuse_idle
from pigglesim.cli.records import chosen_record, clips_of, source_in
from pigglesim.errors import RecordError, SpecError
from pigglesim.films.codec import SUFFIX, FilmFolder, read_film
from pigglesim.films.film import Film
from pigglesim.hand_throw import HandThrow, Sample
from pigglesim.json_codec import to_plain
from pigglesim.landing import Landing, RollRequest
from pigglesim.physics.shaking import Shaking
from pigglesim.render.palette import SIDES, ZONE_NAMES, pose_mark
from pigglesim.render.viewer import Clip, Playlist
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.throws import Pour

_ORIGIN = ("seed", "roll", "engine", "pigglesim")
"""Keys of the origin of a film that are shown."""


def film_view(console: Console, film: Film, *, size: int) -> None:
    """Print a summary of a film whose file has `size` bytes."""
    origin, landings = film.origin, _landing_texts(film)
    # Only the rolls of a match are known by number; others by a command.
    hidden = {"roll"} if "command" in origin else set()
    hits = {hit.struck: f"{hit.time:.3f} s by {hit.by}" for hit in film.impacts}
    rows = (
        (
            actor.name,
            "+".join(word for word in (actor.model, actor.color, actor.rune) if word),
            "on the board" if actor.standing else "rolled",
            landings.get(actor.name, ""),
            hits.get(actor.name, ""),
        )
        for actor in film.actors
    )
    columns = ("body", "model", "came", "landing", "first struck")
    console.print(word_table(*columns, rows=(map(Text, row) for row in rows)))
    parts = [
        f"{film.end - film.start:.2f} s",
        f"{film.frames.count} frames",
        f"{size / 1000:.1f} kB",
        film.scene,
        *(f"{word} {origin[word]}" for word in _ORIGIN if word in origin and word not in hidden),
    ]
    console.print(" · ".join(parts), style="dim", soft_wrap=True)
    if "command" in origin:
        console.print(f"again: {origin['command']}", style="dim", soft_wrap=True)


def film_line(film: Film, *, index: int, size: int) -> str:
    """Return a summary of roll `index` of a match in one line; its file has `size` bytes."""
    rolled = " ".join(actor.name for actor in film.actors if not actor.standing)
    standing = sum(actor.standing for actor in film.actors)
    hits = f"; {standing} on the board, {len(film.impacts)} struck, {len(film.knocks)} knocked"
    return (
        f"{index:>6}  {film.end - film.start:.2f} s, {film.frames.count} frames, "
        f"{size / 1000:.1f} kB; rolled {rolled}{hits if standing else ''}"
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


def _landing_texts(film: Film) -> dict[str, str]:
    """Return each landing in a few words, by name."""
    faces, names = film.origin.get("faces"), [actor.name for actor in film.actors]
    # A film from elsewhere can have anything there.
    if isinstance(faces, list) and [type(face) for face in faces] == [int] * len(names):
        return {name: f"face {face}" for name, face in zip(names, faces, strict=True)}
    return {name: _landing_text(landing) for name, landing in film.readings}


def _landing_text(landing: Landing) -> str:
    if landing.label is None:
        return ZONE_NAMES[landing.zone]
    pose = f"{pose_mark(landing)} {landing.label}".strip()
    support = " (leaning)" if landing.leaning else " (stacked)" if landing.stacked else ""
    return f"{pose}, {ZONE_NAMES[landing.zone]}{support}"


def film(
    *,
    path: Annotated[Path, ARGUMENT, "Film written by --film, or a folder of films."],
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
        film = read_film(path)
        if draw.pictures:
            draw.draw([film], load_scene(film.scene))
        draw.share_films([film])
        if as_json:
            print_json(film_document(film, size=path.stat().st_size))
        else:
            film_view(result_console(), film, size=path.stat().st_size)
        return
    folder = FilmFolder(path=path)
    if not folder.rolls():
        raise RecordError(
            f"no films in {str(path)!r}", fix="make them with pigglesim replay match.jsonl --film"
        )
    if draw.pictures or draw.shared:
        films = [folder.read(index) for index in folder.rolls()]
        draw.draw(films, load_scene(films[-1].scene))
        draw.share_films(films)
    documents: list[dict[str, Any]] = []
    for index in folder.rolls():
        film, length = folder.read(index), folder.file(index).stat().st_size
        if as_json:
            documents.append(film_document(film, size=length))
        else:
            line = film_line(film, index=index, size=length)
            result_console().print(line, markup=False, soft_wrap=True)
    if as_json:
        print_json({"films": documents})


_FRESH_FLAGS = ("piggles", "rolls", "seat", "seed", "engine")
"""Flags of fresh rolls."""
_RECORD_FLAGS = ("record", "from_roll")
"""Flags of a recorded match."""


def view(
    context: typer.Context,
    *,
    file: Annotated[
        Path | None, ARGUMENT, "Film, or record written by `match --out`. Default: a fresh roll."
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

    Without FILE a new cup is poured; then Enter puts the cup into your own hand. FILE is a film of
    `roll --film`, or the record of a match, whose rolls are shown in order: from the films next to
    it, or simulated again bit for bit.

    F1 in the window lists every key. With --viewer null nothing is drawn: the rolls run to the end,
    and the text that a window would show is printed.

    Examples:
        pigglesim view
        pigglesim view --seed 7 --rolls 3 --camera top
        pigglesim view roll.film --speed 0.25
        pigglesim view match.jsonl --from-roll 4
    """
    if file is None or file.suffix == SUFFIX:
        refuse_idle(context, _RECORD_FLAGS, why="it selects rolls of a recorded match")
    if file is not None:
        refuse_idle(context, _FRESH_FLAGS, why=f"the rolls of {file} are shown")
    if as_json and viewer != "null":
        raise SpecError("--json needs --viewer null", fix="add --viewer null")
    verb = "film" if file is not None and file.suffix == SUFFIX else "replay"
    verb = "roll" if file is None else f"{verb} {file}"
    instead = f"pigglesim {verb} --png F.png or --video F.mp4, which need no display"
    if file is None:
        named = scene or DEFAULT_SCENE
        prepared = prepare(
            piggles,
            scene=named,
            seat=seat,
            seed=options.chosen_seed(seed),
            engine=engine,
        )
        loaded, films = prepared.chance.scene, _fresh(prepared, rolls, scene=named)
        title = f"{loaded.title}: fresh rolls"
    else:
        loaded, clips = _recorded(file, record, scene=scene, first=from_roll)
        films, title = Playlist(clips), file.name
    lines = watch(
        films, loaded, title=title, instead=instead, camera=camera, speed=speed, viewer=viewer
    )
    if as_json:
        print_json({"seen": lines})
    elif lines:
        say("\n".join(lines))


def _fresh(prepared: Prepared, rolls: int, *, scene: str) -> Playlist:
    """Return fresh rolls, each made when it is due; after them a person may pour.

    `scene` is as typed.
    """
    chance, request, made = prepared.chance, prepared.request, 0
    seat, names = request.thrower, request.piggles
    engine = chance.engine.name
    words = ["--seed", chance.seed, "--seat", seat, "--piggles", len(names), "--engine", engine]
    words += ["--scene", scene] * (scene != DEFAULT_SCENE)
    command = shlex.join(["pigglesim", "view", *map(str, words)])
    bodies = tuple(chance.models[name] for name in names)
    cup = Pour(scene=chance.scene, seat=seat)

    def roll() -> Clip:
        number = f", roll {made + 1} of {rolls}" if rolls > 1 else ""
        return clip(request, command, f"seed {chance.seed}{number}")

    def by_hand(samples: Sequence[Sample]) -> HandThrow:
        return cup.held(bodies, samples, rng=generator(chance.seed, "hand", made))

    def shake(samples: Sequence[Sample]) -> Shaking:
        return Shaking(cup, bodies, by_hand(samples), engine=chance.engine)

    def pour(samples: Sequence[Sample]) -> Clip:
        hand = by_hand(samples)
        drawn = ["--start", hand.text]
        again = roll_command(len(names), drawn=drawn, engine=engine, seat=seat, scene=scene)
        shown = clip(replace(request, hold=hand), again, "thrown by your own hand")
        print(f"pigglesim: to throw it again: {again}", file=sys.stderr)
        return shown

    def clip(request: RollRequest, command: str, story: str) -> Clip:
        nonlocal made
        _, film = FilmedChance(source=chance, command=command).filmed(request, index=made)
        made += 1
        return Clip(film=film, title=f"{SIDES[seat]} rolls {' '.join(names)}", story=(story,))

    return Playlist((roll() for _ in range(rolls)), pour=pour, shake=shake)


def _recorded(
    file: Path, number: int | None, *, scene: str | None, first: int
) -> tuple[Scene, Iterator[Clip]]:
    if file.suffix == SUFFIX:
        film = read_film(file)
        rolled = " ".join(actor.name for actor in film.actors if not actor.standing)
        return load_scene(scene or film.scene), iter([Clip(film=film, title=f"{rolled} rolled")])
    located = chosen_record(file, number)
    if located is None or not (located.record or located.intact):
        raise SpecError(
            f"{file} holds no whole record or several",
            fix=f"list them with pigglesim replay {file}, and add --record 1",
        )
    return clips_of(source_in(located, file), scene=scene, first=first)
