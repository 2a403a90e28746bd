"""Match runner: agents decide, chance answers, the rules apply, and everything is recorded."""

import hashlib
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import metadata
from math import inf
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, Generic, Protocol, TypeVar

from pigglesim import signals
from pigglesim.agents.agent import Agent, seated
from pigglesim.agents.outside import ImportedAgent
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import IllegalActionError, PigglesimError, SpecError
from pigglesim.games.game import JSON, Game, HasInvariants, NonPlayer, Result, require
from pigglesim.landing import Seat
from pigglesim.match.entries import (
    FORFEIT,
    SCHEMA,
    Cause,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    MatchOutcome,
    MatchRecord,
    Status,
    outcome_of,
    plain_line,
)
from pigglesim.notebook_display import displayed
from pigglesim.rng import Generator, generator
from pigglesim.version import __version__

T = TypeVar("T")

_ALARM_INTERVAL = 0.05
"""Interval at which the alarm repeats for a call that swallowed it [s]."""


class OutOfTimeError(Exception):
    """A call exceeded its time limit."""


class _Alarm(BaseException):
    """Exception of the alarm inside the call: `except Exception` does not swallow it."""


def within(seconds: float | None, call: Callable[[], T]) -> T:
    """Return the value of a call within a time limit [s of wall clock]; None for no limit.

    A call that catches `BaseException` in an endless loop cannot be stopped.

    Raises:
        OutOfTimeError: If it takes longer.
    """
    if seconds is None:
        return call()
    started = time.monotonic()
    try:
        if current_thread() is main_thread() and hasattr(signal, "setitimer"):
            value = _under_alarm(seconds, call)
        else:
            value = call()
    except _Alarm:
        raise OutOfTimeError from None
    except Exception:
        # The call may have turned the alarm into an error of its own.
        if time.monotonic() - started > seconds:
            raise OutOfTimeError from None
        raise
    if time.monotonic() - started > seconds:
        raise OutOfTimeError
    return value


def _under_alarm(seconds: float, call: Callable[[], T]) -> T:
    """Return the value of a call that `_Alarm` may interrupt; restore other alarms."""
    armed = True

    def raise_alarm(_number: int, frame: FrameType | None) -> None:
        # Where the error would be lost, the alarm's next ring raises it.
        if armed and not signals.loses_errors(frame):
            signals.raise_or_defer(_Alarm())

    started = time.monotonic()
    remaining, interval = signal.getitimer(signal.ITIMER_REAL)
    old_handler = signal.signal(signal.SIGALRM, raise_alarm)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, _ALARM_INTERVAL)
            return call()
        finally:
            armed = False
    finally:
        # Repeat it: the alarm may have rung before the line above silenced it.
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if old_handler is None else old_handler)
        if remaining:
            left = remaining - (time.monotonic() - started)
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-6), interval)


S = TypeVar("S")
A = TypeVar("A")

_STOPS = (KeyboardInterrupt, _Alarm)
"""Ctrl-C, and the time limit of whoever plays a match: they are no fault of an agent."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Pattern of an object's memory address, which differs from run to run."""


class AgentError(PigglesimError):
    """Failure of an agent to return a legal action."""

    def __init__(self, name: str, *, cause: Cause, detail: str) -> None:
        self.cause = cause
        self.detail = plain_line(detail)
        problem = f"agent {name} failed ({cause.rule}, {cause}): {self.detail}"
        super().__init__(problem, fix="correct the agent, or give it more time")


def choose(
    agent: Agent,
    game: Game[S, A],
    state: S,
    seat: Seat,
    *,
    rng: Generator,
    time_limit: float | None,
) -> A:
    """Return the legal action that an agent chooses within a time limit [s of wall clock].

    Raises:
        AgentError: If it raises, returns an illegal action, or takes longer.
    """
    legal = game.legal_actions(state)
    observation = game.observe(state, seat)
    failed = partial(AgentError, agent.name)
    try:
        action = within(time_limit, lambda: agent.choose(observation, legal, rng=rng))
    except OutOfTimeError:
        raise failed(cause=Cause.TIME, detail=f"more than {time_limit:g} s") from None
    except _STOPS:
        raise
    except BaseException as error:
        detail = f"{type(error).__name__}: {_safe_text(error, str)}"
        raise failed(cause=Cause.RAISED, detail=detail) from error
    try:
        return next(candidate for candidate in legal if candidate == action)
    except StopIteration:
        pass
    except _STOPS:
        raise
    except BaseException as error:
        # Even a comparison may run the agent's own code, through the value that it returned.
        raise failed(cause=Cause.NONSENSE, detail=_safe_text(action, repr)) from error
    if type(action) not in {type(candidate) for candidate in legal} and not _is_action(
        game, action
    ):
        raise failed(cause=Cause.NONSENSE, detail=_safe_text(action, repr))
    with suppress(Exception):
        # Read back from its text, so that nothing of the agent's own goes into the match.
        unlisted = game.parse_action(game.format_action(action))
        if game.is_legal(state, unlisted):
            return unlisted
    raise failed(cause=Cause.ILLEGAL, detail=_refused(game, state, action))


def _is_action(game: Game[S, A], action: A) -> bool:
    """Return whether a value is an action of the game, legal or not."""
    try:
        return bool(game.parse_action(game.format_action(action)) == action)
    except _STOPS:
        raise
    except BaseException:
        return False


def _refused(game: Game[S, A], state: S, action: A) -> str:
    """Return a description of an illegal action, and of the legal ones."""
    text = _safe_text(action, game.format_action)
    try:
        game.apply_action(state, action)
    except IllegalActionError as error:
        return f"{text}: {error.problem}"
    except Exception as error:
        return f"{text}: {type(error).__name__}"
    return f"{text}: not among the legal actions"


def _safe_text(value: T, format_value: Callable[[T], str]) -> str:
    """Return the text form of a value, if it has one."""
    try:
        return _ADDRESS.sub("", format_value(value))
    except _STOPS:
        raise
    except BaseException:
        return type(value).__name__


_PACKAGES = ("numpy", "numba")
"""Packages behind all random numbers and compiled code."""


class ChanceSource(Protocol):
    """Source of a match's rolls: physics, a table, a script or a record."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return outcome number `index` of the match, a pure function of its arguments."""

    def provenance(self) -> dict[str, JSON]:
        """Return everything needed to repeat the rolls, for the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent(Generic[S]):
    """One entry of a match, with the states before and after."""

    entry: Entry
    before: S
    after: S
    action: Any = None
    """Action of a decision, which its entry holds as text; None for other entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Generic[S]):
    """A match that has been played, or replayed."""

    state: S
    """Last state."""
    record: MatchRecord

    def _repr_html_(self) -> str | None:
        return displayed("record_html", self.record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Generic[S]):
    """A match so far."""

    state: S
    """State after the entries."""
    decisions: int = 0
    """Number of decisions among the entries."""
    outcomes: int = 0
    """Number of outcomes among the entries."""
    last: MatchEvent[S] | None = field(default=None, repr=False)
    """Last event; None at the beginning."""
    # Linked backwards, so that appending has constant cost.
    before: "Progress[S] | None" = field(default=None, repr=False, compare=False)
    """Match without the last entry."""

    @property
    def events(self) -> tuple[MatchEvent[S], ...]:
        """All entries in order, with the states before and after."""
        events: list[MatchEvent[S]] = []
        at = self
        while at.before is not None and at.last is not None:
            events.append(at.last)
            at = at.before
        return tuple(reversed(events))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries in order."""
        return tuple(event.entry for event in self.events)

    @property
    def forfeit(self) -> Forfeit | None:
        """Forfeit that ended the match, if any; no entry follows it."""
        entry = self.last and self.last.entry
        return entry if isinstance(entry, Forfeit) else None

    def information_state_string(self, game: Game[S, A], seat: Seat) -> str:
        """Return everything that a player has seen and done so far, with perfect recall.

        It has a line for each observation string of the player that differs from the one before,
        and for each action of the player, in order.
        """
        events = self.events
        lines = [game.observation_string(events[0].before if events else self.state, seat)]
        seen = lines[0]
        for event in events:
            if isinstance(event.entry, Decision) and event.entry.seat is seat:
                lines.append(event.entry.action)
            before, seen = seen, game.observation_string(event.after, seat)
            lines += [seen] * (seen != before)
        return "\n".join(lines)

    def then(self, event: MatchEvent[S]) -> "Progress[S]":
        """Return the match with one more event."""
        return Progress(
            state=event.after,
            before=self,
            last=event,
            decisions=self.decisions + isinstance(event.entry, Decision),
            outcomes=self.outcomes + isinstance(event.entry, MatchOutcome),
        )

    def is_over(self, game: Game[S, A]) -> bool:
        """Return whether the match has ended."""
        return game.turn(self.state) is NonPlayer.OVER or self.forfeit is not None

    def footer(self, game: Game[S, A]) -> Footer:
        """Return the current status: finished, or interrupted if play would continue.

        A forfeit ends a match in any state: the other side wins. With several others the leader
        wins, and joint leaders share the win.
        """
        scores, result = game.scores(self.state), game.result(self.state)
        if self.forfeit is not None:
            others = {seat: n for seat, n in scores.items() if seat is not self.forfeit.seat}
            leaders = tuple(seat for seat, n in others.items() if n == max(others.values()))
            winner = leaders[0] if len(leaders) == 1 else None
            result = Result(winner=winner, reason=FORFEIT, shared=() if winner else leaders)
        return Footer(
            status=Status.FINISHED if self.is_over(game) else Status.INTERRUPTED,
            result=result,
            scores=scores,
            final_state=hashlib.sha256(game.format_state(self.state).encode()).hexdigest(),
        )

    def record(self, game: Game[S, A], header: Header) -> MatchRecord:
        """Return the record of the match so far."""
        return MatchRecord(header=header, entries=self.entries, footer=self.footer(game))


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of the packages that affect rounding in a match, by package."""
    return {package: metadata.version(package) for package in _PACKAGES}


def start_state(game: Game[S, A], position: str | None) -> S:
    """Return the state of a position, as `format_state` writes it; None for the initial state.

    Raises:
        SpecError: If it cannot be read, the rules make it impossible, or the game is over there.
    """
    if position is None:
        return game.initial_state()
    where = f"position of {game.name}"
    try:
        state = game.parse_state(position)
        if isinstance(game, HasInvariants):
            require(game.validate(state))
    except SpecError as error:
        raise error.converted(
            SpecError, where=where, fix=f"{error.fix}, or use another game"
        ) from None
    if game.turn(state) is NonPlayer.OVER:
        raise SpecError(f"{where}: the game is over", fix="use a position with a player to move")
    return state


def make_header(
    game: Game[S, A],
    *,
    agents: Mapping[Seat, Agent | str],
    chance: ChanceSource,
    seed: int,
    teams: Mapping[str, str] | None = None,
    date: str | None = None,
    position: str | None = None,
) -> Header:
    """Return the header of the record of a match; `agents` are agents, or names of players.

    Raises:
        SpecError: If `start_state` refuses the position.
    """
    return Header(
        schema=SCHEMA,
        version=__version__,
        game=game.name,
        house_rules=game.settings(),
        seed=seed,
        agents={
            seat: agent if isinstance(agent, str) else agent.name
            for seat, agent in sorted(agents.items())
        },
        code={
            seat: agent.sha256
            for seat, agent in sorted(agents.items())
            if isinstance(agent, ImportedAgent)
        },
        teams=dict(teams or {}),
        chance=chance.provenance(),
        date=date,
        position=None if position is None else game.format_state(start_state(game, position)),
        made_with=versions(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Agents that decide, and their conditions. Made once per match: agents take their seats."""

    agents: Mapping[Seat, Agent | None]
    """Agent at each seat; None for a person, whose decisions come from elsewhere."""
    seed: int
    """Root seed of all agents' decisions."""
    time_limit: float | None = None
    """Maximum time of a decision [s of wall clock]; None for no limit."""
    forfeits: bool = True
    """True if a failing agent forfeits; otherwise its error is raised."""

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not 0.0 < limit < inf:
            problem = f"invalid time limit {limit} s"
            raise SpecError(problem, expected="more than 0 s", fix="use --time-limit 5")
        agents = {
            seat: agent and seated(agent, seat, time_limit=limit)
            for seat, agent in self.agents.items()
        }
        object.__setattr__(self, "agents", agents)


def next_event(
    game: Game[S, A], done: Progress[S], players: Players, chance: ChanceSource
) -> MatchEvent[S]:
    """Return the next decision, outcome or forfeit; change nothing.

    The match must not be over.

    Raises:
        SpecError: If a person must decide.
        AgentError: If an agent fails and may not forfeit.
    """
    state, turn = done.state, game.turn(done.state)
    if not isinstance(turn, Seat):
        request = game.chance_request(state)
        result = chance.answer(request, index=done.outcomes)
        outcome = outcome_of(request, result, index=done.outcomes)
        return MatchEvent(entry=outcome, before=state, after=game.apply_outcome(state, result))
    agent, index = players.agents[turn], done.decisions
    if agent is None:
        raise SpecError(f"a person at {turn} is to move", fix="decide first")
    rng = generator(players.seed, "agent", turn.value, index)
    try:
        action = choose(agent, game, state, turn, rng=rng, time_limit=players.time_limit)
    except AgentError as error:
        if not players.forfeits:
            raise
        forfeit = Forfeit(index=index, seat=turn, cause=error.cause, detail=error.detail)
        return MatchEvent(entry=forfeit, before=state, after=state)
    return decided(game, done, action, seat=turn)


def decided(game: Game[S, A], done: Progress[S], action: A, *, seat: Seat) -> MatchEvent[S]:
    """Return the decision of the player to move.

    Raises:
        IllegalActionError: If the rules forbid it.
    """
    after = game.apply_action(done.state, action)
    text = game.format_action(action)
    entry = Decision(index=done.decisions, seat=seat, action=text)
    return MatchEvent(entry=entry, before=done.state, after=after, action=action)


def play(
    game: Game[S, A],
    *,
    agents: Mapping[Seat, Agent],
    chance: ChanceSource,
    seed: int,
    teams: Mapping[str, str] | None = None,
    date: str | None = None,
    position: str | None = None,
    on_event: Callable[[MatchEvent[S]], None] | None = None,
    follow: Callable[[Iterator[MatchEvent[S]]], object] | None = None,
    begun: Progress[S] | None = None,
    time_limit: float | None = None,
    forfeits: bool = True,
    interruptible: bool = False,
) -> Match[S]:
    """Play a match to its end and return it with its record.

    An agent that raises, returns something that is not a legal action or takes too long forfeits.
    The forfeit is an entry of the record, the result has the reason `forfeit`, and the other side
    wins.

    Args:
        game: Rules of the match.
        agents: Agent at each seat.
        chance: Source of the rolls.
        seed: Root seed of all agents' decisions; it is recorded.
        teams: Model of each Piggle, by id, for the record.
        date: Date of the match, for the record; the system clock is not used.
        position: State to play from, in the notation of the game; None for the initial state.
        on_event: Called after each new decision, outcome and forfeit.
        follow: Takes the new events one by one, each played when it is taken; what it leaves is
            played afterwards.
        begun: Match so far, to be continued; None to begin one.
        time_limit: Maximum time of a decision [s of wall clock]; None for no limit. A limit
            makes matches depend on the machine and its load, so a second run may differ; its
            record still replays exactly.
        forfeits: Whether a failing agent forfeits; otherwise its error is raised.
        interruptible: Whether an interruption (Ctrl-C) ends the match early: its record holds all
            finished entries, and its footer says `interrupted`. Otherwise it is raised.

    Raises:
        SpecError: If the time limit is not positive, or the position is impossible.
        PigglesimError: If the chance source fails; AgentError without `forfeits`.
    """
    header = make_header(
        game,
        agents=agents,
        chance=chance,
        seed=seed,
        teams=teams,
        date=date,
        position=position,
    )
    players = Players(agents=agents, seed=seed, time_limit=time_limit, forfeits=forfeits)
    progress = begun or Progress(state=start_state(game, position))

    def played() -> Iterator[MatchEvent[S]]:
        nonlocal progress
        while not progress.is_over(game):
            event = next_event(game, progress, players, chance)
            # Entries and state are one value, so that an interruption cannot separate them.
            progress = progress.then(event)
            if on_event is not None:
                on_event(event)
            yield event

    events = played()
    try:
        if follow is not None:
            follow(events)
        for _ in events:
            pass
    except KeyboardInterrupt:
        if not interruptible:
            raise
    return Match(state=progress.state, record=progress.record(game, header))
