"""Rolls: a cup poured onto the board, kept as a document and as files."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import hypot
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pigglesim.api.result import Result
from pigglesim.api.sources import make_chance
from pigglesim.arguments import checked
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.durable_io import expect_new, numbered, write_target
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, read_json, wanted
from pigglesim.films.film import Film
from pigglesim.films.store import SUFFIX, write_film
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.landing import (
    BOARD_SEATS,
    ClassLanding,
    CupHold,
    Knock,
    Landing,
    Orientation,
    RestPlace,
    RollRequest,
    RollResult,
    Seat,
    Zone,
)
from pigglesim.notebook_display import displayed
from pigglesim.render.glb import film_glb
from pigglesim.render.palette import SIDES, landing_points
from pigglesim.render.stage import Stage
from pigglesim.render.svg import lying_in, top_view_svg
from pigglesim.render.web_page import Chapter, film_page
from pigglesim.rng import Seed, root_seed
from pigglesim.scene.load import load_scene, team_models
from pigglesim.scene.scene import INCH, Scene
from pigglesim.tui.game_view import knock_sentence

if TYPE_CHECKING:
    from pigglesim.render.camera import Shot


_ROLL = FileKind(name="roll --json")

_MOST_LYING = 24
"""Two teams, and as many again."""


def read_layout(file: Path) -> tuple[tuple[tuple[str, Landing], ...], dict[str, str]]:
    """Return what lies on the board after a roll that a file holds, and the model of each.

    Raises:
        SpecError: If the file is not one that `roll --json` wrote.
    """
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 (slow to import)

    document = read_json(file, _ROLL)
    try:
        saved = TypeAdapter(_SavedRoll).validate_json(json.dumps(document), strict=True)
        lying = [die for die in saved.dice if not die.off_board]
        if len(lying) > _MOST_LYING:
            raise ValueError(f"{len(lying)} Piggles on the board: at most {_MOST_LYING} have room")
        standing = tuple((die.id, die.landing()) for die in lying)
        models = {die.id: die.model for die in lying}
        if len(models) < len(lying):
            raise ValueError("two Piggles of one id")
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise _no_roll(f"{cut(repr(fault['input']))} for {where}, not {wanted(fault)}") from None
    except (SpecError, ValueError, RecursionError) as error:
        raise _no_roll(str(error)) from None
    return standing, models


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedDie:
    """What is read of a die of a document; its other keys follow from these."""

    id: str
    model: str
    orientation: Orientation | None
    class_name: str | None = None
    zone: Zone
    position_m: tuple[float, float, float]
    rotation_xyzw: tuple[float, float, float, float]
    leaning: bool
    stacked: bool
    off_board: bool

    def landing(self) -> Landing:
        """Return how it lies, on the board."""
        position, rotation = self.position_m, self.rotation_xyzw
        if not (abs(hypot(*rotation) - 1.0) < 1e-6 and max(map(abs, position)) < 10.0):
            raise ValueError("a place that is no place: a unit quaternion and metres are needed")
        kind: Callable[..., Landing] = Landing
        if self.class_name is not None:
            kind = partial(ClassLanding, class_name=self.class_name)
        elif self.orientation is None:
            raise ValueError(f"neither pose nor class of {cut(self.id)}, which is on the board")
        return kind(
            orientation=self.orientation,
            zone=self.zone,
            leaning=self.leaning,
            stacked=self.stacked,
            place=RestPlace(position=position, rotation=rotation),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedRoll:
    dice: tuple[_SavedDie, ...]


def _no_roll(got: str) -> SpecError:
    return SpecError("a roll saved with --json", got=got, remedy="pigglesim roll --json > FILE")


_PICTURES, VIDEOS = (".png",), (".mp4", ".webm", ".gif")
DRAWN = (*_PICTURES, *VIDEOS)
"""Files that need OpenGL."""
KINDS = (SUFFIX, ".html", ".glb", ".svg", *DRAWN)
"""Suffixes of the files that a roll can become."""
_CAMERA = 3
"""Numbers that place a camera."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a picture or video is drawn; None for the usual value."""

    size: str | tuple[int, int] | None = None
    """Pixels, such as `"1280x720"` or `(1280, 720)`."""
    camera: str | Sequence[float] | None = None
    """A view by name, or azimuth, elevation [degrees] and distance [m]."""
    fps: float | None = None
    """Frames per second of a video."""
    slow_motion: float | None = None
    """How many times as long as the roll its video takes."""
    at: float | None = None
    """Time in the roll of a picture [s]; None for its end."""

    def picture(self) -> "Shot":
        """Return how a picture is drawn.

        Raises:
            SpecError: If a value is impossible.
        """
        from pigglesim.render.camera import (  # noqa: PLC0415 (OpenGL)
            Shot,
            parse_camera,
            parse_size,
        )

        shot = Shot()
        if self.camera is not None:
            words = self.camera
            if not isinstance(words, str):
                if len(words) != _CAMERA:
                    raise SpecError(
                        "a camera as azimuth, elevation and distance",
                        got=cut(repr(words)),
                        remedy="camera=(155, 38, 0.78)",
                    )
                words = ",".join(f"{number:g}" for number in words)
            # A view by name comes as near as shows all; one by numbers stays where it is.
            shot = replace(shot, camera=parse_camera(words), framed="," not in words)
        if self.size is not None:
            size = self.size if isinstance(self.size, str) else "x".join(map(str, self.size))
            shot = replace(shot, size=parse_size(size))
        return shot

    def video(self, file: Path) -> "tuple[Shot, str]":
        """Return how a video is drawn as its kind of file takes it, and what was changed for that.

        Raises:
            SpecError: If a value is impossible.
        """
        from pigglesim.render.video import GIF_SHOT, fitting_shot  # noqa: PLC0415 (OpenGL)

        shot = self.picture()
        if file.suffix.lower() == ".gif":
            # Such files grow with every pixel.
            small = GIF_SHOT.size if self.size is None else shot.size
            shot = replace(shot, fps=GIF_SHOT.fps, size=small)
        if self.fps is not None:
            shot = replace(shot, fps=self.fps)
        if self.slow_motion is not None:
            shot = replace(shot, slow_motion=self.slow_motion)
        return fitting_shot(shot, file)


def expect_kind(file: Path, kinds: Sequence[str], look: Look) -> str:
    """Return the suffix of a file, in small letters, which must be one of `kinds`.

    Raises:
        SpecError: If it is none of these kinds, or the look says what has no effect on its kind.
    """
    kind = file.suffix.lower()
    if kind not in kinds:
        raise SpecError(
            f"a file that ends in {', '.join(kinds[:-1])} or {kinds[-1]}",
            got=repr(file.name),
            remedy=f"{file.stem or 'roll'}.html",
        )
    for name, value, takes in (
        ("size", look.size, DRAWN),
        ("camera", look.camera, DRAWN),
        ("fps", look.fps, VIDEOS),
        ("slow_motion", look.slow_motion, VIDEOS),
        ("at", look.at, _PICTURES),
    ):
        if value is not None and kind not in takes:
            raise SpecError(
                f"{name} with a file that ends in {' or '.join(takes)}",
                got=repr(file.name),
                remedy=f"leave {name} out",
            )
    return kind


def save_drawn(films: Sequence[Film], scene: Scene, file: Path, look: Look) -> None:
    """Draw films: the end of the last as a picture, or all as a video, by the suffix of the file.

    Raises:
        SpecError: If a value is impossible, the file cannot be written or nothing can be drawn.
    """
    if file.suffix.lower() in _PICTURES:
        from pigglesim.render.offscreen import save_picture  # noqa: PLC0415 (OpenGL)

        save_picture(films[-1], scene, file, shot=look.picture(), time=look.at)
        return
    from pigglesim.render.video import expect_encoder, save_video  # noqa: PLC0415 (OpenGL)

    expect_encoder(file)
    save_video(films, scene, file, shot=look.video(file)[0])


def save_film(film: Film, file: Path, look: Look) -> None:
    """Write a film to a file, as of `save_stages`."""
    expect_kind(file, KINDS, look)
    scene = load_scene(film.scene)
    save_stages([Stage.of(film, scene=scene)], scene, file, look=look)


def save_stages(
    stages: Sequence[Stage],
    scene: Scene,
    file: Path,
    *,
    before: Mapping[str, Landing] = MappingProxyType({}),
    look: Look = Look(),
) -> list[Path]:
    """Write rolls: to one page, or to a file each, numbered from 1; return what was written.

    Args:
        stages: The rolls, in order, all at one table.
        scene: The table.
        file: Another of that name is replaced, whole or not at all.
        before: How those lay that stood there, by id.
        look: How a picture or video is drawn.

    Raises:
        PigglesimError: If it is of no such kind, or cannot be written or drawn.
    """
    kind = expect_kind(file, KINDS, look)
    if kind == ".html":
        write_target(file, _page(stages, scene, before))
        return [file]
    written = [numbered(file, place, len(stages)) for place in range(1, len(stages) + 1)]
    for stage, path in zip(stages, written, strict=True):
        if kind == SUFFIX:
            write_film(stage.film, path)
        elif kind in DRAWN:
            save_drawn([stage.film], scene, path, look)
        else:
            content = film_glb(stage) if kind == ".glb" else _drawing(stage, scene, before)
            write_target(path, content)
    return written


def _page(stages: Sequence[Stage], scene: Scene, before: Mapping[str, Landing]) -> str:
    several = len(stages) > 1
    chapters = [
        Chapter(
            stage=stage,
            title=f"Roll {place}: {_title(stage)}" if several else _title(stage),
            story=_story(stage, before),
        )
        for place, stage in enumerate(stages, start=1)
    ]
    title = f"{len(stages)} rolls" if several else chapters[0].title
    facts = stages[0].film.origin
    return film_page(chapters, title=title, subtitle=_subtitle(stages[0], scene), facts=facts)


def _drawing(stage: Stage, scene: Scene, before: Mapping[str, Landing]) -> str:
    return top_view_svg(
        stage.board,
        lying_in(stage),
        title=_title(stage),
        subtitle=_subtitle(stage, scene),
        words=_story(stage, before),
        reading=stage.reading,
    )


def _title(stage: Stage) -> str:
    rolled = [actor for actor in stage.film.actors if not actor.standing]
    names = " ".join(actor.name for actor in rolled)
    owner = rolled[0].owner if rolled else None
    return f"{SIDES.get(owner, owner.value)} rolls {names}" if owner else names


def _subtitle(stage: Stage, scene: Scene) -> str:
    return f"{scene.title} \u00b7 seed {stage.film.origin.get('seed', 'unknown')}"


def _story(stage: Stage, before: Mapping[str, Landing]) -> list[str]:
    """Return what a roll did to what stood on the board, and what each side's would pay now."""
    readings = stage.readings
    lines = [
        knock_sentence(knock, before, readings)
        for knock in stage.film.knocks
        if knock.struck in before
    ]
    off = [name for name, at in readings.items() if at.zone is Zone.OFF]
    if off:
        lines.append(f"Off the board: {', '.join(off)}")
    for seat, side in SIDES.items():
        own = [
            readings[actor.name]
            for actor, body in zip(stage.film.actors, stage.bodies, strict=True)
            # The rules pay for pigs alone.
            if actor.owner is seat and body.pig and actor.name in readings
        ]
        if own:
            points = sum(map(landing_points, own))
            lines.append(f"On the board for {side}: {points}")
    return lines


_WITH_UNITS = {"distance": "distance_m", "angle": "angle_rad"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Roll(Result):
    """A cup of Piggles that was poured onto the board, and how everything came to lie."""

    seed: int
    """Root seed; the same arguments with it give the same bits."""
    request: RollRequest
    result: RollResult
    film: Film = field(repr=False)
    """Every pose of every step."""
    scene: Scene = field(repr=False)
    """The table."""
    stage: Stage = field(repr=False)
    """The film with its table and its bodies."""
    provenance: Mapping[str, Any] = field(repr=False)
    """What the bits depend on: engine, scene and models with their digests."""

    @property
    def landings(self) -> dict[str, Landing]:
        """How each Piggle lies, by id, those that stood there too; the rolled ones first."""
        return dict(self.result.landings)

    @property
    def knocks(self) -> tuple[Knock, ...]:
        """Who was knocked."""
        return self.result.knocks

    @property
    def models(self) -> dict[str, str]:
        """The model of each Piggle, by id."""
        actors = self.film.actors
        return {
            actor.name: body.model for actor, body in zip(actors, self.stage.bodies, strict=True)
        }

    @property
    def points(self) -> dict[str, int]:
        """What each Piggle scores as it lies (R3), by id; a body that is not a pig has no entry."""
        return {
            name: landing_points(at)
            for name, at in self.result.landings
            if not isinstance(at, ClassLanding)
        }

    def document(self) -> dict[str, Any]:
        """Return all of it but the film as plain values; SI units are in the names."""
        settle = self.result.settle
        assert settle is not None
        return {
            "seed": self.seed,
            "scene": self.provenance["scene"],
            "thrower": self.request.thrower.value,
            "dice": [self._die(name, landing) for name, landing in self.result.landings],
            "knocks": [
                {_WITH_UNITS.get(key, key): value for key, value in asdict(knock).items()}
                for knock in self.knocks
            ],
            "settle": {
                "status": settle.status.value,
                "time_s": settle.time,
                "sentence": settle.status.sentence,
            },
            "provenance": dict(self.provenance),
        }

    def _die(self, name: str, landing: Landing) -> dict[str, Any]:
        assert landing.place is not None
        return {
            "id": name,
            "model": self.models[name],
            "rolled": name in self.request.piggles,
            "orientation": landing.orientation,
            "class_name": landing.class_name if isinstance(landing, ClassLanding) else None,
            "zone": landing.zone,
            "on_line": landing.zone.on_line,
            "points": self.points.get(name),
            "position_m": list(landing.place.position),
            "rotation_xyzw": list(landing.place.rotation),
            "leaning": landing.leaning,
            "stacked": landing.stacked,
            "off_board": landing.zone is Zone.OFF,
        }

    @checked
    def save(
        self,
        file: str | PathLike[str],
        *,
        overwrite: bool = False,
        size: str | tuple[int, int] | None = None,
        camera: str | Sequence[float] | None = None,
        fps: float | None = None,
        slow_motion: float | None = None,
        at: float | None = None,
    ) -> Path:
        """Write the roll to a file; what its name ends in says as what.

        `.film` keeps every step, `.html` plays it in any browser, `.glb` is animated 3D, `.svg` is
        how all came to lie, `.json` the document, `.png` a picture and `.mp4`, `.webm` or `.gif` a
        video; the last two need OpenGL.

        Args:
            file: Where to; a picture, page or video of that name is replaced.
            overwrite: Whether to replace a `.film` or `.json` of that name too.
            size: Of a picture or video in pixels, such as `(1280, 720)` or `"1280x720"`.
            camera: A view by name, such as `"low"`; or azimuth, elevation [degrees] and distance
                [m].
            fps: Frames per second of a video.
            slow_motion: How many times as long as the roll a video takes, 1 to 64.
            at: Time in the roll of a picture [s]; its end if None.

        Returns:
            The file.

        Raises:
            PigglesimError: If it is of no such kind, or cannot be written or drawn.
        """
        path = Path(file)
        look = Look(size=size, camera=camera, fps=fps, slow_motion=slow_motion, at=at)
        kind = expect_kind(path, (*KINDS, ".json"), look)
        if kind in {SUFFIX, ".json"}:
            expect_new(path, overwrite=overwrite)
        if kind == ".json":
            write_target(path, self.to_json() + "\n")
        else:
            before = dict(self.request.standing)
            save_stages([self.stage], self.scene, path, before=before, look=look)
        return path

    def __repr__(self) -> str:
        lying = ", ".join(f"{name}={_short(at)}" for name, at in self.result.landings)
        knocks = ", ".join(f"{knock.struck} by {knock.by}" for knock in self.knocks)
        told = f", knocked: {knocks}" if knocks else ""
        return f"Roll({lying}{told}, seed={self.seed})"

    def _repr_svg_(self) -> str | None:
        return displayed("stage_svg", self.stage)


def _short(landing: Landing) -> str:
    pose = landing.orientation or landing.label
    return f"{pose}@{landing.zone.value}" if pose else landing.zone.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A roll of which all is settled and checked, and nothing is poured."""

    chance: PhysicalChance
    request: RollRequest
    number: int = 0
    """Which roll of its seed."""

    def roll(self, *, command: str | None = None) -> Roll:
        """Pour.

        Args:
            command: What a person can type to have the same again, for the film.
        """
        source = FilmedChance(source=self.chance, command=command)
        result, film = source.filmed(self.request, index=self.number)
        stage = Stage.of(
            film,
            scene=self.chance.scene,
            bodies=self.chance.models,
            reading=self.request.reading,
        )
        return Roll(
            seed=self.chance.seed,
            request=self.request,
            result=result,
            film=film,
            scene=self.chance.scene,
            stage=stage,
            provenance=self.chance.provenance(),
        )


def expect_cupful(table: Scene, piggles: int) -> None:
    """Raise `SpecError` if so many Piggles cannot be poured at a table."""
    if not table.teams:
        raise SpecError(
            "a table of Piggles",
            got=f"{table.id}, where dice are thrown",
            remedy=f"pigglesim match --game {table.game} --chance physical",
        )
    if not 1 <= piggles <= table.capacity:
        raise SpecError(
            f"1 to {table.capacity} Piggles in the cup",
            got=str(piggles),
            remedy=f"pigglesim roll {min(max(piggles, 1), table.capacity)}",
        )


def prepare(
    piggles: int,
    *,
    scene: str,
    models: Sequence[str] = (),
    seat: str = "A",
    seed: int,
    number: int = 0,
    engine: str | None = None,
    hold: CupHold | None = None,
    standing: Sequence[tuple[str, Landing]] = (),
    standing_models: Mapping[str, str] | None = None,
    house_rules: Mapping[str, object] | None = None,
) -> Prepared:
    """Return a roll, ready to be poured; `roll` tells of the arguments.

    Raises:
        SpecError: If anything is unknown or cannot be.
    """
    if seat not in set(BOARD_SEATS):
        raise SpecError("seat A or B", got=repr(seat), remedy="--seat A")
    thrower, table = Seat(seat), load_scene(scene)
    expect_cupful(table, piggles)
    if number < 0:
        raise SpecError("a roll of number 0 or more", got=str(number), remedy="0")
    names = tuple(f"{thrower}{place}" for place in range(1, piggles + 1))
    own = team_models(table, {thrower: _team(models, piggles, table.capacity)})
    if shared := {name for name, _ in standing}.intersection(names):
        raise SpecError(
            "Piggles in the cup that are not on the board already",
            got=", ".join(sorted(shared)),
            remedy=f"--seat {thrower.other}, or fewer in the cup",
        )
    rules = PigglesRules.from_mapping(house_rules or {})
    request = RollRequest(
        thrower=thrower,
        piggles=names,
        standing=tuple(standing),
        reading=rules.reading(),
        hold=hold,
    )
    worn = own | dict(standing_models or {})
    chance = make_chance(scene, models=worn, engine=engine, seed=seed)
    return Prepared(chance=chance, request=request, number=number)


def _team(given: Sequence[str], piggles: int, capacity: int) -> list[str]:
    """Return a model for each of the team: those named, and the first again for the rest."""
    if not given:
        return []
    if len(given) not in {1, piggles}:
        raise SpecError(
            f"1 or {piggles} models for {piggles} Piggles",
            got=str(len(given)),
            remedy="--model piggle",
        )
    own = list(given) * piggles if len(given) == 1 else list(given)
    return own + [own[0]] * (capacity - len(own))


@checked
def roll(
    piggles: int = 6,
    *,
    model: str | Sequence[str] = (),
    scene: str | PathLike[str] = "piggles_classic",
    seat: Literal["A", "B"] = "A",
    seed: Seed = None,
    number: int = 0,
    engine: str | None = None,
    hold: CupHold | None = None,
    across: float | None = None,
    back: float | None = None,
    height: float | None = None,
    onto: Roll | str | PathLike[str] | None = None,
    house_rules: Mapping[str, object] | None = None,
) -> Roll:
    """Shake a cup of Piggles, pour it onto the board, and read how they lie.

    The same arguments and seed give the same bits. In a notebook a roll is drawn from above;
    `roll(...).film` plays it.

    Args:
        piggles: How many are in the cup, 1 to 6.
        model: One for all of them or one each, such as `"premium"` or `"piggle+blue+left"`, or a
            path to a TOML file; the scene's own team if left out.
        scene: The table: a name of `known().scenes`, or a path to a TOML file.
        seat: Who throws: A from the South, B from the North.
        seed: Root seed, or a stream to draw it from; a fresh one if None. It is told in the result.
        number: Which roll of the seed: 0, 1 and so on differ as rolls of one match do.
        engine: One of `known().engines`; the first that is installed if None.
        hold: Where the cup is held [m]; the scene's own hold if None.
        across: Inches to the thrower's right to hold the cup, in place of `hold`.
        back: Inches behind the centre line to tip it.
        height: Inches to keep it above the board: 2 or more.
        onto: A roll onto whose Piggles this one goes, by the other seat; or the file of one that
            ends in `.json`.
        house_rules: Those of reading the table, by name, such as `{"line_rule": "com"}`.

    Returns:
        How each Piggle lies, who was knocked, and the film of it.

    Raises:
        PigglesimError: If a name is unknown, a file is at fault, or the throw is against the rules.

    Examples:
        >>> import pigglesim
        >>> pigglesim.roll(2, seed=7, engine="bullet")
    """
    if hold is not None and (across, back, height) != (None, None, None):
        raise SpecError(
            "hold in metres, or across, back and height in inches",
            got="both",
            remedy="leave hold out",
        )
    standing: list[tuple[str, Landing]] = []
    standing_models: Mapping[str, str] = {}
    if isinstance(onto, str | PathLike):
        read, standing_models = read_layout(Path(onto))
        standing = list(read)
    elif onto is not None:
        standing = [(name, at) for name, at in onto.result.landings if at.zone is not Zone.OFF]
        standing_models = {name: onto.models[name] for name, _ in standing}
    prepared = prepare(
        piggles,
        scene=str(scene),
        models=(model,) if isinstance(model, str) else tuple(model),
        seat=seat,
        seed=root_seed(seed),
        number=number,
        engine=engine,
        hold=hold or held_over(load_scene(str(scene)), across=across, back=back, height=height),
        standing=standing,
        standing_models=standing_models,
        house_rules=house_rules,
    )
    return prepared.roll()


def held_over(
    table: Scene, *, across: float | None, back: float | None, height: float | None
) -> CupHold | None:
    """Return where the cup is held at a table, from inches; None for where the table says."""
    if across is back is height is None:
        return None
    hand = table.hand
    return CupHold(
        across=hand.across if across is None else across * INCH,
        back=hand.end_back if back is None else back * INCH,
        height=hand.lip_height if height is None else height * INCH,
    )
