"""Positions as people see them, as text and as pictures."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from pigglesim.games.piggles.rulebook import Piggles
from pigglesim.games.piggles.state import Position
from pigglesim.pictures.board_text import areas_view, board_view
from pigglesim.pictures.marks import SIDES, marking
from pigglesim.scene.board import Board

__all__ = ["TEXT_WIDTH", "Painter", "PigglesPainter"]

TEXT_WIDTH = 100
"""Characters in a line of a position as text."""


class Painter(Protocol):
    """Shows the positions of one game."""

    def text(self, state: Any, told: str) -> RenderableType:  # noqa: ANN401 (of any game)
        """Return a position as what `rich` prints, `TEXT_WIDTH` wide.

        Args:
            state: The position.
            told: What has just happened.
        """

    def image(self, state: Any, told: str) -> NDArray[np.uint8]:  # noqa: ANN401 (of any game)
        """Return a position as red, green and blue, 0 to 255, shape [height, width, 3].

        Args:
            state: The position.
            told: What has just happened.
        """


@dataclass(frozen=True, kw_only=True)
class PigglesPainter:
    """Shows positions of Piggles."""

    game: Piggles
    board: Board

    def text(self, state: Position, told: str) -> RenderableType:
        """Return the board seen from above, a list of what lies on it, and both players' areas."""
        view = board_view(
            self.board,
            state.board,
            width=TEXT_WIDTH,
            below=areas_view(state),
            worn=self._worn(),
        )
        return Group(Text(self._heading(state)), Text(told), view)

    def image(self, state: Position, told: str) -> NDArray[np.uint8]:
        """Return the board seen from above, and both players' areas beside it."""
        from pigglesim.pictures.position_picture import (  # noqa: PLC0415 (slow to import)
            pixels,
            position_figure,
        )

        title = self._heading(state)
        return pixels(
            position_figure(self.board, state, title=title, subtitle=told, worn=self._worn())
        )

    def _heading(self, state: Position) -> str:
        if state.result is None:
            return f"Round {state.round} of {self.game.rules.rounds}: {SIDES[state.active]}"
        winner = state.result.winner
        won = f"{SIDES[winner]} wins" if winner else "a draw"
        return f"{won}, {state.a.score} : {state.b.score} ({state.result.reason})"

    def _worn(self) -> dict[str, str]:
        return {name: marking(piece.colour, piece.rune) for name, piece in self.game.lineup}
