"""A match of any game as people see it: the table after each turn, and what happened, in words."""

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from pigglesim.games.game import Game, NonPlayer
from pigglesim.match.entries import Comment
from pigglesim.match.runner import MatchEvent
from pigglesim.screen.families import family_of
from pigglesim.screen.family import Tone
from pigglesim.screen.panels import log_text

__all__ = ["StoryView"]


class StoryView:
    """Prints a match while it is played or replayed, as its family of games tells it.

    Whoever looks on sees everything, hidden or not.

    Args:
        game: The rules under which it is played.
        console: Where to print; None to print nothing.
    """

    def __init__(self, game: Game[Any, Any], *, console: Console | None) -> None:
        self._game = game
        self._family = family_of(game)
        self._console = console
        self._turn: object = None

    def __enter__(self) -> "StoryView":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave everything as it is."""

    def on_event(self, event: MatchEvent[Any]) -> None:
        """Show what a decision or an answer of chance has changed, and the table at each turn."""
        if self._console is None:
            return
        turn = self._game.turn(event.before)
        if turn is not NonPlayer.CHANCE and turn != self._turn:
            self._turn = turn
            self._console.print(Rule(self._family.heading(event.before)))
            if (table := self._family.table(event.before, None)) is not None:
                self._console.print(table)
        if isinstance(event.entry, Comment):
            self._console.print(Text(event.entry.text, "italic"))
            return
        # How it ended is told once, by whoever shows the end.
        lines = [line for line in self._family.story(event) if line.tone is not Tone.END]
        if lines:
            self._console.print(log_text(lines))
