"""A crew outlives what its workers do: die while idle, hang, answer nonsense, cannot say why."""

import os
import signal
import threading
import time
from multiprocessing import active_children

import pytest

from pigglesim.errors import RecordError
from pigglesim.studies import worker_pool as module
from pigglesim.studies.identity import StudyPlan
from pigglesim.studies.run import LocalWorkers, ShardOutcome
from pigglesim.studies.shard import Job
from pigglesim.studies.worker_pool import (
    Lost,
    Raised,
    TaskResult,
    WorkerPool,
)
from tests.odd_jobs import prepare, wait_for
from tests.small_studies import small_study


def refuse(job, number):
    raise RecordError(f"shard {number}", got="none", remedy="another")


def kill(pid):
    """Kill a process of this one, which is still to be waited for when it has ended."""
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def test_a_worker_that_dies_idle_is_replaced_while_another_is_waited_for(tmp_path):
    mark = tmp_path / "mark"
    with WorkerPool(prepare, 2) as crew:
        crew.submit(0, "first")
        (first,) = crew.pids
        crew.submit(1, f"wait {mark}")
        assert crew.next() == TaskResult(number=0, result="first")
        second = next(pid for pid in crew.pids if pid != first)
        kill(first)

        def let_go():
            wait_for(lambda: first not in crew.pids)
            mark.touch()

        thread = threading.Thread(target=let_go)
        thread.start()
        assert crew.next() == TaskResult(number=1, result="wait")
        thread.join()
        assert len(crew.pids) == 2
        assert second in crew.pids


def test_what_is_handed_to_the_dead_is_told_and_can_be_done_again():
    with WorkerPool(prepare, 1) as crew:
        crew.submit(0, "first")
        assert crew.next() == TaskResult(number=0, result="first")
        kill(crew.pids[0])
        crew.submit(1, "second")
        assert crew.next() == Lost(number=1, how="the worker died (signal 9)")
        crew.submit(1, "second")
        assert crew.next() == TaskResult(number=1, result="second")


def test_one_job_that_goes_wrong_harms_no_other():
    with WorkerPool(prepare, 1) as crew:
        crew.submit(0, "leave")
        crew.submit(1, "torn")
        assert not crew.room
        assert crew.next() == Lost(number=0, how="the worker died (status 3)")
        crew.submit(2, "opaque")
        assert crew.next() == Lost(number=1, how="the worker answered what is no result")
        crew.submit(3, "after")
        answer = crew.next()
        assert isinstance(answer, Raised)
        assert (type(answer.error), str(answer.error)) == (
            RuntimeError,
            "OpaqueError: this and that",
        )
        assert crew.next() == TaskResult(number=3, result="after")


def test_a_worker_that_hangs_is_killed(monkeypatch):
    monkeypatch.setattr(module, "_LOOKED", 0.05)
    with WorkerPool(prepare, 1, patience=1.0) as crew:
        assert crew.patience == 1.0
        crew.submit(0, "hang")
        assert crew.next() == Lost(number=0, how="the worker was at it for more than 1 s")


def test_a_worker_that_does_not_hear_is_killed_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_TIDY", 0.2)
    with WorkerPool(prepare, 1) as crew:
        crew.submit(0, f"deaf {tmp_path}/mark")
        wait_for((tmp_path / "mark").exists)
        (pid,) = crew.pids
        began = time.monotonic()
    assert 0.2 <= time.monotonic() - began < 60.0
    assert not active_children()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_shard_that_raises_is_a_fault_in_one_line(floor):
    job = Job.of(StudyPlan.of(small_study(floor)))
    with LocalWorkers(job, 1, refuse) as executor:
        executor.submit(4)
        outcome = executor.next()
    fault = "RecordError: expected shard 4, got none; try: another"
    assert outcome == ShardOutcome(number=4, fault=fault)


def test_a_process_leaves_when_its_parent_has_and_not_before(monkeypatch):
    gone = []
    monkeypatch.setattr(module.os, "_exit", gone.append)
    sentinel, parent = os.pipe()
    thread = threading.Thread(target=module._leave_with, args=(sentinel,))
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    assert gone == []
    os.close(parent)
    thread.join(60.0)
    os.close(sentinel)
    assert gone == [1]
