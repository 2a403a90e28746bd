"""The board as a widget: as large as there is room, with whatever lies or moves on it."""

from collections.abc import Sequence
from functools import lru_cache
from math import hypot

from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pigglesim.scene.board import Board
from pigglesim.scene.cup import Cup
from pigglesim.screen.board_map import Cell, Token, draw
from pigglesim.throws.pour import Pose

__all__ = ["BoardWidget", "Picked", "board_side"]

_REACH = 0.03
"""How far from a Piggle a click may be that means it [m]: somewhat more than its length."""


def board_side(width: int, height: int) -> int:
    """Return how many columns a board takes in a room of so many columns and rows."""
    return max(min(width, 2 * height) // 2 * 2, 2)


class Picked(Message):
    """A Piggle on the board was clicked.

    Args:
        piggle: Its id.
    """

    def __init__(self, piggle: str) -> None:
        super().__init__()
        self.piggle = piggle


class BoardWidget(Widget):
    """The board, seen from above.

    Args:
        board: What to draw.
        colours: Whether the terminal shows colours.
    """

    def __init__(self, board: Board, *, colours: bool) -> None:
        super().__init__(id="board")
        self._board = board
        self._colours = colours
        self._tokens: tuple[Token, ...] = ()
        self._cup: tuple[Cup, Pose] | None = None
        self._strips: list[Strip] = []

    @property
    def tokens(self) -> tuple[Token, ...]:
        """What is shown."""
        return self._tokens

    def show(self, tokens: Sequence[Token], cup: tuple[Cup, Pose] | None = None) -> None:
        """Show Piggles, and the cup if it is there."""
        self._tokens, self._cup = tuple(tokens), cup
        self._draw(self.size)
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Tell which Piggle is nearest to a click, if one is near."""
        side = board_side(self.size.width, self.size.height)
        x = ((event.x + 0.5) / side - 0.5) * self._board.size
        y = (0.5 - (2 * event.y + 1) / side) * self._board.size
        near = min(self._tokens, key=lambda one: hypot(*_apart(one, x, y)), default=None)
        if near is not None and hypot(*_apart(near, x, y)) <= _REACH:
            event.stop()
            self.post_message(Picked(near.name))

    def on_resize(self) -> None:
        """Draw anew."""
        self._draw(self.size)
        self.refresh()

    def _draw(self, size: Size) -> None:
        side = board_side(size.width, size.height)
        if side < 16:
            self._strips = []
            return
        rows = draw(self._board, self._tokens, side=side, cup=self._cup, colours=self._colours)
        self._strips = [_strip(row) for row in rows]

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, Style())


def _apart(token: Token, x: float, y: float) -> tuple[float, float]:
    return token.position[0] - x, token.position[1] - y


@lru_cache(maxsize=4096)
def _style(ink: str | None, ground: str | None, bold: bool) -> Style:  # noqa: FBT001 (of a cache)
    return Style(color=ink, bgcolor=ground, bold=bold)


def _strip(row: list[Cell]) -> Strip:
    """Return a row of cells, those alike joined."""
    segments: list[Segment] = []
    text, last = "", row[0]
    for cell in row:
        if (cell.ink, cell.ground, cell.bold) != (last.ink, last.ground, last.bold):
            segments.append(Segment(text, _style(last.ink, last.ground, last.bold)))
            text, last = "", cell
        text += cell.text
    segments.append(Segment(text, _style(last.ink, last.ground, last.bold)))
    return Strip(segments, len(row))
