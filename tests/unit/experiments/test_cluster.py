"""Shards on a Dask cluster of two worker processes, one of which is killed."""

import json
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments import dask_cluster as module
from pigglesim.experiments.dask_cluster import Cluster
from pigglesim.experiments.run import run
from pigglesim.experiments.shard import Job, StudyPlan
from pigglesim.experiments.store import SharedFolder, Store, whole_shards
from tests.support.front_door import start
from tests.support.small_studies import Canned, files, small_study
from tests.support.waiting import wait_for

# Sockets of the client that its own threads close late.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@contextmanager
def dask(*words):
    """Run a process of Dask, as a person would."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def running(folder, *, workers):
    """Run a scheduler and its workers; yield its address and all processes."""
    scheduler = folder / "scheduler.json"
    with ExitStack() as stack:
        words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        words += ["--scheduler-file", str(scheduler)]
        processes = [stack.enter_context(dask("scheduler", *words))]
        words = ["--no-nanny", "--no-dashboard", "--nthreads", "2"]
        words += ["--scheduler-file", str(scheduler), "--local-directory", str(folder)]
        processes += [stack.enter_context(dask("worker", *words)) for _ in range(workers)]
        wait_for(lambda: scheduler.exists() and scheduler.read_text().strip().endswith("}"))
        yield json.loads(scheduler.read_text())["address"], processes


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with running(tmp_path_factory.mktemp("dask"), workers=2) as found:
        yield found


ELSEWHERE = SharedFolder(path=Path("nowhere"), mark="")
"""A folder that no worker sees."""


@pytest.mark.slow
@pytest.mark.parametrize("in_sight", [True, False])
def test_a_cluster_makes_the_same_bytes_and_survives_a_dead_worker(in_sight, floor, tmp_path):
    plan = StudyPlan.of(small_study(floor, throws=1500))
    with (
        running(tmp_path, workers=2) as (address, processes),
        Store(tmp_path / "there", plan) as store,
        Cluster(Job.of(plan), address, store.share() if in_sight else ELSEWHERE) as executor,
    ):

        def kill(progress):
            if progress.made == 2:
                processes[1].kill()

        progress = run(store, executor, watch=kill)
    assert (progress.made, progress.failed) == (12, {})
    with Store(tmp_path / "here", plan) as store:
        run(store, Canned(plan.study))
    assert files(tmp_path / "there") == files(tmp_path / "here")


def test_a_worker_saves_its_shard_where_it_sees_the_folder(floor, tmp_path):
    folder, plan = tmp_path / "study", StudyPlan.of(small_study(floor))
    job = Job.of(plan)
    with Store(folder, plan) as store:
        shared = store.share()
        parquet = replace(shared, mark="that of another folder").made(job, 0)
        assert not store.shard_file(0).exists()
        saved = shared.made(job, 0)
        assert store.shard_file(0).read_bytes() == parquet
        # The study has not heard of it yet.
        assert whole_shards(folder, plan.study) == {}
        counts = store.add(0, saved)
        assert counts == store.counts([0])[0]
    # Nobody saves there once the study has ended.
    assert shared.made(job, 1).startswith(b"PAR1")
    assert list(whole_shards(folder, plan.study)) == [0]
    store.shard_file(0).write_bytes(parquet[:-1])
    with pytest.raises(RecordError, match="is torn"):
        whole_shards(folder, plan.study)


def test_workers_that_would_make_other_bits_are_refused(cluster, floor):
    job = Job.of(StudyPlan.of(small_study(floor)))
    other = replace(job, digest="0" * 64)
    with pytest.raises(SpecError, match="would make other bits"):
        Cluster(other, cluster[0], ELSEWHERE).__enter__()


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:9", "nonsense://x:1", "127.0.0.1:notaport", ""],
)
def test_no_scheduler_is_one_line(floor, address, monkeypatch):
    monkeypatch.setattr(module, "_TIMEOUT", 0.5)
    with pytest.raises(SpecError, match="dask scheduler"):
        Cluster(Job.of(StudyPlan.of(small_study(floor))), address, ELSEWHERE).__enter__()


def test_a_missing_extra_is_one_line(floor, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SpecError, match="-m pip install distributed"):
        job = Job.of(StudyPlan.of(small_study(floor)))
        Cluster(job, "tcp://127.0.0.1:9", ELSEWHERE).__enter__()


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_one_line(floor, tmp_path):
    folder = tmp_path / "study"
    words = ["--model", "d6", "--scene", floor, "--throws", 50_000, "--shard-size", 250]
    with running(tmp_path, workers=1) as (address, processes):
        words += ["--seed", 3, "--no-report", "--quiet", "--out", folder, "--cluster", address]
        study = start("study", *words)
        try:
            wait_for(lambda: any((folder / "shards").glob("*.parquet")))
            processes[0].kill()
            _, printed = study.communicate(timeout=120)
        finally:
            study.kill()
    assert study.returncode == 1
    # Neither Dask nor asyncio adds a word.
    assert printed.startswith(f"pigglesim: the scheduler at {address} no longer answers")
    assert printed.count("\n") == 1
    assert 1 <= len(files(folder)) < 200
