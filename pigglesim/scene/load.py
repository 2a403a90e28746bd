"""Scene, floor and team files: TOML, with every key checked."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pigglesim.arguments import checked
from pigglesim.bodies.load import MODEL_FILE
from pigglesim.data_files import (
    floor_file,
    model_file,
    model_names,
    scene_file,
    team_file,
    team_names,
)
from pigglesim.errors import SpecError
from pigglesim.files import FileKind, beside, decoded, parse_toml, read_file, validated
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.markings import Livery, read_colour, read_rune, split_livery
from pigglesim.scene.scene import (
    INCH,
    Board,
    Contact,
    Contacts,
    Cup,
    DiceSet,
    Fall,
    Floor,
    Hand,
    Scene,
    Stepping,
    Surface,
)


class _SceneTable(BaseModel):
    """A table of a file, immutable and without unknown keys.

    Fields are named as in the resulting class; keys of the file end in their units.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    makes: ClassVar[type]

    def values(self) -> dict[str, Any]:
        """Return the table's values, by name and in SI units; absent keys are missing."""
        values = {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, _SceneTable):
                values[name] = value.make()
            elif isinstance(value, dict):
                values[name] = {
                    key: inner.make() if isinstance(inner, _SceneTable) else inner
                    for key, inner in value.items()
                }
            elif value is not None:
                unit = next((end for end in _UNITS if (field.alias or "").endswith(end)), None)
                values[name] = _UNITS[unit](value) if unit else value
        return values

    def make(self) -> Any:  # noqa: ANN401 (a `makes`)
        """Return the object that the table describes."""
        return self.makes(**self.values())


_UNITS: dict[str, Callable[[float], float]] = {
    "_mm": lambda length: length * 1e-3,
    "_in": lambda length: length * INCH,
    "_deg": math.radians,
    "_ms": lambda time: time * 1e-3,
    "_mm_s": lambda speed: speed * 1e-3,
}
"""Conversion to SI units by the end of a key; others are in SI units."""
_File = TypeVar("_File", bound=_SceneTable)


def _read(path: Path, table: type[_File], *, kind: str, like: str) -> tuple[_File, str]:
    """Return the checked contents of a file, and its digest."""
    limits = FileKind(name=kind, values=2_000)
    data = read_file(path, limits)
    plain = parse_toml(decoded(data, where=path.name), limits, where=path.name)
    expected = f"a {kind} file as {like} shows, in {path.name}"
    return validated(table.model_validate_json, plain, expected=expected), sha256(data).hexdigest()


def model_of_file(path: Path, name: str) -> str:
    """Return the name of a model for loading, with its livery.

    Raises:
        SpecError: If it names a file in another folder, a link, or an unknown livery.
    """
    model, _ = split_livery(name)
    if "/" not in model and not model.endswith(".toml"):
        return name
    file = beside(path, model, MODEL_FILE)
    if file.is_symlink():
        raise SpecError(f"{model} next to {path.name} is a link", fix="put the file itself there")
    return f"{file}{name[len(model) :]}"


Positive = Annotated[float, Field(gt=0, ge=1e-6, lt=1e4, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, lt=1e4, allow_inf_nan=False)]
Real = Annotated[float, Field(gt=-1e4, lt=1e4, allow_inf_nan=False)]
Swing = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)]
"""Length of a motion of the arm [mm]."""
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _BoardTable(_SceneTable):
    makes = Board
    size: Positive = Field(alias="size_in")
    thickness: Positive = Field(alias="thickness_mm")
    plain: bool = False
    woods: Positive | None = Field(None, alias="woods_in")
    ring: Positive | None = Field(None, alias="ring_in")
    inner: Positive | None = Field(None, alias="inner_in")
    lane: Positive | None = Field(None, alias="lane_in")
    line: Positive | None = Field(None, alias="line_mm")

    @model_validator(mode="after")
    def _printed_or_plain(self) -> Self:
        printed = {
            str(field.alias): getattr(self, name)
            for name, field in type(self).model_fields.items()
            if field.default is None
        }
        absent = [key for key, value in printed.items() if value is None]
        if absent and not self.plain:
            raise ValueError(f"missing {', '.join(absent)}, or plain = true")
        if self.plain and len(absent) < len(printed):
            raise ValueError("plain = true and regions that would be printed")
        return self

    def make(self) -> Board:
        values = self.values()
        if values.pop("plain"):
            return Board.unprinted(**values)
        return Board(**values)


class _CupTable(_SceneTable):
    makes = Cup
    inner_radius: Positive = Field(alias="inner_radius_mm")
    depth: Positive = Field(alias="depth_mm")
    wall: Positive = Field(alias="wall_mm")


class _HandTable(_SceneTable):
    makes = Hand
    shake_time: float = Field(alias="shake_s", ge=0, le=60, allow_inf_nan=False)
    shake_frequency: float = Field(alias="shake_hz", ge=1e-3, le=100, allow_inf_nan=False)
    shake_across: Swing = Field(alias="shake_across_mm")
    shake_along: Swing = Field(alias="shake_along_mm")
    shake_up: Swing = Field(alias="shake_up_mm")
    tip_time: float = Field(alias="tip_s", ge=0.05, le=10, allow_inf_nan=False)
    tip_angle: float = Field(alias="tip_deg", ge=95, le=180, allow_inf_nan=False)
    start_back: Real = Field(alias="start_back_in")
    end_back: Real = Field(alias="end_back_in")
    across: Real = Field(alias="across_in")
    lip_height: Real = Field(alias="lip_height_in")
    across_spread: NonNegative = Field(alias="across_spread_in")
    heading_spread: float = Field(alias="heading_spread_deg", ge=0, le=45, allow_inf_nan=False)
    tempo_spread: float = Field(ge=0, le=0.5, allow_inf_nan=False)
    patience: float = Field(alias="patience_s", ge=0.2, le=10, allow_inf_nan=False)


class _ContactTable(_SceneTable):
    makes = Contact
    friction: float = Field(gt=0, le=5, allow_inf_nan=False)
    restitution: Fraction


class _ContactsTable(_SceneTable):
    makes = Contacts
    board: _ContactTable
    piggle: _ContactTable
    cup: _ContactTable
    rolling_lever: NonNegative = Field(alias="rolling_lever_mm")
    spinning_lever: NonNegative = Field(alias="spinning_lever_mm")


class _FloorSteppingTable(_SceneTable):
    makes = Stepping
    time_step: Positive = Field(alias="time_step_ms")
    iterations: int
    rest_speed: Positive = Field(alias="rest_speed_mm_s")
    rest_time: Positive = Field(alias="rest_time_s")
    time_limit: float = Field(alias="time_limit_s", gt=0, le=120, allow_inf_nan=False)


class _SteppingTable(_FloorSteppingTable):
    rest_spin: Positive = Field(alias="rest_spin_rad_s")
    ease_time: NonNegative = Field(alias="ease_time_s")


class _FallTable(_SceneTable):
    makes = Fall
    height: Positive = Field(alias="height_mm")
    drift_spread: float = Field(alias="drift_spread_m_s", ge=0, le=10, allow_inf_nan=False)
    spin_spread: float = Field(alias="spin_spread_rad_s", ge=0, le=500, allow_inf_nan=False)


class _SurfaceTable(_ContactTable):
    rolling_lever: NonNegative = Field(alias="rolling_lever_mm")
    spinning_lever: NonNegative = Field(alias="spinning_lever_mm")
    sliding_friction: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)] | None = None
    impact_stages: Annotated[int, Field(ge=1, le=64)] = 1

    def make(self) -> Surface:
        values = self.values()
        contact = Contact(friction=values.pop("friction"), restitution=values.pop("restitution"))
        return Surface(contact=contact, **values)


class _FloorFile(_SceneTable):
    id: str
    title: str
    fall: _FallTable = Field(alias="drop")
    surfaces: dict[str, _SurfaceTable]
    stepping: _FloorSteppingTable


class _DiceTable(_SceneTable):
    makes = DiceSet
    model: str
    most: Annotated[int, Field(ge=1, le=12)]


class _SceneFile(_SceneTable):
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
    """Return the scene of a name or file.

    Args:
        name: Id of a scene that comes with pigglesim, or a path to a TOML file.

    Returns:
        The scene: board, cup, hand, contacts and teams, in SI units.

    Raises:
        SpecError: If there is no such scene, or the file describes an impossible one.

    Examples:
        >>> import pigglesim
        >>> pigglesim.load_scene("piggles_classic").board.size
    """
    path = scene_file(name)
    table, digest = _read(path, _SceneFile, kind="scene", like="scenes/piggles_classic.toml")
    values = table.values()
    values["teams"] = {
        Seat(seat): tuple(model_of_file(path, model) for model in models)
        for seat, models in table.teams.items()
    }
    if table.dice:
        values["dice"] = DiceSet(model=model_of_file(path, table.dice.model), most=table.dice.most)
    return Scene(**values, sha256=digest)


def load_floor(name: str) -> Floor:
    """Return the floor of a name or file, on which single dice are dropped.

    Raises:
        SpecError: If there is no such floor, or the file describes an impossible one.
    """
    table, digest = _read(
        floor_file(name), _FloorFile, kind="scene", like="scenes/floors/tabletop.toml"
    )
    return Floor(**table.values(), sha256=digest)


_SIZE = 6
"""Number of Piggles in a team (R1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Six Piggles that a player brings to the table."""

    id: str
    title: str
    models: tuple[str, ...]
    """Model of each with its livery, such as `"piggle+blue+left"`, in order of their numbers."""
    owned: tuple[str, ...]
    """Ids of the Piggles that the file marks as unique."""


class _PiggleTable(_SceneTable):
    colour: str
    rune: str | None = None
    model: str = "piggle"
    id: str | None = Field(default=None, min_length=1)

    def build(self, path: Path) -> str:
        model, livery = split_livery(model_of_file(path, self.model))
        if livery is not None:
            raise SpecError(
                f"the model {self.model!r} of a team has a livery", fix=f'use model = "{model}"'
            )
        model_file(model)
        rune = read_rune(self.rune) if self.rune is not None else None
        return f"{model}+{Livery(colour=read_colour(self.colour), rune=rune)}"


class _TeamFile(_SceneTable):
    id: str
    title: str
    piggle: list[_PiggleTable]


def load_team(name: str) -> Team:
    """Return the team of a name or file.

    Raises:
        SpecError: If there is no such team, it does not have six Piggles, one of them has an
            unknown colour, rune or model, or the file names a Piggle twice.
    """
    path = team_file(name)
    table, _ = _read(path, _TeamFile, kind="team", like="scenes/teams/standard.toml")
    if len(table.piggle) != _SIZE:
        raise SpecError(
            f"{path.name} has {len(table.piggle)} Piggles",
            expected=f"{_SIZE}, by R1",
            fix="remove some" if len(table.piggle) > _SIZE else "add a table [[piggle]]",
        )
    team = Team(
        id=table.id,
        title=table.title,
        models=tuple(piggle.build(path) for piggle in table.piggle),
        owned=tuple(piggle.id for piggle in table.piggle if piggle.id is not None),
    )
    for piggle in team.owned:
        if team.owned.count(piggle) > 1:
            raise SpecError(f"{path.name} has the Piggle {piggle!r} twice", fix="remove one")
    return team


def check_owners(teams: Mapping[Seat, Team]) -> None:
    """Raise `SpecError` if two teams contain the same Piggle."""
    seat_of: dict[str, Seat] = {}
    for seat, team in teams.items():
        for piggle in team.owned:
            if piggle in seat_of:
                raise SpecError(
                    f"the teams of {seat_of[piggle]} and {seat} both have the Piggle {piggle!r}",
                    fix="remove it from one team",
                )
            seat_of[piggle] = seat


_MODERN = "piggles_modern"


def team_models(scene: Scene, teams: Mapping[Seat, list[str]] | None = None) -> dict[str, str]:
    """Return the model of each Piggle, by id: from the scene's teams, or from `teams` instead.

    `teams` has the models of a seat: one for the whole team, or one per Piggle.

    Raises:
        SpecError: If a team has another number of models.
    """
    models: dict[str, str] = {}
    for seat, default in scene.teams.items():
        chosen = (teams or {}).get(seat) or list(default)
        if len(chosen) == 1:
            chosen = chosen * len(default)
        if len(chosen) != len(default):
            raise SpecError(
                f"{len(chosen)} models for the team of {seat}",
                expected=f"1 or {len(default)}",
                fix="list them, as in piggle,piggle,premium,premium,piggle,piggle",
            )
        models |= {f"{seat}{number}": model for number, model in enumerate(chosen, start=1)}
    return models


def teams_by_name(
    game: str, scene: Scene, names: Mapping[Seat, str | None]
) -> dict[Seat, list[str]]:
    """Return the models of each seat's team from names on the command line.

    In Modern a name is that of a team or its file. In either game it may list models, separated by
    commas; in Classic nothing else is valid.

    Args:
        game: Name of the game.
        scene: The scene, whose own team replaces a missing one; at another game's scene that is
            the standard team.
        names: Word of each seat.

    Raises:
        SpecError: If a team is unknown or invalid, or a Piggle is in both teams.
    """
    models: dict[Seat, list[str]] = {}
    teams: dict[Seat, Team] = {}
    for seat, text in names.items():
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
    """Return the settings of a Modern game for the liveries of these models."""
    teams: dict[str, list[str]] = {f"team_{seat.lower()}": [] for seat in BOARD_SEATS}
    for piggle, model in models.items():
        livery = split_livery(model)[1]
        teams[f"team_{piggle[0].lower()}"].append(str(livery) if livery else "-")
    return dict(teams)
