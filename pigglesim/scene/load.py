"""Scene, floor and team files: TOML read through tables that check every key."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pigglesim.arguments import checked
from pigglesim.bodies.livery import Livery, split_livery
from pigglesim.bodies.load import MODEL_FILE
from pigglesim.data_files import (
    floor_file,
    model_file,
    model_names,
    scene_file,
    team_file,
    team_names,
)
from pigglesim.errors import SpecError, cut
from pigglesim.files import FileKind, beside, decoded, fault_text, parse_toml, read_file
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.markings import read_colour, read_rune
from pigglesim.scene.scene import (
    INCH,
    Board,
    Contact,
    Contacts,
    Cup,
    Dice,
    Fall,
    Floor,
    Hand,
    Scene,
    Stepping,
    Surface,
)


class FileTable(BaseModel):
    """A table of a file: nothing unknown in it, and nothing in it changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_File = TypeVar("_File", bound=FileTable)
_MOST_FAULTS = 8
"""Faults of a file that are told at once: who has more has another file in hand."""


def read_table(path: Path, table: type[_File], *, kind: str, like: str) -> tuple[_File, str]:
    """Return what a file holds, checked, and its digest.

    Args:
        path: The file.
        table: What it must hold.
        kind: What such a file is called, such as `"scene"`.
        like: A file that shows how it is done.

    Raises:
        SpecError: If it cannot be read, is no TOML, goes beyond the limits of such files, or does
            not hold what it must; every such key is named.
    """
    limits = FileKind(name=kind, values=2_000)
    data = read_file(path, limits)
    plain = parse_toml(decoded(data, limits, where=path.name), limits, where=path.name)
    try:
        return table.model_validate(plain), hashlib.sha256(data).hexdigest()
    except ValidationError as faults:
        found = faults.errors(include_url=False)
        told = [_fault_text(fault) for fault in found[:_MOST_FAULTS]]
        told += [f"and {len(found) - _MOST_FAULTS} more"] if len(found) > _MOST_FAULTS else []
        raise SpecError(
            f"a {kind} file as {like} shows, in {path.name}",
            got="; ".join(told),
            remedy="mend the keys named",
        ) from None


def _fault_text(fault: "object") -> str:
    """Return one fault of a file as `key: what is wrong (got value)`."""
    assert isinstance(fault, dict)
    key = cut(".".join(str(part) for part in fault["loc"]))
    return f"{key}: {fault_text(fault)}"


def model_of_file(path: Path, name: str) -> str:
    """Return the name of a model as it is loaded, livery and all.

    Args:
        path: The scene or team that names it.
        name: An id, or the bare name of a TOML file beside it.

    Raises:
        SpecError: If it names a file that is elsewhere, or a link, or what follows is no livery.
    """
    model, _ = split_livery(name)
    if "/" not in model and not model.endswith(".toml"):
        return name
    own = beside(path, model, MODEL_FILE)
    if own.is_symlink():
        raise SpecError(
            f"a model in the folder of {path.name}",
            got=f"the link {model}",
            remedy="put the file itself beside it",
        )
    return f"{own}{name[len(model) :]}"


MM = 1e-3
Positive = Annotated[float, Field(gt=0, ge=1e-6, lt=1e4, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, lt=1e4, allow_inf_nan=False)]
Real = Annotated[float, Field(gt=-1e4, lt=1e4, allow_inf_nan=False)]
Swing = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)]
"""No arm is longer [mm]."""
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _BoardTable(FileTable):
    size_in: Positive
    thickness_mm: Positive
    plain: bool = False
    woods_in: Positive | None = None
    ring_in: Positive | None = None
    inner_in: Positive | None = None
    lane_in: Positive | None = None
    line_mm: Positive | None = None

    @model_validator(mode="after")
    def _printed_or_plain(self) -> Self:
        absent = [name for name in _PRINTED if getattr(self, name) is None]
        if absent and not self.plain:
            raise ValueError(f"missing {', '.join(absent)}, or plain = true")
        if self.plain and len(absent) < len(_PRINTED):
            raise ValueError("plain = true and regions that would be printed")
        return self

    def build(self) -> Board:
        size, thickness = self.size_in * INCH, self.thickness_mm * MM
        if self.plain:
            return Board.unprinted(size=size, thickness=thickness)
        woods, ring, inner, lane, line = (float(getattr(self, name)) for name in _PRINTED)
        return Board(
            size=size,
            woods=woods * INCH,
            ring=ring * INCH,
            inner=inner * INCH,
            lane=lane * INCH,
            line=line * MM,
            thickness=thickness,
        )


_PRINTED = ("woods_in", "ring_in", "inner_in", "lane_in", "line_mm")
"""What a board needs that is not plain."""


class _DiceTable(FileTable):
    model: str
    most: Annotated[int, Field(ge=1, le=12)]

    def build(self, path: Path) -> Dice:
        return Dice(model=model_of_file(path, self.model), most=self.most)


class _CupTable(FileTable):
    inner_radius_mm: Positive
    depth_mm: Positive
    wall_mm: Positive

    def build(self) -> Cup:
        return Cup(
            inner_radius=self.inner_radius_mm * MM,
            depth=self.depth_mm * MM,
            wall=self.wall_mm * MM,
        )


class _HandTable(FileTable):
    shake_s: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)]
    shake_hz: Annotated[float, Field(ge=1e-3, le=100, allow_inf_nan=False)]
    shake_across_mm: Swing
    shake_along_mm: Swing
    shake_up_mm: Swing
    tip_s: Annotated[float, Field(ge=0.05, le=10, allow_inf_nan=False)]
    tip_deg: Annotated[float, Field(ge=95, le=180, allow_inf_nan=False)]
    start_back_in: Real
    end_back_in: Real
    across_in: Real
    lip_height_in: Real
    across_spread_in: NonNegative
    heading_spread_deg: Annotated[float, Field(ge=0, le=45, allow_inf_nan=False)]
    tempo_spread: Annotated[float, Field(ge=0, le=0.5, allow_inf_nan=False)]
    patience_s: Annotated[float, Field(ge=0.2, le=10, allow_inf_nan=False)]

    def build(self) -> Hand:
        return Hand(
            shake_time=self.shake_s,
            shake_frequency=self.shake_hz,
            shake_across=self.shake_across_mm * MM,
            shake_along=self.shake_along_mm * MM,
            shake_up=self.shake_up_mm * MM,
            tip_time=self.tip_s,
            tip_angle=math.radians(self.tip_deg),
            start_back=self.start_back_in * INCH,
            end_back=self.end_back_in * INCH,
            across=self.across_in * INCH,
            lip_height=self.lip_height_in * INCH,
            across_spread=self.across_spread_in * INCH,
            heading_spread=math.radians(self.heading_spread_deg),
            tempo_spread=self.tempo_spread,
            patience=self.patience_s,
        )


class _ContactTable(FileTable):
    friction: Annotated[float, Field(gt=0, le=5, allow_inf_nan=False)]
    restitution: Fraction

    def build(self) -> Contact:
        return Contact(friction=self.friction, restitution=self.restitution)


class _ContactsTable(FileTable):
    board: _ContactTable
    piggle: _ContactTable
    cup: _ContactTable
    rolling_lever_mm: NonNegative
    spinning_lever_mm: NonNegative

    def build(self) -> Contacts:
        return Contacts(
            board=self.board.build(),
            piggle=self.piggle.build(),
            cup=self.cup.build(),
            rolling_lever=self.rolling_lever_mm * MM,
            spinning_lever=self.spinning_lever_mm * MM,
        )


class _FloorSteppingTable(FileTable):
    time_step_ms: Positive
    iterations: int
    rest_speed_mm_s: Positive
    rest_time_s: Positive
    time_limit_s: Annotated[float, Field(gt=0, le=120, allow_inf_nan=False)]

    def build(self) -> Stepping:
        return Stepping(
            time_step=self.time_step_ms * 1e-3,
            iterations=self.iterations,
            rest_speed=self.rest_speed_mm_s * MM,
            rest_time=self.rest_time_s,
            time_limit=self.time_limit_s,
        )


class _SteppingTable(_FloorSteppingTable):
    rest_spin_rad_s: Positive
    ease_time_s: NonNegative

    def build(self) -> Stepping:
        return replace(super().build(), rest_spin=self.rest_spin_rad_s, ease_time=self.ease_time_s)


class _FallTable(FileTable):
    height_mm: Positive
    drift_spread_m_s: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
    spin_spread_rad_s: Annotated[float, Field(ge=0, le=500, allow_inf_nan=False)]

    def build(self) -> Fall:
        return Fall(
            height=self.height_mm * MM,
            drift_spread=self.drift_spread_m_s,
            spin_spread=self.spin_spread_rad_s,
        )


class _SurfaceTable(_ContactTable):
    rolling_lever_mm: NonNegative
    spinning_lever_mm: NonNegative

    def surface(self) -> Surface:
        return Surface(
            contact=self.build(),
            rolling_lever=self.rolling_lever_mm * MM,
            spinning_lever=self.spinning_lever_mm * MM,
        )


class _FloorFile(FileTable):
    id: str
    title: str
    drop: _FallTable
    surfaces: dict[str, _SurfaceTable]
    stepping: _FloorSteppingTable


class _SceneFile(FileTable):
    id: str
    title: str
    game: str
    board: _BoardTable
    cup: _CupTable
    hand: _HandTable
    contacts: _ContactsTable
    stepping: _SteppingTable
    teams: dict[
        Literal[Seat.A, Seat.B], Annotated[list[str], Field(min_length=1, max_length=12)]
    ] = Field(default_factory=dict)
    dice: _DiceTable | None = None

    @model_validator(mode="after")
    def _something_to_throw(self) -> Self:
        if not self.teams and self.dice is None:
            raise ValueError("neither teams nor dice: there is nothing to throw")
        return self


@checked
def load_scene(name: str) -> Scene:
    """Return the scene of that name, or of that file.

    Args:
        name: Id of a scene that comes with pigglesim, or a path to a TOML file.

    Returns:
        The table: board, cup, hand, contacts and teams, in SI units.

    Raises:
        SpecError: If there is no such scene, or the file describes an impossible one.

    Examples:
        >>> import pigglesim
        >>> pigglesim.load_scene("piggles_classic").board.size
    """
    path = scene_file(name)
    table, digest = read_table(path, _SceneFile, kind="scene", like="scenes/piggles_classic.toml")
    return Scene(
        id=table.id,
        title=table.title,
        game=table.game,
        board=table.board.build(),
        cup=table.cup.build(),
        hand=table.hand.build(),
        contacts=table.contacts.build(),
        stepping=table.stepping.build(),
        teams={
            Seat(seat): tuple(model_of_file(path, model) for model in models)
            for seat, models in table.teams.items()
        },
        dice=table.dice.build(path) if table.dice else None,
        sha256=digest,
    )


def load_floor(name: str) -> Floor:
    """Return the floor of that name, or of that file, on which single dice are dropped.

    Args:
        name: Id of a floor that comes with pigglesim, or a path to a TOML file.

    Raises:
        SpecError: If there is no such floor, or the file describes an impossible one.
    """
    table, digest = read_table(
        floor_file(name), _FloorFile, kind="scene", like="scenes/floors/tabletop.toml"
    )
    return Floor(
        id=table.id,
        title=table.title,
        fall=table.drop.build(),
        surfaces={name: surface.surface() for name, surface in table.surfaces.items()},
        stepping=table.stepping.build(),
        sha256=digest,
    )


_SIZE = 6
"""Piggles in a team (R1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Six Piggles that a player brings to the table."""

    id: str
    title: str
    models: tuple[str, ...]
    """Model of each with its livery, such as `"piggle+blue+left"`, in order of their numbers."""
    owned: tuple[str, ...]
    """Ids of those Piggles that the file tells apart from all others."""


class _PiggleTable(FileTable):
    colour: str
    rune: str | None = None
    model: str = "piggle"
    id: str | None = Field(default=None, min_length=1)

    def build(self, path: Path) -> str:
        model, livery = split_livery(model_of_file(path, self.model))
        if livery is not None:
            raise SpecError(
                "a plain model in a team file", got=repr(self.model), remedy=f'model = "{model}"'
            )
        model_file(model)
        rune = read_rune(self.rune) if self.rune is not None else None
        return f"{model}+{Livery(colour=read_colour(self.colour), rune=rune)}"


class _TeamFile(FileTable):
    id: str
    title: str
    piggle: list[_PiggleTable]


def load_team(name: str) -> Team:
    """Return the team of that name, or of that file.

    Args:
        name: Id of a team that comes with pigglesim, or a path to a TOML file.

    Raises:
        SpecError: If there is no such team, it is not of six, one of them has an unknown colour,
            rune or model, or the file names a Piggle twice.
    """
    path = team_file(name)
    table, _ = read_table(path, _TeamFile, kind="team", like="scenes/teams/standard.toml")
    if len(table.piggle) != _SIZE:
        raise SpecError(
            f"{_SIZE} Piggles in a team (R1)",
            got=f"{len(table.piggle)} in {path.name}",
            remedy="take some out" if len(table.piggle) > _SIZE else "add a table [[piggle]]",
        )
    team = Team(
        id=table.id,
        title=table.title,
        models=tuple(piggle.build(path) for piggle in table.piggle),
        owned=tuple(piggle.id for piggle in table.piggle if piggle.id is not None),
    )
    for piggle in team.owned:
        if team.owned.count(piggle) > 1:
            raise SpecError(
                f"the Piggle {piggle!r} once in {path.name}", got="twice", remedy="take one out"
            )
    return team


def check_owners(teams: Mapping[Seat, Team]) -> None:
    """Raise `SpecError` if two teams hold one and the same Piggle."""
    seen: dict[str, Seat] = {}
    for seat, team in teams.items():
        for piggle in team.owned:
            if piggle in seen:
                raise SpecError(
                    f"one owner of the Piggle {piggle!r}",
                    got=f"{seen[piggle]} and {seat}",
                    remedy="take it out of one team",
                )
            seen[piggle] = seat


_MODERN = "piggles_modern"


def team_models(scene: Scene, teams: Mapping[Seat, list[str]] | None = None) -> dict[str, str]:
    """Return the model of each Piggle, by id: the scene's teams, or those given in their place.

    Args:
        scene: The table.
        teams: For a seat, one model for the whole team or one for each of its Piggles.

    Raises:
        SpecError: If a team is given a number of models that is neither.
    """
    models: dict[str, str] = {}
    for seat, own in scene.teams.items():
        given = (teams or {}).get(seat) or list(own)
        if len(given) == 1:
            given = given * len(own)
        if len(given) != len(own):
            raise SpecError(
                f"1 or {len(own)} models for the team of {seat}",
                got=str(len(given)),
                remedy="such as piggle, or piggle,piggle,premium,premium,piggle,piggle",
            )
        models |= {f"{seat}{number}": model for number, model in enumerate(given, start=1)}
    return models


def teams_by_name(
    game: str, scene: Scene, given: Mapping[Seat, str | None]
) -> dict[Seat, list[str]]:
    """Return the models of each seat's team as words on the command line give them.

    In Modern a word that names a team or a file is one; models go with commas, and in Classic
    nothing else is known.

    Args:
        game: Name of the game.
        scene: The table, whose own team stands for one not given; at another game's table that is
            the standard team.
        given: The word for each seat.

    Raises:
        SpecError: If a team is unknown or at fault, or a Piggle is in both teams.
    """
    models: dict[Seat, list[str]] = {}
    teams: dict[Seat, Team] = {}
    for seat, text in given.items():
        if text is None and (game != _MODERN or scene.game == _MODERN):
            models[seat] = []
        elif text is None:
            models[seat] = list(load_team("standard").models)
        elif game == _MODERN and _names_team(text):
            teams[seat] = load_team(text)
            models[seat] = list(teams[seat].models)
        else:
            models[seat] = [name.strip() for name in text.split(",")]
    check_owners(teams)
    return models


def _names_team(text: str) -> bool:
    if text in team_names():
        return True
    return "," not in text and "+" not in text and text not in model_names()


def markings(models: Mapping[str, str]) -> dict[str, object]:
    """Return the settings of a Modern game that say what the Piggles of these models wear."""
    teams: dict[str, list[str]] = {f"team_{seat.lower()}": [] for seat in BOARD_SEATS}
    for piggle, model in models.items():
        livery = split_livery(model)[1]
        teams[f"team_{piggle[0].lower()}"].append(str(livery) if livery else "-")
    return dict(teams)
