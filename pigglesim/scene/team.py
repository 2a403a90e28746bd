"""Team files of Piggles Modern: six Piggles with a colour, a rune and a model each (M20)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from pigglesim.bodies.livery import Livery, split_livery
from pigglesim.data_files import model_file, model_names, team_file, team_names
from pigglesim.errors import SpecError
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.markings import read_colour, read_rune
from pigglesim.scene.load import FileTable, model_of_file, read_table
from pigglesim.scene.scene import Scene

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
