"""The full-screen table: the board, what is told beside it, the choices, by key and by mouse."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, ClassVar

from rich.markdown import Markdown
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.events import Key as KeyEvent
from textual.events import Resize
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, OptionList, Static

from pigglesim.games.game import Concede
from pigglesim.match.entries import Entry, Outcome
from pigglesim.screen.board_widget import BoardWidget, Picked, board_side
from pigglesim.screen.choices import Choices
from pigglesim.screen.family import Line, Tone
from pigglesim.screen.keys import KEYS, help_page
from pigglesim.screen.labour import Finished, Labour
from pigglesim.screen.pages import Page, Question
from pigglesim.screen.panels import chronicle, log_text
from pigglesim.screen.setting import Setting
from pigglesim.screen.side_panel import SidePanel
from pigglesim.screen.table_pane import TablePane
from pigglesim.screen.view import View

__all__ = ["LEAST_SIZE", "PlayApp"]

LEAST_SIZE = (80, 24)
"""Columns and rows without which the table cannot be shown."""
STOPPED, TERMINATED = 130, 143
"""What a program returns that Ctrl-C or SIGTERM has stopped."""

_SIDE_WIDTH = 40
"""Columns that are kept for what is told beside the board, at least."""
_PICTURES = 25
"""Pictures a second of a roll."""
_AFTER = 0.25
"""How much longer a roll is shown than anything is seen to move [s of the film]."""
_PAUSE = 1.2
"""How long an agent's decision is shown before its roll [s]."""
_GRACE = 0.05
"""How much later than its limit an agent is given up that does not answer at all [s]."""
_LOOK = 2.5
"""How long a landing is shown where only agents play [s]."""


_AFTERWARDS = {
    "review": "Review: the whole story of the match",
    "page": "Page: write it as a film to watch in a browser",
    "rematch": "Rematch: the same table, another seed",
}
"""What can be done after a match."""


def _hang_up(*_: object) -> None:
    """End at once, for there is no terminal any more; every decision is saved already."""
    os._exit(TERMINATED)


class PlayApp(App[int]):
    """One match at a full terminal.

    Args:
        setting: The match and its table.
    """

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [
        Binding(
            press,
            f"press('{key.name}', {press})" if key.name == "pick" else f"press('{key.name}')",
            key.brief,
            key_display=key.shown,
            show=key.in_footer,
            priority=key.name == "stop",
        )
        for key in KEYS
        for press in (key.press.split(",") if key.name == "pick" else (key.press,))
    ]

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        self.session = setting.session
        self.fault: BaseException | None = None
        """What went wrong in a roll or in an agent, for whoever started this."""
        self.wish = ""
        """What was chosen after the match: `page`, `rematch` or nothing."""
        self.labour = Labour(self)
        """What is worked out beside the screen."""
        self._late: Timer | None = None
        self._notes: list[Line] = []
        self._clicked: tuple[str, ...] = ()
        """The Piggle on the board that was clicked, to be explained."""
        self._film: Timer | None = None
        self._film_began = 0.0
        self._rolled: Outcome | None = None
        """The roll that is being shown, moving or landed."""
        self._brief = False
        """Whether it goes on by itself once it has landed."""
        self._next: Timer | None = None
        self._then = self._go_on
        """What happens when that timer has run out."""

    @property
    def _table(self) -> Screen[Any]:
        """The screen with the table, whatever page lies over it."""
        return self.screen_stack[0]

    def compose(self) -> ComposeResult:
        """Lay the table."""
        with Vertical(id="table"):
            yield Static(id="heading", markup=False)
            yield Static(id="guide", markup=False)
            with Horizontal(id="middle"):
                board = self.setting.board
                if board is None:
                    yield TablePane()
                else:
                    yield BoardWidget(board, colours=not self.no_color)
                yield SidePanel(self.setting)
            yield Footer(show_command_palette=False)
        yield Static(id="small", markup=False)

    def on_mount(self) -> None:
        """Begin."""
        if sys.platform != "win32":
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self.exit, TERMINATED)
            # The loop itself may wait for a terminal that is gone.
            signal.signal(signal.SIGHUP, _hang_up)
        if self.session.events:
            self._note("Resumed where it was left.")
        else:
            self._note("Press ? for the keys, r for the rules in a minute, h for a hint.")
        self._go_on()

    def on_unmount(self) -> None:
        """Give the signals back."""
        if sys.platform != "win32":
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)

    def on_resize(self, event: Resize) -> None:
        """Give the board what room there is, or say that there is not enough."""
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
        side = room if self.setting.board is None else board_side(room, height - 4)
        self._table.query_one("#board").styles.width = side

    @property
    def _choices(self) -> Choices:
        return self._table.query_one(Choices)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being worked out or shown: a person may choose, or all is over."""
        return not self.labour.name and self._rolled is None and self._next is None

    # What is due.

    def _go_on(self) -> None:
        """Show how things stand, and let happen what is due without a person."""
        self._rolled = None
        self._next = None
        self._clicked = ()
        session, forced = self.session, self.setting.forced
        if forced is not None and self.setting.speed == 0.0:
            self._decide(forced)
            return
        legal = session.game.legal_actions(session.state) if session.awaited else ()
        choices = [action for action in legal if not isinstance(action, Concede)]
        if session.over:
            offered = {name: text for name, text in _AFTERWARDS.items() if self._can(name)}
            self._choices.offer(session.state, list(offered), words=list(offered.values()))
        else:
            self._choices.offer(session.state, choices if forced is None else ())
        self.refresh_bindings()
        if forced is not None:
            self._wait(_PAUSE, partial(self._decide, forced))
        elif not session.over and not session.awaited:
            self.setting.reel.clear()
            self.labour.begin(session.next_entry, "agent" if session.thinking else "roll")
            if session.thinking and session.time_limit is not None:
                self._late = self.set_timer(session.time_limit + _GRACE, self._too_late)
        self._refresh()

    def on_finished(self, finished: Finished) -> None:
        """Take what was worked out, or leave with the fault."""
        if not (name := self.labour.take(finished)):
            return
        if self._late is not None:
            self._late.stop()
        if finished.fault is not None:
            self.fault = finished.fault
            self.exit(1)
        elif name == "hint":
            self._notes += finished.answer
            self._refresh()
        else:
            self._play(finished.answer)

    def _too_late(self) -> None:
        """Wait no longer for an agent whose time is up: nothing stops its thread, but it lost."""
        if self.labour.name == "agent":
            self.labour.give_up()
            self._play(self.session.late_entry())

    def _play(self, entry: Entry) -> None:
        """Play what chance or an agent has answered, and show it for a while."""
        set_down = self.setting.family.sets_down(self.session.state)
        self.session.play(entry)
        self._notes.clear()
        speed = self.setting.speed
        if speed == 0.0:
            self._go_on()
        elif isinstance(entry, Outcome):
            self._rolled = entry
            # Dice are seen at a glance; how Piggles landed is to be studied.
            self._brief = set_down or not entry.landings
            if self.setting.reel.moves:
                self._film_began = monotonic()
                self._film = self.set_interval(1 / _PICTURES, self._picture)
                self._refresh()
            else:
                self._landed()
        else:
            # First the timer: while it runs an effect is seen before it is carried out.
            self._wait(_PAUSE, self._go_on)
            self._refresh()

    def _picture(self) -> None:
        """Show one picture of the roll."""
        film = self.setting.reel.film
        time = (monotonic() - self._film_began) * self.setting.speed
        if film is None or time >= film.rests_from + _AFTER:
            self._landed()
            return
        before = self.session.events[-1].before
        table = self.setting.family.table(before, self.setting.viewer)
        if table is not None:
            faces = self.setting.faces(film, time)
            self._table.query_one(TablePane).show(table, faces, fresh=True)
            return
        pose, scene = film.at(time).cup, self.setting.scene
        cup = None if pose is None or scene is None else (scene.cup, pose)
        self._table.query_one(BoardWidget).show(self.setting.moving(film, time, before), cup)

    def _landed(self) -> None:
        """Show how the roll has landed, before anything is taken from the board."""
        self._stop_film()
        if self._brief or all(agent is not None for agent in self.session.agents.values()):
            self._wait(_PAUSE if self._brief else _LOOK, self._go_on)
        self._refresh()

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        """Do something after a while, or when a key is pressed [s, at speed 1]."""
        self._then = then
        self._next = self.set_timer(seconds / self.setting.speed, then)

    def _stop_film(self) -> None:
        if self._film is not None:
            self._film.stop()
            self._film = None

    def _hurry(self) -> bool:
        """End what is shown; return whether anything was."""
        if self._film is not None:
            self._landed()
        elif self._next is not None:
            self._next.stop()
            self._then()
        elif self._rolled is not None:
            self._go_on()
        else:
            return False
        return True

    # What is shown.

    def _note(self, text: str) -> None:
        self._notes.append(Line(text=text, tone=Tone.NOTE))

    def _refresh(self) -> None:
        """Show everything as it stands."""
        view = View(
            setting=self.setting,
            rolled=self._rolled,
            moving=self._film is not None,
            passing=self._next is not None and self._then == self._go_on,
            busy=self.labour.name,
            marked=self._choices.marked,
        )
        self._table.query_one("#heading", Static).update(view.heading)
        self._table.query_one("#guide", Static).update(view.guide)
        pointed = (*self._clicked, *self._choices.pointed)
        self._table.query_one(SidePanel).show(view, notes=self._notes, pointed=pointed)
        if (table := self.setting.family.table(view.lay, self.setting.viewer)) is not None:
            if not view.moving:
                fresh = self._rolled is not None
                self._table.query_one(TablePane).show(table, view.faces, fresh=fresh)
        elif not view.moving:
            tokens = self.setting.tokens(view.lying, view.lay, lit=view.lit)
            self._table.query_one(BoardWidget).show(tokens)

    # What is pressed.

    def action_press(self, name: str, number: int = 0) -> None:
        """Do what a key is for, of those that pick the one with that number."""
        if name == "quit":
            self.exit(0)
        elif name == "stop":
            self.exit(STOPPED)
        elif not self._table.query_one("#table").display or self._hurry():
            return
        elif name == "help":
            self.push_screen(Page(help_page(str(self.setting.saves.path))))
        elif name == "rules":
            self.push_screen(Page(Markdown(self.setting.family.rules)))
        elif name in {"older", "newer"}:
            self._table.query_one(SidePanel).leaf(back=name == "older")
        elif name == "undo":
            self._undo()
        elif self.session.awaited:
            self._choose(name, number)
        elif self.session.over:
            self._afterwards(name, number)

    def _can(self, afterwards: str) -> bool:
        """Return whether something can be done after the match."""
        return afterwards != "page" or self.setting.has_page

    def _afterwards(self, name: str, number: int) -> None:
        """Do what a key is for when the match is over."""
        if name == "pick":
            self._choices.pick(number)
        elif name in {"roll", "take"} and self._choices.action == "review":
            lines = chronicle(self.setting.family, self.session.events)
            self.push_screen(Page(log_text(lines)))
        elif name in {"roll", "take"}:
            self.wish = str(self._choices.action)
            self.exit(0)

    def _choose(self, name: str, number: int) -> None:
        """Do what a key is for that belongs to a person's turn."""
        choices = self._choices
        match name:
            case "all" | "none":
                choices.pick_all(into=name == "all")
            case "roll" | "take":
                if choices.action is None:
                    self._say(
                        "Choose by number what goes into the cup, or a for all; s rolls nothing."
                    )
                else:
                    self._decide(choices.action)
            case "skip":
                skip = self.setting.family.skip
                if self._is_legal(skip):
                    self._decide(skip)
                else:
                    self._say("There is nothing to skip: choose from the list.")
            case "done":
                self._decide(self.setting.family.done)
            case "concede":
                self._ask_to_concede()
            case "hint":
                if not self.labour.name:
                    self.labour.begin(self.setting.hint_lines, "hint")
                    self._refresh()
            case _:
                self._clicked = ()
                if choices.pick(number):
                    self._refresh()
                else:
                    self._say("There is no such choice now.")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take an entry of the list that was clicked."""
        event.stop()
        self.action_press("roll")

    def on_key(self, event: KeyEvent) -> None:
        """Let any key end what is shown, and the arrows walk through a list."""
        if self.screen is not self._table or self._hurry():
            return
        if event.key in {"up", "down"}:
            self._clicked = ()
            self._choices.move(1 if event.key == "down" else -1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key does anything now: what does nothing is not in the footer."""
        if action != "press" or not self._table.query(Choices):
            return True
        listed, family = self._choices.listed, self.setting.family
        done = listed and self._is_legal(family.done)
        fits = {"all": not listed, "none": not listed, "roll": not listed, "take": listed}
        fits |= {"done": done, "skip": not done and family.skip is not None}
        return {**fits, "concede": self.setting.has_concession}.get(str(parameters[0]), True)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Point out on the board whom the marked entry is about."""
        event.stop()
        if self.session.awaited:
            self._refresh()

    def on_picked(self, event: Picked) -> None:
        """Mark an entry of the list that is about the Piggle that was clicked on the board."""
        if not self._hurry():
            self._clicked = (event.piggle,)
            self._choices.pick_about(event.piggle)
            self._refresh()

    def _say(self, text: str) -> None:
        self._notes = [line for line in self._notes if line.text != text]
        self._note(text)
        self._refresh()

    def _decide(self, action: object) -> None:
        # A hint that still comes would be one for what is past.
        self.labour.give_up()
        self._notes.clear()
        self.session.decide(action)
        self._go_on()

    def _is_legal(self, action: object) -> bool:
        return action in self.session.game.legal_actions(self.session.state)

    def _undo(self) -> None:
        if self.labour.name:
            return
        if not self.session.practice:
            self._say("Decisions can be taken back in practice only: start with --practice.")
        elif self.setting.undo():
            self._notes.clear()
            self._note("Taken back. The same choice would roll the same again.")
            self._go_on()
        else:
            self._say("There is nothing to take back.")

    def _ask_to_concede(self) -> None:
        seat = self.session.awaited
        concede = Concede()
        if seat is None or not self._is_legal(concede):
            self._say("This game cannot be given up now.")
            return

        def answered(yes: bool | None) -> None:  # noqa: FBT001 (as the library calls it)
            if yes:
                self._decide(concede)

        text = f"{self.setting.family.names[seat]} gives the match up?"
        self.push_screen(Question(text, yes="concede", no="play on"), answered)
