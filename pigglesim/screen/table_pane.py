"""What lies on the table of a game without a board, as text in the place of the board."""

from collections.abc import Sequence

from rich.text import Text
from textual.containers import VerticalScroll
from textual.widgets import Static

__all__ = ["TablePane", "drawn_dice"]

_CORNER, _OTHER, _SIDE, _MIDDLE, _NONE = {4, 5, 6}, {2, 3, 4, 5, 6}, {6}, {1, 3, 5}, set[int]()
_ROWS = ((_OTHER, _NONE, _CORNER), (_SIDE, _MIDDLE, _SIDE), (_CORNER, _NONE, _OTHER))
"""The faces that have a pip at each of the nine places."""


class TablePane(VerticalScroll, can_focus=False):
    """Cards, dice or a board of squares, drawn as text by the family of the game."""

    def __init__(self) -> None:
        super().__init__(Static(id="felt"), id="board")

    def show(self, table: Text, faces: Sequence[int] = (), *, fresh: bool = False) -> None:
        """Show how things are now.

        Args:
            table: The position.
            faces: The upper faces of the dice that were thrown last, or are in the air.
            fresh: Whether they have just been thrown; others are drawn faintly.
        """
        dice = Text(f"\n{drawn_dice(faces)}" if faces else "", style="bold" if fresh else "dim")
        self.query_one("#felt", Static).update(table.copy().append_text(dice))


def drawn_dice(faces: Sequence[int]) -> str:
    """Return dice with their pips, side by side, five lines high."""
    rows = ["  ".join("┌───────┐" for _ in faces)]
    for row in _ROWS:
        cells = (" ".join("●" if face in pip else " " for pip in row) for face in faces)
        rows.append("  ".join(f"│ {cell} │" for cell in cells))
    rows.append("  ".join("└───────┘" for _ in faces))
    return "\n".join(f"  {row}" for row in rows)
