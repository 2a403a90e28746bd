"""Runs of studies: dead workers, failed shards, and rounds to a precision."""

import os
import signal
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.run import Target, recounted, run
from pigglesim.experiments.shard import Job, StudyPlan, make_shard
from pigglesim.experiments.statistics import Moments, Share, binomial, share_from
from pigglesim.experiments.store import Store
from pigglesim.experiments.worker_pool import InProcess, WorkerPool
from tests.small_studies import Canned, small_study


@pytest.fixture(scope="module")
def plan(floor):
    return StudyPlan.of(small_study(floor))


def shards(plan, work=make_shard):
    return partial(partial, work, Job.of(plan))


def files(folder):
    return {path.name: path.read_bytes() for path in (folder / "shards").iterdir()}


def fill(folder, plan, executor, **words):
    with Store(folder, plan) as store, executor:
        return run(store, executor, **words)


@pytest.fixture(scope="module")
def whole(plan, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    fill(folder, plan, Canned(plan.study))
    return files(folder)


@pytest.mark.slow
def test_this_process_and_two_workers_make_the_same_bytes(plan, whole, tmp_path):
    fill(tmp_path / "one", plan, InProcess(shards(plan)))
    assert files(tmp_path / "one") == whole
    executor = WorkerPool(shards(plan), 2)
    killed = []

    def kill(progress):
        # The first that is seen at work dies, as if the system had run out of memory.
        if progress.made == 1 and not killed:
            killed.append(executor.pids[0])
            os.kill(killed[0], signal.SIGKILL)

    progress = fill(tmp_path / "two", plan, executor, watch=kill)
    assert len(killed) == 1
    assert (progress.made, progress.failed) == (6, {})
    assert files(tmp_path / "two") == whole
    assert executor.pids == []


def test_a_shard_gets_three_tries(plan, whole, tmp_path):
    executor = Canned(plan.study, faults={1: 2, 4: 3})
    progress = fill(tmp_path, plan, executor)
    assert progress.failed == {4: "bad luck"}
    assert (executor.asked.count(1), executor.asked.count(4), executor.asked.count(0)) == (3, 3, 1)
    assert len(files(tmp_path)) == 5


def test_a_stop_before_a_shard_is_counted_loses_it_not(plan, tmp_path):
    seen = []

    def stop(progress):
        seen.append(replace(progress, cells=list(progress.cells)))
        if progress.made == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill(tmp_path, plan, Canned(plan.study), watch=stop)
    with Store(tmp_path, plan) as store:
        # As of one shard ago: the last has its name and is not in these counts.
        found = recounted(store, seen[-2])
    assert (seen[-2].made, seen[-2].throws, found.made, found.kept) == (2, 500, 3, 0)
    assert (found.throws, found.cells) == (750, seen[-1].cells)


def precise(floor, **words):
    asked = {"half_width": 0.04, "max_throws": 4000, **words}
    return StudyPlan.of(small_study(floor, throws=0, **asked))


def test_a_precision_is_reached_in_rounds_that_do_not_depend_on_who_throws(floor, tmp_path):
    plan = precise(floor)
    progress = fill(tmp_path / "one", plan, Canned(plan.study))
    for counts in progress.cells:
        for name in counts.hits:
            share = counts.share(name)
            assert (share.high - share.low) / 2 <= 0.04
    assert 250 <= progress.throws < 4000
    assert progress.throws == 2 * progress.wanted
    other = fill(tmp_path / "other", plan, Canned(plan.study, order=-1))
    assert files(tmp_path / "other") == files(tmp_path / "one")
    # Stopped within a round, it goes on to the very same end.
    for name in sorted(files(tmp_path / "one"))[-3:]:
        (tmp_path / "one" / "shards" / name).unlink()
    again = fill(tmp_path / "one", plan, Canned(plan.study))
    assert again.cells == progress.cells == other.cells
    assert again.made == 3


def test_a_precision_out_of_reach_ends_at_the_most_throws(floor, tmp_path):
    plan = precise(floor, half_width=0.001, max_throws=600)
    progress = fill(tmp_path, plan, Canned(plan.study))
    assert (progress.throws, progress.wanted) == (1200, 600)


RUNS = 600


def sums_of(often, dice):
    """Return the sums of a share and of its complement, of throws by their number of hits."""
    throws = int(often.sum())
    return [
        Moments(
            clusters=throws,
            tried=throws,
            hits=int(often @ hits),
            trials=throws * dice,
            hits_hits=int(often @ hits**2),
            hits_trials=int(often @ hits) * dice,
            trials_trials=throws * dice**2,
        )
        for hits in (np.arange(dice + 1), dice - np.arange(dice + 1))
    ]


def chances_of(p, dice, likeness):
    """Return how probable each number of hits of a throw is: beta-binomial."""
    hits = np.arange(dice + 1)
    if not likeness:
        return stats.binom(dice, p).pmf(hits)
    scale = (1.0 - likeness) / likeness
    return stats.betabinom(dice, p * scale, (1.0 - p) * scale).pmf(hits)


def thrown_to_the_end(target, chances, rng) -> tuple[Share, int, int]:
    """Return the share at the end, the throws it took, and the looks."""
    dice, often, looks = len(chances) - 1, np.zeros(len(chances), dtype=np.int64), 0
    while True:
        sums = sums_of(often, dice)
        more = target.more(int(often.sum()), sums)
        if not more:
            share = binomial(sums[0].hits, sums[0].trials) if target.single else share_from(sums[0])
            return share, int(often.sum()), looks
        often += rng.multinomial(more, chances)
        looks += 1


@pytest.mark.slow
@pytest.mark.parametrize("half_width", [0.005, 0.02])
@pytest.mark.parametrize("p", [0.02, 0.08, 0.41, 0.5])
@pytest.mark.parametrize(("dice", "likeness"), [(1, 0.0), (6, 0.0), (6, 0.1), (6, 0.3)])
def test_the_interval_at_the_end_holds_as_often_as_it_says(dice, likeness, p, half_width):
    rng = np.random.default_rng(20)
    target = Target(half_width=half_width, single=dice == 1)
    chances = chances_of(p, dice, likeness)
    ended = [thrown_to_the_end(target, chances, rng) for _ in range(RUNS)]
    # Three standard errors of 600 runs are .027.
    assert np.mean([share.low <= p <= share.high for share, _, _ in ended]) >= 0.95 - 0.027
    assert all((share.high - share.low) / 2.0 <= half_width for share, _, _ in ended)
    assert np.mean([looks for _, _, looks in ended]) < 5
    # Little more is thrown than a share known beforehand would take, or than the first round is.
    known = 1.96**2 * p * (1.0 - p) * (1.0 + (dice - 1) * likeness) / dice / half_width**2
    assert np.mean([throws for _, throws, _ in ended]) < 1.15 * max(known, 10 / half_width)


def counts_of(throws, *shares):
    """Return counts of single dice."""
    hits = {str(n): (round(throws * share),) * 3 for n, share in enumerate(shares)}
    return Counts(throws=throws, throws_shown=throws, shown=throws, shown_squares=throws, hits=hits)


def test_cells_go_on_together_in_whole_blocks():
    target = Target(half_width=0.02, single=True)
    short, done = counts_of(1000, 0.5, 0.5), counts_of(1000, 0.01, 0.99)
    wanted = target.more(1000, [short.moments(name) for name in short.hits])
    for size in (1, 250, 1000):
        blocks = target.more_blocks([done, short], size=size)
        assert (blocks - 1) * size < wanted <= blocks * size
    assert target.more_blocks([done, done], size=250) == 0
    assert target.more_blocks([Counts(), Counts()], size=250) == 2
    assert (target.reached([done]), target.reached([done, short])) == (True, False)
    assert not target.reached([Counts()])
