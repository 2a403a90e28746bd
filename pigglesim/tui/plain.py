"""Line mode of a match: for a pipe, a plain terminal, a script, a screen reader."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, TextIO

from rich.console import Console
from rich.markdown import Markdown

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.game import Concede
from pigglesim.landing import Landing
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import SHIELD_MARK
from pigglesim.table.hints import hint_lines
from pigglesim.table.session import Session
from pigglesim.table.view import Line, Toggles
from pigglesim.tui.board_text import board_view
from pigglesim.tui.felt import areas_table, log_text, painted, score_table

_CONCEDE = "concede yes"
_COMMANDS = {
    "help": "this list",
    "rules": "the rules in a minute",
    "board": "the board, the score and the areas again",
    "hint": "what an agent would do, and why",
    "undo": "take your last decision back (with --practice)",
    _CONCEDE: "give the match up",
    "quit": "leave; every decision is saved already, and the end of the input does the same",
}
"""Commands other than a choice."""


class PlainTable:
    """One match in line mode."""

    def __init__(self, session: Session, *, lines: TextIO, console: Console) -> None:
        self._session = session
        self._lines = lines
        self._console = console
        self._left = False

    def run(self) -> None:
        """Play until the match is over, the person leaves or the input ends."""
        session = self._session
        if session.awaited:
            self._print("Write `help` for what can be written here.")
            self.show_state()
        while not self._left and not (session.over and not session.undoable):
            forced = self._session.forced
            if forced is not None:
                self._decide(forced)
            elif session.over or session.awaited:
                self._ask()
            else:
                self._show_event(session.play(session.next_event()))
        if session.over and not session.events:
            self.show_state()

    def _ask(self) -> None:
        session = self._session
        if session.awaited:
            self._print(self._offer(), style="bold")
            prompt = f"{self._session.view.names[session.awaited]}> "
        else:
            prompt = "over; undo or quit> "
        self._console.print(prompt, end="", markup=False)
        line = self._lines.readline()
        if not line:
            self._print("")
            self._left = True
            return
        if not self._lines.isatty():
            self._print(line.strip())
        try:
            self._obey(line.split())
        except PigglesimError as error:
            self._print(str(error))

    def _offer(self) -> str:
        view = self._session.view
        toggles = self._session.toggles
        if toggles is not None:
            items = (
                f"{number}) {item} {toggles.marks.get(item, '')}".rstrip()
                for number, item in enumerate(toggles.items, start=1)
                if item in toggles.free
            )
            options = "  ".join(items)
            return f"Load {options}: numbers, such as `1 3`; all; skip" if options else "Load: skip"
        return "\n".join(
            f"{above}{number}) {text}"
            for number, (above, text) in enumerate(
                view.listed(self._session.state, self._session.choices), start=1
            )
        )

    def _obey(self, words: Sequence[str]) -> None:
        """Run the command of a line.

        Raises:
            SpecError: If it cannot be understood; the match is then unchanged.
        """
        match words:
            case []:
                pass
            case ["help" | "?"]:
                self._help()
            case ["rules"]:
                self._console.print(Markdown(self._session.view.rules))
            case ["board"]:
                self.show_state()
            case ["quit" | "exit"]:
                self._left = True
            case ["undo"]:
                self._undo()
            case _ if not self._session.awaited:
                raise SpecError("the match is over", fix="write undo or quit")
            case ["hint"]:
                self._say(hint_lines(self._session, self._session.state))
            case ["concede"]:
                raise SpecError("to concede ends the match", fix="write concede yes to confirm")
            case ["concede", "yes"]:
                self._decide(Concede())
            case _:
                self._decide(self._choice(words))

    def _choice(self, words: Sequence[str]) -> Any:  # noqa: ANN401 (an action of the game)
        """Return the action that a line chooses: by number, by name or by its text in a record."""
        game, state = self._session.game, self._session.state
        toggles, actions = self._session.toggles, self._session.choices
        text = " ".join(words)
        with suppress(PigglesimError):
            action = game.parse_action(text)
            if game.is_legal(state, action):
                return action
        if toggles is not None:
            return self._session.view.skip if text == "skip" else _toggled(toggles, words)
        if text == "done" and self._session.view.done in actions:
            return self._session.view.done
        numbers = [str(number) for number in range(1, len(actions) + 1)]
        if text not in numbers:
            example = game.format_action(actions[0])
            allowed = f"a number from 1 to {len(actions)}, or the text of an action"
            raise SpecError(
                f"invalid choice {text!r}",
                expected=f"{allowed} such as `{example}`",
                fix="try again",
            )
        return actions[numbers.index(text)]

    def _decide(self, action: object) -> None:
        self._show_event(self._session.decide(action))

    def _undo(self) -> None:
        if not self._session.practice:
            raise SpecError("this match is not practice", fix="start with --practice to undo")
        if not self._session.undo():
            raise SpecError("no decision to take back", fix="decide first")
        self._print("Taken back. The same choice would roll the same again.")
        self.show_state()

    def _help(self) -> None:
        self._print("A choice: the numbers or names that are offered; all; skip; done")
        self._print("or the text of an action as records have it, which the page of the game lists")
        for command, description in _COMMANDS.items():
            if command != _CONCEDE or Concede() in self._session.legal:
                self._print(f"{command:<12} {description}")

    def _show_event(self, event: MatchEvent[Any]) -> None:
        """Show the consequences of a decision or a roll."""
        set_down = self._session.view.sets_down(event.before)
        if isinstance(event.entry, MatchOutcome) and event.entry.landings and not set_down:
            self._show_board(self._session.landed(event), event.before)
        self._say(self._session.view.story(event))
        if self._session.saves.fault:
            self._print(f"not saved: {self._session.saves.fault}")
        if self._session.awaited:
            if self._session.board is None:
                self.show_state()
            else:
                self._show_score()

    def show_state(self) -> None:
        """Show the table, the score and the areas."""
        table = self._session.view.table(self._session.state, self._session.viewer)
        if table is not None:
            self._console.print(painted(table))
        elif landings := self._session.view.landings(self._session.state):
            self._show_board(landings, self._session.state)
        self._show_score()

    def _show_board(self, landings: Sequence[tuple[str, Landing]], state: object) -> None:
        marks = self._session.marks(state).items()
        liveries = {name: mark.worn + SHIELD_MARK * mark.shielded for name, mark in marks}
        # Landings exist only in games with a board.
        assert self._session.board is not None
        width = self._console.width
        self._console.print(board_view(self._session.board, landings, width=width, worn=liveries))

    def _show_score(self) -> None:
        view, session = self._session.view, self._session
        self._print("")
        title = f"{self._session.heading} · {view.heading(session.state)}"
        self._print(title, style="bold")
        self._print(view.guide(session.state, session.awaited))
        width, state = self._console.width, session.state
        score = score_table(session, state, session.events, to_move=session.awaited, width=width)
        self._console.print(score)
        self._console.print(areas_table(view, session.state))

    def _say(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._console.print(log_text([line]))

    def _print(self, text: str, style: str = "") -> None:
        self._console.print(text, style=style, markup=False, highlight=False)


def _toggled(toggles: Toggles, words: Sequence[str]) -> object:
    """Return the action that takes the named or numbered pieces, with or without `load`."""
    names = words[1:] if words[0] == "load" else words
    if names == ["all"]:
        chosen = sorted(toggles.free)
    else:
        numbers = {str(k): item for k, item in enumerate(toggles.items, start=1)}
        chosen = [numbers.get(name, name.upper()) for name in names]
    if not chosen or not toggles.free.issuperset(chosen) or len(set(chosen)) < len(chosen):
        free = " ".join(sorted(toggles.free)) or "none"
        raise SpecError(
            f"invalid choice {' '.join(words)!r}",
            expected=f"distinct Piggles of your Pen: {free}",
            fix="write numbers such as 1 3, all or skip",
        )
    return toggles.action(frozenset(chosen))
