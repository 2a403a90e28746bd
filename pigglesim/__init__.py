"""Physics simulation of pig dice: pour a cup, read the board, score by the rules.

Everything the command line does can be done here in a line: `roll` a cup, run a `study` and ask it
for shares with their intervals, `play_match` and `replay` it, hold a `tournament`, ask `what_if`,
`analyse` where a match was lost. Nothing is loaded before it is asked for.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim import notebook_display
from pigglesim.version import __version__

if TYPE_CHECKING:
    from pigglesim.api.analyse import analyse, analyse_position
    from pigglesim.api.match import play_match, read_film, read_records, replay
    from pigglesim.api.names import known, make_agent, poses
    from pigglesim.api.roll import roll
    from pigglesim.api.study import measure_odds, read_study, study
    from pigglesim.api.tournament import tournament
    from pigglesim.api.what_if import what_if
    from pigglesim.bodies.load import load_model
    from pigglesim.errors import PigglesimError
    from pigglesim.experiments.statistics import Interval, Share
    from pigglesim.games.registry import make_game
    from pigglesim.scene.load import load_scene

__all__ = [
    "Interval",
    "PigglesimError",
    "Share",
    "__version__",
    "analyse",
    "analyse_position",
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
    "api.analyse": ("analyse", "analyse_position"),
    "api.match": ("play_match", "read_film", "read_records", "replay"),
    "api.names": ("known", "make_agent", "poses"),
    "api.roll": ("roll",),
    "api.study": ("measure_odds", "read_study", "study"),
    "api.tournament": ("tournament",),
    "api.what_if": ("what_if",),
    "bodies.load": ("load_model",),
    "errors": ("PigglesimError",),
    "games.registry": ("make_game",),
    "scene.load": ("load_scene",),
    "experiments.statistics": ("Interval", "Share"),
}
"""The public names of each module: the same as above, for Python itself."""

if not TYPE_CHECKING:
    # Hidden from checkers of types, to whom any name would be one of this module.
    def __getattr__(name: str) -> object:
        """Return a public name, from its module."""
        home = next((home for home, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


def _draw(drawing: str, value: object) -> str | None:
    from pigglesim.render import notebook  # noqa: PLC0415 (only in a notebook)

    text: str | None = getattr(notebook, drawing)(value)
    return text


def _save(film: Any, file: Path, look: dict[str, Any]) -> None:  # noqa: ANN401 (a film)
    from pigglesim.api.roll_files import Look, save_film  # noqa: PLC0415 (draws)

    save_film(film, file, Look(**look))


notebook_display.draw, notebook_display.save = _draw, _save


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
