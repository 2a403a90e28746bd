"""How well drops of counted dice foretell the counts, beside a throw without momentum."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pigglesim.scene.floor import Floor
from pigglesim.seeding import generator
from pigglesim.studies.drops import DropTally, DropTask, batches
from pigglesim.studies.estimate import Share, share_of
from pigglesim.studies.workers import map_in_order
from pigglesim.validation.counted import CountedDie
from pigglesim.validation.score import Score, best_matching, score

__all__ = ["JudgedDie", "drop_dice", "drop_task", "judge", "quasi_static_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDie:
    """One die's counts beside what was predicted."""

    die: CountedDie
    counts: tuple[int, ...]
    """In the order of the outcomes; under the best matching where labels are unknown."""
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

    Args:
        tasks: One a die.
        drops: Of each.
        workers: Processes.
    """
    jobs = batches(tasks, drops)
    results = map_in_order(partial(_ready, tuple(tasks)), jobs, workers=workers)
    for (number, _), tally in zip(jobs, results, strict=True):
        yield number, tally


def _ready(tasks: tuple[DropTask, ...]) -> Callable[[tuple[int, range]], DropTally]:
    return partial(_drop, tasks)


def _drop(tasks: tuple[DropTask, ...], job: tuple[int, range]) -> DropTally:
    number, drops = job
    return tasks[number].drop(drops)


def judge(die: CountedDie, tally: DropTally, *, seed: int) -> JudgedDie:
    """Return how well the drops of a die foretell its counts.

    Args:
        die: The die.
        tally: Its drops by outcome.
        seed: Of the samples that tell what chance alone would do.
    """
    hits = tally.counts[:-1]
    landed = max(sum(hits), 1)
    rng = generator(seed, "judge", die.name)
    fit = partial(_fit, die, rng)
    simulated = [hit / landed for hit in hits]
    exact = quasi_static_of(die)
    counts, own = fit(simulated, throws=landed)
    _, quasi = fit(exact, throws=None)
    return JudgedDie(
        die=die,
        counts=counts,
        tally=tally,
        predicted=tuple(_share(hit, sum(hits)) for hit in hits),
        unclassified=_share(tally.counts[-1], tally.drops),
        score=own,
        quasi_static=tuple(exact),
        quasi_static_score=quasi,
    )


def _fit(
    die: CountedDie, rng: np.random.Generator, shares: Sequence[float], *, throws: int | None
) -> tuple[tuple[int, ...], Score]:
    counts = die.counts
    if not die.labels_known:
        counts = tuple(counts[k] for k in best_matching(counts, shares))
    matched = not die.labels_known
    return counts, score(counts, shares, throws=throws, matched=matched, rng=rng)


def quasi_static_of(die: CountedDie) -> list[float]:
    """Return the share of each outcome among directions that roll there without momentum."""
    classes = die.classes()
    shares = [0.0] * len(die.outcomes)
    for index, share in zip(classes, die.support.shares(), strict=True):
        if index >= 0:
            shares[index] += share
    total = sum(shares)
    return [share / total for share in shares]


def _share(hits: int, trials: int) -> Share:
    # Drops are independent: each is a cluster of its own.
    seen = np.zeros(trials, dtype=np.int64)
    seen[:hits] = 1
    return share_of(seen, np.ones(trials, dtype=np.int64))
