"""A match: agents decide, chance answers, the rules go on, and all of it is recorded."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pigglesim import seeding
from pigglesim.agents.agent import Agent
from pigglesim.games.game import JSON, Game, NonPlayer
from pigglesim.match.entries import Decision, Entry, Footer, Header, MatchRecord, Outcome, Status
from pigglesim.rolls import RollRequest, RollResult, Seat

__all__ = ["ChanceSource", "Match", "MatchEvent", "digest", "footer", "play"]

S = TypeVar("S")
A = TypeVar("A")


class ChanceSource(Protocol):
    """Whatever answers the rolls of a match: physics, a table, a script, a record."""

    def roll(self, request: RollRequest, *, index: int) -> RollResult:
        """Return how roll `index` of the match came to lie, a pure function of its arguments."""

    def provenance(self) -> dict[str, JSON]:
        """Return everything needed to roll the same again, for the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent(Generic[S]):
    """One decision or outcome, and the positions around it."""

    entry: Entry
    before: S
    after: S


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Generic[S]):
    """A match that has been played, or replayed."""

    state: S
    """The last position."""
    record: MatchRecord


def digest(game: Game[S, A], state: S) -> str:
    """Return the SHA-256 of a position in the notation of its game."""
    return hashlib.sha256(game.format_state(state).encode()).hexdigest()


def footer(game: Game[S, A], state: S, status: Status) -> Footer:
    """Return the last line of a record that ends in this position."""
    return Footer(
        status=status,
        result=game.result(state),
        scores=game.scores(state),
        final_state=digest(game, state),
    )


def play(
    game: Game[S, A],
    *,
    agents: Mapping[Seat, Agent],
    chance: ChanceSource,
    seed: int,
    teams: Mapping[str, str] | None = None,
    on_event: Callable[[MatchEvent[S]], None] | None = None,
) -> Match[S]:
    """Play a match to its end and return it with its record.

    An interruption (Ctrl-C) ends it early: the record then holds all that was finished, and its
    footer says `interrupted`.

    Args:
        game: The rules.
        agents: Who decides at each seat.
        chance: What answers the rolls.
        seed: Root seed of every agent's decisions; it is recorded.
        teams: The model of each Piggle, by id, for the record.
        on_event: Called after each decision and each outcome.

    Raises:
        PigglesimError: If an agent does something illegal or chance answers wrongly.
    """
    header = Header(
        game=game.name,
        house_rules=game.settings(),
        seed=seed,
        agents={seat: agents[seat].name for seat in sorted(agents)},
        teams=dict(teams or {}),
        chance=chance.provenance(),
    )
    state = game.initial_state()
    # An entry and its position are kept together, so that an interruption cannot part them.
    done: list[tuple[Entry, S]] = []
    made: dict[type, int] = {Decision: 0, Outcome: 0}
    try:
        while (turn := game.turn(state)) is not NonPlayer.OVER:
            before = state
            if isinstance(turn, Seat):
                index = made[Decision]
                entry, after = _decide(game, before, turn, agents[turn], index=index, seed=seed)
            else:
                entry, after = _roll(game, before, chance, index=made[Outcome])
            done.append((entry, after))
            made[type(entry)] += 1
            state = after
            if on_event is not None:
                on_event(MatchEvent(entry=entry, before=before, after=after))
    except KeyboardInterrupt:
        state = done[-1][1] if done else game.initial_state()
    over = game.turn(state) is NonPlayer.OVER
    status = Status.FINISHED if over else Status.INTERRUPTED
    entries = tuple(entry for entry, _ in done)
    ended = MatchRecord(header=header, entries=entries, footer=footer(game, state, status))
    return Match(state=state, record=ended)


def _decide(
    game: Game[S, A], state: S, seat: Seat, agent: Agent, *, index: int, seed: int
) -> tuple[Entry, S]:
    """Return decision `index` of the match, by the player at `seat`, and the position after it."""
    action = agent.choose(
        game.observe(state, seat),
        game.legal_actions(state),
        rng=seeding.generator(seed, "agent", seat.value, index),
    )
    decision = Decision(index=index, seat=seat, action=game.format_action(action))
    return decision, game.apply_action(state, action)


def _roll(game: Game[S, A], state: S, chance: ChanceSource, *, index: int) -> tuple[Entry, S]:
    """Return outcome `index` of the match, and the position after it."""
    request = game.chance_request(state)
    result = chance.roll(request, index=index)
    outcome = Outcome(index=index, thrower=request.thrower, piggles=request.piggles, result=result)
    return outcome, game.apply_outcome(state, result)
