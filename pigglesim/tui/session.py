"""A match that people play: the next event, the events so far, and undo.

Nothing here depends on keys, colours or a terminal: every front end plays through a `Session`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.chance_types import DiceResult
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, Game
from pigglesim.landing import Seat
from pigglesim.match.entries import Cause, Decision, Entry, Forfeit, MatchOutcome, MatchRecord
from pigglesim.match.runner import (
    ChanceSource,
    MatchEvent,
    Players,
    Progress,
    make_header,
    next_entry,
)

HUMAN = "human"
"""Name of a person in a record."""
LEARNER = "human-practice"
"""Name of a person who may undo decisions."""


class Session:
    """One match in progress; equal decisions give a bit-identical record.

    Args:
        game: Rules of the match.
        agents: Agent at each seat; None for a person.
        chance: Source of the rolls.
        seed: Root seed of all agents' decisions.
        teams: Model of each Piggle, by id, for the record.
        practice: Whether people may undo decisions; the record states it.
        events: Events that have been played already.
        on_change: Called with the record after every event and every undo.
        time_limit: Maximum time of an agent's decision [s of wall clock]; None for no limit.
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
        self._on_change = on_change
        self.time_limit = time_limit
        self.progress: Progress[Any] = Progress(state=game.initial_state())
        for event in events:
            self.progress = self.progress.then(event.entry, event.after)

    @property
    def events(self) -> tuple[MatchEvent[Any], ...]:
        """All events so far, in order."""
        return self.progress.events

    @property
    def state(self) -> Any:  # noqa: ANN401 (a state of the game that is played)
        """Current state."""
        return self.progress.state

    @property
    def over(self) -> bool:
        """True if the match has ended."""
        return self.progress.is_over(self.game)

    @property
    def forfeit(self) -> Forfeit | None:
        """Forfeit by which an agent has lost the match, if any."""
        return self.progress.forfeit

    def _to_decide(self, *, person: bool) -> Seat | None:
        turn = None if self.over else self.game.turn(self.state)
        decides = isinstance(turn, Seat) and (self.agents[turn] is None) == person
        return turn if isinstance(turn, Seat) and decides else None

    @property
    def awaited(self) -> Seat | None:
        """Seat of the person whose decision is due; None for an agent, chance or nobody."""
        return self._to_decide(person=True)

    @property
    def thinking(self) -> Seat | None:
        """Seat of the agent whose decision is due, or None."""
        return self._to_decide(person=False)

    @property
    def legal(self) -> tuple[Any, ...]:
        """Legal actions of the person whose decision is due; empty if none is."""
        return self.game.legal_actions(self.state) if self.awaited else ()

    @property
    def choices(self) -> list[Any]:
        """Legal actions of that person other than to concede."""
        return [action for action in self.legal if not isinstance(action, Concede)]

    @property
    def last_dice(self) -> tuple[Seat, DiceResult] | None:
        """Player who threw dice last, and their faces; None if there are no dice."""
        for event in reversed(self.events):
            entry = event.entry
            if isinstance(entry, MatchOutcome) and isinstance(entry.result, DiceResult):
                return entry.thrower, entry.result
        return None

    @property
    def undoable(self) -> bool:
        """True if a person may undo a decision now."""
        return self.practice and self._before_last_choice() is not None

    def next_entry(self) -> Entry:
        """Return the next decision of an agent or outcome of chance, and change nothing.

        It may take long and may be called from any one thread. An agent that raises, returns an
        illegal action or takes too long forfeits.

        Raises:
            SpecError: If a person must decide, or the match is over.
        """
        if self.over:
            raise SpecError("the match is over", fix="start another one")
        return next_entry(self.game, self.progress, self._players, self._chance)[0]

    def late_entry(self) -> Forfeit:
        """Return the forfeit of an agent that exceeded its time limit.

        Raises:
            SpecError: If no agent must decide.
        """
        seat, index = self.thinking, self.progress.decisions
        if seat is None or self.time_limit is None:
            raise SpecError("no agent with a time limit is to move", fix="set time_limit")
        detail = f"more than {self.time_limit:g} s"
        return Forfeit(index=index, seat=seat, cause=Cause.TIME, detail=detail)

    def decide(self, action: object) -> MatchEvent[Any]:
        """Play the decision of the person to move.

        Raises:
            SpecError: If no person is to move.
            IllegalActionError: If the rules forbid it; the match is then unchanged.
        """
        seat, index = self.awaited, self.progress.decisions
        if seat is None:
            raise SpecError("no person is to move", fix="play next_entry() first")
        return self.play(Decision(index=index, seat=seat, action=self.game.format_action(action)))

    def play(self, entry: Entry) -> MatchEvent[Any]:
        """Play the next entry and return the event."""
        before = after = self.state
        if isinstance(entry, Decision):
            after = self.game.apply_action(before, self.game.parse_action(entry.action))
        elif isinstance(entry, MatchOutcome):
            after = self.game.apply_outcome(before, entry.result)
        self._go_to(self.progress.then(entry, after))
        return MatchEvent(entry=entry, before=before, after=after)

    def undo(self) -> bool:
        """Undo the last decision of a person and all that followed; return True if there was one.

        The same decision gives the same roll again: chance is not resampled.
        """
        before = self._before_last_choice()
        if not self.practice or before is None:
            return False
        self._go_to(before)
        return True

    def record(self) -> MatchRecord:
        """Return the record of the match so far."""
        return self.progress.record(self.game, self.header)

    def _go_to(self, progress: Progress[Any]) -> None:
        self.progress = progress
        if self._on_change is not None:
            self._on_change(self.record())

    def _before_last_choice(self) -> Progress[Any] | None:
        """Return the match before the last decision of a person, if there is one."""
        at = self.progress
        while at.before is not None:
            if isinstance(at.last, Decision) and self.agents[at.last.seat] is None:
                return at.before
            at = at.before
        return None
