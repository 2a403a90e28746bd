"""Text drawing of the board, from the same polygons as the zones."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pigglesim.landing import Landing, Seat, Zone
from pigglesim.render.palette import OWNER_COLOURS, landing_points, pose_mark, support_word
from pigglesim.render.places import SPOTS, spot_of
from pigglesim.scene.scene import INCH, Board

_GRID = 60
"""Points across the board among which spots are chosen."""
_MARGINS = (0.015, 0.010, 0.006, 0.002)
"""Distances from the border of a zone to try [m]."""


def place_of(piggle: str, landing: Landing, board: Board) -> tuple[float, float, float]:
    """Return where to draw a Piggle [m].

    Rolls by odds give only orientation and zone; then each Piggle has its own spot in each zone.
    """
    if landing.place is not None:
        return landing.place.position
    return *spot_of(piggle, landing.zone, spots(board)), 0.0


@lru_cache(maxsize=4)
def spots(board: Board) -> Mapping[Zone, tuple[tuple[float, float], ...]]:
    """Return a dozen spots in each zone of a board [m], as far apart as possible."""
    from shapely import get_coordinates  # noqa: PLC0415 (slow to import)

    middle = ((np.arange(_GRID) + 0.5) / _GRID - 0.5) * board.size
    grid = np.array([(x, y) for x in middle for y in middle])
    spots_of = {zone: _spread(_inside(region, grid)) for zone, region in board.regions.items()}
    for zone, line in board.lines.items():
        spots_of[zone] = _spread(get_coordinates(line.segmentize(board.size / _GRID)))
    return spots_of


def _inside(region: Any, grid: Any) -> Any:  # noqa: ANN401 (shapely has no types)
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    # The largest margin that leaves room for all spots.
    for margin in _MARGINS:
        inside = grid[contains_xy(region.buffer(-margin), grid[:, 0], grid[:, 1])]
        if len(inside) >= SPOTS:
            break
    return inside


def _spread(points: Any) -> tuple[tuple[float, float], ...]:  # noqa: ANN401 (an array)
    """Return a dozen of the points, each the farthest from those before it (Gonzalez 1985)."""
    chosen = [int(np.argmin(np.abs(points).sum(axis=1)))]
    far = np.full(len(points), np.inf)
    while len(chosen) < min(SPOTS, len(points)):
        far = np.minimum(far, np.hypot(*(points - points[chosen[-1]]).T))
        chosen.append(int(np.argmax(far)))
    return tuple((float(x), float(y)) for x, y in points[chosen])


_COLUMNS_AN_INCH = 3
_ROWS_AN_INCH = 1.5
"""Rows per inch; a character is about twice as high as wide, so squares stay square."""
_MAX_INCHES = 13.0
"""Size of the usual board; larger ones are drawn as large as it, so that the list has room."""

_WIDE = 92
"""Smallest width at which the list is next to the board, not below it [columns]."""

_BRIEF_WIDE = 78
"""Smallest width for a brief list next to the board [columns]."""

GROUNDS = {
    "woods": ("♣", "#1f4a2a", "#17351f"),
    "path": ("·", "#8a7a55", "#c9b78a"),
    "field": (" ", "#2f6b3a", "#2f6b3a"),
}
"""Texture of each kind of region, its colour and that of the ground.

The texture alone distinguishes them without colours.
"""


@lru_cache(maxsize=8)
def region_kinds(board: Board, columns: int, rows: int) -> NDArray[np.str_]:
    """Return the kind of region (field, path, woods) in each cell of a grid, from the North-West.

    Shape [rows, columns]; cached, so do not modify it.
    """
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    x, y = np.meshgrid(
        ((np.arange(columns) + 0.5) / columns - 0.5) * board.size,
        (0.5 - (np.arange(rows) + 0.5) / rows) * board.size,
    )
    kinds = np.full(x.shape, "path", dtype="U5")
    for zone, region in board.regions.items():
        kinds[contains_xy(region, x, y)] = zone.value.split(":")[0]
    return kinds


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
    """Return the board seen from above, North up, with a list of the bodies on it.

    Args:
        board: Board to draw.
        lying: Landings of the Piggles to show, by id.
        width: Width of a line [columns]; if it suffices, the list is next to the board.
        marked: Ids to highlight in the list, such as those just rolled.
        below: Content below the list.
        worn: Markings of each Piggle in the list, by id; None for no markings.
        brief: Whether the list shows orientations only as marks, to fit 80 columns.
    """
    entries = sorted(lying)
    text = Group(_list(entries, set(marked), worn or {}, brief=brief), "", below)
    if entries and all(landing.place is None for _, landing in entries):
        # Without positions, from a table or a script, there is no map to draw.
        return text
    if width < (_BRIEF_WIDE if brief else _WIDE):
        return Group(_map(board, entries), text)
    grid = Table.grid(padding=(0, 2))
    grid.add_row(_map(board, entries), text)
    return grid


def _map(board: Board, entries: list[tuple[str, Landing]]) -> Text:
    inches = min(board.size / INCH, _MAX_INCHES)
    columns, rows = round(inches * _COLUMNS_AN_INCH), round(inches * _ROWS_AN_INCH)
    styled = {kind: (text, f"{ink} on {ground}") for kind, (text, ink, ground) in GROUNDS.items()}
    cells = [[styled[kind] for kind in row] for row in region_kinds(board, columns, rows).tolist()]
    taken: set[tuple[int, int]] = set()
    for name, landing in entries:
        if landing.place is None or landing.zone is Zone.OFF:
            continue
        label = f"{name}{pose_mark(landing)}"
        x, y, _ = landing.place.position
        at = x / board.size, y / board.size
        row, column = take_cells(at, len(label), columns=columns, rows=rows, taken=taken)
        for place, character in enumerate(label, start=column):
            cells[row][place] = (character, _name_style(name))
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
    return f"bold #ffffff on {OWNER_COLOURS[Seat(piggle[0])]}"


def take_cells(
    at: tuple[float, float], width: int, *, columns: int, rows: int, taken: set[tuple[int, int]]
) -> tuple[int, int]:
    """Take the cells of a label in the nearest free row, and return its row and first column.

    Args:
        at: Its centre, east and north of the middle [board].
        width: Number of its characters.
        columns: Number of characters across the board.
        rows: Number of characters down the board.
        taken: Cells of other labels, as Piggles may touch; those of this one are added.
    """
    column = min(max(round((at[0] + 0.5) * columns - width / 2), 0), columns - width)
    row = min(max(int((0.5 - at[1]) * rows), 0), rows - 1)
    for shift in (0, 1, -1, 2, -2, 3, -3):
        cells = {(row + shift, column + k) for k in range(width)}
        if 0 <= row + shift < rows and not cells & taken:
            row += shift
            break
    taken.update((row, column + k) for k in range(width))
    return row, column


def _list(
    entries: list[tuple[str, Landing]], marked: set[str], worn: Mapping[str, str], *, brief: bool
) -> Table:
    table = Table(box=None, padding=(0, 1), show_header=False, pad_edge=False)
    for _ in range(4):
        table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for name, landing in entries:
        note = f" {support_word(landing)}".rstrip()
        points = landing_points(landing)
        table.add_row(
            Text.assemble((name, _name_style(name)), f" {worn[name]}" if name in worn else ""),
            pose_mark(landing) or " ",
            # A brief list shows only the mark of an orientation; a class has no mark.
            Text(("" if brief and landing.orientation else landing.label or "") + note),
            Text(landing.zone.value, style="bold" if name in marked else ""),
            str(points) if points else "",
        )
    return table
