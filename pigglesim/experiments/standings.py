"""Elo ratings from pairs of matches: Bradley and Terry's model, with pairs as clusters.

The probability that agent i beats j is 1 / (1 + 10^((R_j - R_i) / 400)); a draw is half a win
(Bradley and Terry 1952; Elo 1978). Ratings have the maximum likelihood, with one more drawn match
of every two that met: it keeps the rating of an agent that lost every match finite, and for two
agents gives Anscombe's (1956) nearly unbiased log-odds, log((wins + 1/2) / (losses + 1/2)).

The two matches of a pair share their dice: the errors of ratings come from the observed spread of
the points of pairs, by linearisation (White 1982). Agents that play alike split most pairs, which
is more evidence than as many coin tosses: meetings are weighted by the inverse of their dispersion
(Wedderburn's quasi-likelihood, 1974), which changes no rating where there is only one meeting.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import TypedDict

import numpy as np

from pigglesim.experiments.statistics import Coefficients, Interval, Share, mean_of, share_of
from pigglesim.experiments.tournament import Pair, Tournament
from pigglesim.match.entries import Cause
from pigglesim.notebook_display import displayed
from pigglesim.rotations import Array

_SCALE = 400.0 / log(10.0)
"""Elo points per unit of log-odds."""
_MATCHES = 2
"""Matches in a pair."""
_EXTRA = 1.0
"""Drawn matches added to every two that met."""
_PRIOR_PAIRS = 20.0
"""Pairs of two coin tosses each that are added to estimate the dispersion of few pairs."""
_STEPS = 100
_NEAR = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingPoints:
    """Points of all pairs of two agents."""

    first: int
    second: int
    points: Array
    """Points of the first agent in each pair, from 0 to 2, shape [pair_count]."""


def rate(
    meetings: Sequence[MeetingPoints], agent_count: int, *, level: float = 0.95
) -> Coefficients:
    """Return the ratings [Elo points] that fit the pairs of every two agents; their mean is 0.

    Every two agents have one entry at most; entries without a pair have no weight.
    """
    played = [meeting for meeting in meetings if len(meeting.points)]
    first = np.array([meeting.first for meeting in played], dtype=int)
    second = np.array([meeting.second for meeting in played], dtype=int)
    won = np.array([float(meeting.points.sum()) + _EXTRA / 2.0 for meeting in played])
    matches = np.array([_MATCHES * len(meeting.points) + _EXTRA for meeting in played])
    sides = np.zeros((len(played), agent_count))
    sides[np.arange(len(played)), first] = 1.0
    sides[np.arange(len(played)), second] = -1.0
    weight = np.array([1.0 / _dispersion(meeting.points) for meeting in played])
    won, matches = won * weight, matches * weight
    log_odds = np.zeros(agent_count)
    for _ in range(_STEPS):
        share = 1.0 / (1.0 + np.exp(-(sides @ log_odds)))
        slope = sides.T @ (won - matches * share)
        step = np.linalg.pinv(_spread(sides, matches * share * (1.0 - share))) @ slope
        # A long step of Newton's overshoots where a share is near 0 or 1.
        log_odds += step / max(1.0, float(np.abs(step).max(initial=0.0)))
        if np.abs(step).max(initial=0.0) < _NEAR:
            break
    share = 1.0 / (1.0 + np.exp(-(sides @ log_odds)))
    bread = np.linalg.pinv(_spread(sides, matches * share * (1.0 - share)))
    noise = np.array([_noise(meeting.points, p) for meeting, p in zip(played, share, strict=True)])
    noise *= weight**2
    return Coefficients(
        values=_SCALE * log_odds,
        covariance=_SCALE**2 * (bread @ _spread(sides, noise) @ bread),
        clusters=sum(len(meeting.points) for meeting in played),
        level=level,
        method="Bradley-Terry, pairs, Student",
    )


def _spread(sides: Array, weights: Array) -> Array:
    """Return the sum over meetings of weight times side times side, agent by agent."""
    matrix: Array = (sides.T * weights) @ sides
    return matrix


def _dispersion(points: Array) -> float:
    """Return the variance of the points of a pair, 1 being that of two coin tosses alike."""
    pairs, share = len(points), (float(points.sum()) + 0.5) / (_MATCHES * len(points) + 1.0)
    tosses = _MATCHES * share * (1.0 - share)
    return (pairs * float(points.var()) / tosses + _PRIOR_PAIRS) / (pairs + _PRIOR_PAIRS)


def _noise(points: Array, share: float) -> float:
    """Return the variance of the sum of the points of all pairs of two agents.

    Where all pairs are alike their spread is unknown: each counts for one match.
    """
    pairs = len(points)
    variance = pairs * float(points.var(ddof=1)) if pairs > 1 else 0.0
    return variance or pairs * _MATCHES**2 * share * (1.0 - share)


_ByTwo = dict[tuple[int, int], list[Pair]]
"""Pairs by the numbers of their agents, the lower first."""
_HALVES = 4
"""Half points of a pair."""
_PARTS = 2 * 840
"""Parts of the points of a pair, where a win can be shared by up to eight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Results of matches, for one side."""

    wins: int
    draws: int
    """Draws and shared wins."""
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStanding:
    """Standing of one agent against all others."""

    name: str
    elo: Interval
    """Rating relative to the mean of all agents."""
    pairs: int
    outcomes: Outcomes
    share: Share
    """Share of the points: a win is one, a draw one half. Its clusters are pairs."""
    score_difference: Interval
    """Mean of its score minus that of the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchupStanding:
    """Standing of two agents against each other, from the side of the first."""

    first: str
    second: str
    pairs: int
    outcomes: Outcomes
    share: Share
    elo_difference: Interval
    """Difference of the ratings from all matches of the tournament."""
    score_difference: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ForfeitCount:
    """Number of matches that an agent forfeited for one reason."""

    name: str
    rule: str
    """Rule of the forfeit, F1 to F4."""
    cause: str
    matches: int
    detail: str
    """Error, value or exceeded limit in the first of these matches, with the last line of a
    program's standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """All estimates of a tournament."""

    agents: tuple[AgentStanding, ...]
    """Best first."""
    matchups: tuple[MatchupStanding, ...]
    """The better first."""
    pairs: int
    seat_a: Share
    """Share of the points that seat A made: the value of going first."""
    reasons: Mapping[str, int]
    """Matches by reason of their end, the most frequent first."""
    decisions: float
    """Mean number of decisions per match."""
    forfeits: tuple[ForfeitCount, ...]
    """Forfeits by agent and reason, in that order."""

    def _repr_html_(self) -> str | None:
        return displayed("standings_html", self)


def standings(tournament: Tournament, pairs: Sequence[Pair], *, level: float = 0.95) -> Standings:
    """Return the standings of agents after at least one pair."""
    by_two: _ByTwo = {two: [] for two in tournament.matchups}
    for pair in pairs:
        by_two[pair.first, pair.second].append(pair)
    ratings = rate(
        [
            MeetingPoints(
                first=first, second=second, points=np.array([pair.points for pair in pairs_of_two])
            )
            for (first, second), pairs_of_two in by_two.items()
        ],
        len(tournament.agents),
        level=level,
    )
    order = sorted(range(len(tournament.agents)), key=lambda agent: -ratings.values[agent])
    matches = [match for pair in pairs for match in pair.matches]
    names = tournament.agents
    return Standings(
        agents=tuple(
            AgentStanding(
                name=names[agent],
                elo=ratings.coefficient(agent),
                **_side_of(agent, [p for p in pairs if agent in (p.first, p.second)], level),
            )
            for agent in order
        ),
        matchups=tuple(
            MatchupStanding(
                first=names[agent],
                second=names[opponent],
                elo_difference=ratings.difference(agent, opponent),
                **_side_of(agent, by_two[min(agent, opponent), max(agent, opponent)], level),
            )
            for agent, opponent in combinations(order, 2)
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
    """Return forfeits by agent and reason; the agent without a point forfeited."""
    details: dict[tuple[int, Cause], list[str]] = {}
    for pair in pairs:
        for match in pair.matches:
            if match.forfeit is not None:
                agent = pair.second if match.points else pair.first
                details.setdefault((agent, Cause(match.forfeit)), []).append(match.forfeit_detail)
    return tuple(
        ForfeitCount(
            name=tournament.agents[agent],
            rule=cause.rule,
            cause=str(cause),
            matches=len(found),
            detail=found[0],
        )
        for (agent, cause), found in sorted(details.items())
    )


class _Side(TypedDict):
    pairs: int
    outcomes: Outcomes
    share: Share
    score_difference: Interval


def _side_of(agent: int, pairs: Sequence[Pair], level: float) -> _Side:
    """Return the results of an agent's pairs."""
    points, differences = [], []
    wins = draws = losses = 0
    for pair in pairs:
        is_first = pair.first == agent
        own_points = [match.points if is_first else 1.0 - match.points for match in pair.matches]
        wins += own_points.count(1.0)
        draws += sum(0.0 < points < 1.0 for points in own_points)
        losses += own_points.count(0.0)
        points.append(sum(own_points))
        differences.append(pair.score_difference if is_first else -pair.score_difference)
    return {
        "pairs": len(pairs),
        "outcomes": Outcomes(wins=wins, draws=draws, losses=losses),
        "share": _share(points, level),
        "score_difference": mean_of(differences, level=level),
    }


def _share(points: Sequence[float], level: float) -> Share:
    """Return the share of the points of pairs, each from 0 to 2."""
    halves = all((2.0 * pair_points).is_integer() for pair_points in points)
    parts = _HALVES if halves else _PARTS
    hits = np.array([round(pair_points * parts / 2.0) for pair_points in points], dtype=np.int64)
    return share_of(hits, parts, level=level)
