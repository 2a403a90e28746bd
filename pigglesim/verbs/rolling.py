"""One pour from the cup: rolled, read, and all that can be told, drawn or kept of it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from pigglesim.arguments import checked
from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.displays import displayed
from pigglesim.errors import SpecError
from pigglesim.files.whole import expect_new
from pigglesim.films.film import Film
from pigglesim.films.store import SUFFIX
from pigglesim.games.piggles.house_rules import HouseRules
from pigglesim.pictures.board import landing_points
from pigglesim.rolls import (
    BOARD_SEATS,
    ClassLanding,
    CupHold,
    Knock,
    Landing,
    RollRequest,
    RollResult,
    Seat,
    Zone,
)
from pigglesim.scene.board import INCH
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.scene.team import team_models
from pigglesim.seeding import Seed, root_seed
from pigglesim.sharing.stage import Stage
from pigglesim.verbs.roll_document import read_layout, roll_document
from pigglesim.verbs.table import make_chance

__all__ = ["Prepared", "Roll", "expect_cupful", "held_over", "prepare", "roll"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Roll:
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
        """Return all of it but the film as plain values; SI units in the names."""
        return roll_document(self.seed, self.request, self.result, self.models, self.provenance)

    def to_json(self) -> str:
        """Return the document as JSON, as `pigglesim roll --json` prints it."""
        return json.dumps(self.document(), ensure_ascii=False, allow_nan=False, indent=1)

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
        from pigglesim.sharing.files import write_target  # noqa: PLC0415 (only here)
        from pigglesim.verbs.saving import (  # noqa: PLC0415 (draws)
            KINDS,
            Look,
            expect_kind,
            save_stage,
        )

        path = Path(file)
        look = Look(size=size, camera=camera, fps=fps, slow_motion=slow_motion, at=at)
        kind = expect_kind(path, (*KINDS, ".json"), look)
        if kind in {SUFFIX, ".json"}:
            expect_new(path, overwrite=overwrite)
        if kind == ".json":
            write_target(path, self.to_json() + "\n")
        else:
            before = dict(self.request.standing)
            save_stage(self.stage, self.scene, path, before=before, look=look)
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
    """Return a roll, ready to be poured.

    Args:
        piggles: How many are in the cup.
        scene: The table's name or file.
        models: One for all in the cup or one each; none for the scene's own team.
        seat: Who throws: A or B.
        seed: Root seed.
        number: Which roll of the seed.
        engine: Name of the engine; None for the default one.
        hold: Where the cup is held; None for the scene's own hold.
        standing: What lies on the board already, by id.
        standing_models: The model of each of those.
        house_rules: By name.

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
    rules = HouseRules.from_mapping(house_rules or {})
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
    """Return where the cup is held at a table, from inches; None for where the table says.

    Args:
        table: The table.
        across: To the thrower's right.
        back: Behind the centre line.
        height: Above the board.
    """
    if across is None and back is None and height is None:
        return None
    hand = table.hand
    return CupHold(
        across=hand.across if across is None else across * INCH,
        back=hand.end_back if back is None else back * INCH,
        height=hand.lip_height if height is None else height * INCH,
    )
