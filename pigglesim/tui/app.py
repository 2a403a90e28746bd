"""Terminal app: one table of keys defines its bindings, help page and footer."""

import asyncio
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, ClassVar

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.color import Color
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Key as KeyEvent
from textual.events import Resize
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widgets import Footer, OptionList, Static

from pigglesim.agents.registry import own_flags
from pigglesim.games.game import Concede
from pigglesim.glyphs import spell
from pigglesim.landing import Landing, Seat
from pigglesim.match.entries import Decision, Entry, MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.table.hints import hint_lines
from pigglesim.table.session import Session
from pigglesim.table.view import Line, Tone, log_lines
from pigglesim.tui.background import GRACE, BackgroundTask
from pigglesim.tui.felt import log_text
from pigglesim.tui.tokens import faces_up, moving, tokens
from pigglesim.tui.widgets import (
    BoardWidget,
    Button,
    Choices,
    Picked,
    SidePanel,
    TablePane,
    board_side,
)

_HURRY = """
During a roll, any other key skips to its end; r, ?, u and the scroll keys act. Enter, Space, s
and d do nothing in the half second after a display that ends by itself. The mouse works everywhere.
"""
_MARKS = """
▲ Snout-Up pays. ▼ Snout-Down goes to the Mud. ◆ On-Their-Head goes to the Kitchen. ~ leans.
A sits South and has A1 to A6. B sits North and has B1 to B6. →r4: back from the Mud in round 4.
In Modern, R→ is a red Piggle with the rune for right, and # is shielded. ( ) acts on [ ]; click
a Piggle on the board to choose it. Captured Piggles are listed under their new player.
"""
_SAVED = """
The match is saved after every decision. To resume it:
  pigglesim play --resume {words}"""


@dataclass(frozen=True, slots=True)
class Key:
    """One key and its action."""

    press: str
    """Names of the keys in Textual, separated by commas."""
    label: str
    """Key, as the help page and the footer show it."""
    name: str
    """Action name in the program, one word."""
    brief: str
    """Action, as the footer shows it; empty to omit it there."""
    description: str
    """Action, as the help page describes it."""


KEYS = (
    Key(
        *("1,2,3,4,5,6,7,8,9,0", "1 to 9", "pick", ""),
        "mark that entry, or move that Piggle in or out of the cup; 1 2 for the 12th (or ↑ ↓)",
    ),
    Key("a", "a", "all", "All", "put the whole Pen into the cup"),
    Key("n", "n", "none", "", "take all out of the cup"),
    Key("enter,space", "Enter", "roll", "Roll", "roll the cup"),
    Key("enter,space", "Enter", "take", "Do it", "take the marked entry of a list"),
    Key("s", "s", "skip", "Skip", "pass: roll nothing in this turn"),
    Key("d", "d", "done", "Done", "end your actions"),
    Key("h", "h", "hint", "Hint", "show what an agent would do, and why"),
    Key("u", "u", "undo", "Undo", "undo your last decision (with --practice)"),
    Key("c", "c", "concede", "Concede", "give up the match, after one question"),
    Key("r", "r", "rules", "Rules", "the rules in a minute"),
    Key("question_mark,f1", "?", "help", "Keys", "show this page"),
    Key("pageup", "PgUp", "older", "", "scroll back in the log"),
    Key("pagedown", "PgDn", "newer", "", "scroll forward in the log"),
    Key("minus", "-", "up", "", "scroll the table up"),
    Key("plus", "+", "down", "", "scroll the table down"),
    Key("q,ctrl+q", "q", "quit", "Quit", "leave; every decision is saved"),
    Key("ctrl+c", "Ctrl-C", "stop", "", "leave at once, with status 130"),
)


def help_page(session: Session) -> RenderableType:
    """Return the page that lists every key, and every mark of a game on a board."""
    table, board = Table(box=None, padding=(0, 2, 0, 0), show_header=False), session.board
    table.add_column(style="bold", no_wrap=True)
    for key in KEYS:
        if key.name not in ({"up", "down"} if board else {"all", "none", "roll"}):
            table.add_row(key.label, key.description)
    legend = session.view.legend and f"\n{session.view.legend}.\n"
    header = session.header
    resume = [str(session.saves.path), *own_flags(header.game, header.agents.values())]
    notes = f"{_HURRY}{_MARKS if board else legend}{_SAVED.format(words=shlex.join(resume))}"
    return Group(Text("Keys\n", style="bold underline"), table, Text(notes))


_HALF_BLOCKS = re.compile("[▀▁▂▃▄▅▆▇]")
"""Parts of a character in another colour: on the board, and at the ends of a scroll bar."""


class AsciiFilter(LineFilter):
    """Lines of the screen in ASCII, each as wide as before."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line in ASCII."""
        del background
        spelled = [
            Segment(spell(_HALF_BLOCKS.sub(" ", text)), style, control)
            for text, style, control in segments
        ]
        width = Segment.get_line_length(segments)
        return Segment.adjust_line_length(spelled, width)


class Page(ModalScreen[None]):
    """Modal page that shows a text."""

    BINDINGS: ClassVar = [Binding("escape,enter,space,q,question_mark,f1,r", "dismiss", "Back")]

    def __init__(self, content: RenderableType, back: str = "Esc  back to the table") -> None:
        super().__init__()
        self.content, self._back = content, back

    def compose(self) -> ComposeResult:
        """Show the text."""
        with Vertical(id="page"):
            # The text has the focus, so its own keys scroll it.
            with VerticalScroll(id="page-text"):
                yield Static(self.content)
            yield Button(self._back, "screen.dismiss", name="page-back")


class HandOver(Page):
    """Opaque page between two people at one keyboard who may not see each other's cards.

    It stays while `is_late` is true: a key pressed then was meant for the display before it.
    """

    def __init__(self, text: str, is_late: Callable[[], bool]) -> None:
        super().__init__(text, "Enter  show my cards")
        self._is_late = is_late

    async def action_dismiss(self, result: None = None) -> None:
        """Show the cards."""
        if not self._is_late():
            await super().action_dismiss(result)


class Question(ModalScreen[bool]):
    """Modal question whether to concede, which needs an explicit yes or no."""

    BINDINGS: ClassVar = [
        Binding("y", "dismiss(True)", "Yes"),
        Binding("n,escape,enter,q", "dismiss(False)", "No"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Show the question and both answers."""
        with Vertical(id="question"):
            yield Static(self._text, markup=False)
            with Horizontal():
                yield Button("y  concede", "screen.dismiss(True)", name="yes")
                yield Button("n  play on", "screen.dismiss(False)", name="no")


LEAST_SIZE = (80, 24)
"""Minimum terminal size (columns, rows)."""
STOPPED, TERMINATED = 130, 143
"""Exit statuses after Ctrl-C and after SIGTERM."""

_SIDE_WIDTH = 40
"""Minimum columns of the side panel next to a board."""
_PANE_WIDTH = 46
"""Minimum columns of the text of a game without a board: a row of Piggyback and a scroll bar."""
_PICTURES = 25
"""Pictures per second of a roll."""
_AFTER = 0.25
"""Time for which a roll is shown after its last motion [s of the film]."""
_PAUSE = 1.2
"""Time for which an agent's decision is shown before its roll [s]."""
_LOOK = 2.5
"""Time for which a landing is shown if only agents play [s]."""
_LATE = 0.5
"""Time after the end of a display for which a key may still be meant for that display [s]."""


def _presses(*names: str) -> frozenset[str]:
    """Return the keys of some actions, as Textual names them."""
    return frozenset(press for key in KEYS if key.name in names for press in key.press.split(","))


_CONFIRMING = _presses("roll", "take", "skip", "done")
"""Keys that take a decision at once."""
_READING = _presses("rules", "help", "older", "newer", "up", "down", "undo", "quit")
"""Keys that act during a display too, instead of ending it."""


_WAITING = {
    "roll": "the dice are rolling ...",
    "agent": "the other side is thinking ...",
}
"""Descriptions of background tasks."""
_HINT_COMES = "Hint: thinking ... You may decide without it."
_AFTERWARDS = {
    "review": "Review: the whole story of the match",
    "page": "Page: write it as a film to watch in a browser",
    "rematch": "Rematch: the same table, another seed",
}
"""Choices after a match."""
_SCROLLS = {
    "older": ("#log", True),
    "newer": ("#log", False),
    "up": ("TablePane", True),
    "down": ("TablePane", False),
}
"""Pane that each key scrolls, and True for upwards."""


def _thrower(entry: Entry) -> Seat | None:
    return entry.thrower if isinstance(entry, MatchOutcome) else None


class PlayApp(App[int]):
    """Full-screen app for one match."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [
        Binding(
            press,
            f"press('{key.name}', {press})" if key.name == "pick" else f"press('{key.name}')",
            key.brief,
            key_display=key.label,
            show=bool(key.brief),
            priority=key.name == "stop",
        )
        for key in KEYS
        for press in (key.press.split(",") if key.name == "pick" else (key.press,))
    ]

    def __init__(
        self,
        session: Session,
        *,
        ascii_only: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__()
        self._ascii_only = ascii_only
        self.session = session
        self._clock = clock
        self.fault: BaseException | None = None
        """Error raised by a roll or an agent, for the caller."""
        self.wish = ""
        """Choice after the match: `page`, `rematch` or empty."""
        self._job: BackgroundTask | None = None
        """Roll, decision or hint that is being computed."""
        self._jobs: list[BackgroundTask] = []
        """All tasks begun so far, including abandoned ones."""
        self._late: Timer | None = None
        self._notes: list[Line] = []
        self._clicked: tuple[str, ...] = ()
        """Clicked Piggle on the board, which is explained."""
        self._film: Timer | None = None
        self._film_began = 0.0
        self._rolled: MatchOutcome | None = None
        """Roll being shown, moving or landed."""
        self._viewer = next(iter(session.people), None)
        """Person whose cards are shown: of several, the last one asked; None shows all cards."""
        self._brief = False
        """True if play continues without a key once the roll has landed."""
        self._next: Timer | None = None
        self._then = self._go_on
        """Action to run when the timer ends."""
        self._changed_at = -_LATE
        """Time at which a display last ended by itself, or another person was asked [s]."""
        self._asked: Seat | None = None
        """Person asked last."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters through which every line of the screen goes."""
        filters = super().get_line_filters()
        return [*filters, AsciiFilter()] if self._ascii_only else filters

    @property
    def _table(self) -> Screen[Any]:
        return self.screen_stack[0]

    def compose(self) -> ComposeResult:
        """Compose the board, the side panel and the footer."""
        with Vertical(id="table"):
            yield Static(id="heading", markup=False)
            yield Static(id="guide", markup=False)
            with Horizontal(id="middle"):
                board = self.session.board
                if board is None:
                    yield TablePane()
                else:
                    yield BoardWidget(board, colours=not self.no_color)
                yield SidePanel(self.session)
            yield Footer(show_command_palette=False)
        yield Static(id="small", markup=False)

    def on_mount(self) -> None:
        """Start the match."""
        if sys.platform != "win32":
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self.exit, TERMINATED)
            # The event loop may wait for a terminal that is gone; every decision is already saved.
            signal.signal(signal.SIGHUP, lambda *_: os._exit(TERMINATED))
        if self.session.events:
            self._note("Resumed where it was left.")
        else:
            self._note("Press ? for the keys, r for the rules in a minute, h for a hint.")
        self._go_on()

    def on_unmount(self) -> None:
        """Restore the signal handlers."""
        if sys.platform != "win32":
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)

    def on_resize(self, event: Resize) -> None:
        """Resize the board, or report that the terminal is too small."""
        width, height = event.size
        enough = width >= LEAST_SIZE[0] and height >= LEAST_SIZE[1]
        self._table.query_one("#table").display = enough
        small = self._table.query_one("#small", Static)
        small.display = not enough
        small.update(
            f"This window is {width} x {height}. The table needs {LEAST_SIZE[0]} x "
            f"{LEAST_SIZE[1]}: make it larger, or press q and go on with --plain."
        )
        self.call_after_refresh(self._refresh)
        room = width - _SIDE_WIDTH
        without_board = self.session.board is None
        side = max(room, _PANE_WIDTH) if without_board else board_side(room, height - 4)
        self._table.query_one("#board").styles.width = side

    def on_side_panel_resized(self) -> None:
        """Fit the side panel into its new width."""
        self._refresh()

    @property
    def _choices(self) -> Choices:
        return self._table.query_one(Choices)

    @property
    def is_idle(self) -> bool:
        """True if nothing is being computed or shown: a person may choose, or the match is over."""
        return self._job is None and self._rolled is None and self._next is None

    @property
    def _choosing(self) -> bool:
        """True if choices are offered: no display is on, and a person is asked or play is over."""
        shows = self._rolled is not None or self._next is not None
        return not shows and (self.session.over or self.session.awaited is not None)

    def _is_late(self) -> bool:
        """Return whether a key pressed now may be meant for a display that has ended by itself."""
        return self._clock() - self._changed_at < _LATE

    # Next event.

    def _go_on(self) -> None:
        """Refresh, then start the next event that needs no person."""
        self._rolled = None
        self._next = None
        self._clicked = ()
        session, forced = self.session, self.session.forced
        if forced is not None and session.speed == 0.0:
            self._decide(forced)
            return
        if session.awaited:
            if self._asked not in {None, session.awaited}:
                self._changed_at = self._clock()
            self._asked = session.awaited
        waits = session.over or session.awaited is not None
        if waits:
            self._hand_over()
        self._offer()
        if forced is not None:
            self._wait(_PAUSE, partial(self._decide, forced))
        elif not waits:
            session.film = None
            self._begin("agent" if session.thinking else "roll", session.next_event)
            if session.thinking and session.time_limit is not None:
                self._late = self.set_timer(session.time_limit + GRACE, self._too_late)
        self._refresh()

    def _offer(self) -> None:
        """Offer the choices of the person asked, or what can be done after the match."""
        session = self.session
        if session.over:
            offered = [name for name in _AFTERWARDS if name != "page" or session.has_page]
            texts = [_AFTERWARDS[name] for name in offered]
            self._choices.offer(session.state, offered, words=texts)
        else:
            self._choices.offer(session.state, session.choices if session.forced is None else ())

    def _hand_over(self) -> None:
        """Hide what the last player saw before another one is asked, in a game that hides."""
        before, self._viewer = self._viewer, self.session.viewer
        if self._viewer not in {before, None} and self.session.view.hides:
            name = self.session.view.names[self._viewer]
            text = f"Hand over the keyboard: {name} is to move."
            self.push_screen(HandOver(text, self._is_late))

    def _begin(self, name: str, task: Callable[[], Any]) -> None:
        def done(task: BackgroundTask) -> None:
            # The person may have left by now.
            with suppress(RuntimeError):
                self.call_later(self._finished, task)

        self._job = BackgroundTask(name, task, on_done=done)
        self._jobs.append(self._job)

    @property
    def is_working(self) -> bool:
        """True while any task runs, including an abandoned one."""
        return any(not task.done for task in self._jobs)

    def _finished(self, task: BackgroundTask) -> None:
        if task is not self._job:
            return
        self._job = None
        if self._late is not None:
            self._late.stop()
        if task.fault is not None:
            self.fault = task.fault
            self.exit(1)
        elif task.name == "hint":
            self._notes = [line for line in self._notes if line.text != _HINT_COMES]
            self._notes += task.answer
            self._refresh()
        else:
            self._play(task.answer)

    def _too_late(self) -> None:
        """Stop waiting for an agent whose time is up: its thread runs on, but it has lost."""
        if self._job is not None and self._job.name == "agent":
            self._job = None
            self._play(self.session.late_event())

    def _play(self, event: MatchEvent[Any]) -> None:
        """Play an event of chance or an agent, and show it for a while."""
        self._changed_at = self._clock()
        set_down = self.session.view.sets_down(self.session.state)
        entry = self.session.play(event).entry
        self._notes.clear()
        narrated = self.session.view.story(event)
        if self.session.speed == 0.0 or not narrated:
            self._go_on()
        elif isinstance(entry, MatchOutcome):
            self._rolled = entry
            # Dice are read at a glance; landings of Piggles need longer.
            self._brief = set_down or not entry.landings
            film = self.session.film
            # A Piggle set down by hand does not move.
            if film is not None and film.frames.count > 1:
                self._film_began = self._clock()
                self._film = self.set_interval(1 / _PICTURES, self._picture)
                self._refresh()
            else:
                self._landed()
        else:
            # Start the timer first: while it runs, an effect is shown before it is carried out.
            self._wait(_PAUSE, self._go_on)
            self._refresh()

    def _picture(self) -> None:
        film = self.session.film
        time = (self._clock() - self._film_began) * self.session.speed
        if film is None or time >= film.rests_from + _AFTER:
            self._changed_at = self._clock()
            self._landed()
            return
        shown = self.session.progress.before
        assert shown is not None, "a roll was played"
        before = shown.state
        table = self.session.view.table(before, self._viewer)
        if table is not None:
            faces = faces_up(film, time)
            self._table.query_one(TablePane).show(table, faces, fresh=True)
            return
        pose, scene = film.at(time).cup, self.session.scene
        cup = None if pose is None or scene is None else (scene.cup, pose)
        self._table.query_one(BoardWidget).show(moving(self.session, film, time, before), cup)

    def _landed(self) -> None:
        """Show how the roll landed, before anything is taken from the board."""
        if self._film is not None:
            self._film.stop()
            self._film = None
        if self._brief or all(agent is not None for agent in self.session.agents.values()):
            self._wait(_PAUSE if self._brief else _LOOK, self._go_on)
        self._refresh()

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        """Run an action after a delay, or when a key is pressed [s, at speed 1]."""
        self._then = then
        self._next = self.set_timer(seconds / self.session.speed, self._wait_is_over)

    def _wait_is_over(self) -> None:
        self._changed_at = self._clock()
        self._then()

    def _hurry(self) -> bool:
        """End the current display for a key or a click; return whether there was one."""
        if self._choosing:
            return False
        if self._is_late():
            pass
        elif self._film is not None:
            self._landed()
        elif self._next is not None:
            self._next.stop()
            self._then()
        elif self._rolled is not None:
            self._go_on()
        else:
            return False
        return True

    # Display.

    def _note(self, text: str) -> None:
        self._notes.append(Line(text, Tone.NOTE))

    def _refresh(self) -> None:
        session, view, last = self.session, self.session.view, self.session.progress.last
        moving, passing = self._film is not None, self._passing
        acting = self._acting
        # While a roll or an agent's effect is shown, the board shows the state before it.
        shown = last.before if last is not None and (self._rolled or acting) else session.state
        landings = view.landings(shown)
        if last is not None and self._rolled and not moving:
            landings = session.landed(last)
        practice = " · practice" if session.practice else ""
        heading = f"{session.heading} · {view.heading(shown)}{practice}"
        self._table.query_one("#heading", Static).update(f"{heading} · seed {session.header.seed}")
        self._table.query_one("#guide", Static).update(self._guide(waits=not passing))
        self.refresh_bindings()
        self._table.query_one(SidePanel).show(
            # The outcome of a moving roll is not known yet.
            session.events[:-1] if moving else session.events,
            shown if moving else session.state,
            landings,
            shown,
            fresh=self._rolled.piggles if self._rolled and not moving else (),
            to_move=None if self._rolled else session.awaited,
            waits=self._rolled is not None and not passing,
            notes=self._notes,
            pointed=(*self._clicked, *self._choices.pointed),
            seen=self._seen,
        )
        if not moving:
            self._show_table(shown, landings, acting)

    @property
    def _passing(self) -> bool:
        """True if play goes on without a key."""
        return self._next is not None and self._then == self._go_on

    @property
    def _acting(self) -> tuple[str, ...]:
        """Pieces that the decision involves which is shown before it is carried out."""
        last = self.session.progress.last
        if last is None or last.action is None or self._rolled or not self._passing:
            return ()
        return self.session.view.involved(last.action)

    def _show_table(
        self, state: object, landings: Sequence[tuple[str, Landing]], acting: tuple[str, ...]
    ) -> None:
        session, rolled = self.session, self._rolled is not None
        table = session.view.table(state, self._viewer)
        if table is None:
            lit = () if rolled else acting or self._choices.marked
            self._table.query_one(BoardWidget).show(tokens(session, landings, state, lit=lit))
            return
        dice = session.last_dice
        faces = dice[1].faces if dice else ()
        self._table.query_one(TablePane).show(table, faces, fresh=rolled)

    @property
    def _seen(self) -> int:
        """Number of events that the person has seen: those up to their own last turn.

        While a roll is shown, those up to the decision to roll.
        """
        entries = [event.entry for event in self.session.events]
        decided = [
            number
            for number, entry in enumerate(entries)
            if isinstance(entry, Decision) and (self._rolled or entry.seat is self._viewer)
        ]
        if not decided or self._rolled:
            return decided[-1] if decided else 0
        seen = decided[-1] + 1
        while seen < len(entries) and _thrower(entries[seen]) is self._viewer:
            seen += 1
        return seen

    def _guide(self, *, waits: bool) -> str:
        """Return the meaning of the phase and the possible actions."""
        if self._film is not None:
            return "The cup is shaken and tipped. Any key shows the end of the roll."
        if waits and self._rolled and self._rolled.landings:
            return "This is how it landed; the log shows its points. Any key goes on."
        if self._rolled:
            return "The log shows what has happened. Any key goes on."
        if self.session.over:
            return "The match is over. Choose from the list, or press q to leave."
        guide = self.session.view.guide(self.session.state, self.session.awaited)
        waiting = _WAITING.get(self._job.name, "") if self._job else ""
        return f"{guide} ({waiting})" if waiting else guide

    # Input.

    def action_press(self, name: str, number: int = 0) -> None:
        """Run the action of a key; `number` selects among those that pick an entry."""
        if name in {"quit", "stop"}:
            self.exit(STOPPED if name == "stop" else 0)
        elif not self._table.query_one("#table").display:
            return
        elif name == "help":
            self.push_screen(Page(help_page(self.session)))
        elif name == "rules":
            self.push_screen(Page(Markdown(self.session.view.rules)))
        elif name in _SCROLLS:
            selector, up = _SCROLLS[name]
            for part in self._table.query(selector):
                (part.scroll_page_up if up else part.scroll_page_down)()
        elif name == "undo":
            self._undo()
        elif self._hurry() or (name in {"roll", "take", "skip", "done"} and self._is_late()):
            return
        elif self.session.awaited:
            self._choose(name, number)
        elif self.session.over:
            self._afterwards(name, number)

    def _afterwards(self, name: str, number: int) -> None:
        if name == "pick":
            self._choices.pick(number)
        elif name in {"roll", "take"} and self._choices.action == "review":
            self.push_screen(Page(log_text(log_lines(self.session.view, self.session.events))))
        elif name in {"roll", "take"}:
            self.wish = str(self._choices.action)
            self.exit(0)

    def _choose(self, name: str, number: int) -> None:
        choices = self._choices
        match name:
            case "all" | "none":
                choices.pick_all(into=name == "all")
            case "roll" | "take":
                if choices.action is not None:
                    self._decide(choices.action)
                    return
                if choices.listed:
                    self._say("Mark an entry first: by its number, an arrow key or a click.")
                    return
                self._say("Choose by number what goes into the cup, or a for all; s rolls nothing.")
            case "skip" if self.session.view.skip in self.session.legal:
                self._decide(self.session.view.skip)
            case "skip":
                self._say("There is nothing to skip: choose from the list.")
            case "done":
                self._decide(self.session.view.done)
            case "concede":
                self._ask_to_concede()
            case "hint":
                if self._job is None:
                    self._say(_HINT_COMES)
                    # Only then: compiling the adviser may delay the screen.
                    self.call_after_refresh(self._look_for_hint)
            case _:
                self._clicked = ()
                if choices.pick(number):
                    self._refresh()
                else:
                    self._say("There is no such choice now.")

    def _look_for_hint(self) -> None:
        if self._job is None and self.session.awaited:
            self._begin("hint", partial(hint_lines, self.session, self.session.state))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose the clicked entry of the list."""
        event.stop()
        self.action_press("roll")

    def on_key(self, event: KeyEvent) -> None:
        """End the current display on any key, and move through a list with the arrows."""
        if self.screen is not self._table:
            return
        if event.key in _READING:
            return
        if self._hurry() or (event.key in _CONFIRMING and self._is_late()):
            # Its own action would apply to a choice that the person has not seen yet.
            event.prevent_default()
        elif event.key in {"up", "down"}:
            self._clicked = ()
            menu = self._table.query_one(OptionList)
            (menu.action_cursor_down if event.key == "down" else menu.action_cursor_up)()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key has an effect now: the footer omits the others."""
        if action != "press" or not self._table.query(Choices):
            return True
        board, view, chooses = self.session.board is not None, self.session.view, self._choosing
        listed = self._choices.listed or not board
        over = self.session.over
        done = listed and view.done in self.session.legal
        passes = not over if board else view.skip in self.session.legal
        fits = dict.fromkeys(("all", "none", "roll"), chooses and not listed)
        fits |= {"take": chooses and listed, "done": chooses and done}
        fits |= {
            "skip": chooses and not done and passes,
            "concede": chooses and Concede() in self.session.legal,
            "undo": self.session.undoable and self._may_undo,
            "hint": chooses and not over,
        }
        return fits.get(str(parameters[0]), True)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Highlight on the board the Piggles of the marked entry."""
        event.stop()
        if self.session.awaited:
            self._refresh()

    def on_picked(self, event: Picked) -> None:
        """Mark an entry of the list that involves the Piggle clicked on the board."""
        if not self._hurry():
            self._clicked = (event.piggle,)
            self._choices.pick_about(event.piggle)
            self._refresh()

    def _say(self, text: str) -> None:
        # First, so that a long hint cannot hide the answer to a key.
        others = [line for line in self._notes if line.text != text]
        self._notes = [Line(text, Tone.NOTE), *others]
        self._refresh()

    def _decide(self, action: object) -> None:
        # A hint that is still computing would refer to a past state.
        self._job = None
        self._notes.clear()
        self.session.decide(action)
        self._go_on()

    @property
    def _may_undo(self) -> bool:
        """True unless a roll or an agent's decision is being computed."""
        return self._job is None or self._job.name == "hint"

    def _undo(self) -> None:
        if self._may_undo and self.session.undo():
            for timer in (self._film, self._next):
                if timer is not None:
                    timer.stop()
            self._film = self._job = None
            self._notes.clear()
            self._note("Taken back. The same choice would roll the same again.")
            self._go_on()

    def _ask_to_concede(self) -> None:
        seat = self.session.awaited
        if seat is None or Concede() not in self.session.legal:
            self._say("This game cannot be given up now.")
            return

        def answered(yes: bool | None) -> None:  # noqa: FBT001 (as the library calls it)
            if yes:
                self._decide(Concede())

        self.push_screen(Question(f"{self.session.view.names[seat]} gives the match up?"), answered)
