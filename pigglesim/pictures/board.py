"""The board as a drawing: the same polygons that zones are read from."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pigglesim.games.piggles.state import PigglesState
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.pictures.style import FAINT, INK, PAPER, bare, blank, heading, house_style
from pigglesim.reading.zone import POINTS
from pigglesim.scene.board import INCH, Board

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


POSE_MARKS = {
    Orientation.SNOUT_UP: "▲",
    Orientation.SNOUT_DOWN: "▼",
    Orientation.ON_THEIR_HEAD: "◆",
}
"""A mark for each pose, so that no colour is needed to tell them apart."""

RUNE_MARKS = {
    Rune.LEFT: "←",
    Rune.RIGHT: "→",
    Rune.ADJACENT: "↔",
    Rune.ACROSS: "↑",
    Rune.ARROW_CW: "↻",
    Rune.ARROW_CCW: "↺",
    Rune.SPIRAL_CW: "◴",
    Rune.SPIRAL_CCW: "◵",
    Rune.SPLIT: "⑂",
}
"""One character a rune."""

SHIELD_MARK = "#"
"""Follows a Piggle that is shielded."""

ZONE_NAMES = {
    Zone.FIELD_NORTH: "field N",
    Zone.FIELD_EAST: "field E",
    Zone.FIELD_SOUTH: "field S",
    Zone.FIELD_WEST: "field W",
    Zone.PATH_INNER: "inner path",
    Zone.PATH_OUTER: "outer path",
    Zone.WOODS: "woods",
    Zone.LINE_FIELD_PATH: "field/path",
    Zone.LINE_PATH_WOODS: "path/woods",
    Zone.OFF: "off",
}
"""Zones in a few letters; a line is named by its two sides."""

SIDES = {Seat.A: "A (South)", Seat.B: "B (North)"}
"""The players at a board, as people call them."""

SEAT_COLOURS = {
    Seat.A: "#e0668a",
    Seat.B: "#6c9fe0",
    Seat.C: "#7aa65a",
    Seat.D: "#c08a3e",
    Seat.E: "#a07cc5",
    Seat.F: "#4fa5a0",
    Seat.G: "#b0766a",
    Seat.H: "#8a8f3c",
}
"""Colours of the players' words, light enough for a dark screen and dark enough for a light one."""

OWNER_COLOURS = {
    Seat.A: "#b3325b",
    Seat.B: "#2b5fa8",
    Seat.C: "#4a7530",
    Seat.D: "#8a5c17",
    Seat.E: "#7b4fa6",
    Seat.F: "#23706b",
    Seat.G: "#8c4a3c",
    Seat.H: "#61661b",
}
"""Ground of the name of a Piggle or of a die, dark enough for white letters; a Piggle's name begins
with its owner's letter."""


def landing_points(landing: Landing) -> int:
    """Return what this Piggle would pay its owner in a Tally now: nothing unless Snout-Up (R11)."""
    return POINTS[landing.zone] if landing.orientation is Orientation.SNOUT_UP else 0


def pose_mark(landing: Landing) -> str:
    """Return the mark of a pose; nothing off the board, or for a body that is not a pig."""
    return POSE_MARKS[landing.orientation] if landing.orientation else ""


def marking(colour: Colour | None, rune: Rune | None) -> str:
    """Return what a Piggle of Modern wears in two characters: `R→`, `B` without a rune."""
    return f"{colour.value[0].upper() if colour else '-'}{RUNE_MARKS[rune] if rune else ''}"


_SPOTS = 12
"""One for each Piggle of a match, so that none lies on another."""
_GRID = 60
"""Points across the board among which spots are chosen."""
_MARGINS = (0.015, 0.010, 0.006, 0.002)
"""Distances from the border of a zone to try [m]."""


def place_of(piggle: str, landing: Landing, board: Board) -> tuple[float, float, float]:
    """Return where to draw a Piggle [m].

    Rolls by odds tell pose and zone alone: there each Piggle has a spot of its own in each zone.
    """
    if landing.place is not None:
        return landing.place.position
    where = spots(board)[landing.zone]
    number = int(piggle[1:]) - 1 + (0 if piggle[0] == "A" else _SPOTS // 2)
    x, y = where[number % len(where)]
    return x, y, 0.0


@lru_cache(maxsize=4)
def spots(board: Board) -> Mapping[Zone, tuple[tuple[float, float], ...]]:
    """Return a dozen spots in each zone of a board [m], as far from each other as can be."""
    from shapely import get_coordinates  # noqa: PLC0415 (slow to import)

    middle = ((np.arange(_GRID) + 0.5) / _GRID - 0.5) * board.size
    grid = np.array([(x, y) for x in middle for y in middle])
    found = {zone: _spread(_inside(region, grid)) for zone, region in board.regions.items()}
    for zone, line in (
        (Zone.LINE_FIELD_PATH, board.field_borders),
        (Zone.LINE_PATH_WOODS, board.woods_border),
    ):
        found[zone] = _spread(get_coordinates(line.segmentize(board.size / _GRID)))
    return found


def _inside(region: Any, grid: Any) -> Any:  # noqa: ANN401 (shapely has no types)
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    # As far from the border as leaves room for all.
    for margin in _MARGINS:
        within = grid[contains_xy(region.buffer(-margin), grid[:, 0], grid[:, 1])]
        if len(within) >= _SPOTS:
            break
    return within


def _spread(points: Any) -> tuple[tuple[float, float], ...]:  # noqa: ANN401 (an array)
    """Return a dozen of the points, each the farthest from those before it (Gonzalez 1985)."""
    chosen = [int(np.argmin(np.abs(points).sum(axis=1)))]
    far = np.full(len(points), np.inf)
    while len(chosen) < min(_SPOTS, len(points)):
        far = np.minimum(far, np.hypot(*(points - points[chosen[-1]]).T))
        chosen.append(int(np.argmax(far)))
    return tuple((float(x), float(y)) for x, y in points[chosen])


_COLUMNS_AN_INCH = 3
_ROWS_AN_INCH = 1.5
"""A character is about twice as high as wide: squares stay square."""

_WIDE = 92
"""From this width on the list stands beside the board, else under it."""

_LESS_WIDE = 78
"""And from this where it is brief."""

_GROUND = {
    "field": (" ", "on #2f6b3a"),
    "path": ("·", "#8a7a55 on #c9b78a"),
    "woods": ("♣", "#1f4a2a on #17351f"),
}
"""Texture and colours of each kind of region: the texture alone tells them apart in a pipe."""


@cache
def _ground(board: Board) -> tuple[tuple[str, ...], ...]:
    """Return the kind of region under each character, row by row from the North."""
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    columns = round(board.size / INCH * _COLUMNS_AN_INCH)
    rows = round(board.size / INCH * _ROWS_AN_INCH)
    x, y = np.meshgrid(
        ((np.arange(columns) + 0.5) / columns - 0.5) * board.size,
        (0.5 - (np.arange(rows) + 0.5) / rows) * board.size,
    )
    kinds = np.full(x.shape, "path", dtype=object)
    for zone, region in board.regions.items():
        kind = zone.value.split(":")[0]
        kinds[contains_xy(region, x, y)] = kind
    return tuple(tuple(row) for row in kinds)


def board_view(
    board: Board,
    lying: Iterable[tuple[str, Landing]],
    *,
    width: int,
    marked: Iterable[str] = (),
    below: RenderableType = "",
    worn: Mapping[str, str] | None = None,
    brief: bool = False,
) -> RenderableType:
    """Return the board seen from above, North up, with a list of all that lies on it.

    Args:
        board: The board to draw.
        lying: Every Piggle to show, by id, as it lies.
        width: Characters in a line: where there are enough, the list stands beside the board.
        marked: Ids to point out in the list, such as those just rolled.
        below: What to show under the list.
        worn: The marking of each Piggle, by id, as the list shows it; None where there are none.
        brief: Whether the list shows orientations by their marks alone, to fit 80 characters.
    """
    entries = sorted(lying)
    words = Group(_list(entries, set(marked), worn or {}, brief=brief), "", below)
    if entries and all(landing.place is None for _, landing in entries):
        # Poses and zones without places, from a table or a script: there is no map to draw.
        return words
    if width < (_LESS_WIDE if brief else _WIDE):
        return Group(_map(board, entries), words)
    grid = Table.grid(padding=(0, 2))
    grid.add_row(_map(board, entries), words)
    return grid


def _map(board: Board, entries: list[tuple[str, Landing]]) -> Text:
    ground = _ground(board)
    cells = [[_GROUND[kind] for kind in row] for row in ground]
    rows, columns = len(cells), len(cells[0])
    taken: set[tuple[int, int]] = set()
    for name, landing in entries:
        if landing.place is None or landing.zone is Zone.OFF:
            continue
        label = f"{name}{pose_mark(landing)}"
        x, y, _ = landing.place.position
        column = round((x / board.size + 0.5) * columns - len(label) / 2)
        row = int((0.5 - y / board.size) * rows)
        spot = _free_spot(row, min(max(column, 0), columns - len(label)), len(label), rows, taken)
        for offset, character in enumerate(label):
            at = (spot[0], spot[1] + offset)
            taken.add(at)
            cells[at[0]][at[1]] = (character, _name_style(name))
    text = Text(no_wrap=True)
    text.append(f"┌{' North '.center(columns, '─')}┐\n", style="dim")
    for row_cells in cells:
        text.append("│", style="dim")
        for character, style in row_cells:
            text.append(character, style=style)
        text.append("│\n", style="dim")
    text.append(f"└{' South '.center(columns, '─')}┘", style="dim")
    return text


def _name_style(piggle: str) -> str:
    """Return how the name of a Piggle is printed: on its owner's colour."""
    return f"bold #ffffff on {OWNER_COLOURS[Seat(piggle[0])]}"


def _free_spot(
    row: int, column: int, width: int, rows: int, taken: set[tuple[int, int]]
) -> tuple[int, int]:
    """Return the nearest row where a label is not covered by another: Piggles touch at times."""
    row = min(max(row, 0), rows - 1)
    for shift in (0, 1, -1, 2, -2, 3, -3):
        at = row + shift
        if 0 <= at < rows and not any((at, column + k) in taken for k in range(width)):
            return at, column
    return row, column


def _list(
    entries: list[tuple[str, Landing]], marked: set[str], worn: Mapping[str, str], *, brief: bool
) -> Table:
    table = Table(box=None, padding=(0, 1), show_header=False, pad_edge=False)
    for _ in range(4):
        table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for name, landing in entries:
        note = " leans" if landing.leaning else " stacked" if landing.stacked else ""
        points = landing_points(landing)
        table.add_row(
            Text.assemble((name, _name_style(name)), f" {worn[name]}" if name in worn else ""),
            pose_mark(landing) or " ",
            # Where there is no room a mark stands for a pose; a class has none.
            Text(("" if brief and landing.orientation else landing.label or "") + note),
            Text(landing.zone.value, style="bold" if name in marked else ""),
            str(points) if points else "",
        )
    return table


def areas_view(position: PigglesState) -> Table:
    """Return points, Pen, Mud and Kitchen of both players."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="dim")
    for seat in BOARD_SEATS:
        table.add_column(SIDES[seat], no_wrap=True, style=SEAT_COLOURS[seat])
    sides = [position.side(seat) for seat in BOARD_SEATS]
    table.add_row("points", *(Text(str(side.score), style="bold") for side in sides))
    table.add_row("Pen", *(" ".join(side.pen) or "-" for side in sides))
    table.add_row("Mud", *(" ".join(side.mud_piggles) or "-" for side in sides))
    table.add_row("Kitchen", *(" ".join(side.kitchen) or "-" for side in sides))
    if position.captured:
        taken = ([p for p in position.captured if position.controller(p) is s] for s in BOARD_SEATS)
        table.add_row("captured", *(" ".join(ids) or "-" for ids in taken))
    if position.shields:
        shielded = ([x.piggle for x in position.shields if x.by is s] for s in BOARD_SEATS)
        table.add_row("shields", *(" ".join(ids) or "-" for ids in shielded))
    return table


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
