"""What a match is played at and under: game, table, models and chance, from words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pigglesim.chance.fair import FairChance
from pigglesim.chance.tabular import check_by_odds
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.match.runner import ChanceSource
from pigglesim.rolls import BOARD_SEATS, Seat
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.scene.team import team_models, teams_by_name
from pigglesim.verbs.table import make_source, worn_game

__all__ = ["Place", "find_place", "seat_names"]

_DEFAULT = "piggles_classic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a match is played, and what."""

    game: Game[Any, Any]
    scene_name: str | None
    """The table's name or file; None for a game that needs no table."""
    scene: Scene | None
    models: Mapping[str, str]
    """The model of each Piggle, by id; empty where there are none."""

    @property
    def chances(self) -> tuple[str, ...]:
        """What can answer here, the usual first."""
        return find(self.game.name).chances

    def source(
        self, kind: str | None, *, engine: str | None, seed: int, odds: str | None = None
    ) -> ChanceSource:
        """Return what answers the rolls.

        Args:
            kind: `physical`, `tabular` or `fair`; None for the usual.
            engine: Name of the engine of physics; None for the default one.
            seed: Root seed.
            odds: The file of the odds, or the model they come with; None for piggle.

        Raises:
            SpecError: If that cannot be here, a name is unknown or a file is at fault.
        """
        kind = kind or self.chances[0]
        if kind not in self.chances:
            raise unknown_name(f"chance of {self.game.name}", kind, self.chances)
        if kind == "tabular" and engine is not None:
            raise SpecError(
                "an engine for rolls on physics",
                got="--engine with --chance tabular",
                remedy="leave --engine out",
            )
        if kind == "tabular":
            check_by_odds(self.game)
        if kind != "fair":
            assert self.scene_name is not None
            return make_source(
                kind,
                self.scene_name,
                models=dict(self.models),
                engine=engine,
                seed=seed,
                odds=odds,
            )
        for flag, given in (("--engine", engine), ("--odds", odds)):
            if given is not None:
                raise SpecError("fair chance alone", got=flag, remedy=f"leave {flag} out")
        return FairChance(seed=seed)


def find_place(
    game: str | None,
    scene: str | None,
    *,
    rules: Mapping[str, object],
    players: int | None = None,
    teams: tuple[str | None, str | None] = (None, None),
) -> Place:
    """Return what is played and where.

    Args:
        game: The game; None for the scene's own, or Piggles Classic.
        scene: The table's name or file; None for the game's own.
        rules: House rules by name.
        players: How many play; None for the game's own number.
        teams: A's and B's Piggles in words; None for the scene's own.

    Raises:
        SpecError: If anything is unknown or cannot be.
    """
    table = None if scene is None else load_scene(scene)
    name = game or (table.game if table else _DEFAULT)
    entry = find(name)
    place = scene or entry.scene
    table = table or (load_scene(place) if place else None)
    if table is None or not table.teams:
        if any(teams):
            raise SpecError("a game of Piggles, with teams", got=name, remedy="leave --team out")
        models: dict[str, str] = {}
    else:
        sides = dict(zip(BOARD_SEATS, teams, strict=True))
        models = team_models(table, teams_by_name(name, table, sides))
    if players is not None:
        if entry.players_rule is None:
            raise SpecError(
                f"{entry.players} players in {name}", got=str(players), remedy="no --players"
            )
        rules = {**rules, entry.players_rule: players}
    played = worn_game(name, rules, models)
    return Place(game=played, scene_name=place, scene=table, models=models)


def seat_names(
    game: Game[Any, Any], *, a: str | None, b: str | None, agents: str | None, default: str
) -> dict[Seat, str]:
    """Return who plays at each seat.

    Args:
        game: The rules, which tell the seats.
        a: Who plays at A; None for whoever is listed.
        b: Who plays at B.
        agents: Names with commas, in the order of seats, or one for all; None for the default.
        default: Who plays where nobody is named.

    Raises:
        SpecError: If there are more or fewer names than seats.
    """
    if agents is not None and set(game.seats) <= {
        seat for seat, own in ((Seat.A, a), (Seat.B, b)) if own
    }:
        raise SpecError("--agents, or --a and --b", got="all three", remedy="leave --agents out")
    names = [default] if agents is None else [name.strip() for name in agents.split(",")]
    if len(names) == 1:
        names *= len(game.seats)
    if len(names) != len(game.seats):
        raise SpecError(
            f"one agent, or {len(game.seats)}: one for each seat of {game.name}",
            got=f"{len(names)}: {agents}",
            remedy=f"--agents {','.join([default] * len(game.seats))}",
        )
    named = {Seat.A: a, Seat.B: b}
    return {seat: named.get(seat) or name for seat, name in zip(game.seats, names, strict=True)}
