"""A match: agents decide, chance answers, the rules go on, and all of it is recorded."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from math import inf
from typing import Generic, Protocol, TypeVar

from pigglesim.agents.agent import Agent
from pigglesim.asking import ChanceOutcome, ChanceRequest
from pigglesim.displays import displayed
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON, Game, NonPlayer, Result
from pigglesim.match.choosing import AgentError, choose
from pigglesim.match.entries import (
    FORFEIT,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    MatchRecord,
    Outcome,
    Status,
    outcome_of,
)
from pigglesim.rolls import Seat
from pigglesim.seeding import generator

__all__ = [
    "Begun",
    "ChanceSource",
    "Match",
    "MatchEvent",
    "digest",
    "footer",
    "make_header",
    "play",
    "versions",
]

S = TypeVar("S")
A = TypeVar("A")

_PACKAGES = ("numpy", "numba")
"""What every random number and all compiled code come from."""


class ChanceSource(Protocol):
    """Whatever answers the rolls of a match: physics, a table, a script, a record."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer number `index` of the match, a pure function of its arguments."""

    def provenance(self) -> dict[str, JSON]:
        """Return everything needed to roll the same again, for the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent(Generic[S]):
    """One entry of a match, and the positions around it."""

    entry: Entry
    before: S
    after: S


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Generic[S]):
    """A match that has been played, or replayed."""

    state: S
    """The last position."""
    record: MatchRecord

    def _repr_html_(self) -> str | None:
        return displayed("record_html", self.record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun(Generic[S]):
    """A match that is not over, to be played on."""

    entries: tuple[Entry, ...]
    state: S
    """The position that the entries lead to."""

    @property
    def forfeit(self) -> Forfeit | None:
        """The forfeit that has ended the match, if one has: nothing comes after it."""
        last = self.entries[-1] if self.entries else None
        return last if isinstance(last, Forfeit) else None

    def then(self, entry: Entry, state: S) -> "Begun[S]":
        """Return the match with one more entry, and the position after it."""
        return Begun(entries=(*self.entries, entry), state=state)


def digest(game: Game[S, A], state: S) -> str:
    """Return the SHA-256 of a position in the notation of its game."""
    return hashlib.sha256(game.format_state(state).encode()).hexdigest()


def footer(game: Game[S, A], state: S, status: Status, *, forfeit: Forfeit | None = None) -> Footer:
    """Return the last line of a record that ends in this position.

    A forfeit ends a match whatever the position says: the other side wins. Of several others the
    one that leads wins, and those that lead together share the win.
    """
    scores = game.scores(state)
    result = game.result(state)
    if forfeit is not None:
        others = {seat: score for seat, score in scores.items() if seat is not forfeit.seat}
        ahead = [seat for seat, score in others.items() if score == max(others.values())]
        alone = ahead[0] if len(ahead) == 1 else None
        shared = () if alone else tuple(ahead)
        result = Result(winner=alone, reason=FORFEIT, shared=shared)
    return Footer(status=status, result=result, scores=scores, final_state=digest(game, state))


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of what rounds numbers in a match, by package."""
    return {package: version(package) for package in _PACKAGES}


def make_header(
    game: Game[S, A],
    *,
    agents: Mapping[Seat, Agent],
    chance: ChanceSource,
    seed: int,
    teams: Mapping[str, str] | None = None,
    date: str | None = None,
) -> Header:
    """Return the header of the record of a match that is played with these."""
    return Header(
        game=game.name,
        house_rules=game.settings(),
        seed=seed,
        agents={seat: agents[seat].name for seat in sorted(agents)},
        teams=dict(teams or {}),
        chance=chance.provenance(),
        date=date,
        made_with=versions(),
    )


def play(
    game: Game[S, A],
    *,
    agents: Mapping[Seat, Agent],
    chance: ChanceSource,
    seed: int,
    teams: Mapping[str, str] | None = None,
    date: str | None = None,
    on_event: Callable[[MatchEvent[S]], None] | None = None,
    begun: Begun[S] | None = None,
    time_limit: float | None = None,
    forfeits: bool = True,
) -> Match[S]:
    """Play a match to its end and return it with its record.

    An interruption (Ctrl-C) ends it early: the record then holds all that was finished, and its
    footer says `interrupted`. An agent that raises, returns what is no legal action or takes too
    long forfeits: that is an entry of the record, the result has the reason `forfeit`, and the
    other side wins.

    Args:
        game: The rules.
        agents: Who decides at each seat.
        chance: What answers the rolls.
        seed: Root seed of every agent's decisions; it is recorded.
        teams: The model of each Piggle, by id, for the record.
        date: When it is played, for the record; no clock is asked.
        on_event: Called after each decision, outcome and forfeit that is new.
        begun: What has been played already; None to begin a match.
        time_limit: Longest that a decision may take [s of wall clock], None for any. Which
            decisions are too slow depends on the machine and its other work, so a match under a
            limit need not come out the same again; its record still replays exactly.
        forfeits: Whether a failing agent forfeits; otherwise its error is let out.

    Raises:
        SpecError: If the time limit is not positive.
        PigglesimError: If chance answers wrongly; AgentError without `forfeits`.
    """
    header = make_header(game, agents=agents, chance=chance, seed=seed, teams=teams, date=date)
    deciding = _Deciding(agents=agents, seed=seed, time_limit=time_limit, forfeits=forfeits)
    begun = begun or Begun(entries=(), state=game.initial_state())
    entries = list(begun.entries)
    # How far it is and the position there are one value, so that an interruption cannot part them.
    done = _Done(
        count=len(entries),
        decisions=sum(isinstance(entry, Decision) for entry in entries),
        outcomes=sum(isinstance(entry, Outcome) for entry in entries),
        state=begun.state,
        forfeit=begun.forfeit,
    )
    try:
        while not _is_over(game, done):
            before = done
            entry, state = _advance(game, before, deciding, chance)
            entries.append(entry)
            done = before.then(entry, state)
            if on_event is not None:
                on_event(MatchEvent(entry=entry, before=before.state, after=state))
    except KeyboardInterrupt:
        pass
    status = Status.FINISHED if _is_over(game, done) else Status.INTERRUPTED
    ended = footer(game, done.state, status, forfeit=done.forfeit)
    record = MatchRecord(header=header, entries=tuple(entries[: done.count]), footer=ended)
    return Match(state=done.state, record=record)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done(Generic[S]):
    """How far a match is."""

    count: int
    """Of its entries."""
    decisions: int
    outcomes: int
    state: S
    forfeit: Forfeit | None

    def then(self, entry: Entry, state: S) -> "_Done[S]":
        """Return how far it is with one more entry, and the position after it."""
        return _Done(
            count=self.count + 1,
            decisions=self.decisions + isinstance(entry, Decision),
            outcomes=self.outcomes + isinstance(entry, Outcome),
            state=state,
            forfeit=entry if isinstance(entry, Forfeit) else None,
        )


def _is_over(game: Game[S, A], done: _Done[S]) -> bool:
    return game.turn(done.state) is NonPlayer.OVER or done.forfeit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deciding:
    """Who decides, and under what conditions."""

    agents: Mapping[Seat, Agent]
    seed: int
    time_limit: float | None
    forfeits: bool

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not 0.0 < limit < inf:
            raise SpecError("a time limit above 0 s", got=str(limit), remedy="--time-limit 5")


def _advance(
    game: Game[S, A], done: _Done[S], deciding: _Deciding, chance: ChanceSource
) -> tuple[Entry, S]:
    """Return the next decision, outcome or forfeit, and the position after it."""
    state, turn = done.state, game.turn(done.state)
    if isinstance(turn, Seat):
        index = done.decisions
        rng = generator(deciding.seed, "agent", turn.value, index)
        try:
            action = choose(
                deciding.agents[turn], game, state, turn, rng=rng, time_limit=deciding.time_limit
            )
        except AgentError as error:
            if not deciding.forfeits:
                raise
            lost = Forfeit(index=index, seat=turn, cause=error.cause, detail=error.detail)
            return lost, state
        decision = Decision(index=index, seat=turn, action=game.format_action(action))
        return decision, game.apply_action(state, action)
    request = game.chance_request(state)
    result = chance.answer(request, index=done.outcomes)
    outcome = outcome_of(request, result, index=done.outcomes)
    return outcome, game.apply_outcome(state, result)
