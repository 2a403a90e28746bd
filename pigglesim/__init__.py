"""Physics simulation of pig dice: pour a cup, read the board, score by the rules.

Everything the command line does can be done here in a line: `roll` a cup, run a `study` and ask it
for shares with their intervals, `play_match` and `replay` it, hold a `tournament`, ask `what_if`,
`analyse` where a match was lost. A module is loaded when it is first used.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim import notebook_display
from pigglesim.version import __version__ as __version__

if TYPE_CHECKING:
    # The public names: checkers of types read them here, and so does `_homes`.
    from pigglesim.api.analyse import analyse as analyse
    from pigglesim.api.analyse import analyse_position as analyse_position
    from pigglesim.api.balance import balance as balance
    from pigglesim.api.compare import compare_pours as compare_pours
    from pigglesim.api.counts import fit as fit
    from pigglesim.api.counts import validate as validate
    from pigglesim.api.design import design as design
    from pigglesim.api.holds import hold_values as hold_values
    from pigglesim.api.match import play_match as play_match
    from pigglesim.api.match import read_film as read_film
    from pigglesim.api.match import read_records as read_records
    from pigglesim.api.match import replay as replay
    from pigglesim.api.models import import_model as import_model
    from pigglesim.api.names import known as known
    from pigglesim.api.names import make_agent as make_agent
    from pigglesim.api.names import poses as poses
    from pigglesim.api.odds import check_odds as check_odds
    from pigglesim.api.odds import measure_odds as measure_odds
    from pigglesim.api.printing import print_model as print_model
    from pigglesim.api.puzzle import puzzle as puzzle
    from pigglesim.api.roll import roll as roll
    from pigglesim.api.study import read_study as read_study
    from pigglesim.api.study import study as study
    from pigglesim.api.study_parts import audit_study as audit_study
    from pigglesim.api.study_parts import merge_study as merge_study
    from pigglesim.api.tournament import tournament as tournament
    from pigglesim.api.tracked import fit_tracked as fit_tracked
    from pigglesim.api.tracked import validate_tracked as validate_tracked
    from pigglesim.api.what_if import what_if as what_if
    from pigglesim.bodies.load import load_model as load_model
    from pigglesim.errors import PigglesimError as PigglesimError
    from pigglesim.experiments.fairness import compare_counts as compare_counts
    from pigglesim.experiments.interval import Interval as Interval
    from pigglesim.experiments.statistics import Share as Share
    from pigglesim.games.registry import make_game as make_game
    from pigglesim.scene.load import load_scene as load_scene
    from pigglesim.solvers.dice_game import solve as solve
else:
    # Hidden from checkers of types, to whom any name would be one of this module.
    @cache
    def _homes() -> dict[str, str]:
        """Return the module of each public name."""
        import ast  # noqa: PLC0415 (not for the command line)

        code = ast.parse(__spec__.loader.get_source(__name__))
        names = next(each for each in code.body if isinstance(each, ast.If))
        return {each.names[0].name: each.module for each in names.body}

    def __getattr__(name: str) -> object:
        """Return a public name, from its module."""
        if name == "__all__":
            return sorted([*_homes(), "__version__"])
        if name not in _homes():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_homes()[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_homes()})


def _draw(drawing: str, value: object) -> str | None:
    from pigglesim.render import notebook  # noqa: PLC0415 (only in a notebook)

    text: str | None = getattr(notebook, drawing)(value)
    return text


def _save(film: Any, file: Path, look: dict[str, Any]) -> None:  # noqa: ANN401 (a film)
    from pigglesim.api.roll_files import Look, save_film  # noqa: PLC0415 (draws)

    save_film(film, file, Look(**look))


notebook_display.draw, notebook_display.save = _draw, _save
