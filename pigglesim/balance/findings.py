"""What a balance study has found, each number with an interval."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.balance.course import Course, Effects, course_of, effects_of
from pigglesim.balance.parts import Subject
from pigglesim.balance.study import BalanceStudy
from pigglesim.balance.trial import Trial
from pigglesim.balance.values import Values, values_of
from pigglesim.spatial import Array
from pigglesim.studies.estimate import Interval, Share, binomial, mean_of, share_of

__all__ = ["Comparison", "Findings", "Found", "findings"]

_HALVES = 2
"""Half points that a match has to give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One team against another: pairs of matches with the same dice, the teams exchanged."""

    name: str
    """Of the part, such as `colour:red`."""
    pairs: int
    points: Interval | None
    """Mean of what the team in question scored more in a match; None where no pair tells, for
    nothing then shows how far a difference might go."""
    share: Interval
    """By how much its share of wins, draws being half of one, is above a half."""
    told_apart: Share
    """Pairs in which it made a difference at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found of one game, played by one agent against itself."""

    game: str
    agent: str
    matches: int
    course: Course | None
    """How matches of equal teams go, and what it is worth to begin."""
    points_of: Values | None
    """Points a match of each kind of Piggle in random teams."""
    shares_of: Values | None
    """Share of wins of the same."""
    effects_random: Effects | None
    """What effects did in matches of random teams."""
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that a study tells."""

    trials: int
    matches: int
    level: float
    found: tuple[Found, ...]


def findings(study: BalanceStudy, trials: Sequence[Trial], *, level: float = 0.95) -> Findings:
    """Return what the trials of a study tell, as many as there are.

    Args:
        study: What was played.
        trials: In order, from the first.
        level: Share of intervals that shall hold the truth.
    """
    by_cell: dict[tuple[str, str, str], list[Trial]] = defaultdict(list)
    for trial, cell in zip(trials, study.cells_in_turn(), strict=False):
        by_cell[cell.game, cell.agent, cell.part.name].append(trial)
    found = []
    for game in study.games:
        for agent in study.agents:
            own = {part: kept for (g, a, part), kept in by_cell.items() if (g, a) == (game, agent)}
            if own:
                found.append(_found(game, agent, own, level))
    matches = sum(len(trial.matches) for trial in trials)
    return Findings(trials=len(trials), matches=matches, level=level, found=tuple(found))


def _found(game: str, agent: str, by_part: dict[str, list[Trial]], level: float) -> Found:
    equal = by_part.get(str(Subject.SEATS), [])
    random = by_part.get(str(Subject.TEAMS), [])
    told = [account for trial in random for match in trial.matches if (account := match.account)]
    return Found(
        game=game,
        agent=agent,
        matches=sum(len(trial.matches) for kept in by_part.values() for trial in kept),
        course=course_of([trial.matches[0] for trial in equal], level=level) if equal else None,
        points_of=values_of(random, _leads(random), level=level) if random else None,
        shares_of=values_of(random, _points(random) - 0.5, level=level) if random else None,
        effects_random=effects_of(told, level=level) if told else None,
        comparisons=tuple(
            _comparison(name, kept, level)
            for name, kept in by_part.items()
            if name not in {Subject.SEATS, Subject.TEAMS}
        ),
    )


def _comparison(name: str, trials: Sequence[Trial], level: float) -> Comparison:
    unlike = sum(trial.lead != 0.0 or trial.points != 1.0 / _HALVES for trial in trials)
    return Comparison(
        name=name,
        pairs=len(trials),
        points=mean_of(_leads(trials), level=level) if unlike else None,
        share=_above_half(trials, level),
        told_apart=binomial(unlike, len(trials), level=level),
    )


def _above_half(trials: Sequence[Trial], level: float) -> Interval:
    """Return the share of wins less a half, pairs being clusters."""
    halves = [round(2 * _HALVES * trial.points) for trial in trials]
    won = share_of(
        np.array(halves, dtype=np.int64),
        np.full(len(halves), 2 * _HALVES, dtype=np.int64),
        level=level,
    )
    return Interval(
        value=won.value - 0.5,
        low=won.low - 0.5,
        high=won.high - 0.5,
        level=level,
        method=won.method,
    )


def _leads(trials: Iterable[Trial]) -> Array:
    return np.array([trial.lead for trial in trials], dtype=float)


def _points(trials: Iterable[Trial]) -> Array:
    return np.array([trial.points for trial in trials], dtype=float)
