"""Elo ratings from pairs of matches: Bradley and Terry's model, with intervals that know pairs.

The chance of agent i to win against j is 1 / (1 + 10^((R_j - R_i) / 400)); a draw is half a win
(Bradley and Terry 1952; Elo 1978). Ratings are those of greatest likelihood, with one more drawn
match of every two that met: it keeps a rating finite where one lost all, and of two agents it
makes the rating Anscombe's (1956) nearly unbiased log-odds, log((wins + 1/2) / (losses + 1/2)).

The two matches of a pair share their dice, and draws are no coin tosses: the spread of the points
of a pair is taken as it was found, and brought to the ratings by linearisation (White 1982). Two
agents that play nearly alike share nearly every pair, and tell more of each other than as many
coin tosses would: each meeting counts by its spread beside theirs (Wedderburn's quasi-likelihood,
1974), which changes no rating where there is just one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from pigglesim.spatial import Array
from pigglesim.studies.estimate import Interval, student

__all__ = ["Met", "Ratings", "rate"]

_SCALE = 400.0 / log(10.0)
"""Elo points in one unit of log-odds."""
_MATCHES = 2
"""In a pair."""
_EXTRA = 1.0
"""Drawn matches added to every two that met."""
_PRIOR_PAIRS = 20.0
"""Pairs of two coin tosses each, by which the spread of few pairs is held."""
_STEPS = 100
_NEAR = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What the pairs of two agents came to."""

    first: int
    second: int
    points: Array
    """Of the first in each pair, from 0 to 2, shape [pair_count]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Ratings of all agents, whose mean is 0."""

    values: Array
    """In Elo points, shape [agent_count]."""
    covariance: Array
    """Of the values, shape [agent_count, agent_count]."""
    pairs: int
    """From which this is known."""
    level: float

    def rating(self, agent: int) -> Interval:
        """Return the rating of an agent against the mean of all."""
        return self._interval(np.eye(len(self.values))[agent])

    def difference(self, one: int, other: int) -> Interval:
        """Return by how much one agent's rating is above another's."""
        unit = np.eye(len(self.values))
        return self._interval(unit[one] - unit[other])

    def _interval(self, weights: Array) -> Interval:
        variance = float(weights @ self.covariance @ weights)
        found = student(
            float(weights @ self.values),
            sqrt(max(0.0, variance)),
            clusters=self.pairs,
            level=self.level,
        )
        return Interval(
            value=found.value, low=found.low, high=found.high, level=self.level,
            method="Bradley-Terry, pairs, Student",
        )  # fmt: skip


def rate(meetings: Sequence[Met], agent_count: int, *, level: float = 0.95) -> Ratings:
    """Return the ratings that fit what the pairs of every two agents came to.

    Args:
        meetings: Of every two agents that met, once; those without a pair tell nothing.
        agent_count: How many agents there are.
        level: Share of intervals that shall hold the truth.
    """
    met = [each for each in meetings if len(each.points)]
    first = np.array([each.first for each in met], dtype=int)
    second = np.array([each.second for each in met], dtype=int)
    won = np.array([float(each.points.sum()) + _EXTRA / 2.0 for each in met])
    played = np.array([_MATCHES * len(each.points) + _EXTRA for each in met])
    sides = np.zeros((len(met), agent_count))
    sides[np.arange(len(met)), first] = 1.0
    sides[np.arange(len(met)), second] = -1.0
    weight = np.array([1.0 / _dispersion(each.points) for each in met])
    won, played = won * weight, played * weight
    log_odds = np.zeros(agent_count)
    for _ in range(_STEPS):
        share = 1.0 / (1.0 + np.exp(-(sides @ log_odds)))
        slope = sides.T @ (won - played * share)
        step = np.linalg.pinv(_spread(sides, played * share * (1.0 - share))) @ slope
        # A long step of Newton's overshoots where a share is near 0 or 1.
        log_odds += step / max(1.0, float(np.abs(step).max(initial=0.0)))
        if np.abs(step).max(initial=0.0) < _NEAR:
            break
    share = 1.0 / (1.0 + np.exp(-(sides @ log_odds)))
    bread = np.linalg.pinv(_spread(sides, played * share * (1.0 - share)))
    noise = np.array([_noise(each.points, p) for each, p in zip(met, share, strict=True)])
    noise *= weight**2
    return Ratings(
        values=_SCALE * log_odds,
        covariance=_SCALE**2 * (bread @ _spread(sides, noise) @ bread),
        pairs=sum(len(each.points) for each in met),
        level=level,
    )


def _spread(sides: Array, weights: Array) -> Array:
    """Return the sum over meetings of weight times side times side, agent by agent."""
    found: Array = (sides.T * weights) @ sides
    return found


def _dispersion(points: Array) -> float:
    """Return the variance of the points of a pair, 1 being that of two coin tosses alike."""
    pairs, share = len(points), (float(points.sum()) + 0.5) / (_MATCHES * len(points) + 1.0)
    tosses = _MATCHES * share * (1.0 - share)
    return (pairs * float(points.var()) / tosses + _PRIOR_PAIRS) / (pairs + _PRIOR_PAIRS)


def _noise(points: Array, share: float) -> float:
    """Return the variance of the sum of the points of all pairs of two agents.

    Where all pairs are alike nothing tells their spread: each counts for one match.
    """
    pairs = len(points)
    found = pairs * float(points.var(ddof=1)) if pairs > 1 else 0.0
    return found or pairs * _MATCHES**2 * share * (1.0 - share)
