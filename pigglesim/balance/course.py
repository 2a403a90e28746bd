"""How matches of equal teams go: who begins, how long, how they end, where points come from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from pigglesim.balance.account import SOURCES, Account
from pigglesim.balance.trial import MatchTold
from pigglesim.games.piggles.state import Reason
from pigglesim.spatial import Array
from pigglesim.studies.estimate import Interval, Share, binomial, mean_of, share_of, student

__all__ = ["Course", "EffectUse", "Effects", "Spread", "course_of", "effects_of"]

_GAINS = SOURCES[:3]
"""What adds to a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A number that every match has one of."""

    mean: Interval
    deviation: Interval
    """Its standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectUse:
    """What became of one effect."""

    landed: Interval
    """Piggles a match that landed Snout-Up and might have acted."""
    used: Share
    """Of those; the others lapsed."""
    no_target: Share
    """Of those: nobody was where they could act."""
    declined: Share
    """Of those: the player let it go by."""
    uses: Interval
    """A match."""


Effects = Mapping[str, EffectUse]
"""By the word for what they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What matches of equal teams were like."""

    matches: int
    first_share: Share
    """Wins of whoever begins, draws being half of one."""
    first_lead: Interval
    """What whoever begins scores more."""
    lengths: Mapping[str, Spread]
    """Rounds, decisions and rolls."""
    scores: Spread
    """Of both players."""
    by_round: tuple[tuple[Interval, Interval], ...]
    """Mean scores of first and second after each round, of matches that had it."""
    endings: Mapping[str, Share]
    lead_changes: Interval
    """A match."""
    comeback: Share
    """Matches in which the lead changed at all."""
    sources: Mapping[str, Share]
    """Of all that was gained: zones, knocks, effects."""
    losses: Mapping[str, Interval]
    """Points a match, of both players together: to the Kitchen, and given back by the floor."""
    effects: Effects


def course_of(matches: Sequence[MatchTold], *, level: float = 0.95) -> Course:
    """Return what matches were like, in which seat A began and was the own team.

    Args:
        matches: With their accounts; each is one independent draw.
        level: Share of intervals that shall hold the truth.
    """
    accounts = [account for match in matches if (account := match.account) is not None]
    count = len(matches)
    halves = np.array([round(2 * match.points) for match in matches], dtype=np.int64)
    reasons = Counter(match.reason for match in matches)
    changes = [account.lead_changes for account in accounts]
    # Two players of a match are no two draws: the spread of scores is that of all, its interval
    # that of matches.
    scores = np.array([match.scores for match in matches], dtype=float)
    return Course(
        matches=count,
        first_share=share_of(halves, np.full(count, 2, dtype=np.int64), level=level),
        first_lead=mean_of(np.array([match.lead for match in matches], dtype=float), level=level),
        lengths={
            name: _spread(np.array([[getattr(each, name)] for each in accounts], float), level)
            for name in ("rounds", "decisions", "rolls")
        },
        scores=_spread(scores, level),
        by_round=_by_round(accounts, level),
        endings={
            str(reason): binomial(reasons[str(reason)], count, level=level)
            for reason in sorted(Reason, key=lambda reason: -reasons[str(reason)])
        },
        lead_changes=mean_of(np.array(changes, dtype=float), level=level),
        comeback=binomial(sum(many > 0 for many in changes), count, level=level),
        sources=_sources(accounts, level),
        losses={
            name: mean_of(
                np.array([each.sources[SOURCES.index(name)] for each in accounts], float),
                level=level,
            )
            for name in SOURCES[len(_GAINS) :]
        },
        effects=effects_of(accounts, level=level),
    )


def effects_of(accounts: Sequence[Account], *, level: float = 0.95) -> Effects:
    """Return what became of each effect that came up; matches are clusters."""
    words = sorted({word for account in accounts for word in account.effects})
    found = {}
    for word in words:
        rows = [
            (each.landed, each.reached, each.used) if (each := account.effects.get(word)) else None
            for account in accounts
        ]
        counts = np.array([row or (0, 0, 0) for row in rows], dtype=np.int64)
        landed, reached, used = counts.T
        found[word] = EffectUse(
            landed=mean_of(landed.astype(float), level=level),
            used=share_of(used, landed, level=level),
            no_target=share_of(landed - reached, landed, level=level),
            declined=share_of(reached - used, landed, level=level),
            uses=mean_of(used.astype(float), level=level),
        )
    return found


def _spread(values: Array, level: float) -> Spread:
    """Return mean and standard deviation of values, shape [match_count, values_of_a_match].

    The deviation's error is that of the mean square about the mean, brought to its root by
    linearisation.
    """
    mean = mean_of(values.mean(axis=1), level=level)
    squares = ((values - values.mean()) ** 2).mean(axis=1)
    count = len(values)
    deviation = sqrt(float(squares.sum()) / (count - 1)) if count > 1 else nan
    error = float(squares.std(ddof=1)) / sqrt(count) if count > 1 else nan
    about = error / (2.0 * deviation) if deviation else 0.0
    return Spread(mean=mean, deviation=student(deviation, about, clusters=count, level=level))


def _by_round(accounts: Sequence[Account], level: float) -> tuple[tuple[Interval, Interval], ...]:
    rounds = max((len(account.by_round[0]) for account in accounts), default=0)
    found = []
    for number in range(rounds):
        known = [
            (account.by_round[0][number], account.by_round[1][number])
            for account in accounts
            if len(account.by_round[0]) > number
        ]
        first, second = np.array(known, dtype=float).T
        found.append((mean_of(first, level=level), mean_of(second, level=level)))
    return tuple(found)


def _sources(accounts: Sequence[Account], level: float) -> dict[str, Share]:
    gains = np.array([account.sources[: len(_GAINS)] for account in accounts], dtype=np.int64)
    total = gains.sum(axis=1)
    return {
        name: share_of(gains[:, place], total, level=level) for place, name in enumerate(_GAINS)
    }
