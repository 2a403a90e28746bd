"""Physics simulation of pig dice: pour a cup, read the board, score by the rules.

Everything the command line does can be done here in a line: `roll` a cup, run a `study` and ask it
for shares with their intervals, `play_match` and `replay` it, hold a `tournament`, ask `what_if`.
Nothing is loaded before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pigglesim.version import __version__

if TYPE_CHECKING:
    from pigglesim.bodies.load import load_model
    from pigglesim.errors import PigglesimError
    from pigglesim.games.registry import make_game
    from pigglesim.scene.load import load_scene
    from pigglesim.studies.estimate import Interval, Share
    from pigglesim.verbs.matches import play_match, read_film, read_records, replay
    from pigglesim.verbs.odds import measure_odds
    from pigglesim.verbs.poses import poses
    from pigglesim.verbs.registry import known, make_agent
    from pigglesim.verbs.rolling import roll
    from pigglesim.verbs.study import read_study, study
    from pigglesim.verbs.tournaments import tournament
    from pigglesim.verbs.what_if import what_if

__all__ = [
    "Interval",
    "PigglesimError",
    "Share",
    "__version__",
    "known",
    "load_model",
    "load_scene",
    "make_agent",
    "make_game",
    "measure_odds",
    "play_match",
    "poses",
    "read_film",
    "read_records",
    "read_study",
    "replay",
    "roll",
    "study",
    "tournament",
    "what_if",
]

_HOMES = {
    "Interval": "studies.estimate",
    "PigglesimError": "errors",
    "Share": "studies.estimate",
    "known": "verbs.registry",
    "load_model": "bodies.load",
    "load_scene": "scene.load",
    "make_agent": "verbs.registry",
    "make_game": "games.registry",
    "measure_odds": "verbs.odds",
    "play_match": "verbs.matches",
    "poses": "verbs.poses",
    "read_film": "verbs.matches",
    "read_records": "verbs.matches",
    "read_study": "verbs.study",
    "replay": "verbs.matches",
    "roll": "verbs.rolling",
    "study": "verbs.study",
    "tournament": "verbs.tournaments",
    "what_if": "verbs.what_if",
}
"""The module of each name: the same as above, for Python itself."""

if not TYPE_CHECKING:
    # Hidden from checkers of types, to whom any name would be one of this module.
    def __getattr__(name: str) -> object:
        """Return a public name, from its module."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
