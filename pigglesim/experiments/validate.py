"""Compare counted throws of real dice with simulated drops, and score the agreement."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.support import SupportFunction
from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import CountedDie
from pigglesim.experiments.statistics import Share, binomial
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.rotations import Array
from pigglesim.scene.scene import Fall, Floor, Stepping, Surface
from pigglesim.throws import sample_drops

BATCH = 250
"""Drops a batch: a fraction of a second, so that progress moves and little is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropTally:
    """Counts of some drops."""

    counts: tuple[int, ...]
    """Drops by class, in the order of the classes; the last entry: none of them."""
    endings: tuple[int, ...]
    """Drops by how their pose came to be known, in the order of `DropEnding`."""

    def __add__(self, other: "DropTally") -> "DropTally":
        """Return both together."""
        return DropTally(
            counts=tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            endings=tuple(a + b for a, b in zip(self.endings, other.endings, strict=True)),
        )

    @property
    def drops(self) -> int:
        """Number of drops."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DropTask:
    """Everything that the drops of one die have in common; drop `k` is a pure function of it."""

    name: str
    """Names the stream of random numbers, with the seed."""
    body: Body
    support: SupportFunction
    classes: tuple[int, ...]
    """Class of each pose, from 0; -1 for a pose of none."""
    class_count: int
    fall: Fall
    surface: Surface
    stepping: Stepping
    engine: str
    seed: int

    def drop(self, numbers: range) -> DropTally:
        """Drop the die once for each of some consecutive numbers, and count."""
        dropper = Dropper(
            self.body,
            self.support,
            self.classes,
            surface=self.surface,
            stepping=self.stepping,
            engine=make_engine(self.engine),
        )
        drops = sample_drops(
            self.fall, self.body, trials=numbers, seed=self.seed, purpose=("drop", self.name)
        )
        ends = dropper.drop_all(drops)
        # Class -1, of a pose that nothing lists, is the last entry, and so is no pose.
        classes = np.array([*self.classes, -1])[ends.poses]
        found = np.bincount(classes % (self.class_count + 1), minlength=self.class_count + 1)
        endings = np.bincount(ends.endings, minlength=len(DropEnding))
        return DropTally(counts=tuple(found.tolist()), endings=tuple(endings.tolist()))


_RESAMPLES = 20_000
"""Samples drawn where a closed form does not hold: p is then good to .004."""
_LARGE = 5.0
"""Expected counts from which on chi-square is trusted (Cochran 1954)."""
_PSEUDO = 0.5
"""Added to every predicted count (Jeffreys), so that no outcome is held impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Agreement of counts with a prediction."""

    p: float
    """Probability of counts at least as far off, if the prediction is right; the prediction's own
    sampling noise is taken into account."""
    tv: float
    """Total variation between observed and predicted shares."""
    noise_tv: float
    """Its expectation if the prediction is right: what the sampling of the counts alone makes."""
    deficit: float
    """Log-likelihood of the counts under their own shares less that under the prediction."""


def total_variation(first: Array, second: Array) -> float:
    """Return half the sum of absolute differences of two share vectors, shape [outcome_count]."""
    return float(np.abs(first - second).sum() / 2.0)


def deficit(counts: Array, shares: Array) -> float:
    """Return by how much the log-likelihood of counts falls short of its greatest value.

    Args:
        counts: Shape [outcome_count].
        shares: Predicted, none of them 0 where something was counted, shape [outcome_count].
    """
    seen = counts > 0
    observed = counts[seen] / counts.sum()
    return float(np.sum(counts[seen] * np.log(observed / shares[seen])))


def best_matching(counts: Sequence[int], shares: Sequence[float]) -> tuple[int, ...]:
    """Return for each outcome the index of the count that fits it best.

    The likelihood of counts under shares is greatest where both are in the same order
    (the rearrangement inequality on counts and log shares).
    """
    by_count = sorted(range(len(counts)), key=lambda k: (counts[k], k))
    by_share = sorted(range(len(shares)), key=lambda k: (shares[k], k))
    matched = [0] * len(shares)
    for count, outcome in zip(by_count, by_share, strict=True):
        matched[outcome] = count
    return tuple(matched)


def score(
    counts: Sequence[int],
    predicted: Sequence[float],
    *,
    throws: int | None,
    matched: bool = False,
    rng: np.random.Generator,
) -> Score:
    """Score predicted shares against counts.

    Args:
        counts: How often each outcome was seen, in the order of `predicted`.
        predicted: Predicted share of each outcome; or how often it was predicted in `throws`.
        throws: How many throws the shares were counted in; None if they are exact.
        matched: Whether the counts were put in order to fit (labels unknown): chance is then
            given the same help, so that p and noise are still what they say.
        rng: Draws the samples where no closed form holds.

    Raises:
        SpecError: If nothing was counted or the lengths differ.
    """
    seen = np.asarray(counts, dtype=float)
    if len(counts) != len(predicted) or seen.sum() <= 0:
        raise SpecError(
            f"{len(counts)} counts, {len(predicted)} shares",
            expected="counts and shares of the same outcomes",
            fix="give each outcome one count",
        )
    shares = np.asarray(predicted, dtype=float)
    if throws is not None:
        shares = (shares * throws + _PSEUDO) / (throws + _PSEUDO * len(shares))
    total = int(seen.sum())
    # Shares counted in n throws stray too: the variance of the difference is that much larger.
    inflation = 1.0 + (total / throws if throws else 0.0)
    drawn = _draws(shares, total, inflation, rng)
    if matched:
        order = np.argsort(np.argsort(shares))
        drawn = np.sort(drawn, axis=1)[:, order]
    worst = _chi_square(drawn, shares, total, inflation)
    here = float(_chi_square(seen[None, :], shares, total, inflation)[0])
    if not matched and (shares * total).min() >= _LARGE:
        from scipy.special import chdtrc  # noqa: PLC0415 (slow to import)

        p = float(chdtrc(len(counts) - 1, here))
    else:
        p = float((1 + np.sum(worst >= here * (1 - 1e-12))) / (1 + len(worst)))
    return Score(
        p=p,
        tv=total_variation(seen / total, shares),
        noise_tv=float(np.mean(np.abs(drawn / total - shares).sum(axis=1) / 2.0)),
        deficit=deficit(seen, shares),
    )


def _draws(shares: Array, total: int, inflation: float, rng: np.random.Generator) -> Array:
    """Return counts that the prediction would give, its own noise included, as rows."""
    exact = shares / shares.sum()
    if inflation == 1.0:
        return rng.multinomial(total, exact, size=_RESAMPLES).astype(float)
    throws = total / (inflation - 1.0)
    # What the shares may really be, given that they were counted in so many throws.
    truth = rng.dirichlet(exact * throws + _PSEUDO, size=_RESAMPLES)
    return rng.multinomial(total, truth).astype(float)


def _chi_square(counts: Array, shares: Array, total: int, inflation: float) -> Array:
    expected = shares * total
    found: Array = ((counts - expected) ** 2 / expected).sum(axis=1) / inflation
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDie:
    """One die's counts beside what was predicted."""

    die: CountedDie
    counts: tuple[int, ...]
    """Counts in the order of the outcomes; under the best matching where labels are unknown."""
    tally: DropTally
    predicted: tuple[Share, ...]
    """Share of each outcome among the drops that ended in one."""
    unclassified: Share
    """Share of drops that ended in none."""
    score: Score
    quasi_static: tuple[float, ...]
    """Shares of the outcomes among all directions that roll there without momentum."""
    quasi_static_score: Score


def drop_task(die: CountedDie, floor: Floor, *, engine: str, seed: int) -> DropTask:
    """Return the drops of one die on a floor.

    Raises:
        SpecError: If the floor does not know the die's material.
    """
    return DropTask(
        name=die.name,
        body=die.body,
        support=die.support,
        classes=tuple(die.classes()),
        class_count=len(die.outcomes),
        fall=floor.fall,
        surface=floor.surface(die.material),
        stepping=floor.stepping,
        engine=engine,
        seed=seed,
    )


def drop_dice(
    tasks: Sequence[DropTask], *, drops: int, workers: int
) -> Generator[tuple[int, DropTally], None, None]:
    """Drop every die so many times; yield the number of the task and a batch's tally.

    There are so many `drops` of each task.
    """
    jobs = [
        (number, range(start, min(start + BATCH, drops)))
        for number in range(len(tasks))
        for start in range(0, drops, BATCH)
    ]
    results = map_in_order(partial(partial, _drop, tuple(tasks)), jobs, workers=workers)
    for (number, _), tally in zip(jobs, results, strict=True):
        yield number, tally


def _drop(tasks: tuple[DropTask, ...], job: tuple[int, range]) -> DropTally:
    number, drops = job
    return tasks[number].drop(drops)


def judge(die: CountedDie, tally: DropTally, *, seed: int) -> JudgedDie:
    """Return how well the drops of a die predict its counts."""
    hits = tally.counts[:-1]
    landed = max(sum(hits), 1)
    rng, matched = generator(seed, "judge", die.name), not die.labels_known

    def fit(shares: Sequence[float], throws: int | None) -> tuple[tuple[int, ...], Score]:
        counts = die.counts
        if matched:
            counts = tuple(counts[k] for k in best_matching(counts, shares))
        return counts, score(counts, shares, throws=throws, matched=matched, rng=rng)

    exact = quasi_static_of(die)
    counts, own = fit([hit / landed for hit in hits], landed)
    return JudgedDie(
        die=die,
        counts=counts,
        tally=tally,
        predicted=tuple(binomial(hit, sum(hits)) for hit in hits),
        unclassified=binomial(tally.counts[-1], tally.drops),
        score=own,
        quasi_static=tuple(exact),
        quasi_static_score=fit(exact, None)[1],
    )


def quasi_static_of(die: CountedDie) -> list[float]:
    """Return the share of each outcome among directions that roll there without momentum."""
    classes = die.classes()
    shares = [0.0] * len(die.outcomes)
    for index, share in zip(classes, die.support.shares(), strict=True):
        if index >= 0:
            shares[index] += share
    total = sum(shares)
    return [share / total for share in shares]
