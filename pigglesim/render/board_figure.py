"""The board in a figure, from the polygons that zones are read from: where dice lie, or a state."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.games.piggles.state import PigglesState
from pigglesim.landing import BOARD_SEATS, Orientation, Zone
from pigglesim.render.board import place_of
from pigglesim.render.figure import (
    axes_at,
    colours_of,
    display_name,
    empty_figure,
    heading,
    hide_axes,
    house_style,
    new_figure,
)
from pigglesim.render.palette import (
    FAINT,
    INK,
    OWNER_COLOURS,
    PAPER,
    POSE_CORNERS,
    landing_points,
)
from pigglesim.render.svg import rings, side_lines
from pigglesim.rotations import Array
from pigglesim.scene.scene import Board, Print, printed_areas

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TINTS: dict[Print, str] = {
    "line": INK,
    Zone.WOODS: "#e3eae0",
    Zone.PATH_OUTER: "#f2f0ec",
    Zone.PATH_INNER: "#f2f0ec",
}
_FIELD = "#ffffff"


def draw_board(axes: "Axes", board: Board, *, lines: float = 0.5) -> None:
    """Draw a board seen from above on axes in millimetres, North up; `lines` is their opacity."""
    from matplotlib.patches import PathPatch, Rectangle  # noqa: PLC0415 (slow to import)
    from matplotlib.path import Path  # noqa: PLC0415

    hide_axes(axes)
    axes.set_aspect("equal")
    for name, area in printed_areas(board):
        # A path of matplotlib names the last corner of each ring, which is its first.
        loops = [Path(1e3 * ring[[*range(len(ring)), 0]], closed=True) for ring in rings(area)]
        style = (3.0, lines) if name == "line" else (0.5, 1.0)
        axes.add_patch(
            PathPatch(
                Path.make_compound_path(*loops), facecolor=_TINTS.get(name, _FIELD),
                edgecolor="none", zorder=style[0], alpha=style[1], label=str(name),
            )
        )  # fmt: skip
    half = 1e3 * board.half
    axes.add_patch(
        Rectangle((-half, -half), 2 * half, 2 * half, fill=False, edgecolor=INK, zorder=3.1)
    )


_TABLE = 40.0
"""Width of the table shown around the board [mm]."""
_PER_SQUARE = 3.0
"""Mean number of dice per square if spread evenly; with fewer, a map shows only noise."""
_MIN_PAIRS, _MAX_PAIRS = 7, 33
"""Minimum and maximum pairs of squares across the board."""
_MARKS = 200
"""Maximum number of dice off the board that are marked, the first ones."""
_INKS = ("#f7dda6", "#ecb267", "#d27a4b", "#a23b45", "#5d1a4a", "#260a33")
"""Colours from few dice to many, increasingly dark, so that the map also reads in grey."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LandingCounts:
    """Number of rolled dice in each square of a grid over the board and the table around it."""

    edges: Array
    """Borders of the squares, east and north of the middle alike [mm], shape [count + 1]."""
    counts: Array
    """Dice on the board, by orientation, row from South to North and column from West to East;
    shape [orientation_count, count, count]."""
    orientations: tuple[str, ...]
    off: Array
    """Positions of dice off the board [mm], the first of those in the picture, shape [count, 2]."""
    off_board: int
    """Number of dice off the board, in the picture or not."""
    beyond: int
    """Number of dice on the board without an orientation, or with a centre beyond the grid."""
    dice: int
    """Number of rolled dice."""

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
    """Return the positions of rolled dice by square, counted in the database.

    Without a cell, all cells are counted together.
    """
    rolled = "NOT standing AND zone IS NOT NULL AND (?::INTEGER IS NULL OR cell = ?)"
    cell_filter = [cell, cell]
    [(dice, off_board)] = connection.execute(
        f"SELECT count(*), count(*) FILTER (zone = ?) FROM throws WHERE {rolled}",
        [Zone.OFF.value, *cell_filter],
    ).fetchall()
    size = 1e3 * board.size
    across = 2 * max(_MIN_PAIRS, min(_MAX_PAIRS, round(math.sqrt(dice / _PER_SQUARE) / 2)))
    side = size / across
    # Even, so that four squares together are aligned with the board too.
    around = 2 * math.ceil(_TABLE / side / 2)
    count = across + 2 * around
    low = -0.5 * count * side
    counts = np.zeros((len(orientations), count, count))
    rows = connection.execute(
        "SELECT orientation, CAST(floor((x_mm - ?) / ?) AS INTEGER) AS east, "
        f"CAST(floor((y_mm - ?) / ?) AS INTEGER) AS north, count(*) FROM throws WHERE {rolled} "
        "AND zone <> ? AND abs(x_mm) < ? AND abs(y_mm) < ? AND orientation IS NOT NULL "
        "GROUP BY ALL",
        [low, side, low, side, *cell_filter, Zone.OFF.value, -low, -low],
    ).fetchall()
    number = {name: k for k, name in enumerate(orientations)}
    for name, east, north, dice_count in rows:
        if name in number:
            counts[number[name], min(north, count - 1), min(east, count - 1)] += dice_count
    off = connection.execute(
        f"SELECT x_mm, y_mm FROM throws WHERE {rolled} AND zone = ? AND abs(x_mm) < ? "
        f"AND abs(y_mm) < ? ORDER BY throw, die LIMIT {_MARKS}",
        [*cell_filter, Zone.OFF.value, size / 2 + _TABLE, size / 2 + _TABLE],
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


@house_style()
def draw_landing_map(counts: LandingCounts, *, board: Board, title: str) -> "Figure":
    """Draw the density of dice: a large map of all, and a small map per orientation."""
    if not counts.dice:
        return empty_figure(display_name(title, longest=80))
    shown = [k for k in range(len(counts.orientations)) if counts.counts[k].any()]
    columns = max(1, math.ceil(len(shown) / 3))
    wide = 6.25 + 2.1 * columns
    figure = new_figure(wide, 6.5)
    heading(figure, display_name(title, longest=80), _note(counts))
    density = counts.density
    axes = axes_at(figure, 0.35, 0.4, 4.9, 4.9)
    image = _map(axes, counts, density.sum(axis=0), board)
    axes.plot(
        counts.off[:, 0], counts.off[:, 1], linestyle="none", marker="x", markersize=5,
        markeredgewidth=1.2, color=INK, zorder=3.5,
    )  # fmt: skip
    _name_sides(axes)
    _scale_bar(axes, board)
    bar = axes_at(figure, 5.5, 0.95, 0.13, 3.8)
    figure.colorbar(image, cax=bar).outline.set_visible(False)
    bar.tick_params(length=0, labelsize=8)
    bar.set_title("% of dice\nper cm²", fontsize=8, color=FAINT, loc="left", pad=6)
    colours = colours_of(counts.orientations)
    for number, k in enumerate(shown):
        column, row = divmod(number, 3)
        left, bottom = 6.35 + 2.1 * column, 6.2 - 2.03 * (row + 1)
        small = axes_at(figure, left, bottom, 1.7, 1.7)
        # Few dice need larger squares: the mean of each four.
        half = density.shape[1] // 2
        coarse = density[k].reshape(half, 2, half, 2).mean(axis=(1, 3))
        _map(small, counts, coarse, board)
        small.set_xlim(-1020 * board.half, 1020 * board.half)
        small.set_ylim(-1020 * board.half, 1020 * board.half)
        name, count = display_name(counts.orientations[k]), int(counts.counts[k].sum())
        small.set_title(
            f"{name}: {count:,}", fontsize=8.5, color=colours[counts.orientations[k]],
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
    lost = f"Not shown, as they have no orientation: {counts.beyond:,}.\n" if counts.beyond else ""
    maps = "Small maps have their own scales, and squares twice as wide."
    return f"{counts.dice:,} dice rolled, {off}.\n{lost}{maps}"


def _map(axes: "Axes", counts: LandingCounts, density: Array, board: Board) -> Any:  # noqa: ANN401
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 (slow to import)

    draw_board(axes, board)
    inks = LinearSegmentedColormap.from_list("landing", _INKS)
    edges = counts.edges
    image = axes.imshow(
        np.ma.masked_equal(density, 0.0), origin="lower", cmap=inks, vmin=0.0,
        vmax=float(density.max()) or 1.0, interpolation="nearest",
        extent=(edges[0], edges[-1], edges[0], edges[-1]), zorder=2.0, alpha=0.94,
    )  # fmt: skip
    reach = 1e3 * board.half + _TABLE
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    return image


def _scale_bar(axes: "Axes", board: Board) -> None:
    x, y = -1e3 * board.half, -1e3 * board.half - 14.0
    axes.plot([x, x + 50.0], [y, y], color=FAINT, linewidth=1.5, solid_capstyle="butt")
    axes.text(x + 25.0, y - 4.0, "50 mm", ha="center", va="top", fontsize=8, color=FAINT)


def _name_sides(axes: "Axes") -> None:
    for name, (x, y), across, up, turn in (
        ("North", (0.5, 1.0), "center", "bottom", 0),
        ("South", (0.5, 0.0), "center", "top", 0),
        ("East", (1.0, 0.5), "left", "center", 270),
        ("West", (0.0, 0.5), "right", "center", 90),
    ):
        axes.text(
            x, y, name, ha=across, va=up, rotation=turn, fontsize=9.0, color=FAINT,
            transform=axes.transAxes,
        )  # fmt: skip


@house_style()
def state_figure(
    board: Board, state: PigglesState, *, title: str, subtitle: str, worn: Mapping[str, str]
) -> "Figure":
    """Return a state as a figure of marks: pixels for environments, which have no bodies."""
    width, side = 8.0, 4.6
    figure = new_figure(width, side + 1.0)
    heading(figure, title, subtitle)
    axes = axes_at(figure, 0.2, 0.15, side, side)
    draw_board(axes, board, lines=0.3)
    half = 1010.0 * board.half
    axes.set(xlim=(-half, half), ylim=(-half, half))
    for seat, top in zip(reversed(BOARD_SEATS), (0.87, 0.44), strict=True):
        colour, lines = OWNER_COLOURS[seat], side_lines(state, seat)
        for piggle, landing in state.on_board(seat):
            words = (piggle, worn.get(piggle), landing.label, landing.zone, landing_points(landing))
            lines.append("  ".join(str(word) for word in words if word))
            x, y, _ = (1e3 * metres for metres in place_of(piggle, landing, board))
            up = landing.orientation is Orientation.SNOUT_UP
            shape = [*POSE_CORNERS[landing.orientation]] if landing.orientation else "o"
            axes.plot(
                x, y, marker=shape, markersize=11.0, markerfacecolor=colour if up else PAPER,
                markeredgecolor=colour, markeredgewidth=1.6, zorder=4.0,
            )  # fmt: skip
            axes.annotate(
                piggle, (x, y), xytext=(0, -9), textcoords="offset points", ha="center", va="top",
                fontsize=7.5, weight="bold", color=colour, zorder=5.0,
            )  # fmt: skip
        figure.text(
            (side + 0.4) / width, top, "\n".join(lines), va="top", fontsize=8.5, color=colour,
            linespacing=1.5,
        )  # fmt: skip
    return figure
