"""The course of a match at a table: what is shown, and what people may do.

A server and a page without one send the same messages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from pigglesim.chance_types import DiceResult
from pigglesim.cup_path import legal_hold
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggles.areas import Load
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import Hold, Landing, Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent, Progress
from pigglesim.table.hints import hint_lines
from pigglesim.table.session import Session, thrown_last
from pigglesim.table.state_message import (
    lines_message,
    listed_actions,
    state_message,
    table_message,
)
from pigglesim.table.view import log_lines

STALE = SpecError("the table has changed since", fix="look again, then choose")


def html_of(text: str) -> str:
    """Return a text in Markdown as HTML, without any HTML that the text may contain."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 (slow to import)

    return str(MarkdownIt("commonmark", {"html": False}).render(text))


class Pictures(Protocol):
    """Pictures of a match in 3D, as chapters for a page."""

    def still(
        self,
        state: object,
        landings: Sequence[tuple[str, Landing]],
        pens: Mapping[Seat, Sequence[str]],
    ) -> dict[str, Any]:
        """Return Piggles at rest, and the Pens beside the board."""

    def dice(self, thrower: Seat, result: DiceResult) -> dict[str, Any]:
        """Return dice that were thrown, at rest."""

    def film(self, session: Session) -> tuple[dict[str, Any], float]:
        """Return the film of the latest roll, with its length [s]."""


class Course:
    """A match in progress, as the people at it see and play it."""

    def __init__(self, name: str, session: Session, pictures: Pictures | None) -> None:
        self.name, self.session, self.pictures = name, session, pictures

    # What is shown.

    def log(self) -> dict[str, Any]:
        """Return the message with all that has happened, and the rules."""
        lines = lines_message(log_lines(self.session.view, self.session.events))
        return {"is": "log", "table": self.name, "lines": lines, "rules": self.rules_html()}

    def rules_html(self) -> str:
        """Return the rules of the match as HTML."""
        return html_of(self.session.view.rules)

    def state(
        self, seats: Sequence[Seat], *, owner: bool, pace: float, working: str = ""
    ) -> dict[str, Any]:
        """Return the message with the match as the person at some seats sees it."""
        message = state_message(self.session, seats, spectates=not seats, working=working)
        if owner:
            message["saved"] = self.session.saves.fault or self.session.saves.path.name
        message["undoable"] = bool(seats) and self.undoable
        if self.session.is_puzzle:
            puzzle: Any = self.session
            message["puzzle"] = puzzle.document()
        return {**message, "table": self.name, "owner": owner, "pace": pace}

    def board(self) -> dict[str, Any] | None:
        """Return the table as it stands, with the Pen of the player who loads."""
        session = self.session
        toggles = session.toggles
        pens = {}
        if toggles is not None and session.awaited is not None:
            pens = {session.awaited: tuple(i for i in toggles.items if i in toggles.free)}
        return self._still(session.state, session.events, pens)

    def _still(
        self,
        state: Any,  # noqa: ANN401 (a state of the game)
        events: Sequence[MatchEvent[Any]],
        pens: Mapping[Seat, Sequence[str]],
    ) -> dict[str, Any] | None:
        """Return the table after some events: the dice thrown last, or the Piggles."""
        if self.pictures is None:
            return None
        if (dice := thrown_last(events)) is not None:
            return self.pictures.dice(*dice)
        return self.pictures.still(state, self.session.view.landings(state), pens)

    def _filmed(self, event: MatchEvent[Any]) -> tuple[dict[str, Any] | None, float]:
        """Return the film of an event, with its length [s]; None if nothing has moved."""
        session = self.session
        if self.pictures is None or not isinstance(event.entry, MatchOutcome):
            return None, 0.0
        if session.film is not None:
            return self.pictures.film(session)
        if session.last_dice is not None:
            return self.board(), 0.0
        return self.pictures.still(event.before, session.landed(event), {}), 0.0

    def visited(self, before: Progress[Any], decision: int) -> dict[str, Any]:
        """Return the message that shows the match as it was before a decision."""
        return {
            "is": "visited",
            "table": self.name,
            "decision": decision,
            "chapter": self._still(before.state, before.events, {}),
            **table_message(self.session, before.state, before.events),
        }

    def played(self, play: Callable[[], MatchEvent[Any]]) -> tuple[dict[str, Any], float]:
        """Play an entry and return its message, with the length of its film [s]."""
        event, session = play(), self.session
        chapter, seconds = self._filmed(event)
        before, after = map(session.game.scores, (event.before, event.after))
        message = {
            "is": "event",
            "lines": lines_message(session.view.story(event)),
            "chapter": chapter,
            "gains": {seat: after[seat] - points for seat, points in before.items()},
            # What the rules remove stays visible until the roll has been seen.
            "board": None if chapter and session.last_dice else self.board(),
        }
        return message, seconds

    def work(self) -> str:
        """Return what an agent or chance is about to do, in words."""
        thinking = self.session.thinking
        names = self.session.view.names
        return f"{names[thinking]} is thinking" if thinking else "The cup is shaken"

    # What people may do.

    def expect_turn(self, seats: Sequence[Seat], at: int) -> None:
        """Raise `SpecError` unless one of these seats is to move, and has seen all that happened.

        `at` is the number of events that the person has seen.
        """
        if at != len(self.session.events):
            raise STALE
        if self.session.awaited not in seats:
            raise SpecError("it is not your turn", fix="wait for it")

    def listed(self, choice: int) -> object:
        """Return a listed action of the person to move."""
        listed = listed_actions(self.session)
        if choice >= len(listed):
            raise SpecError(f"there is no choice {choice}", fix="choose one of the list")
        return listed[choice]

    def load(self, piggles: Sequence[str], hold: Hold | None = None) -> object:
        """Return the action that loads these Piggles, from a hold near the wished one."""
        session = self.session
        toggles = session.toggles
        if toggles is None:
            raise SpecError("there is no cup to load now", fix="choose one of the list")
        action = toggles.action(frozenset(piggles))
        if hold is None or not isinstance(action, Load):
            return action
        if not isinstance(hold, HandThrow) and session.scene is not None:
            hold = legal_hold(session.scene, hold)
        return replace(action, hold=hold)

    def due(self, event: MatchEvent[Any]) -> object:
        """Return the request of chance that is due after an event; None for another turn."""
        game = self.session.game
        due = game.turn(event.after) is NonPlayer.CHANCE
        return game.chance_request(event.after) if due else None

    def button(self, word: str) -> object:
        """Return the action of a button next to the list."""
        session = self.session
        action = {"skip": session.view.skip, "done": session.view.done}.get(word, Concede())
        if action not in session.legal:
            raise SpecError(f"{word} is not possible now", fix="choose one of the list")
        return action

    def hint(self, at: int, state: object) -> dict[str, Any]:
        """Return the message with an agent's action in this position, and its reason."""
        lines = lines_message(hint_lines(self.session, state))
        return {"is": "hint", "table": self.name, "at": at, "lines": lines}

    def expect_undoable(self, seats: Sequence[Seat]) -> None:
        """Raise `SpecError` unless the person at some seats can take a decision back."""
        if not seats or not self.undoable:
            raise SpecError("nothing can be taken back", fix="begin a match for practice")

    @property
    def undoable(self) -> bool:
        """True if a decision can be taken back.

        At the end of a match all may see its seed and all hands: several people cannot play on.
        """
        session = self.session
        return session.undoable and not (session.over and len(session.people) > 1)
