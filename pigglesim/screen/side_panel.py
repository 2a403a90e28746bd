"""What is told and chosen beside the board: score, areas, who lies where, the log, the choices."""

from collections.abc import Iterable, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Landing, Seat
from pigglesim.screen.choices import Choices
from pigglesim.screen.family import Line, Tone
from pigglesim.screen.pages import Button
from pigglesim.screen.panels import areas_table, chronicle, log_text, lying_table, score_table
from pigglesim.screen.setting import Setting

__all__ = ["SidePanel"]


class SidePanel(Vertical):
    """Everything beside the board.

    Args:
        setting: The match and its table.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(id="side")
        self._setting = setting

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Static(id="score")
        yield Static(id="areas")
        yield Static(id="lying")
        with VerticalScroll(id="log", can_focus=False):
            yield Static(id="log-text", markup=False)
        yield Choices(self._setting.family)
        yield Button("any key  Go on", "app.press('roll')", name="go-on")

    def show(
        self,
        state: object,
        events: Sequence[MatchEvent[Any]],
        *,
        lying: Sequence[tuple[str, Landing]],
        fresh: Iterable[str],
        to_move: Seat | None,
        notes: Iterable[Line],
        waits: bool,
    ) -> None:
        """Show how things stand.

        Args:
            state: The position.
            events: What has led to it, as far as it may be told yet.
            lying: What lies on the board.
            fresh: Those just rolled.
            to_move: Whose decision is awaited.
            notes: What to say below the log.
            waits: Whether any key goes on.
        """
        family, session = self._setting.family, self._setting.session
        score = score_table(
            family,
            state,
            events,
            to_move=to_move,
            scores=session.game.scores(state),
            agents=self._setting.players,
            width=self.size.width,
        )
        self.query_one("#score", Static).update(score)
        self.query_one("#areas", Static).update(areas_table(family, state))
        self.query_one("#lying", Static).update(
            lying_table(lying, wears=self._setting.wears, fresh=fresh)
        )
        lines = [*chronicle(family, events), *notes]
        if self._setting.saves.fault:
            lines.append(Line(text=f"Not saved! {self._setting.saves.fault}", tone=Tone.END))
        self.query_one("#log-text", Static).update(log_text(lines))
        self.call_after_refresh(self.query_one("#log").scroll_end, animate=False)
        self.query_one("#go-on").display = waits

    def leaf(self, *, back: bool) -> None:
        """Scroll the log by a page."""
        log = self.query_one("#log")
        (log.scroll_page_up if back else log.scroll_page_down)()
