"""Pages over the table: help, rules, and the question before a match is given up."""

from typing import ClassVar

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Click
from textual.screen import ModalScreen
from textual.widgets import Static

__all__ = ["Button", "Page", "Question"]


class Button(Static):
    """A word that can be clicked: it does what a key does.

    Args:
        text: What it says.
        action: The action of the app or the page that is run.
        name: Under which it is found.
    """

    def __init__(self, text: str, action: str, *, name: str) -> None:
        super().__init__(text, id=name, classes="button", markup=False)
        self._action = action

    async def on_click(self, event: Click) -> None:
        """Do it."""
        event.stop()
        await self.run_action(self._action)


class Page(ModalScreen[None]):
    """A text to be read.

    Args:
        content: What to show.
    """

    BINDINGS: ClassVar = [
        Binding("escape,enter,space,q,question_mark,f1,r", "dismiss", "Back"),
        Binding("down,pagedown", "on", "On", show=False),
        Binding("up,pageup", "back", "Back", show=False),
    ]

    def __init__(self, content: RenderableType) -> None:
        super().__init__()
        self.content = content

    def compose(self) -> ComposeResult:
        """Show the text."""
        with Vertical(id="page"):
            with VerticalScroll(id="page-text", can_focus=False):
                yield Static(self.content)
            yield Button("Esc  back to the table", "screen.dismiss", name="page-back")

    def action_on(self) -> None:
        """Scroll on."""
        self.query_one("#page-text").scroll_page_down()

    def action_back(self) -> None:
        """Scroll back."""
        self.query_one("#page-text").scroll_page_up()


class Question(ModalScreen[bool]):
    """Something that must be meant: yes or no.

    Args:
        text: The question.
        yes: What yes does.
        no: What no does.
    """

    BINDINGS: ClassVar = [
        Binding("y", "dismiss(True)", "Yes"),
        Binding("n,escape,enter,q", "dismiss(False)", "No"),
    ]

    def __init__(self, text: str, *, yes: str, no: str) -> None:
        super().__init__()
        self._words = (text, yes, no)

    def compose(self) -> ComposeResult:
        """Show the question and both answers."""
        text, yes, no = self._words
        with Vertical(id="question"):
            yield Static(text, markup=False)
            with Horizontal():
                yield Button(f"y  {yes}", "screen.dismiss(True)", name="yes")
                yield Button(f"n  {no}", "screen.dismiss(False)", name="no")
