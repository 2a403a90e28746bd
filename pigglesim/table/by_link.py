"""A match by link at a table: what a link brings is played event by event, then the person decides.

A terminal and a page use it alike. Both have `answer` when the person has decided all that is due.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pigglesim.agents.agent import Agent, Uniform
from pigglesim.agents.greedy import Greedy
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.correspondence import Correspondence, SeededChance
from pigglesim.match.entries import MatchOutcome, MatchRecord
from pigglesim.match.link_memory import Memory, finished
from pigglesim.match.links import format_link
from pigglesim.match.runner import MatchEvent
from pigglesim.scene.scene import Scene
from pigglesim.table.session import SaveFile, Session


class _NoFile(SaveFile):
    """A file that is never written: the link holds the match."""

    def save(self, record: MatchRecord) -> None:
        """Write nothing."""


class LinkSession(Session):
    """A match by link, in which one person makes a message.

    Args:
        match: Match whose next message has begun, as `invited` and `answering` return it; or one
            that is only shown.
        memory: What the person remembers; None if the match is only shown.
        role: Role of the person at whose device it is shown; by default that of the memory, or else
            of the player who sends the next message.
        remember: Function that stores the memory, before the answer can be seen.
        scene: Table on which Piggles or dice are thrown.
        shown: Number of events that the person has seen before.
        filmed: Source like that of the match, which films each throw as it is shown; None for no
            films.
        adviser: As for `Session`.
    """

    def __init__(
        self,
        match: Correspondence,
        memory: Memory | None = None,
        *,
        role: int | None = None,
        remember: Callable[[Memory], None] = lambda _: None,
        scene: Scene | None = None,
        shown: int = 0,
        filmed: SeededChance | None = None,
        adviser: Callable[[], Agent] = Greedy,
    ) -> None:
        self.match = match
        self.answer = ""
        """Link to send; empty until all is decided."""
        self.text = ""
        """Link that is shown; empty for a new match."""
        self.problem = ""
        """What is wrong with the link that is shown, in one line; empty if nothing is."""
        self._memory, self._remember, self._filmed = memory, remember, filmed
        if role is None:
            role = match.next_role if memory is None else memory.role
        mine = match.seat_of(role)
        # The decisions of the other player come in links.
        friend = Uniform(name="friend")
        super().__init__(
            match.game,
            header=match.record(
                format_link(match.link()) if memory is None else memory.seen
            ).header,
            agents={seat: None if seat is mine else friend for seat in BOARD_SEATS},
            saves=_NoFile(Path("the link")),
            events=match.progress.events[:shown],
            scene=scene,
            adviser=adviser,
        )
        self._finish()

    @property
    def latest(self) -> str:
        """Link from which all can be shown again; empty for a new match."""
        return self.answer or self.text

    @property
    def arriving(self) -> bool:
        """True if events of the link are still to be played."""
        return len(self.events) < len(self.match.progress.entries)

    @property
    def waits(self) -> bool:
        """True if nothing can be done before the other player's next link."""
        return not self.arriving and not self.over and self.awaited is None

    def message(self) -> dict[str, Any]:
        """Return what a page shows of the links: the one to send, and what was wrong with another.

        `awaits` is true while the answer of the other player is missing, `accepted` if the link is
        the first one of a guest, and `thrown` if the other player's link makes the next throw.
        """
        other = next(seat for seat, agent in self.agents.items() if agent is not None)
        return {
            # The link comes after what the friend's link brought.
            "answer": "" if self.arriving else self.answer,
            "friend": self.match.names().get(other, ""),
            "problem": self.problem,
            "awaits": self.waits and not self.match.over,
            "accepted": self.match.messages == 2,
            "thrown": self.match.thrown_next,
        }

    def _to_decide(self, *, person: bool) -> Any:  # noqa: ANN401 (a seat or None, as its parent)
        if self._memory is None or self.arriving or not self.match.deciding or self.answer:
            return None
        return super()._to_decide(person=person) if person else None

    def next_event(self) -> MatchEvent[Any]:
        """Return the next event that the link brought; its throw is made once more for a film."""
        event, number = self.match.progress.events[len(self.events)], self.progress.outcomes
        if self._filmed is not None and isinstance(event.entry, MatchOutcome):
            filmed = self._filmed.with_seed(self.match.seeds[number])
            filmed.answer(self.game.chance_request(event.before), index=number)
        return event

    def decide(self, action: object) -> MatchEvent[Any]:
        """Play the decision of the person; after the last one that is due there is an answer.

        Raises:
            PigglesimError: If the rules forbid it, or links do not offer it.
        """
        self.match.decide(self.match.choice_of(action))
        self._finish()
        return self.play(self.next_event())

    def _finish(self) -> None:
        """End the message if nothing is left to decide, and remember it."""
        if self._memory is None or self.match.deciding:
            return
        self._memory = finished(self.match, self._memory)
        self._remember(self._memory)
        self.answer = self._memory.sent
        self.header = self.match.record(self.answer).header
