"""Words that flags take and a shell completes: names of models, scenes, games, agents and the like.

Nothing heavy is loaded for them, as somebody waits at a key.
"""

from collections.abc import Callable, Iterable

import typer

from pigglesim.cli.flags import Flag
from pigglesim.data_files import (
    floor_names,
    model_names,
    own_model_names,
    scene_names,
    team_names,
)


def _of(metavar: str, names: Callable[[], Iterable[str]]) -> Flag:
    """Return a flag that completes a word, or the last of several with commas between."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        del ctx
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(last)]

    return Flag(metavar=metavar, complete=complete)


def _models() -> Iterable[str]:
    return [*model_names(), *own_model_names()]


# The registries load every game; a test holds these to them.
_GAMES = (
    "piggles_classic", "piggles_modern", "lord_of_the_pigs", "pig_pile", "piggyback", "piggy_six",
)  # fmt: skip
_AGENTS = ("uniform", "greedy", "threshold", "expectimax", "mcts", "hold", "optimal", "best")
_ENGINES = ("bullet", "mujoco", "impulse")
_FACTORS = (
    "model", "friction", "restitution", "rolling_lever_mm", "spinning_lever_mm", "ballast_g",
    "time_step_ms", "material", "height_mm", "drift_spread_m_s", "spin_spread_rad_s",
    "board_friction", "board_restitution", "number", "shake_s", "shake_hz", "tip_s", "tip_deg",
    "lip_height_in", "end_back_in", "across_in", "across_spread_in", "heading_spread_deg",
    "tempo_spread", "standing",
)  # fmt: skip
_VIEWS = ("table", "top", "south", "north", "east", "west", "low")

AGENT = _of("AGENT", lambda: _AGENTS)
AGENTS = _of("AGENTS", lambda: _AGENTS)
CHANCE = _of("CHANCE", lambda: ("physical", "tabular", "fair"))
ENGINE = _of("ENGINE", lambda: _ENGINES)
ENGINES = _of("ENGINES", lambda: _ENGINES)
FACTOR = _of("NAME=LEVELS", lambda: [f"{name}=" for name in _FACTORS])
FLOOR = _of("FLOOR", lambda: floor_names())
GAME = _of("GAME", lambda: _GAMES)
KIND = _of("KIND", lambda: ("drop", "pour", "knock"))
MODEL = _of("MODEL", _models)
MODELS = _of("MODELS", _models)
PLAYER = _of("AGENT", lambda: ("human", *_AGENTS))
SCENE = _of("SCENE", lambda: scene_names())
SCENE_OR_FLOOR = _of("SCENE", lambda: [*scene_names(), *floor_names()])
SEAT = _of("SEAT", lambda: ("A", "B"))
TEAM = _of("TEAM", lambda: team_names())
TEAM_OR_MODEL = _of("TEAM", lambda: [*team_names(), *_models()])
UNIT = _of("UNIT", lambda: ("mm", "cm", "m", "in"))
VIEW = _of("VIEW", lambda: _VIEWS)
