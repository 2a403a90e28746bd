"""States as text or images, in Gymnasium's render modes."""

import io
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group, RenderableType
from rich.text import Text

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import PigglesState
from pigglesim.render.board import areas_view, board_view
from pigglesim.render.palette import SIDES, marking
from pigglesim.scene.scene import Board

TEXT_WIDTH = 100
"""Width of a line of text [characters]."""


class Painter(Protocol):
    """Painter of the states of one game, with the last decision as a caption."""

    def text(self, state: Any, caption: str) -> RenderableType:  # noqa: ANN401 (of any game)
        """Return a state as a renderable of `rich`, `TEXT_WIDTH` wide."""

    def image(self, state: Any, caption: str) -> NDArray[np.uint8]:  # noqa: ANN401 (of any game)
        """Return a state as an RGB image, 0 to 255, shape [height, width, 3]."""


@dataclass(frozen=True, kw_only=True)
class PigglesPainter:
    """Painter of states of Piggles."""

    game: Piggles
    board: Board

    def text(self, state: PigglesState, caption: str) -> RenderableType:
        """Return the board seen from above, a list of its Piggles, and both players' areas."""
        view = board_view(
            self.board,
            state.board,
            width=TEXT_WIDTH,
            below=areas_view(state),
            worn=self._worn(),
        )
        return Group(Text(self._heading(state)), Text(caption), view)

    def image(self, state: PigglesState, caption: str) -> NDArray[np.uint8]:
        """Return an image of the board seen from above, next to both players' areas."""
        from pigglesim.render.board_figure import state_figure  # noqa: PLC0415 (slow to import)
        from pigglesim.render.figure import pixels  # noqa: PLC0415

        title = self._heading(state)
        return pixels(
            state_figure(self.board, state, title=title, subtitle=caption, worn=self._worn())
        )

    def _heading(self, state: PigglesState) -> str:
        if state.result is None:
            return f"Round {state.round} of {self.game.rules.rounds}: {SIDES[state.active]}"
        winner = state.result.winner
        won = f"{SIDES[winner]} wins" if winner else "a draw"
        return f"{won}, {state.a.score} : {state.b.score} ({state.result.reason})"

    def _worn(self) -> dict[str, str]:
        return {name: marking(piece.colour, piece.rune) for name, piece in self.game.lineup}


RENDER_MODES = ("human", "ansi", "rgb_array")


def check_render_mode(mode: str | None, painter: Painter | None) -> str | None:
    """Return a render mode.

    Raises:
        SpecError: If it is unknown, or the game has no painter.
    """
    if mode is None:
        return None
    if mode not in RENDER_MODES:
        raise unknown_name("render mode", mode, RENDER_MODES)
    if painter is None:
        raise SpecError(f"the game cannot be drawn as {mode}", fix="use render_mode=None")
    return mode


def rendered(
    painter: Painter | None,
    state: Any,  # noqa: ANN401 (of any game)
    caption: str,
    mode: str | None,
) -> str | NDArray[np.uint8] | None:
    """Return a state as text or image, or print it in the mode `human`.

    Raises:
        SpecError: If there is no mode.
    """
    if mode is None or painter is None:
        raise SpecError("the environment has no render mode", fix="set render_mode='ansi'")
    if mode == "rgb_array":
        return painter.image(state, caption)
    file = io.StringIO() if mode == "ansi" else None
    console = Console(file=file, width=TEXT_WIDTH, highlight=False)
    console.print(painter.text(state, caption))
    return file.getvalue() if file else None
