"""Top view of the board as coloured terminal cells: regions, Piggles, the cup.

A cell is half as wide as high, so it shows two squares, one above the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import dist

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pigglesim.cup_motion import Pose
from pigglesim.landing import Seat
from pigglesim.render.palette import OWNER_COLOURS
from pigglesim.rotations import rotate
from pigglesim.scene.scene import Board, Cup

_SKINS = {Seat.A: "#e59ab0", Seat.B: "#9bb7e8"}
"""Colours of Piggles without a livery: the owner's colour as a pig's skin."""

_GROUNDS = {"woods": ("♣", "#1d4027"), "path": ("·", "#b5a479"), "field": (" ", "#3c8049")}
"""Texture and colour per kind of region; the texture is for terminals without colours."""
_KINDS = tuple(_GROUNDS)
_CUP = "#6b4a32"
_CUP_INSIDE = "#2e2019"
_RIM = "#a9825c"
_RADIUS = 0.0125
"""Radius of the disc that represents a Piggle [m]: half its mean length."""
_NEAR = 0.5
"""Height at which a Piggle appears twice as large [m]."""
_LIT = ("#1a1a1a", "#ffd84d")
"""Text and background colour of a highlighted name."""
_SHIFTS = (0, 1, -1, 2, -2, 3, -3)
"""Row offsets to try for a name whose cells are taken: Piggles may touch."""
_SMALLEST_DISC = 1.6
"""Minimum disc radius [squares]; smaller discs would only blur the names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A Piggle as drawn on the board."""

    name: str
    mark: str
    """Signs after the name: its orientation, or nothing while it moves, and a shield."""
    seat: Seat
    """Player who controls it."""
    position: tuple[float, float, float]
    """Position of its centre [m]."""
    colour: str | None = None
    """Colour that it wears, as `#rrggbb`."""
    lit: tuple[str, str] | None = None
    """Brackets around its name if it is highlighted."""


@lru_cache(maxsize=4096)
def _cell(
    text: str, ink: str | None = None, ground: str | None = None, *, bold: bool = False
) -> Segment:
    """Return a character with its colours; None means the terminal's default."""
    return Segment(text, Style(color=ink, bgcolor=ground, bold=bold))


@lru_cache(maxsize=4)
def _regions(board: Board, side: int) -> NDArray[np.uint8]:
    """Return the kind of region in each of side x side squares, row by row from the North."""
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    middle = ((np.arange(side) + 0.5) / side - 0.5) * board.size
    x, y = np.meshgrid(middle, -middle)
    kinds = np.full(x.shape, _KINDS.index("path"), dtype=np.uint8)
    for zone, region in board.regions.items():
        kinds[contains_xy(region, x, y)] = _KINDS.index(zone.value.split(":")[0])
    return kinds


class _Picture:
    """Grid of squares, each a colour index."""

    def __init__(self, board: Board, side: int) -> None:
        self.board, self.side = board, side
        self.colours = [colour for _, colour in _GROUNDS.values()]
        self.squares = _regions(board, side).copy()
        self.middle = (np.arange(side) + 0.5 - side / 2) * board.size / side

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fill a disc [m]."""
        if colour not in self.colours:
            self.colours.append(colour)
        across = (self.middle[None, :] - x) ** 2
        down = (-self.middle[:, None] - y) ** 2
        self.squares[across + down <= radius * radius] = self.colours.index(colour)

    def column(self, x: float) -> float:
        """Return the column of a position [m], from the left edge."""
        return (x / self.board.size + 0.5) * self.side

    def row(self, y: float) -> int:
        """Return the row of characters of a position [m]."""
        return int((0.5 - y / self.board.size) * self.side / 2)


def _draw_cup(picture: _Picture, cup: Cup, pose: Pose) -> None:
    """Draw the cup as a row of discs from its floor to its mouth, the nearer ones above."""
    position, orientation = np.array(pose[0]), np.array(pose[1])
    axis = rotate(orientation, np.array([0.0, 0.0, 1.0]))
    # Draw upwards: the last disc is the visible end.
    order = np.linspace(-0.5, 0.5, 9) if axis[2] >= 0.0 else np.linspace(0.5, -0.5, 9)
    for step in order:
        x, y, _ = position + step * cup.depth * axis
        mouth = abs(step - 0.5) < 1e-9
        picture.disc(x, y, cup.outer_radius, _RIM if mouth else _CUP)
        if mouth and axis[2] > 0.0:
            picture.disc(x, y, cup.inner_radius, _CUP_INSIDE)


def draw(
    board: Board,
    tokens: Sequence[Token],
    *,
    side: int,
    cup: tuple[Cup, Pose] | None = None,
    colours: bool = True,
) -> list[list[Segment]]:
    """Return the board as characters, North up: `side` columns (even), and half as many rows.

    The earlier of overlapping names is drawn. Without `colours` regions differ by texture.
    """
    picture = _Picture(board, side)
    if cup is not None:
        _draw_cup(picture, *cup)
    if _RADIUS / board.size * side >= _SMALLEST_DISC:
        for token in tokens:
            x, y, z = token.position
            radius = _RADIUS * (1.0 + max(z, 0.0) / _NEAR)
            picture.disc(x, y, radius, token.colour or _SKINS[token.seat])
    rows = _coloured(picture) if colours else _textured(picture)
    _name_sides(rows)
    taken: set[tuple[int, int]] = set()
    for token in tokens:
        _write(rows, picture, token, taken)
    return rows


def _coloured(picture: _Picture) -> list[list[Segment]]:
    colours = picture.colours
    pairs = {
        (top, bottom): _cell("▀", colours[top], colours[bottom])
        if top != bottom
        else _cell(" ", None, colours[top])
        for top in range(len(colours))
        for bottom in range(len(colours))
    }
    upper, lower = picture.squares[0::2].tolist(), picture.squares[1::2].tolist()
    return [
        [pairs[pair] for pair in zip(top, bottom, strict=True)]
        for top, bottom in zip(upper, lower, strict=True)
    ]


def _textured(picture: _Picture) -> list[list[Segment]]:
    textures = [_cell(texture) for texture, _ in _GROUNDS.values()]
    other = _cell("o")
    return [
        [textures[kind] if kind < len(textures) else other for kind in row]
        for row in picture.squares[0::2].tolist()
    ]


def _name_sides(rows: list[list[Segment]]) -> None:
    for row, text in ((rows[0], " North · B "), (rows[-1], " South · A ")):
        for at, character in enumerate(text, start=(len(row) - len(text)) // 2):
            ground = _ground(row[at])
            row[at] = _cell(character, "#d9e6d9" if ground else None, ground)


def _ground(cell: Segment) -> str | None:
    return cell.style.bgcolor.name if cell.style and cell.style.bgcolor else None


def _write(
    rows: list[list[Segment]], picture: _Picture, token: Token, taken: set[tuple[int, int]]
) -> None:
    """Write a Piggle's name at its position, or in the nearest free cells."""
    x, y, _ = token.position
    left, right = token.lit or ("", "")
    text = f"{left}{token.name}{token.mark}{right}"
    column = round(picture.column(x) - len(text) / 2)
    column = min(max(column, 0), picture.side - len(text))
    row = min(max(picture.row(y), 0), len(rows) - 1)
    for shift in _SHIFTS:
        cells = {(row + shift, column + k) for k in range(len(text))}
        if 0 <= row + shift < len(rows) and not cells & taken:
            row += shift
            break
    style: tuple[str, ...] = _LIT if token.lit else ("#ffffff", OWNER_COLOURS[token.seat])
    if not _ground(rows[row][column]):
        style = ()
    for at, character in enumerate(text, start=column):
        taken.add((row, at))
        rows[row][at] = _cell(character, *style, bold=True)


_SMALLEST_BOARD = 16
"""Minimum columns of a board that is drawn."""
_REACH = 0.03
"""Maximum distance from a click to its Piggle [m]: slightly more than a Piggle's length."""


def board_side(width: int, height: int) -> int:
    """Return the columns of the largest board that fits into this width and height."""
    return max(min(width, 2 * height) // 2 * 2, 2)


class Picked(Message):
    """Message that a Piggle on the board was clicked."""

    def __init__(self, piggle: str) -> None:
        super().__init__()
        self.piggle = piggle


class BoardWidget(Widget):
    """Board widget, seen from above."""

    def __init__(self, board: Board, *, colours: bool) -> None:
        super().__init__(id="board")
        self._board = board
        self._colours = colours
        self.tokens: tuple[Token, ...] = ()
        """Piggles shown."""
        self._cup: tuple[Cup, Pose] | None = None
        self._strips: list[Strip] = []

    def show(self, tokens: Sequence[Token], cup: tuple[Cup, Pose] | None = None) -> None:
        """Show Piggles, and the cup if it is given."""
        self.tokens, self._cup = tuple(tokens), cup
        self.on_resize()

    def on_click(self, event: Click) -> None:
        """Post the Piggle nearest to a click, if one is in reach."""
        side = board_side(self.size.width, self.size.height)
        x = ((event.x + 0.5) / side - 0.5) * self._board.size
        y = (0.5 - (2 * event.y + 1) / side) * self._board.size
        nearest = min(self.tokens, key=lambda token: dist(token.position[:2], (x, y)), default=None)
        if nearest is not None and dist(nearest.position[:2], (x, y)) <= _REACH:
            event.stop()
            self.post_message(Picked(nearest.name))

    def on_resize(self) -> None:
        """Redraw at the new size."""
        side = board_side(self.size.width, self.size.height)
        rows: list[list[Segment]] = []
        if side >= _SMALLEST_BOARD:
            rows = draw(self._board, self.tokens, side=side, cup=self._cup, colours=self._colours)
        self._strips = [Strip(row).simplify() for row in rows]
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, Style())
