"""The board as a drawing: the same polygons that zones are read from."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.games.piggles.state import PigglesState
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, Seat, Zone
from pigglesim.render.board import place_of
from pigglesim.render.figure import axes_at, bare, blank, heading, house_style
from pigglesim.render.palette import (
    FAINT,
    INK,
    OWNER_COLOURS,
    PAPER,
    SIDES,
    landing_points,
)
from pigglesim.scene.scene import Board

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TINTS = {
    Zone.WOODS: "#e3eae0",
    Zone.PATH_OUTER: "#f2f0ec",
    Zone.PATH_INNER: "#f2f0ec",
}

_FIELD = "#ffffff"


def outline(polygon: Any) -> Any:  # noqa: ANN401 (shapely and matplotlib carry no types)
    """Return a polygon, with its holes, as a path of matplotlib [mm]."""
    from matplotlib.path import Path  # noqa: PLC0415 (slow to import)

    rings = [polygon.exterior, *polygon.interiors]
    loops = [1e3 * np.asarray(ring.coords)[:, :2] for ring in rings]
    codes = [[Path.MOVETO, *[Path.LINETO] * (len(loop) - 2), Path.CLOSEPOLY] for loop in loops]
    return Path(np.concatenate(loops), np.concatenate(codes).astype(np.uint8))


def draw_board(axes: "Axes", board: Board) -> None:
    """Fill the regions of a board seen from above, East to the right and North up [mm]."""
    from matplotlib.patches import PathPatch  # noqa: PLC0415 (slow to import)

    bare(axes)
    axes.set_aspect("equal")
    for zone, region in board.regions.items():
        tint = _TINTS.get(zone, _FIELD)
        patch = PathPatch(outline(region), facecolor=tint, edgecolor="none", zorder=0.5)
        patch.set_label(zone.value)
        axes.add_patch(patch)


def draw_lines(axes: "Axes", board: Board, *, strength: float = 0.5) -> None:
    """Draw the printed lines of a board, as wide as they are, and its edge.

    Args:
        axes: In millimetres from the middle of the board.
        board: The board.
        strength: Of the lines, 1 for black ones.
    """
    from matplotlib.patches import PathPatch, Rectangle  # noqa: PLC0415 (slow to import)

    for border in (board.field_borders, board.woods_border):
        printed = border.buffer(board.line / 2.0, join_style="mitre")
        for part in getattr(printed, "geoms", [printed]):
            axes.add_patch(
                PathPatch(
                    outline(part), facecolor=INK, edgecolor="none", alpha=strength, zorder=3.0
                )
            )
    half = 1e3 * board.half
    axes.add_patch(
        Rectangle((-half, -half), 2 * half, 2 * half, fill=False, edgecolor=INK, zorder=3.1)
    )


def name_sides(axes: "Axes", *, size: float = 9.0) -> None:
    """Write the four points of the compass along the sides of axes."""
    for name, (x, y), across, up, turn in (
        ("North", (0.5, 1.0), "center", "bottom", 0),
        ("South", (0.5, 0.0), "center", "top", 0),
        ("East", (1.0, 0.5), "left", "center", 270),
        ("West", (0.0, 0.5), "right", "center", 90),
    ):
        axes.text(
            x, y, name, ha=across, va=up, rotation=turn, fontsize=size, color=FAINT,
            transform=axes.transAxes,
        )  # fmt: skip


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
    position: PigglesState,
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
        at_board = axes_at(figure, 0.2, 0.15, side, side)
        _draw_lying(at_board, board, position)
        left = side + 0.4
        beside = axes_at(figure, left, 0.15, _WIDTH - left, side)
        _write_areas(beside, position, worn or {})
    return figure


def _draw_lying(axes: "Axes", board: Board, position: PigglesState) -> None:
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


def _write_areas(axes: "Axes", position: PigglesState, worn: Mapping[str, str]) -> None:
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
