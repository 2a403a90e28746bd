"""The game of a match, with its scene and models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pigglesim.api.sources import make_source, marked_game, player_settings
from pigglesim.chance.physical import expect_places
from pigglesim.errors import SpecError
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.runner import ChanceSource, start_state
from pigglesim.scene.load import load_scene, team_models, teams_by_name
from pigglesim.scene.scene import Scene

_DEFAULT = "piggles_classic"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSetup:
    """Game of a match, with its scene and models."""

    game: Game[Any, Any]
    scene_name: str | None
    """Name or file of the scene; None for a game that needs none."""
    scene: Scene | None
    models: Mapping[str, str]
    """Model of each Piggle, by id; empty if there are none."""
    position: str | None = None
    """State from which the match is played, in the notation of the game; None for the initial
    state."""

    def source(
        self, kind: str | None, *, engine: str | None, seed: int, odds: str | None = None
    ) -> ChanceSource:
        """Return the source of chance, as `make_source` does.

        Raises:
            SpecError: As `make_source`; or if physics does not know the places in the position.
        """
        source = make_source(
            self.game, kind, scene=self.scene_name, models=self.models, engine=engine, seed=seed,
            odds=odds
        )  # fmt: skip
        expect_places(source, self.game, start_state(self.game, self.position))
        return source


def set_up_game(
    game: str | None,
    scene: str | None,
    *,
    rules: Mapping[str, object],
    players: int | None = None,
    teams: tuple[str | None, str | None] = (None, None),
    position: str | None = None,
) -> GameSetup:
    """Return the game, its scene and models; `play_match` describes the arguments."""
    loaded = None if scene is None else load_scene(scene)
    name = game or (loaded.game if loaded else _DEFAULT)
    scene_name = scene or find(name).scene
    loaded = loaded or (load_scene(scene_name) if scene_name else None)
    if loaded is None or not loaded.teams:
        if any(teams):
            raise SpecError(f"{name} has no teams", fix="leave --team out")
        models: dict[str, str] = {}
    else:
        sides = dict(zip(BOARD_SEATS, teams, strict=True))
        models = team_models(loaded, teams_by_name(name, loaded, sides))
    configured = marked_game(name, {**rules, **player_settings(name, players, rules)}, models)
    start_state(configured, position)
    return GameSetup(
        game=configured, scene_name=scene_name, scene=loaded, models=models, position=position
    )
