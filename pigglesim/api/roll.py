"""Rolls: pour a cup onto the board, and save the result as a document or as files."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import hypot, radians
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pigglesim.arguments import JsonResult, checked
from pigglesim.chance.physical import FilmedChance, PhysicalChance, physical_chance
from pigglesim.durable_io import FILM, expect_new, write_target
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, read_json, validated
from pigglesim.films.film import Film
from pigglesim.landing import (
    BOARD_SEATS,
    MAX_HAND_ERROR,
    ClassLanding,
    CupHold,
    Knock,
    Landing,
    Orientation,
    ReadingRules,
    RestPlace,
    RollRequest,
    RollResult,
    Seat,
    Zone,
)
from pigglesim.limits import Limits
from pigglesim.notebook_display import displayed
from pigglesim.precompile import compile_for
from pigglesim.render.palette import landing_points
from pigglesim.render.stage import Stage
from pigglesim.rng import Seed, root_seed, seed_json
from pigglesim.scene.load import load_scene, team_models
from pigglesim.scene.scene import INCH, Scene

if TYPE_CHECKING:
    from pigglesim.experiments.decided import DecidedThrow
    from pigglesim.render.web_page import ThrowAgain

DEFAULT_SCENE = "piggles_classic"
_ROLL = FileKind(name="roll --json")
_COPIES = Limits(1, 100_000)
"""Copies a look at a throw."""
_HAND_ERROR = Limits(0.0, MAX_HAND_ERROR)
_MAX_STANDING = 24
"""Maximum number of Piggles in a layout: two teams, twice."""


def make_chance(
    scene_name: str, *, models: dict[str, str] | None, engine: str | None, seed: int
) -> PhysicalChance:
    """Return physics as a source of chance; None selects the scene's models or default engine."""
    scene = load_scene(scene_name)
    # Before the first throw, not during it.
    compile_for("pours", engine=engine or "")
    return physical_chance(scene, models or team_models(scene), engine=engine, seed=seed)


def read_layout(file: Path) -> tuple[tuple[tuple[str, Landing], ...], dict[str, str]]:
    """Return the landings on the board after a saved roll, and the model of each Piggle.

    Raises:
        SpecError: If the file was not written by `roll --json`.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415 (slow to import)

    saved = validated(
        TypeAdapter(_SavedRoll).validate_json,
        read_json(file, _ROLL),
        expected=f"a roll saved with --json in {file.name}",
        fix="save one with `pigglesim roll --json > FILE`",
    )
    dice = saved.on_board
    return tuple((die.id, die.landing()) for die in dice), {die.id: die.model for die in dice}


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedDie:
    """Keys of a die that are read from a document; the others follow from these."""

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
        """Return the landing of the die on the board."""
        position, rotation = self.position_m, self.rotation_xyzw
        if not (abs(hypot(*rotation) - 1.0) < 1e-6 and max(map(abs, position)) < 10.0):
            raise ValueError("a transform without a unit quaternion, or off by metres")
        kind: Callable[..., Landing] = Landing
        if self.class_name is not None:
            kind = partial(ClassLanding, class_name=self.class_name)
        elif self.orientation is None:
            raise ValueError(f"{cut(self.id)} on the board without orientation or class")
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

    def __post_init__(self) -> None:
        dice = self.on_board
        if len(dice) > _MAX_STANDING:
            raise ValueError(f"{len(dice)} Piggles on the board, at most {_MAX_STANDING} fit")
        if len({die.id for die in dice}) < len(dice):
            raise ValueError("two Piggles of one id")
        for die in dice:
            die.landing()

    @property
    def on_board(self) -> list[_SavedDie]:
        """Dice that stand on the board."""
        return [die for die in self.dice if not die.off_board]


_WITH_UNITS = {"distance": "distance_m", "angle": "angle_rad"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Roll(JsonResult):
    """Result of pouring a cup of Piggles onto the board: every landing, knock and step."""

    seed: int
    """Root seed; the same arguments with it give the same bits."""
    request: RollRequest
    result: RollResult
    film: Film = field(repr=False)
    """Position and rotation of every body at every step."""
    scene: Scene = field(repr=False)
    """Table of the roll."""
    stage: Stage = field(repr=False)
    """Film with its table and its bodies."""
    provenance: Mapping[str, Any] = field(repr=False)
    """Inputs that determine every bit: engine, scene and models with their digests."""
    throw_command: str | None = field(default=None, repr=False)
    """Command that throws a start drawn by the page of this roll, without the start itself."""

    @property
    def landings(self) -> dict[str, Landing]:
        """Landing of each Piggle, by id: the rolled ones first, then those that stood there."""
        return dict(self.result.landings)

    @property
    def knocks(self) -> tuple[Knock, ...]:
        """Knocks of Piggles that stood on the board."""
        return self.result.knocks

    @property
    def models(self) -> dict[str, str]:
        """Model of each Piggle, by id."""
        actors = self.film.actors
        return {
            actor.name: body.model for actor, body in zip(actors, self.stage.bodies, strict=True)
        }

    @property
    def points(self) -> dict[str, int]:
        """Points of each Piggle as it landed (R3), by id; a body that is not a pig has no entry."""
        return {
            name: landing_points(at)
            for name, at in self.result.landings
            if not isinstance(at, ClassLanding)
        }

    @checked
    def decided(
        self,
        *,
        copies: Annotated[int, _COPIES] = 400,
        hand_error: Annotated[float, _HAND_ERROR] = 1.0,
        progress: Callable[[int, int], object] | None = None,
    ) -> "dict[str, DecidedThrow]":
        """Return when the orientation of each rolled Piggle was decided, by id.

        Each look throws copies of a Piggle as it moves then, displaced by the errors of a hand,
        alone on an endless board. Engine `impulse` throws them, so the roll must be its own.

        Args:
            copies: Copies a look, 1 to 100,000; fewer than 400 that all agree do not prove 99 %.
            hand_error: Factor of the usual errors of a hand, 0 to 20.
            progress: Function called with the numbers of Piggles done and wanted.

        Raises:
            PigglesimError: If an argument is invalid, or another engine rolled.
        """
        from pigglesim.experiments.decided import decide_all  # noqa: PLC0415 (loads scipy)
        from pigglesim.physics.looks import HandError  # noqa: PLC0415

        if self.provenance["engine"] != "impulse":
            problem = f"engine {self.provenance['engine']} rolled, and impulse throws the copies"
            raise SpecError(problem, fix="use --engine impulse")
        compile_for("copies")
        return decide_all(
            self.film.frames,
            dict(zip(self.request.piggles, self.stage.bodies, strict=False)),
            self.scene,
            error=HandError().times(hand_error),
            copies=copies,
            progress=progress,
        )

    def document(self) -> dict[str, Any]:
        """Return everything except the film as JSON values; SI units are in the names."""
        settle = self.result.settle
        assert settle is not None
        return {
            "seed": seed_json(self.seed),
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
        return landing_document(landing) | {
            "id": name,
            "model": self.models[name],
            "rolled": name in self.request.piggles,
            "class_name": landing.class_name if isinstance(landing, ClassLanding) else None,
            "on_line": landing.zone.on_line,
            "points": self.points.get(name),
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
        """Write the roll to a file, in the format of its suffix.

        `.film` stores every step, `.html` plays the roll in any browser, `.glb` is animated 3D,
        `.svg` draws the landings from above and `.json` is the document. `.png` is a picture, and
        `.mp4`, `.webm` or `.gif` a video; pictures and videos need OpenGL.

        Args:
            file: File to write; an existing picture, page or video is replaced.
            overwrite: Whether to replace an existing `.film` or `.json` file too.
            size: Size of a picture or video [pixels], such as `(1280, 720)` or `"1280x720"`.
            camera: Name of a view, such as `"low"`; or azimuth, elevation [degrees] and distance
                [m].
            fps: Frame rate of a video [1/s].
            slow_motion: Duration of a video relative to the roll, 1 to 64.
            at: Time of a picture in the roll [s]. Default: the end.

        Returns:
            The path of the file.

        Raises:
            PigglesimError: If the suffix is unknown, or the file cannot be written or drawn.
        """
        from pigglesim.api.roll_files import (  # noqa: PLC0415 (draws)
            KINDS,
            Look,
            expect_kind,
            save_stages,
        )

        path = Path(file)
        look = Look(size=size, camera=camera, fps=fps, slow_motion=slow_motion, at=at)
        kind = expect_kind(path, (*KINDS, ".json"), look)
        if kind in {FILM, ".json"}:
            expect_new(path, overwrite=overwrite)
        if kind == ".json":
            write_target(path, self.to_json() + "\n")
        else:
            before = dict(self.request.standing)
            again = self._again() if kind == ".html" else None
            save_stages([self.stage], self.scene, path, before=before, look=look, again=again)
        return path

    def __repr__(self) -> str:
        landings = ", ".join(f"{name}={_short(at)}" for name, at in self.result.landings)
        knocks = ", ".join(f"{knock.struck} by {knock.by}" for knock in self.knocks)
        struck = f", knocked: {knocks}" if knocks else ""
        return f"Roll({landings}{struck}, seed={self.seed})"

    def _repr_html_(self) -> str | None:
        from pigglesim.render.notebook import film_html  # noqa: PLC0415 (draws)

        return film_html(self.film, self._again())

    def _again(self) -> "ThrowAgain | None":
        from pigglesim.api.roll_files import throw_again  # noqa: PLC0415 (draws)

        return throw_again(
            self.scene,
            self.request,
            self.stage.bodies,
            engine=self.provenance["engine"],
            command=self.throw_command,
        )

    def _repr_svg_(self) -> str | None:
        return displayed("stage_svg", self.stage)


def landing_document(landing: Landing) -> dict[str, Any]:
    """Return a landing on the board as JSON values; SI units are in the names."""
    place = landing.place
    return {
        "orientation": landing.orientation,
        "zone": landing.zone,
        "points": landing_points(landing),
        "leaning": landing.leaning,
        "stacked": landing.stacked,
        "position_m": list(place.position) if place else None,
        "rotation_xyzw": list(place.rotation) if place else None,
    }


def _short(landing: Landing) -> str:
    pose = landing.orientation or landing.label
    return f"{pose}@{landing.zone.value}" if pose else landing.zone.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Roll whose arguments are complete and checked, but which is not yet poured."""

    chance: PhysicalChance
    request: RollRequest
    number: int = 0
    """Number of the roll within its seed."""

    def roll(
        self,
        *,
        command: str | None = None,
        throw_command: str | None = None,
        filmer: Callable[..., FilmedChance] = FilmedChance,
    ) -> Roll:
        """Pour the cup and return the roll.

        `command` repeats this roll and is stored in its film; `throw_command` throws the starts
        that its page draws; `filmer` makes what films it.
        """
        source = filmer(source=self.chance, command=command)
        result, film = source.filmed(self.request, index=self.number)
        assert isinstance(result, RollResult)
        stage = Stage.of(
            film, scene=self.chance.scene, bodies=self.chance.models, reading=self.request.reading
        )
        return Roll(
            seed=self.chance.seed,
            request=self.request,
            result=result,
            film=film,
            scene=self.chance.scene,
            stage=stage,
            provenance=self.chance.provenance(),
            throw_command=throw_command,
        )


def roll_command(
    count: int,
    *,
    drawn: Sequence[str],
    engine: str,
    seat: str,
    scene: str,
    models: Sequence[str] = (),
    aim: Mapping[str, float | None] = MappingProxyType({}),
) -> str:
    """Return the command line that repeats a throw.

    `drawn` are the flags that give its start, `scene` is as typed, and `aim` as in `prepare`.
    """
    model = ",".join(models)
    words = ["pigglesim", "roll", str(count), *drawn, "--engine", engine]
    words += ["--model", model] * (model not in {"", "piggle"})
    words += ["--scene", scene] * (scene != DEFAULT_SCENE)
    words += ["--seat", seat] * (seat != "A")
    words += [f"--{name}={value:g}" for name, value in aim.items() if value is not None]
    return shlex.join(words)


def expect_cupful(table: Scene, piggles: int) -> None:
    """Raise `SpecError` if a table does not allow this number of Piggles."""
    if not table.teams:
        raise SpecError(
            f"{table.id} is a table of dice, not of Piggles",
            fix=f"use pigglesim match --game {table.game} --chance physical",
        )
    if not 1 <= piggles <= table.capacity:
        raise SpecError(
            f"{piggles} Piggles in the cup",
            expected=f"1 to {table.capacity}",
            fix=f"use pigglesim roll {min(max(piggles, 1), table.capacity)}",
        )


def prepare(
    piggles: int | None,
    *,
    scene: str,
    models: Sequence[str] = (),
    seat: str = "A",
    seed: int,
    number: int = 0,
    engine: str | None = None,
    hold: CupHold | None = None,
    aim: Mapping[str, float | None] = MappingProxyType({}),
    standing: Sequence[tuple[str, Landing]] = (),
    standing_models: Mapping[str, str] | None = None,
    house_rules: Mapping[str, object] | None = None,
    start: str | None = None,
) -> Prepared:
    """Return a roll that is ready to be poured; `roll` describes the arguments.

    `aim` are `across`, `back`, `height`, `heading` and `swing` of the cup, as far as given.
    """
    if seat not in set(BOARD_SEATS):
        raise SpecError(f"invalid seat {seat!r}", expected="A or B", fix="use seat A or B")
    thrower, table = Seat(seat), load_scene(scene)
    if piggles is None:
        piggles = len(models) if len(models) > 1 else table.capacity
    expect_cupful(table, piggles)
    if number < 0:
        raise SpecError(f"invalid number {number} of a roll", fix="use 0 or more")
    names = tuple(f"{thrower}{index}" for index in range(1, piggles + 1))
    team = team_models(table, {thrower: _team(models, piggles, table.capacity)})
    if shared := {name for name, _ in standing}.intersection(names):
        raise SpecError(
            f"{', '.join(sorted(shared))} in the cup and on the board",
            fix=f"use --seat {thrower.other}, or fewer in the cup",
        )
    reading = ReadingRules()
    if house_rules:
        from pigglesim.games.piggles.state import PigglesRules  # noqa: PLC0415 (slow to import)

        reading = PigglesRules.from_mapping(house_rules).reading()
    request = RollRequest(
        thrower=thrower,
        piggles=names,
        standing=tuple(standing),
        reading=reading,
        hold=hold or _hold(table, aim),
    )
    models_by_id = team | dict(standing_models or {})
    chance = make_chance(scene, models=models_by_id, engine=engine, seed=seed)
    return Prepared(chance=replace(chance, start=start), request=request, number=number)


def _hold(table: Scene, aim: Mapping[str, float | None]) -> CupHold | None:
    """Return a way of throwing at a table [in, deg, m/s]; None for the table's own."""
    given = {name: value for name, value in aim.items() if value is not None}
    if not given:
        return None
    hand = table.hand
    return CupHold(
        across=given["across"] * INCH if "across" in given else hand.across,
        back=given["back"] * INCH if "back" in given else hand.end_back,
        height=given["height"] * INCH if "height" in given else hand.lip_height,
        heading=radians(given["heading"]) if "heading" in given else hand.heading,
        swing=given.get("swing"),
    )


def _team(names: Sequence[str], piggles: int, capacity: int) -> list[str]:
    """Return a model for each Piggle of a team: those named, then the first for the rest."""
    if not names:
        return []
    if len(names) not in {1, piggles}:
        raise SpecError(
            f"{len(names)} models for {piggles} Piggles", fix=f"give 1 model or {piggles}"
        )
    team = list(names) * piggles if len(names) == 1 else list(names)
    return team + [team[0]] * (capacity - len(team))


@checked
def roll(
    piggles: int | None = None,
    *,
    model: str | Sequence[str] = (),
    scene: str | PathLike[str] = DEFAULT_SCENE,
    seat: Literal["A", "B"] = "A",
    seed: Seed = None,
    number: int = 0,
    engine: str | None = None,
    hold: CupHold | None = None,
    across: float | None = None,
    back: float | None = None,
    height: float | None = None,
    heading: float | None = None,
    swing: float | None = None,
    onto: Roll | str | PathLike[str] | None = None,
    house_rules: Mapping[str, object] | None = None,
    start: str | None = None,
) -> Roll:
    """Shake a cup of Piggles, pour it onto the board, and read the landings.

    The same arguments and seed give the same bits. A notebook plays a roll, and throws again if
    its page can.

    Args:
        piggles: Number of Piggles in the cup, 1 to 6. Default: that of the models, if there are
            several, else 6.
        model: Model of all of them or one each, such as `"premium"` or `["d20", "d8"]`, or a
            path to a TOML file. Default: the scene's own team.
        scene: Table: a name in `known().scenes`, or a path to a TOML file.
        seat: Seat that throws: A from the South, B from the North.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        number: Number of the roll within the seed; 0, 1, ... differ like the rolls of a match.
        engine: Name in `known().engines`. Default: the first installed.
        hold: Position of the cup [m]. Default: the scene's.
        across: Offset of the cup to the thrower's right [in], in place of `hold`.
        back: Distance of the cup behind the centre line [in].
        height: Height of the cup above the board [in], 2 or more.
        heading: Direction of the throw, to the right of straight ahead [deg].
        swing: Greatest speed of the cup while it is tipped [m/s].
        onto: Earlier roll, or its `.json` file, whose Piggles stand on the board; the other seat
            then throws onto them.
        house_rules: House rules for reading the table, by name, such as `{"line_rule": "com"}`.
        start: Start that a page has drawn, as in its address after `#start=`. It replaces what
            the seed draws.

    Returns:
        The landing of each Piggle, the knocks, and the film.

    Raises:
        PigglesimError: If a name is unknown, a file is invalid, or the rules forbid the throw.

    Examples:
        >>> import pigglesim
        >>> pigglesim.roll(2, seed=7, engine="bullet")
    """
    if hold is not None and (across, back, height) != (None, None, None):
        raise SpecError("hold with across, back or height", fix="leave hold out")
    standing: list[tuple[str, Landing]] = []
    standing_models: Mapping[str, str] = {}
    if isinstance(onto, str | PathLike):
        layout, standing_models = read_layout(Path(onto))
        standing = list(layout)
    elif onto is not None:
        standing = [(name, at) for name, at in onto.result.landings if at.zone is not Zone.OFF]
        standing_models = {name: onto.models[name] for name, _ in standing}
    prepared = prepare(
        piggles,
        scene=str(scene),
        models=(model,) if isinstance(model, str) else tuple(model),
        seat=seat,
        seed=0 if start is not None and seed is None else root_seed(seed),
        number=number,
        engine=engine,
        hold=hold,
        aim={"across": across, "back": back, "height": height, "heading": heading, "swing": swing},
        standing=standing,
        standing_models=standing_models,
        house_rules=house_rules,
        start=start,
    )
    return prepared.roll()
