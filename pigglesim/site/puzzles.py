"""Puzzles in a page without a server, which were read and explained beforehand."""

from collections.abc import Mapping, Sequence
from datetime import date
from importlib import import_module
from typing import Any

from pigglesim.site.pictures import TableScene
from pigglesim.table.puzzles import Puzzle, PuzzleSession, number_of_day


class PagePuzzle(PuzzleSession):
    """A puzzle whose reason was found beforehand: some agents need compiled code."""

    _reasons: Mapping[int, str]

    @property
    def why(self) -> str:
        """Reason of the agent `greedy` for the best action, if it has one and finds it too."""
        return self._reasons[self.number]


def page_puzzle(number: int | None, stages: Mapping[str, TableScene | None]) -> PagePuzzle:
    """Return a puzzle by its number, or that of today.

    Args:
        number: Number, from 1; None for the puzzle of today.
        stages: Table in 3D of each game; None for cards.

    Raises:
        SpecError: If there is no such puzzle.
    """
    found: Any = import_module("page_puzzles").DATA
    puzzles: Sequence[Puzzle] = found["puzzles"]
    if number is None:
        number = number_of_day(date.today(), range(1, len(puzzles) + 1))
    stage = stages[puzzles[number - 1].game] if 1 <= number <= len(puzzles) else None
    scene, teams = (None, {}) if stage is None else (stage.scene, stage.models)
    session = PagePuzzle(number, scene=scene, teams=teams, puzzles=puzzles)
    session._reasons = found["reasons"]
    return session
