"""Whose Piggles are which: the models of both sides of a table, as names give them."""

from collections.abc import Mapping

from pigglesim.catalog import model_names, team_names
from pigglesim.errors import SpecError
from pigglesim.rolls import BOARD_SEATS, Seat
from pigglesim.scene.scene import Scene
from pigglesim.scene.team import Team, check_owners, load_team
from pigglesim.shapes.livery import split_livery

__all__ = ["markings", "team_models", "teams_by_name"]

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
