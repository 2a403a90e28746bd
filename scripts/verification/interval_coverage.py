"""How often does each interval that pigglesim prints hold the truth? `scripts/interval_coverage`.

Data are synthetic, so that the truth is known. Each case makes data of one kind, calls the function
that the product calls, and looks whether the interval holds the truth.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated
from unittest.mock import patch
from zlib import crc32

import numpy as np
import typer
from scipy.special import ndtr

from pigglesim.agents.search import RewardEstimate, paired_difference
from pigglesim.experiments import balance_findings, fit, stopping_rule, track_fit
from pigglesim.experiments.design import variation_of
from pigglesim.experiments.floor_posterior import MODEL_GRID
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import (
    Method,
    Moments,
    Share,
    binomial,
    budget_on,
    difference,
    entropy_of,
    independence_of,
    mean_from,
    mean_of,
    mean_within,
    mean_without,
    plausible_share,
    posterior_of,
    share_from,
    share_of,
    share_within,
    share_without,
    student,
    total_variation,
)
from pigglesim.experiments.tournament import MeetingPoints, rate
from scripts.measured_page import write_rows

SHARES = np.array([0.481, 0.433, 0.086])
"""Shares of the orientations of a dropped Piggle."""
LIKENESS = 0.1
"""Correlation of the dice of one pour."""
LOWEST, HIGHEST = 0.93, 0.97
"""Coverage that a 95 % interval must have. Others may stray as many percentage points."""

Rng = np.random.Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One interval on data of one kind."""

    name: str
    printed_by: str
    data: str
    holds: Callable[[Rng], bool]
    """Makes data, and returns whether the interval holds the truth."""
    level: float = 0.95
    bound: bool = False
    """True for a one-sided bound, which may hold more often than its level."""
    slow: bool = False
    """True if a data set takes more than a few milliseconds, so that tests make fewer."""

    def passes(self, coverage: float) -> bool:
        """Return whether a coverage is near enough to the level."""
        stray = (HIGHEST - LOWEST) / 2.0
        return round(abs(coverage - self.level), 9) <= stray or (
            self.bound and coverage >= self.level
        )


def coverage(case: Case, sets: int, *, seed: int = 1) -> Share:
    """Return the share of data sets whose interval holds the truth."""
    rng = np.random.default_rng([seed, crc32(case.name.encode())])
    return binomial(sum(bool(case.holds(rng)) for _ in range(sets)), sets)


def _in(found: Interval | tuple[float, float], truth: float) -> bool:
    low, high = found if isinstance(found, tuple) else (found.low, found.high)
    return bool(low <= truth <= high)


def alike(shares: np.ndarray, pours: int, dice: int | np.ndarray, rng: Rng) -> np.ndarray:
    """Dirichlet-multinomial counts of pours, shape [pours, classes]; dice are alike by LIKENESS."""
    own = rng.dirichlet(shares * (1.0 - LIKENESS) / LIKENESS, pours)
    return rng.multinomial(dice, own)


# Studies: `study`, `report`, the page, the notebook.


def drops(method: Method, share: float, throws: int, rng: Rng) -> bool:
    return _in(binomial(int(rng.binomial(throws, share)), throws, method=method), share)


def over_floors(worth: float, rng: Rng) -> bool:
    # The truth strays about the prediction as a Dirichlet law of so many throws.
    return _in(plausible_share(float(SHARES[1]), worth), float(rng.dirichlet(worth * SHARES)[1]))


FLOORS, PER_FLOOR, WORTH, LAW = 100, 80, 60.0, 300.0
"""Floors of a fit, pours or drops on each; throws that tell as much as floors, and as the law."""


def share_over_floors(dice: int, rng: Rng) -> bool:
    """The truth is the share on one of the floors, strayed by the error of the law."""
    shares = rng.beta(WORTH * SHARES[1], WORTH * (1.0 - SHARES[1]), FLOORS)
    hits = rng.binomial(dice, shares[:, None], (FLOORS, PER_FLOOR))
    groups = [Moments.of(row, np.full(PER_FLOOR, dice)) for row in hits]
    sums = reduce(add, groups)
    budget = budget_on(groups).of_share(sums.value, model_throws=LAW)
    own = float(rng.choice(shares))
    truth = float(rng.beta(LAW * own, LAW * (1.0 - own)))
    return _in(share_within(sums, budget, model_throws=LAW), truth)


def points_over_floors(rng: Rng) -> bool:
    shares = rng.beta(WORTH * SHARES[1], WORTH * (1.0 - SHARES[1]), FLOORS)
    points = 3 * rng.binomial(1, shares[:, None], (FLOORS, PER_FLOOR))
    groups = [Moments.of(row, np.ones(PER_FLOOR, dtype=int)) for row in points]
    found = mean_within(reduce(add, groups).value, budget_on(groups))
    return _in(found, 3.0 * float(rng.choice(shares)))


def sealed(rng: Rng) -> bool:
    share = float(SHARES[2])
    truth = float(rng.beta(WORTH * share, WORTH * (1.0 - share)))
    return _in(plausible_share(share, WORTH + 1.0), truth)


def bits_left(shares: np.ndarray, rng: Rng) -> bool:
    found = entropy_of(rng.multinomial(400, shares).tolist(), rng=rng)
    return _in(found, -sum(share * np.log2(share) for share in shares.tolist() if share))


def missed_target(away: float, rng: Rng) -> bool:
    target = SHARES + np.array([away, -away, 0.0])
    return _in(variation_of(rng.multinomial(3000, SHARES)[None, :], target), away)


def missed_target_over_floors(away: float, rng: Rng) -> bool:
    """The truth is the shares on one of the floors, strayed by the error of the law."""
    target = SHARES + np.array([away, -away, 0.0])
    shares = rng.dirichlet(WORTH * SHARES, FLOORS)
    counts = np.array([rng.multinomial(PER_FLOOR, own) for own in shares])
    truth = rng.dirichlet(LAW * shares[rng.integers(FLOORS)])
    # Half the sum of the differences, each with the sign that the mean over floors has.
    signs = np.sign(counts.sum(axis=0) / counts.sum() - target)
    found = variation_of(counts, target, model_throws=LAW)
    return _in(found, float(signs @ (truth - target)) / 2.0)


def pours(method: Method, of: int, count: int, rng: Rng) -> bool:
    hits = alike(SHARES, count, 6, rng)[:, of]
    sums = Moments.of(hits, np.full(count, 6))
    return _in(share_from(sums, method=method), SHARES[of])


def parts(rng: Rng) -> bool:
    """A share of dice whose number differs from throw to throw, such as those that stood."""
    trials = rng.binomial(6, 0.6, 150)
    hits = alike(np.array([0.2, 0.8]), 150, trials, rng)[:, 0]
    return _in(share_of(hits, trials), 0.2)


def posterior(single: bool, rng: Rng) -> bool:
    counts = rng.multinomial(1, SHARES, 400) if single else alike(SHARES, 150, 6, rng)
    trials = counts.sum(axis=1)
    sums = [Moments.of(column, trials) for column in counts.T]
    return _in(posterior_of(sums, single=single, level=0.95).intervals[2], SHARES[2])


ZONE_POINTS = np.array([0, 1, 2, 3])
ZONE_SHARES = np.array([0.55, 0.15, 0.2, 0.1])


def points_per_throw(rng: Rng) -> bool:
    made = alike(ZONE_SHARES, 40, 6, rng) @ ZONE_POINTS
    return _in(mean_of(made), 6.0 * float(ZONE_SHARES @ ZONE_POINTS))


def points_per_die(rng: Rng) -> bool:
    dice = rng.integers(1, 7, 80)
    made = alike(ZONE_SHARES, 80, dice, rng) @ ZONE_POINTS
    return _in(mean_from(Moments.of(made, dice)), float(ZONE_SHARES @ ZONE_POINTS))


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def paired_drops(alike_share: float, rng: Rng) -> bool:
    """Throws of two cells, of which a share falls alike in both."""
    one, other, throws = 0.48, 0.43, 500
    common, first, second = rng.random((3, throws))
    same = rng.random(throws) < alike_share
    a = np.where(same, common, first) < one
    b = np.where(same, common, second) < other
    sides = binomial(int(a.sum()), throws), binomial(int(b.sum()), throws)
    return _in(difference(*sides, correlation=_correlation(a, b)), other - one)


def paired_pours(rng: Rng) -> bool:
    one = alike(SHARES, 200, 6, rng)[:, 0]
    shift = rng.random(200) < 0.5
    other = np.where(shift, one, alike(SHARES, 200, 6, rng)[:, 0])
    sides = share_of(one, 6), share_of(other, 6)
    return _in(difference(*sides, correlation=_correlation(one, other)), 0.0)


def paired_points(rng: Rng) -> bool:
    one = alike(ZONE_SHARES, 100, 6, rng) @ ZONE_POINTS
    fresh = alike(ZONE_SHARES, 100, 6, rng) @ ZONE_POINTS
    other = np.where(rng.random(100) < 0.5, one, fresh)
    sides = mean_of(one), mean_of(other)
    return _in(difference(*sides, correlation=_correlation(one, other)), 0.0)


def agreement(likeness: float, rng: Rng) -> bool:
    """Each die shows its throw's own draw with chance r, and two then agree r**2 oftener."""
    r, throws = likeness**0.5, 200
    whole = rng.choice(3, p=SHARES, size=(throws, 1))
    own = rng.choice(3, p=SHARES, size=(throws, 6))
    dice = np.where(rng.random((throws, 6)) < r, whole, own)
    rows, often = np.unique((dice[:, :, None] == np.arange(3)).sum(axis=1), axis=0,
                            return_counts=True)  # fmt: skip
    patterns = {tuple(row): int(n) for row, n in zip(rows.tolist(), often, strict=True)}
    found = independence_of(patterns, level=0.95)
    assert found is not None
    return _in(found.agreement, likeness * (1.0 - float(SHARES @ SHARES)))


def until_narrow(rng: Rng) -> bool:
    """`study --half-width 0.02`: the number of throws depends on what they show."""
    target, hits, throws = stopping_rule.Target(half_width=0.02, single=True), np.zeros(3, int), 0

    def sums() -> list[Moments]:
        return [_single(int(count), throws) for count in hits]

    while more := target.more(throws, sums()):
        hits, throws = hits + rng.multinomial(more, SHARES), throws + more
    return _in(binomial(int(hits[0]), throws), SHARES[0])


def _single(hits: int, trials: int) -> Moments:
    return Moments(
        clusters=trials, tried=trials, hits=hits, trials=trials,
        hits_hits=hits, hits_trials=hits, trials_trials=trials,
    )  # fmt: skip


# `compare`, `converge` and odds.


def apart(rng: Rng) -> bool:
    other = SHARES + np.array([0.05, -0.05, 0.0])
    sides = (alike(SHARES, 200, 6, rng)[:, 0], alike(other, 150, 6, rng)[:, 0])
    return _in(difference(share_of(sides[0], 6), share_of(sides[1], 6)), 0.05)


def distance(moved: float, upper: bool, rng: Rng) -> bool:
    other = SHARES + np.array([-moved, moved, 0.0])
    sides = alike(SHARES, 200, 6, rng), alike(other, 150, 6, rng)
    found = total_variation(*sides, rng=rng)
    return moved <= found.high if upper else found.low <= moved


# `tournament`.

ELO = np.array([100.0, 0.0, -100.0])


def _won(gap: float, pairs: int, rng: Rng) -> np.ndarray:
    """Points of pairs of matches, the two of a pair alike half of the time."""
    share = 1.0 / (1.0 + 10.0 ** (-gap / 400.0))
    one, other = rng.random((2, pairs)) < share
    return one * 1.0 + np.where(rng.random(pairs) < 0.5, one, other)


def ratings(apart_too: bool, rng: Rng) -> bool:
    meetings = [
        MeetingPoints(first=a, second=b, points=_won(ELO[a] - ELO[b], 50, rng))
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    found = rate(meetings, 3)
    return _in(found.difference(0, 2), 200.0) if apart_too else _in(found.coefficient(0), 100.0)


def points_of_pairs(rng: Rng) -> bool:
    hits = (2 * _won(100.0, 50, rng)).astype(np.int64)
    return _in(share_of(hits, 4), 1.0 / (1.0 + 10.0**-0.25))


def lead(rng: Rng) -> bool:
    return _in(mean_of(np.round(rng.normal(13.5, 12.0, 50))), 13.5)


THROWS, FACES = 6, np.array([-1.0, 0.0, 3.0])
FACE_SHARES = np.array([0.5, 0.3333333333, 0.1666666667])
"""Throws of a match, their gains and probabilities: skewed, with a mean of zero."""


def lucky_pairs(skill: float, pairs: int, rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points and leads of pairs of matches, and their luck: a throw's value less its mean.

    A match is won if skill, the gains of all throws and the whims of an agent add up to more than
    0. The value is that of agents without skill or whims, by a normal approximation.
    """
    gains = rng.choice(FACES, p=FACE_SHARES, size=(2, pairs, THROWS))
    lead = skill + gains.sum(axis=2) + rng.normal(0.0, WHIMS, (2, pairs))
    so_far, luck = np.zeros((2, pairs)), np.zeros((2, pairs))
    for throw in range(THROWS):
        spread = np.sqrt(2.0 * (THROWS - throw - 0.5))
        outcomes = ndtr((so_far[..., None] + FACES) / spread)
        so_far += gains[..., throw]
        luck += ndtr(so_far / spread) - outcomes @ FACE_SHARES
    return (lead > 0.0).mean(axis=0), lead.mean(axis=0), luck.mean(axis=0)


WHIMS = 1.5


def _won_by(skill: float) -> float:
    """The share of matches that this skill wins."""
    ways = reduce(np.convolve, [[0.5, FACE_SHARES[1], 0.0, 0.0, FACE_SHARES[2]]] * THROWS)
    return float(np.array(ways) @ ndtr((skill + np.arange(len(ways)) - THROWS) / WHIMS))


def points_without_luck(skill: float, pairs: int, rng: Rng) -> bool:
    points, _, luck = lucky_pairs(skill, pairs, rng)
    return _in(share_without(points, luck), _won_by(skill))


def lead_without_luck(rng: Rng) -> bool:
    _, lead, luck = lucky_pairs(1.0, 50, rng)
    return _in(mean_without(lead, luck), 1.0)


# `balance`.


def deviation(rng: Rng) -> bool:
    """The spread of scores of two players with something in common."""
    own, common = rng.normal(0.0, 8.0, (200, 2)), rng.normal(0.0, 6.0, (200, 1))
    return _in(balance_findings._spread(own + common, 0.95).deviation, 10.0)


def effects(rng: Rng) -> bool:
    landed = rng.poisson(1.5, 200)
    return _in(share_of(rng.binomial(landed, 0.4), landed), 0.4)


def piece_value(trials: int, rng: Rng) -> bool:
    """One kind among all, in random teams of six; the noise depends on the team."""
    kinds = len(balance_findings.KINDS)
    teams = rng.multinomial(6, np.full(kinds, 1.0 / kinds), (2, trials))
    differences = (teams[0] - teams[1]).astype(float)
    values = np.linspace(-2.0, 2.0, kinds)
    noise = rng.normal(0.0, 8.0, trials) * (1.0 + 0.3 * np.abs(differences[:, 0]))
    found = balance_findings.fit(differences, differences @ values + noise)
    return _in(found.coefficient(0), values[0])


def team_share(rng: Rng) -> bool:
    """Two matches, the teams exchanged; most pairs are even."""
    halves = rng.choice([0, 1, 2, 3, 4], 200, p=[0.1, 0.05, 0.6, 0.05, 0.2])
    return _in(share_of(halves, 4), 0.55)


# Hints, reviews, `analyse` and What if?.


def win_probability(batch: int, rng: Rng) -> bool:
    estimate, truth = RewardEstimate(weight=batch), 0.7
    # Playouts of one sample share what the sample hides, so they are alike.
    for own in rng.beta(14.0, 6.0, 100):
        estimate.add(rng.binomial(batch, own) / batch)
    return _in(estimate.interval(), truth)


def loss(rng: Rng) -> bool:
    """Two actions whose samples end alike half of the time."""
    best, played = rng.random((2, 200))
    common = rng.random(200) < 0.5
    one, other = best < 0.6, np.where(common, best, played) < 0.5
    mean, error = paired_difference(one * 1.0, other * 1.0, weight=1)
    return _in(student(mean, error, clusters=200), 0.1)


# `fit`.


def _floors(rng: Rng) -> tuple[fit.Emulator, Callable[[np.ndarray], np.ndarray]]:
    """An emulator of a die whose log shares are quadratic, and its true shares."""
    ranges = fit.Ranges(fit.PARAMETERS)
    points = ranges.design(96, seed=int(rng.integers(2**31)))
    weights = rng.normal(0.0, 0.15, (ranges.features(points).shape[1], 3))
    weights[0] = np.log(SHARES)

    def shares(at: np.ndarray) -> np.ndarray:
        raised = np.exp(ranges.features(at) @ weights)
        return raised / raised.sum(axis=1, keepdims=True)

    counts = np.array([rng.multinomial(2000, row) for row in shares(points)], dtype=float)
    return fit.Emulator(ranges, points, counts), shares


def floor_parameter(rng: Rng) -> bool:
    """The friction of a floor drawn from the plausible ranges, from 500 counted throws."""
    emulator, shares = _floors(rng)
    point = emulator.ranges.points(rng.uniform(-1.0, 1.0, (1, len(fit.PARAMETERS))))
    # The law errs, by as much as the prior of its error says.
    truth = rng.dirichlet(rng.choice(MODEL_GRID) * shares(point)[0])
    counts = tuple(rng.multinomial(500, truth).tolist())
    die = SimpleNamespace(counts=counts, labels_known=True)
    # A tenth of the usual samples, in a tenth of the time.
    found = fit.posterior([emulator], [die], rng=rng, samples=20_000)
    return _in((float(found.low[0]), float(found.high[0])), float(point[0, 0]))


def floor_effect(rng: Rng) -> bool:
    emulator, shares = _floors(rng)
    unit = np.zeros((2, len(fit.PARAMETERS)))
    unit[:, 0] = -0.9, 0.9
    low, high = emulator.ranges.points(unit)
    change, error = emulator.change(low, high)
    truth = shares(high[None])[0] - shares(low[None])[0]
    return abs(float(change[0] - truth[0])) <= 1.96 * float(error[0])


def tracked_parameter(rng: Rng) -> bool:
    """Errors of 30 throws, each least at parameters of its own; the truth is their mean."""
    truth, own = np.array([0.2, -0.3]), rng.normal(0.0, 0.3, (30, 2))
    names = [
        track_fit.TrackParameter(name=name, unit="", scale=1.0, low=-1.0, high=1.0, evidence="")
        for name in ("a", "b")
    ]

    def losses(points: np.ndarray) -> np.ndarray:
        return ((points[:, None] - truth - own) ** 2).sum(axis=2)

    task = SimpleNamespace(
        names=names, parameters=lambda value: None, losses=lambda job: losses(job[0][None])[0]
    )
    search = track_fit._FitSearch(
        task, partial(map, task.losses), int(rng.integers(2**31)), lambda done: None
    )
    with patch.object(track_fit, "_BOOTSTRAP", 50):  # a quarter of the usual
        found = search.run(300)
    return _in((float(found.low[0]), float(found.high[0])), truth[0])


_PLAYERS = "hint, review, `analyse`"
CASES = (
    Case(name="share of drops, Wilson", printed_by="`study`, `validate`, `design`, What if?",
         data="2,000 drops, share 0.481", holds=partial(drops, Method.WILSON, 0.481, 2000)),
    Case(name="rare share of drops, Wilson", printed_by="the same",
         data="1,000 drops, share 0.03", holds=partial(drops, Method.WILSON, 0.03, 1000)),
    Case(name="rare share of drops, Jeffreys", printed_by="`study --interval jeffreys`",
         data="1,000 drops, share 0.03", holds=partial(drops, Method.JEFFREYS, 0.03, 1000)),
    Case(name="share over the floors of a fit", printed_by="`validate --floor FIT`",
         data="a prediction worth 150 throws", holds=partial(over_floors, 150.0)),
    Case(name="share of dice on drawn floors", printed_by="`study --floor FIT`",
         data="100 floors of 80 pours", holds=partial(share_over_floors, 6)),
    Case(name="share of drops on drawn floors", printed_by="`study --floor FIT`",
         data="100 floors of 80 drops", holds=partial(share_over_floors, 1)),
    Case(name="points on drawn floors", printed_by="`study --floor FIT`",
         data="100 floors of 80 throws", holds=points_over_floors),
    Case(name="sealed share", printed_by="`print`",
         data="share 0.086, worth 60 throws", holds=sealed),
    Case(name="bits left of a Piggle", printed_by="`roll --decided`",
         data="400 copies", holds=partial(bits_left, SHARES)),
    Case(name="few bits left", printed_by="`roll --decided`",
         data="400 copies, shares 0.97 and 0.03", holds=partial(bits_left, np.array([0.97, 0.03]))),
    Case(name="total variation of a design", printed_by="`design`",
         data="3,000 drops, 0.05 away", holds=partial(missed_target, 0.05)),
    Case(name="total variation over the floors of a fit", printed_by="`design --floor FIT`",
         data="100 floors of 80 drops, 0.2 away", holds=partial(missed_target_over_floors, 0.2)),
    Case(name="share after `--half-width`", printed_by="`study --half-width`",
         data="drops until ± 0.02", holds=until_narrow),
    Case(name="share of pours, Wilson", printed_by="`study`, `compare`, `converge`, models, odds",
         data="40 pours of six alike", holds=partial(pours, Method.WILSON, 0, 40)),
    Case(name="rare share of pours, Wilson", printed_by="the same",
         data="200 pours of six alike", holds=partial(pours, Method.WILSON, 2, 200)),
    Case(name="rare share of pours, Jeffreys", printed_by="`study --interval jeffreys`",
         data="200 pours of six alike", holds=partial(pours, Method.JEFFREYS, 2, 200)),
    Case(name="share of a part", printed_by="zones, leaning, knocked, odds",
         data="150 pours, 0 to 6 dice counted", holds=parts),
    Case(name="posterior of drops", printed_by="report of a study",
         data="400 drops", holds=partial(posterior, True)),
    Case(name="posterior of pours", printed_by="report of a study",
         data="150 pours of six alike", holds=partial(posterior, False)),
    Case(name="points per throw", printed_by="`study`, `compare`, `mean()`",
         data="40 pours", holds=points_per_throw),
    Case(name="points per die", printed_by="`study`",
         data="80 pours of 1 to 6", holds=points_per_die),
    Case(name="difference of paired drops", printed_by="`study` with factors",
         data="500 drops, half of them alike", holds=partial(paired_drops, 0.5)),
    Case(name="difference of drops that share nothing", printed_by="the same",
         data="500 drops", holds=partial(paired_drops, 0.0)),
    Case(name="difference of paired pours", printed_by="the same",
         data="200 pours, half of them equal", holds=paired_pours),
    Case(name="difference of paired points", printed_by="the same",
         data="100 pours, half of them equal", holds=paired_points),
    Case(name="agreement of independent dice", printed_by="`study`",
         data="200 pours of six", holds=partial(agreement, 0.0)),
    Case(name="agreement of alike dice", printed_by="`study`",
         data="200 pours of six", holds=partial(agreement, 0.16)),
    Case(name="difference of pours", printed_by="`compare`, `converge`",
         data="200 and 150 pours", holds=apart),
    Case(name="lower bound of a distance", printed_by="`compare`, `converge`, odds", bound=True,
         data="distance 0.1", holds=partial(distance, 0.1, False), slow=True),
    Case(name="upper bound of a distance", printed_by="the same", bound=True,
         data="distance 0.1", holds=partial(distance, 0.1, True), slow=True),
    Case(name="upper bound of a small distance", printed_by="the same", bound=True,
         data="distance 0.02", holds=partial(distance, 0.02, True), slow=True),
    Case(name="Elo", printed_by="`tournament`",
         data="three agents, 50 pairs each", holds=partial(ratings, False)),
    Case(name="difference in Elo", printed_by="`tournament`",
         data="the same", holds=partial(ratings, True)),
    Case(name="share of the points", printed_by="`tournament`, `balance`",
         data="50 pairs", holds=points_of_pairs),
    Case(name="lead", printed_by="`tournament`, `balance`", data="50 pairs", holds=lead),
    Case(name="points without luck", printed_by="`tournament`, `balance`",
         data="50 pairs", holds=partial(points_without_luck, 1.0, 50)),
    Case(name="points without luck, few pairs", printed_by="`tournament`, `balance`",
         data="12 pairs", holds=partial(points_without_luck, 1.0, 12)),
    Case(name="points without luck of a strong agent", printed_by="`tournament`, `balance`",
         data="50 pairs, share 0.92", holds=partial(points_without_luck, 5.0, 50)),
    Case(name="lead without luck", printed_by="`tournament`, `balance`",
         data="50 pairs", holds=lead_without_luck),
    Case(name="spread of the scores", printed_by="`balance`",
         data="200 matches", holds=deviation),
    Case(name="effects used", printed_by="`balance`",
         data="200 matches, 1.5 effects each", holds=effects),
    Case(name="value of a Piggle", printed_by="`balance`",
         data="400 trials of random teams", holds=partial(piece_value, 400)),
    Case(name="value of a Piggle, few trials", printed_by="`balance`",
         data="100 trials of random teams", holds=partial(piece_value, 100)),
    Case(name="wins of a team", printed_by="`balance`", data="200 pairs", holds=team_share),
    Case(name="win probability", printed_by=_PLAYERS,
         data="100 samples of one playout", holds=partial(win_probability, 1)),
    Case(name="win probability of batches", printed_by=_PLAYERS,
         data="100 samples of 8 playouts", holds=partial(win_probability, 8)),
    Case(name="loss of an action", printed_by=_PLAYERS,
         data="200 samples, half of them alike", holds=loss),
    Case(name="parameter of a floor", printed_by="`fit`", level=0.9,
         data="500 counted throws, 96 floors, a law that errs", holds=floor_parameter, slow=True),
    Case(name="effect of a parameter", printed_by="`fit`",
         data="96 floors of 2,000 drops", holds=floor_effect, slow=True),
    Case(name="parameter of tracked throws", printed_by="`fit` of tracked throws",
         data="30 throws", holds=tracked_parameter, slow=True),
)  # fmt: skip


def row(case: Case, found: Share) -> tuple[str, ...]:
    """Return a row of the table."""
    nominal = f"{case.level:.0%}{' or more' if case.bound else ''}"
    share = f"{found.value:.1%}{'' if case.passes(found.value) else ' (!)'}"
    interval = f"{found.low:.1%} to {found.high:.1%}"
    texts = (
        case.name, case.printed_by, case.data, f"{found.trials:,}", nominal, share, interval,
    )  # fmt: skip
    return tuple(text.replace("%", " %") for text in texts)


def main(
    *,
    sets: Annotated[int, typer.Option(min=1, help="Data sets per interval.")] = 500,
    only: Annotated[str, typer.Option(help="Only intervals whose name holds this text.")] = "",
    seed: Annotated[int, typer.Option(help="Root seed.")] = 1,
    write: Annotated[
        Path | None, typer.Option(help="Markdown page whose rows are replaced.")
    ] = None,
) -> None:
    """Measure how often each interval that pigglesim prints holds the truth.

    Exits with 1 if one holds it too seldom or too often.
    """
    failed = False
    for case in CASES:
        if only in case.name:
            began = time.monotonic()
            found = coverage(case, sets, seed=seed)
            failed |= not case.passes(found.value)
            cells = row(case, found)
            print(*cells, f"{time.monotonic() - began:.0f} s", sep=" · ", flush=True)
            if write:
                write_rows(write, "scripts/interval_coverage", [cells])
    raise typer.Exit(int(failed))


if __name__ == "__main__":
    typer.run(main)
