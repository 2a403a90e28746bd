"""The board drawn as text, with a list of the bodies on it."""

from collections.abc import Iterable, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pigglesim.landing import Landing, Seat, Zone
from pigglesim.render.board import GROUNDS, region_kinds, take_cells
from pigglesim.render.palette import (
    OWNER_COLOURS,
    ZONE_NAMES,
    landing_points,
    pose_mark,
    support_word,
)
from pigglesim.scene.scene import INCH, Board

_COLUMNS_AN_INCH = 3
_ROWS_AN_INCH = 1.5
"""Rows per inch; a character is about twice as high as wide, so squares stay square."""
_MAX_INCHES = 13.0
"""Size of the usual board; larger ones are drawn as large as it, so that the list has room."""

_WIDE = 92
"""Smallest width at which the list is next to the board, not below it [columns]."""

_BRIEF_WIDE = 78
"""Smallest width for a brief list next to the board [columns]."""


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
            Text(ZONE_NAMES[landing.zone], style="bold" if name in marked else ""),
            str(points) if points else "",
        )
    return table
