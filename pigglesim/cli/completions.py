"""Values that a shell completes: names of models, scenes, games, agents and the like.

Nothing heavy is loaded for them, as somebody waits at a key.
"""

from collections.abc import Callable, Iterable

import typer

_Complete = Callable[[typer.Context, str], list[str]]


def _of(names: Callable[[], Iterable[str]]) -> _Complete:
    """Return what completes a word, or the last of several with commas between."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        del ctx
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(last)]

    return complete


def _models() -> Iterable[str]:
    from pigglesim.data_files import model_names, own_model_names

    return [*model_names(), *own_model_names()]


def _scenes() -> Iterable[str]:
    from pigglesim.data_files import scene_names

    return scene_names()


def _floors() -> Iterable[str]:
    from pigglesim.data_files import floor_names

    return floor_names()


def _teams() -> Iterable[str]:
    from pigglesim.data_files import team_names

    return team_names()


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

agents = _of(lambda: _AGENTS)
players = _of(lambda: ("human", *_AGENTS))
chances = _of(lambda: ("physical", "tabular", "fair"))
engines = _of(lambda: _ENGINES)
factors = _of(lambda: [f"{name}=" for name in _FACTORS])
floors = _of(_floors)
games = _of(lambda: _GAMES)
kinds = _of(lambda: ("drop", "pour", "knock"))
lengths = _of(lambda: ("mm", "cm", "m", "in"))
models = _of(_models)
scenes = _of(_scenes)
scenes_and_floors = _of(lambda: [*_scenes(), *_floors()])
seats = _of(lambda: ("A", "B"))
teams = _of(_teams)
teams_and_models = _of(lambda: [*_teams(), *_models()])
views = _of(lambda: _VIEWS)
