"""The board as a drawing: the same polygons that zones are read from."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.pictures.style import FAINT, INK, bare
from pigglesim.rolls import Zone
from pigglesim.scene.board import Board

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_board", "draw_lines", "name_sides", "outline"]

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
