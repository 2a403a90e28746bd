"""A match that people play: what is due next, what has happened, and what can be taken back.

Nothing here knows of keys, colours or a terminal: every front end plays through a `Session`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.errors import SpecError
from pigglesim.games.game import Game, NonPlayer
from pigglesim.landing import Seat
from pigglesim.match.entries import (
    Cause,
    Decision,
    Entry,
    Forfeit,
    MatchOutcome,
    MatchRecord,
)
from pigglesim.match.runner import (
    ChanceSource,
    MatchEvent,
    Players,
    Progress,
    make_header,
    next_entry,
)

HUMAN = "human"
"""What a record calls a person."""
LEARNER = "human-practice"
"""What a record calls a person who may take decisions back."""


class Session:
    """One match while it is played; the same decisions give the same record, to the bit.

    Args:
        game: The rules.
        agents: Who decides at each seat; None for a person.
        chance: What answers the rolls.
        seed: Root seed of every agent's decisions.
        teams: The model of each Piggle, by id, for the record.
        practice: Whether people may take decisions back; the record says so.
        events: What has been played already.
        on_change: Given the record whenever something was played or taken back.
        time_limit: Longest that an agent's decision may take [s of wall clock]; None for any.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        agents: Mapping[Seat, Agent | None],
        chance: ChanceSource,
        seed: int,
        teams: Mapping[str, str],
        practice: bool = False,
        events: Sequence[MatchEvent[Any]] = (),
        on_change: Callable[[MatchRecord], None] | None = None,
        time_limit: float | None = None,
    ) -> None:
        person = LEARNER if practice else HUMAN
        self.game = game
        self.practice = practice
        self.agents = dict(agents)
        self.header = make_header(
            game,
            agents={
                seat: person if agent is None else agent.name for seat, agent in agents.items()
            },
            chance=chance,
            seed=seed,
            teams=teams,
        )
        self._players = Players(agents=self.agents, seed=seed, time_limit=time_limit)
        self._chance = chance
        self._start = game.initial_state()
        self._events = list(events)
        self._on_change = on_change
        self.time_limit = time_limit

    @property
    def events(self) -> tuple[MatchEvent[Any], ...]:
        """Everything played so far, in order."""
        return tuple(self._events)

    @property
    def progress(self) -> Progress[Any]:
        """The match so far."""
        done = Progress(state=self._start)
        for event in self._events:
            done = done.then(event.entry, event.after)
        return done

    @property
    def state(self) -> Any:  # noqa: ANN401 (a state of the game that is played)
        """The state now."""
        return self._events[-1].after if self._events else self._start

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.forfeit is not None or self.game.turn(self.state) is NonPlayer.OVER

    @property
    def forfeit(self) -> Forfeit | None:
        """The forfeit by which an agent has lost the match, if one has."""
        last = self._events[-1].entry if self._events else None
        return last if isinstance(last, Forfeit) else None

    @property
    def awaited(self) -> Seat | None:
        """The seat of the person whose decision is due, or None: an agent's, chance's, nobody's."""
        turn = None if self.over else self.game.turn(self.state)
        return turn if isinstance(turn, Seat) and self.agents[turn] is None else None

    @property
    def thinking(self) -> Seat | None:
        """The seat of the agent whose decision is due, or None."""
        turn = None if self.over else self.game.turn(self.state)
        return turn if isinstance(turn, Seat) and self.agents[turn] is not None else None

    @property
    def undoable(self) -> bool:
        """Whether a person may take a decision back now."""
        return self.practice and self._last_choice() is not None

    def next_entry(self) -> Entry:
        """Return what an agent decides or how the roll that is due comes to lie.

        It changes nothing, may take long and may be asked from any one thread. An agent that
        raises, gives no legal action or takes too long forfeits.

        Raises:
            SpecError: If a person is to decide, or the match is over.
        """
        if self.over:
            raise SpecError("a roll or an agent's turn", got="the end", remedy="ask awaited first")
        return next_entry(self.game, self.progress, self._players, self._chance)[0]

    def late_entry(self) -> Forfeit:
        """Return the forfeit of an agent that has not answered when its time was up.

        Raises:
            SpecError: If no agent is to decide.
        """
        seat = self.thinking
        if seat is None or self.time_limit is None:
            raise SpecError("an agent's turn under a limit", got="none", remedy="--time-limit 5")
        detail = f"more than {self.time_limit:g} s"
        return Forfeit(index=self._count(Decision), seat=seat, cause=Cause.TIME, detail=detail)

    def decide(self, action: object) -> MatchEvent[Any]:
        """Play the decision of the person who is awaited.

        Raises:
            SpecError: If nobody is.
            IllegalActionError: If the rules forbid it; nothing has changed then.
        """
        seat = self.awaited
        if seat is None:
            raise SpecError("a person's turn", got="none", remedy="ask awaited first")
        text = self.game.format_action(action)
        return self.play(Decision(index=self._count(Decision), seat=seat, action=text))

    def play(self, entry: Entry) -> MatchEvent[Any]:
        """Play an entry that is due and return what it changed."""
        before = after = self.state
        if isinstance(entry, Decision):
            after = self.game.apply_action(before, self.game.parse_action(entry.action))
        elif isinstance(entry, MatchOutcome):
            after = self.game.apply_outcome(before, entry.result)
        event = MatchEvent(entry=entry, before=before, after=after)
        self._events.append(event)
        self._changed()
        return event

    def undo(self) -> bool:
        """Take back the last decision of a person and all that followed; return whether it was.

        The same decision again gives the same roll again: luck is not drawn anew.
        """
        last = self._last_choice()
        if not self.practice or last is None:
            return False
        del self._events[last:]
        self._changed()
        return True

    def record(self) -> MatchRecord:
        """Return the record of the match so far."""
        done = self.progress
        return MatchRecord(header=self.header, entries=done.entries, footer=done.footer(self.game))

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change(self.record())

    def _count(self, kind: type[Decision] | type[MatchOutcome]) -> int:
        return sum(isinstance(event.entry, kind) for event in self._events)

    def _last_choice(self) -> int | None:
        for index in reversed(range(len(self._events))):
            entry = self._events[index].entry
            if isinstance(entry, Decision) and self.agents[entry.seat] is None:
                return index
        return None
