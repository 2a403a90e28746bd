"""Team files of Piggles Modern: six Piggles with a colour, a rune and a model each (M20)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from pigglesim.catalog import model_file, team_file
from pigglesim.errors import SpecError
from pigglesim.markings import read_colour, read_rune
from pigglesim.rolls import Seat
from pigglesim.scene.own_models import model_of_file
from pigglesim.scene.tables import FileTable, read_table
from pigglesim.shapes.livery import Livery, split_livery

__all__ = ["Team", "check_owners", "load_team"]

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
