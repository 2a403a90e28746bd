"""Where dice come to lie on the board, counted in squares and seen from above."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.landing import Zone
from pigglesim.render.board_figure import draw_board, draw_lines, name_sides
from pigglesim.render.figure import axes_at, blank, colours_of, heading, house_style, nothing, shown
from pigglesim.render.palette import FAINT, INK, PAPER
from pigglesim.rotations import Array
from pigglesim.scene.scene import Board

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_TABLE = 40.0
"""How much of the table around the board is shown [mm]."""
_PER_SQUARE = 3.0
"""Dice in a square, were they spread evenly: fewer would show noise alone."""
_FEWEST, _MOST = 7, 33
"""Pairs of squares across the board."""
_MARKS = 200
"""Dice off the board that are marked one by one; the first of them."""
_INKS = ("#f7dda6", "#ecb267", "#d27a4b", "#a23b45", "#5d1a4a", "#260a33")
"""From few dice to many: darker all the way, so that it reads without colours too."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LandingCounts:
    """How many rolled dice lie in each square of a grid over the board and the table around it."""

    edges: Array
    """Borders of the squares, east and north of the middle alike [mm], shape [count + 1]."""
    counts: Array
    """Dice on the board, by orientation, row from South to North and column from West to East;
    shape [orientation_count, count, count]."""
    orientations: tuple[str, ...]
    off: Array
    """Where dice off the board lie [mm], the first of those in the picture, shape [count, 2]."""
    off_board: int
    """Dice off the board, wherever they lie."""
    beyond: int
    """Dice on the board that show no orientation, or whose middle lies beyond the grid."""
    dice: int
    """All that were rolled."""

    @property
    def density(self) -> Array:
        """Dice for each square centimetre, of 100 rolled; shape as the counts."""
        side = float(self.edges[1] - self.edges[0]) / 10.0
        share: Array = self.counts * (100.0 / (max(self.dice, 1) * side**2))
        return share


def landing_counts(
    connection: "DuckDBPyConnection",
    *,
    board: Board,
    orientations: Sequence[str],
    cell: int | None = None,
) -> LandingCounts:
    """Return where rolled dice lie, counted in the database.

    Args:
        connection: Holds the view `throws`.
        board: The board that they were rolled onto.
        orientations: Those that are told apart.
        cell: The combination of factor levels; all together if absent.
    """
    chosen = "NOT standing AND zone IS NOT NULL AND (?::INTEGER IS NULL OR cell = ?)"
    both = [cell, cell]
    dice, off_board = _one(
        connection,
        f"SELECT count(*), count(*) FILTER (zone = ?) FROM throws WHERE {chosen}",
        [Zone.OFF.value, *both],
    )
    size = 1e3 * board.size
    across = 2 * max(_FEWEST, min(_MOST, round(math.sqrt(dice / _PER_SQUARE) / 2)))
    side = size / across
    # Even, so that four squares together are aligned with the board too.
    around = 2 * math.ceil(_TABLE / side / 2)
    count = across + 2 * around
    low = -0.5 * count * side
    counts = np.zeros((len(orientations), count, count))
    rows = connection.execute(
        "SELECT orientation, CAST(floor((x_mm - ?) / ?) AS INTEGER) AS east, "
        f"CAST(floor((y_mm - ?) / ?) AS INTEGER) AS north, count(*) FROM throws WHERE {chosen} "
        "AND zone <> ? AND abs(x_mm) < ? AND abs(y_mm) < ? AND orientation IS NOT NULL "
        "GROUP BY ALL",
        [low, side, low, side, *both, Zone.OFF.value, -low, -low],
    ).fetchall()
    number = {name: k for k, name in enumerate(orientations)}
    for name, east, north, many in rows:
        if name in number:
            counts[number[name], min(north, count - 1), min(east, count - 1)] += many
    off = connection.execute(
        f"SELECT x_mm, y_mm FROM throws WHERE {chosen} AND zone = ? AND abs(x_mm) < ? "
        f"AND abs(y_mm) < ? ORDER BY throw, die LIMIT {_MARKS}",
        [*both, Zone.OFF.value, size / 2 + _TABLE, size / 2 + _TABLE],
    ).fetchall()
    return LandingCounts(
        edges=np.array([low + side * k for k in range(count + 1)]),
        counts=counts,
        orientations=tuple(orientations),
        off=np.array(off, dtype=float).reshape(-1, 2),
        off_board=off_board,
        beyond=dice - off_board - int(counts.sum()),
        dice=dice,
    )


def draw_landing_map(counts: LandingCounts, *, board: Board, title: str) -> "Figure":
    """Draw where dice lie: all in one large map, and each orientation in a small one.

    Args:
        counts: Where they lie.
        board: The board that they were rolled onto.
        title: First line.
    """
    with house_style():
        if not counts.dice:
            return nothing(shown(title, longest=80))
        lying = [k for k in range(len(counts.orientations)) if counts.counts[k].any()]
        columns = max(1, math.ceil(len(lying) / 3))
        wide = 6.25 + 2.1 * columns
        figure = blank(wide, 6.5)
        heading(figure, shown(title, longest=80), _note(counts))
        density = counts.density
        axes = axes_at(figure, 0.35, 0.4, 4.9, 4.9)
        image = _map(axes, counts, density.sum(axis=0), board)
        _mark_off(axes, counts)
        name_sides(axes)
        _scale_bar(axes, board)
        bar = axes_at(figure, 5.5, 0.95, 0.13, 3.8)
        _colour_bar(figure, bar, image)
        colours = colours_of(counts.orientations)
        for place, k in enumerate(lying):
            column, row = divmod(place, 3)
            left, bottom = 6.35 + 2.1 * column, 6.2 - 2.03 * (row + 1)
            small = axes_at(figure, left, bottom, 1.7, 1.7)
            _map(small, counts, _fourfold(density[k]), board)
            small.set_xlim(-1020 * board.half, 1020 * board.half)
            small.set_ylim(-1020 * board.half, 1020 * board.half)
            name, many = shown(counts.orientations[k]), int(counts.counts[k].sum())
            small.set_title(
                f"{name}: {many:,}", fontsize=8.5, color=colours[counts.orientations[k]],
                weight="bold", pad=3,
            )  # fmt: skip
        return figure


def _note(counts: LandingCounts) -> str:
    off = f"{counts.off_board:,} off the board"
    if len(counts.off):
        off += (
            " (crosses)"
            if len(counts.off) == counts.off_board
            else f" ({len(counts.off):,} marked by crosses)"
        )
    lost = f"Not shown, for want of an orientation: {counts.beyond:,}.\n" if counts.beyond else ""
    maps = "Small maps have scales of their own, and squares twice as wide."
    return f"{counts.dice:,} dice rolled, {off}.\n{lost}{maps}"


def _fourfold(density: Array) -> Array:
    """Return the mean density of each four squares: few dice need larger ones."""
    half = len(density) // 2
    found: Array = density.reshape(half, 2, half, 2).mean(axis=(1, 3))
    return found


def _map(axes: "Axes", counts: LandingCounts, density: Array, board: Board) -> Any:  # noqa: ANN401
    """Draw the board and on it how densely dice lie; North is up."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 (slow to import)

    draw_board(axes, board)
    inks = LinearSegmentedColormap.from_list("landing", _INKS)
    edges = counts.edges
    image = axes.imshow(
        np.ma.masked_equal(density, 0.0), origin="lower", cmap=inks, vmin=0.0,
        vmax=float(density.max()) or 1.0, interpolation="nearest",
        extent=(edges[0], edges[-1], edges[0], edges[-1]), zorder=2.0, alpha=0.94,
    )  # fmt: skip
    draw_lines(axes, board)
    reach = 1e3 * board.half + _TABLE
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    return image


def _mark_off(axes: "Axes", counts: LandingCounts) -> None:
    axes.plot(
        counts.off[:, 0], counts.off[:, 1], linestyle="none", marker="x", markersize=5,
        markeredgewidth=1.2, color=INK, zorder=3.5,
    )  # fmt: skip


def _scale_bar(axes: "Axes", board: Board) -> None:
    x, y = -1e3 * board.half, -1e3 * board.half - 14.0
    axes.plot([x, x + 50.0], [y, y], color=FAINT, linewidth=1.5, solid_capstyle="butt")
    axes.text(x + 25.0, y - 4.0, "50 mm", ha="center", va="top", fontsize=8, color=FAINT)


def _colour_bar(figure: "Figure", axes: "Axes", image: Any) -> None:  # noqa: ANN401
    bar = figure.colorbar(image, cax=axes)
    bar.outline.set_visible(False)
    axes.tick_params(length=0, labelsize=8)
    axes.set_title("% of dice\nper cm²", fontsize=8, color=FAINT, loc="left", pad=6)
    axes.set_facecolor(PAPER)


def _one(connection: "DuckDBPyConnection", query: str, values: list[Any]) -> tuple[Any, ...]:
    found = connection.execute(query, values).fetchone()
    assert found is not None
    return found
