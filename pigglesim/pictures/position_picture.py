"""A position of Piggles as a picture: the board from above, and what lies beside it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pigglesim.games.piggles.state import Position
from pigglesim.pictures.board_drawing import draw_board, draw_lines
from pigglesim.pictures.marks import OWNER_COLOURS, SIDES, landing_points
from pigglesim.pictures.places import place_of
from pigglesim.pictures.style import FAINT, INK, PAPER, bare, blank, heading, house_style
from pigglesim.rolls import BOARD_SEATS, Landing, Orientation, Seat
from pigglesim.scene.board import Board

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["pixels", "position_figure"]

_WIDTH, _HEIGHT = 8.0, 5.6
"""Of the picture [in]."""
_SHAPES = {
    Orientation.SNOUT_UP: "^",
    Orientation.SNOUT_DOWN: "v",
    Orientation.ON_THEIR_HEAD: "D",
}
"""Markers of matplotlib: the marks that the board as text has."""


def position_figure(
    board: Board,
    position: Position,
    *,
    title: str,
    subtitle: str = "",
    worn: Mapping[str, str] | None = None,
) -> "Figure":
    """Return a position as a figure.

    Where physics tells no places, each Piggle has a spot of its own in its zone.

    Args:
        board: The board it is played on.
        position: The position.
        title: What to write above.
        subtitle: A fainter line under it.
        worn: The marking of each Piggle, by id; None where there are none.
    """
    with house_style():
        figure = blank(_WIDTH, _HEIGHT)
        heading(figure, title, subtitle)
        side = 4.6
        at_board = figure.add_axes((0.2 / _WIDTH, 0.15 / _HEIGHT, side / _WIDTH, side / _HEIGHT))
        _draw_lying(at_board, board, position)
        left = side + 0.4
        beside = figure.add_axes(
            (left / _WIDTH, 0.15 / _HEIGHT, (_WIDTH - left) / _WIDTH, side / _HEIGHT)
        )
        _write_areas(beside, position, worn or {})
    return figure


def pixels(figure: "Figure", *, dpi: int = 100) -> NDArray[np.uint8]:
    """Return a figure as an image, red, green and blue from 0 to 255, shape [height, width, 3]."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (slow to import)

    with house_style():
        figure.set_dpi(dpi)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()  # type: ignore[no-untyped-call]
        rgba = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
        seen: NDArray[np.uint8] = np.asarray(rgba)[:, :, :3].copy()
    return seen


def _draw_lying(axes: "Axes", board: Board, position: Position) -> None:
    draw_board(axes, board)
    draw_lines(axes, board, strength=0.3)
    half = 1e3 * board.half
    axes.set_xlim(-half - 1.0, half + 1.0)
    axes.set_ylim(-half - 1.0, half + 1.0)
    for piggle, landing in position.board:
        if landing.orientation is None:
            continue
        x, y, _ = (1e3 * metres for metres in place_of(piggle, landing, board))
        colour = OWNER_COLOURS[Seat(piggle[0])]
        up = landing.orientation is Orientation.SNOUT_UP
        axes.plot(
            [x], [y], _SHAPES[landing.orientation], markersize=11.0, zorder=4.0,
            markerfacecolor=colour if up else PAPER, markeredgecolor=colour, markeredgewidth=1.6,
        )  # fmt: skip
        axes.annotate(
            piggle, (x, y), xytext=(0, -9), textcoords="offset points", ha="center", va="top",
            fontsize=7.5, weight="bold", color=colour, zorder=5.0,
        )  # fmt: skip


def _write_areas(axes: "Axes", position: Position, worn: Mapping[str, str]) -> None:
    bare(axes)
    line = 1.0
    for seat in reversed(BOARD_SEATS):
        side = position.side(seat)
        mark = "> " if position.active is seat and position.result is None else ""
        axes.text(
            0.0, line, f"{mark}{SIDES[seat]}: {side.score}", va="top", fontsize=11.0,
            weight="bold", color=OWNER_COLOURS[seat],
        )  # fmt: skip
        line -= 0.05
        areas = {"Pen": side.pen, "Mud": side.mud_piggles, "Kitchen": side.kitchen}
        rows = [(name, " ".join(ids) or "-") for name, ids in areas.items()]
        rows += [(_named(p, worn), _told(at)) for p, at in position.on_board(seat)]
        for name, words in rows:
            axes.text(0.0, line, name, va="top", fontsize=8.0, color=FAINT)
            axes.text(0.2, line, words, va="top", fontsize=8.0, color=INK)
            line -= 0.041
        line -= 0.03


def _named(piggle: str, worn: Mapping[str, str]) -> str:
    return f"{piggle} {worn[piggle]}" if piggle in worn else piggle


def _told(landing: Landing) -> str:
    points = landing_points(landing)
    paid = f", {points}" if points else ""
    return f"{landing.label or ''}, {landing.zone}{paid}"
