"""What lies on the table of a game without a board, as text in the place of the board."""

from rich.text import Text
from textual.containers import VerticalScroll
from textual.widgets import Static

__all__ = ["TablePane"]


class TablePane(VerticalScroll, can_focus=False):
    """Cards, dice or a board of squares, drawn as text by the family of the game."""

    def __init__(self) -> None:
        super().__init__(Static(id="felt"), id="board")

    def show(self, table: Text) -> None:
        """Show how things lie now."""
        self.query_one("#felt", Static).update(table)
