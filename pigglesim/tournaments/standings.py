"""How agents stand: ratings, shares and scores, each with an interval that knows pairs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pigglesim.displays import displayed
from pigglesim.match.entries import Cause
from pigglesim.studies.estimate import Interval, Share, mean_of, share_of
from pigglesim.tournaments.elo import Met, Ratings, rate
from pigglesim.tournaments.pair import Pair
from pigglesim.tournaments.tournament import Tournament

__all__ = ["AgentStanding", "ForfeitCount", "MatchupStanding", "Outcomes", "Standings", "standings"]

_ByTwo = dict[tuple[int, int], list[Pair]]
"""Pairs by the numbers of their agents, the lower first."""
_HALVES = 4
"""Half points that a pair has to give."""
_PARTS = 2 * 840
"""Parts of a point that a pair has to give, where a win can be shared by up to eight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """How matches ended, for one side."""

    wins: int
    draws: int
    """Shared wins too."""
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStanding:
    """One agent against all others."""

    name: str
    elo: Interval
    """Against the mean of all agents."""
    pairs: int
    outcomes: Outcomes
    share: Share
    """Of the points: a win is one, a draw half of one. Its clusters are pairs."""
    score_difference: Interval
    """Mean of what it scored more than the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchupStanding:
    """Two agents against each other, as the first of them sees it."""

    first: str
    second: str
    pairs: int
    outcomes: Outcomes
    share: Share
    elo_difference: Interval
    """From all matches of the tournament."""
    score_difference: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ForfeitCount:
    """How many matches an agent has forfeited for one reason."""

    name: str
    rule: str
    """F1 to F4."""
    cause: str
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """All that a tournament tells."""

    agents: tuple[AgentStanding, ...]
    """Best first."""
    matchups: tuple[MatchupStanding, ...]
    """The better first."""
    pairs: int
    seat_a: Share
    """Of the points that seat A made: what it is worth to begin."""
    reasons: Mapping[str, int]
    """Matches by why they ended, the most frequent first."""
    decisions: float
    """Mean of the decisions of a match."""
    forfeits: tuple[ForfeitCount, ...]
    """By agent and reason, in that order."""

    def _repr_html_(self) -> str | None:
        return displayed("standings_html", self)


def standings(tournament: Tournament, pairs: Sequence[Pair], *, level: float = 0.95) -> Standings:
    """Return how agents stand after some pairs.

    Args:
        tournament: Who plays.
        pairs: What was played, at least one pair.
        level: Share of intervals that shall hold the truth.
    """
    by_two: _ByTwo = {two: [] for two in tournament.matchups}
    for pair in pairs:
        by_two[pair.first, pair.second].append(pair)
    ratings = rate(
        [
            Met(first=first, second=second, points=np.array([pair.points for pair in own]))
            for (first, second), own in by_two.items()
        ],
        len(tournament.agents),
        level=level,
    )
    order = sorted(range(len(tournament.agents)), key=lambda agent: -ratings.values[agent])
    matches = [match for pair in pairs for match in pair.matches]
    return Standings(
        agents=tuple(_agent(tournament, agent, pairs, ratings) for agent in order),
        matchups=tuple(
            _matchup(tournament, one, other, by_two, ratings)
            for one, other in combinations(order, 2)
        ),
        pairs=len(pairs),
        seat_a=_share(
            [pair.matches[0].points + 1.0 - pair.matches[1].points for pair in pairs], level
        ),
        reasons=dict(Counter(match.reason for match in matches).most_common()),
        decisions=sum(match.decisions for match in matches) / max(1, len(matches)),
        forfeits=_forfeits(tournament, pairs),
    )


def _forfeits(tournament: Tournament, pairs: Sequence[Pair]) -> tuple[ForfeitCount, ...]:
    """Return who forfeited how often, and why: whoever made no point of such a match."""
    counts = Counter(
        (pair.second if match.points else pair.first, Cause(match.forfeit))
        for pair in pairs
        for match in pair.matches
        if match.forfeit is not None
    )
    return tuple(
        ForfeitCount(
            name=tournament.agents[agent], rule=cause.rule, cause=str(cause), matches=matches
        )
        for (agent, cause), matches in sorted(counts.items())
    )


def _agent(
    tournament: Tournament, agent: int, pairs: Sequence[Pair], ratings: Ratings
) -> AgentStanding:
    """Return how one agent stands against all others."""
    own = [(pair, pair.first == agent) for pair in pairs if agent in (pair.first, pair.second)]
    told = _Told(own, ratings.level)
    return AgentStanding(
        name=tournament.agents[agent],
        elo=ratings.rating(agent),
        pairs=len(own),
        outcomes=told.outcomes,
        share=told.share,
        score_difference=told.score_difference,
    )


def _matchup(
    tournament: Tournament, one: int, other: int, by_two: _ByTwo, ratings: Ratings
) -> MatchupStanding:
    """Return how one agent stands against one other."""
    own = by_two[min(one, other), max(one, other)]
    told = _Told([(pair, pair.first == one) for pair in own], ratings.level)
    return MatchupStanding(
        first=tournament.agents[one],
        second=tournament.agents[other],
        pairs=len(own),
        outcomes=told.outcomes,
        share=told.share,
        elo_difference=ratings.difference(one, other),
        score_difference=told.score_difference,
    )


class _Told:
    """What pairs come to for one of their two agents.

    Args:
        sides: Pairs, and whether the agent is the first of each.
        level: Of the intervals.
    """

    def __init__(self, sides: Iterable[tuple[Pair, bool]], level: float) -> None:
        points, differences = [], []
        wins = draws = losses = 0
        for pair, is_first in sides:
            own = [match.points if is_first else 1.0 - match.points for match in pair.matches]
            wins += own.count(1.0)
            draws += sum(0.0 < points < 1.0 for points in own)
            losses += own.count(0.0)
            points.append(sum(own))
            differences.append(pair.score_difference if is_first else -pair.score_difference)
        self.outcomes = Outcomes(wins=wins, draws=draws, losses=losses)
        self.share = _share(points, level)
        self.score_difference = mean_of(np.array(differences, dtype=float), level=level)


def _share(points: Sequence[float], level: float) -> Share:
    """Return the share of the points of pairs, each from 0 to 2."""
    halves = all((2.0 * found).is_integer() for found in points)
    parts = _HALVES if halves else _PARTS
    hits = np.array([round(found * parts / 2.0) for found in points], dtype=np.int64)
    return share_of(hits, np.full(len(hits), parts, dtype=np.int64), level=level)
