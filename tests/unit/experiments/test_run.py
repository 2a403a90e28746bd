"""A study run to its end by whoever: dead workers, broken shards, rounds to a precision."""

import os
import signal
import time
from dataclasses import replace
from functools import partial

import pytest

from pigglesim.experiments.run import recounted, run
from pigglesim.experiments.shard import Job, StudyPlan, make_shard
from pigglesim.experiments.store import Store
from pigglesim.experiments.worker_pool import InProcess, WorkerPool
from tests.small_studies import Canned, crash_at_two, small_study


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


@pytest.mark.slow
def test_a_shard_that_kills_its_worker_is_given_up_and_the_rest_is_made(plan, whole, tmp_path):
    executor = WorkerPool(shards(plan, crash_at_two), 2)
    progress = fill(tmp_path, plan, executor)
    assert list(progress.failed) == [2]
    assert "the worker died (signal 11)" in progress.failed[2]
    assert (progress.made, progress.throws) == (5, 950)
    assert files(tmp_path) == {k: v for k, v in whole.items() if k != "000002.parquet"}
    again = fill(tmp_path, plan, Canned(plan.study))
    assert (again.made, again.kept, again.throws) == (1, 5, 1200)


@pytest.mark.slow
def test_workers_end_with_a_parent_that_stops_in_the_middle(plan, tmp_path):
    executor = WorkerPool(shards(plan), 2)

    def stop(progress):
        if progress.made == 1:
            raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        fill(tmp_path, plan, executor, watch=stop)
    assert time.monotonic() - started < 30
    assert len(files(tmp_path)) == 1


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


def test_a_failed_shard_ends_the_rounds(floor, tmp_path):
    plan = precise(floor)
    progress = fill(tmp_path, plan, Canned(plan.study, faults={1: 9}))
    assert list(progress.failed) == [1]
