"""Pictures of matches: the table as text, and as an image."""

from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from pigglesim.games.game import Game
from pigglesim.render.palette import FAINT
from pigglesim.scene.scene import Board
from pigglesim.table.layout import Note, Scale
from pigglesim.table.view import make_view
from pigglesim.tui.felt import print_state

_ROW, _TOP, _BELOW, _WIDTH, _LEFT = 0.4, 0.8, 0.5, 6.4, 0.6
"""Sizes of an image of scales [in]: row height, top and bottom margins, width, left margin."""


def player_scales(game: Game[Any, Any], state: object) -> list[Scale]:
    """Return the scales of players that the view of a game shows, if it shows nothing more."""
    view = make_view(game)
    parts = view.table(state, None) or ()
    if view.hides or not all(isinstance(part, Scale | Note) for part in parts):
        return []
    return [part for part in parts if isinstance(part, Scale) and part.seat is not None]


@dataclass(frozen=True, kw_only=True)
class Painter:
    """Painter of the states of one game on a board or with scales, the last decision as caption."""

    game: Game[Any, Any]
    board: Board | None
    """Board of Piggles; None for a game with scales."""

    def print(self, state: Any, caption: str, file: TextIO | None) -> None:  # noqa: ANN401
        """Print a state as text to a file, or to standard output."""
        heading = self._heading(state)
        print_state(self.game, state, self.board, heading=heading, caption=caption, file=file)

    def image(self, state: Any, caption: str) -> NDArray[np.uint8]:  # noqa: ANN401 (of any game)
        """Return a state as an RGB image, 0 to 255, shape [height, width, 3]."""
        from pigglesim.render import figure as drawing  # noqa: PLC0415 (slow to import)
        from pigglesim.render.board_figure import state_figure  # noqa: PLC0415

        title = self._heading(state)
        if self.board is not None:
            worn = make_view(self.game).worn(state)
            return drawing.figure_pixels(
                state_figure(self.board, state, title=title, subtitle=caption, worn=worn)
            )
        scales = player_scales(self.game, state)
        height = _TOP + _ROW * len(scales) + _BELOW
        with drawing.house_style():
            figure = drawing.new_figure(_WIDTH, height)
            drawing.heading(figure, title, caption)
            left, bottom = _LEFT / _WIDTH, _BELOW / height
            sides = (left, bottom, 0.96 - left, 1 - (_TOP + _BELOW) / height)
            axes = figure.add_axes(sides)
            drawing.simplify_axes(axes, grid="x")
            colour = drawing.colours_of("1")["1"]
            for row, scale in enumerate(scales):
                axes.barh(row, scale.value, color=colour)
                axes.barh(row, scale.gain, left=scale.value, color=drawing.lighten(colour))
                axes.vlines(scale.high, row - 0.5, row + 0.5, color=FAINT, linewidth=0.8)
            axes.set_xlim(0, max(max(s.high, s.value + s.gain) for s in scales) * 1.05)
            axes.set_ylim(len(scales) - 0.5, -0.5)
            axes.set_yticks(range(len(scales)), [str(scale.seat) for scale in scales])
            return drawing.figure_pixels(figure)

    def _heading(self, state: object) -> str:
        view, result = make_view(self.game), self.game.result(state)
        return view.heading(state) if result is None else view.ending(state, result)
