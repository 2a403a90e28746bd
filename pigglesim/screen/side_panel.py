"""What is told and chosen beside the board: score, areas, who lies where, the log, the choices."""

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from pigglesim.screen.choices import Choices
from pigglesim.screen.family import Line, Tone
from pigglesim.screen.pages import Button
from pigglesim.screen.panels import areas_table, chronicle, log_text, lying_table, score_table
from pigglesim.screen.setting import Setting
from pigglesim.screen.view import View

__all__ = ["SidePanel"]

_ROOMY = 26
"""Rows from which on there is room for all at once."""


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
        yield Static(id="effect", markup=False)
        yield Choices(self._setting.family)
        yield Button("any key  Go on", "app.press('roll')", name="go-on")

    def show(self, view: View, *, notes: Iterable[Line], pointed: Iterable[str] = ()) -> None:
        """Show how things stand.

        Args:
            view: What there is to show.
            notes: What to say below the log.
            pointed: Piggles of which the first that acts at all is explained.
        """
        family, session, state = self._setting.family, self._setting.session, view.state
        score = score_table(
            family,
            state,
            view.events,
            to_move=view.to_move,
            scores=session.game.scores(state),
            agents=self._setting.players,
            width=self.size.width,
        )
        self.query_one("#score", Static).update(score)
        self.query_one("#areas", Static).update(areas_table(family, state))
        table = lying_table(
            view.lying,
            player_of=lambda piggle: family.player_of(view.lay, piggle),
            marks=self._setting.marks(view.lay),
            fresh=view.fresh,
            width=self.size.width,
        )
        lying = self.query_one("#lying", Static)
        lying.update(table)
        lying.display = self._setting.board is not None
        # What is chosen from a long list needs the room more than what lies beside the board.
        crowded = self.size.height < _ROOMY and self.query_one(Choices).listed
        self.query_one("#areas").display = not crowded
        told = (family.effects[piggle] for piggle in pointed if piggle in family.effects)
        effect, legend = self.query_one("#effect", Static), family.legend
        effect.update(next(told, legend))
        effect.display = bool(legend) and not crowded and not session.over
        lines = [*chronicle(family, view.events), *notes]
        if self._setting.saves.fault:
            lines.append(Line(text=f"Not saved! {self._setting.saves.fault}", tone=Tone.END))
        self.query_one("#log-text", Static).update(log_text(lines))
        self.call_after_refresh(self.query_one("#log").scroll_end, animate=False)
        self.query_one("#go-on").display = view.waits

    def leaf(self, *, back: bool) -> None:
        """Scroll the log by a page."""
        log = self.query_one("#log")
        (log.scroll_page_up if back else log.scroll_page_down)()
