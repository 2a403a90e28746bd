"""How agents stand: ratings, shares and scores, each with an interval that knows pairs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.studies.estimate import Interval, Share, mean_of, share_of
from pigglesim.tournaments.elo import Met, rate
from pigglesim.tournaments.pair import Pair
from pigglesim.tournaments.tournament import Tournament

__all__ = ["AgentStanding", "MatchupStanding", "Outcomes", "Standings", "standings"]

_HALVES = 4
"""Half points that a pair has to give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """How matches ended, for one side."""

    wins: int
    draws: int
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


def standings(tournament: Tournament, pairs: Sequence[Pair], *, level: float = 0.95) -> Standings:
    """Return how agents stand after some pairs.

    Args:
        tournament: Who plays.
        pairs: What was played, at least one pair.
        level: Share of intervals that shall hold the truth.
    """
    by_two = {
        two: [pair for pair in pairs if (pair.first, pair.second) == two]
        for two in tournament.matchups
    }
    ratings = rate(
        [
            Met(first=first, second=second, points=np.array([pair.points for pair in own]))
            for (first, second), own in by_two.items()
        ],
        len(tournament.agents),
        level=level,
    )
    order = sorted(range(len(tournament.agents)), key=lambda agent: -ratings.values[agent])
    agents = []
    for agent in order:
        sides = [
            (pair, pair.first == agent) for pair in pairs if agent in (pair.first, pair.second)
        ]
        told = _Told(sides, level)
        agents.append(
            AgentStanding(
                name=tournament.agents[agent],
                elo=ratings.rating(agent),
                pairs=len(sides),
                outcomes=told.outcomes,
                share=told.share,
                score_difference=told.score_difference,
            )
        )
    matchups = []
    for at, one in enumerate(order):
        for other in order[at + 1 :]:
            own = by_two[min(one, other), max(one, other)]
            told = _Told([(pair, pair.first == one) for pair in own], level)
            matchups.append(
                MatchupStanding(
                    first=tournament.agents[one],
                    second=tournament.agents[other],
                    pairs=len(own),
                    outcomes=told.outcomes,
                    share=told.share,
                    elo_difference=ratings.difference(one, other),
                    score_difference=told.score_difference,
                )
            )
    matches = [match for pair in pairs for match in pair.matches]
    return Standings(
        agents=tuple(agents),
        matchups=tuple(matchups),
        pairs=len(pairs),
        seat_a=_seat_a(pairs, level),
        reasons=dict(Counter(match.reason for match in matches).most_common()),
        decisions=sum(match.decisions for match in matches) / max(1, len(matches)),
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
            draws += own.count(0.5)
            losses += own.count(0.0)
            points.append(sum(own))
            differences.append(pair.score_difference if is_first else -pair.score_difference)
        self.outcomes = Outcomes(wins=wins, draws=draws, losses=losses)
        self.share = _share(points, level)
        self.score_difference = mean_of(np.array(differences, dtype=float), level=level)


def _share(points: Sequence[float], level: float) -> Share:
    """Return the share of the points of pairs, each from 0 to 2."""
    hits = np.array([round(2.0 * found) for found in points], dtype=np.int64)
    return share_of(hits, np.full(len(hits), _HALVES, dtype=np.int64), level=level)


def _seat_a(pairs: Sequence[Pair], level: float) -> Share:
    return _share([pair.matches[0].points + 1.0 - pair.matches[1].points for pair in pairs], level)
