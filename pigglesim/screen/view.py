"""What of a match is to be seen at one moment: a roll is told when it lies, not while it falls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pigglesim.asking import DiceResult
from pigglesim.match.entries import Decision, Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Landing, Seat
from pigglesim.screen.setting import Setting

__all__ = ["View"]

_WAITING = {
    "roll": "the dice are rolling ...",
    "agent": "the other side is thinking ...",
    "hint": "looking for a hint ...",
}
"""What is said while something is worked out."""


@dataclass(frozen=True, kw_only=True)
class View:
    """One moment of a match, as the full screen shows it."""

    setting: Setting
    rolled: Outcome | None
    """The roll that is being shown, moving or landed."""
    moving: bool
    passing: bool
    """Whether what is shown goes on by itself."""
    busy: str
    """What is being worked out: `roll`, `agent`, `hint` or nothing."""
    marked: tuple[str, ...]
    """The Piggles that the choice at hand is about."""

    @property
    def events(self) -> Sequence[MatchEvent[Any]]:
        """What may be told: nobody knows yet what comes of a roll that moves."""
        events = self.setting.session.events
        return events[:-1] if self.moving else events

    @property
    def state(self) -> Any:  # noqa: ANN401 (a state of whatever game is played)
        """The position that what may be told has led to."""
        session = self.setting.session
        return session.events[-1].before if self.moving else session.state

    @property
    def lay(self) -> Any:  # noqa: ANN401
        """The position in which what is seen on the board lies."""
        session = self.setting.session
        return session.events[-1].before if self.rolled or self._shown_act else session.state

    @property
    def lying(self) -> Sequence[tuple[str, Landing]]:
        """What is seen on the board, or was before the roll that moves."""
        if self.rolled and not self.moving:
            return self.setting.landed(self.setting.session.events[-1])
        return self.setting.family.lying(self.lay)

    @property
    def lit(self) -> tuple[str, ...]:
        """The Piggles to point out: who acts, and on whom."""
        return () if self.rolled else self._shown_act or self.marked

    @property
    def _shown_act(self) -> tuple[str, ...]:
        """Whom the decision of an agent is about that is being shown, before it is carried out."""
        session = self.setting.session
        if not self.passing or self.rolled or not session.events:
            return ()
        entry = session.events[-1].entry
        if not isinstance(entry, Decision):
            return ()
        return self.setting.family.about(session.game.parse_action(entry.action))

    @property
    def faces(self) -> tuple[int, ...]:
        """The upper faces of the dice that were thrown last, which stay on the table."""
        for event in reversed(self.events):
            result = getattr(event.entry, "result", None)
            if isinstance(result, DiceResult):
                return result.faces
        return ()

    @property
    def fresh(self) -> tuple[str, ...]:
        """The Piggles that have just landed."""
        return self.rolled.piggles if self.rolled and not self.moving else ()

    @property
    def to_move(self) -> Seat | None:
        """Whose decision is awaited."""
        return None if self.rolled else self.setting.session.awaited

    @property
    def waits(self) -> bool:
        """Whether nothing goes on before a key is pressed."""
        return self.rolled is not None and not self.passing

    @property
    def heading(self) -> str:
        """The line above all."""
        session = self.setting.session
        where = self.setting.family.heading(self.lay)
        practice = " · practice" if session.practice else ""
        return f"{self.setting.heading} · {where}{practice} · seed {session.header.seed}"

    @property
    def guide(self) -> str:
        """What the phase means and what can be done."""
        family, session = self.setting.family, self.setting.session
        if self.moving:
            return "The cup is shaken and tipped. Any key shows the end of the roll."
        if self.waits and self.rolled and self.rolled.landings:
            return "This is how it landed; the log tells what it is worth. Any key goes on."
        if self.rolled:
            return "The log tells what has happened. Any key goes on."
        if session.over:
            return "The match is over. Choose from the list, or press q to leave."
        guide = family.guide(session.state, session.awaited)
        return f"{guide} ({_WAITING[self.busy]})" if self.busy else guide
