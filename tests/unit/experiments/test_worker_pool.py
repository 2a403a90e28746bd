"""A pool outlives its workers: they die, hang, return invalid results, cannot say why."""

import atexit
import os
import signal
import threading
import time
from functools import partial
from multiprocessing import active_children
from multiprocessing.context import SpawnProcess

import duckdb
import pytest
from pydantic_core import SchemaError

from pigglesim.errors import RecordError
from pigglesim.experiments import worker_pool as module
from pigglesim.experiments.worker_pool import Outcome, WorkerPool, WorkersError, map_in_order
from pigglesim.signals import interrupts_in_libraries
from tests.support.odd_jobs import prepare
from tests.support.waiting import wait_for


def kill(pid):
    """Kill a process of this one, which is still to be waited for when it has ended."""
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def test_a_worker_that_dies_idle_is_replaced_while_another_is_waited_for(tmp_path):
    mark = tmp_path / "mark"
    with WorkerPool(prepare, 2) as pool:
        pool.submit(0, "first")
        (first,) = pool.pids
        pool.submit(1, f"wait {mark}")
        assert pool.next() == Outcome(number=0, result="first")
        second = next(pid for pid in pool.pids if pid != first)
        kill(first)

        def let_go():
            wait_for(lambda: first not in pool.pids)
            mark.touch()

        thread = threading.Thread(target=let_go)
        thread.start()
        assert pool.next() == Outcome(number=1, result="wait")
        thread.join()
        assert len(pool.pids) == 2
        assert second in pool.pids


def test_one_job_that_goes_wrong_harms_no_other():
    with WorkerPool(prepare, 1) as pool:
        pool.submit(0, "leave")
        pool.submit(1, "torn")
        assert not pool.room
        assert pool.next() == Outcome(number=0, fault="the worker died (status 3)")
        pool.submit(2, "opaque")
        assert pool.next() == Outcome(number=1, fault="the worker returned an invalid result")
        pool.submit(3, "after")
        answer = pool.next()
        assert (type(answer.error), answer.fault) == (RuntimeError, "OpaqueError: this and that")
        assert pool.next() == Outcome(number=3, result="after")


def test_a_worker_that_hangs_is_killed(monkeypatch):
    monkeypatch.setattr(module, "_CHECK_INTERVAL", 0.05)
    with WorkerPool(prepare, 1, patience=1.0) as pool:
        pool.submit(0, "hang")
        assert pool.next() == Outcome(number=0, fault="the worker took more than 1 s")


def test_a_worker_that_does_not_hear_is_killed_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_CLEANUP_TIME", 0.2)
    with WorkerPool(prepare, 1) as pool:
        pool.submit(0, f"deaf {tmp_path}/mark")
        wait_for((tmp_path / "mark").exists)
        (pid,) = pool.pids
        began = time.monotonic()
    assert time.monotonic() - began >= 0.2
    assert not active_children()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_worker_leaves_though_its_exit_was_lost():
    with WorkerPool(prepare, 1) as pool:
        pool.submit(0, "unheard")
        assert pool.next() == Outcome(number=0, result="unheard")
        (process,) = [worker.process for worker in pool._workers]
        # Its pipe is still open.
        process.join(60.0)
        assert process.exitcode == 0


def test_ctrl_c_while_a_process_starts_is_heard_and_the_process_too(monkeypatch):
    started = []

    def start(process, begin=SpawnProcess.start):
        signal.raise_signal(signal.SIGINT)
        begin(process)
        started.append(process)

    monkeypatch.setattr(SpawnProcess, "start", start)
    with pytest.raises(KeyboardInterrupt), WorkerPool(prepare, 1) as pool:
        pool.submit(0, "never")
    assert [process.is_alive() for process in active_children()] == []
    assert len(started) == 1


def test_a_process_leaves_when_its_parent_has_and_not_before(monkeypatch):
    gone = []
    monkeypatch.setattr(module.os, "_exit", gone.append)
    sentinel, parent = os.pipe()
    thread = threading.Thread(target=module._leave_with, args=(sentinel,))
    thread.start()
    thread.join(0.1)
    assert (thread.is_alive(), gone) == (True, [])
    os.close(parent)
    thread.join(60.0)
    os.close(sentinel)
    assert gone == [1]


def squares(folder):
    return partial(square, folder)


def square(folder, number):
    """Square a number; at 3 the first worker dies, at 5 all do, at 7 one raises."""
    if number == 5 or (number == 3 and first_time(folder)):
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 7:
        raise RecordError("no square of 7", fix="use 8")
    return number * number


def first_time(folder):
    try:
        os.close(os.open(f"{folder}/mark", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def test_a_worker_that_dies_is_replaced_and_one_that_always_does_is_reported(tmp_path):
    found = []
    with pytest.raises(WorkersError, match=r"died \(signal 9\).*fewer --workers"):
        for result in map_in_order(partial(squares, str(tmp_path)), [1, 2, 3, 4, 5], workers=2):
            found.append(result)
    assert found == [1, 4, 9, 16]


def test_an_error_of_a_job_is_raised_as_it_is(tmp_path):
    with pytest.raises(RecordError, match="no square of 7; use 8"):
        list(map_in_order(partial(squares, str(tmp_path)), [1, 7], workers=2))


def queries(folder):
    return partial(query, folder)


def query(folder, _number):
    with duckdb.connect(":memory:", config={"threads": 1}) as connection, interrupts_in_libraries():
        assert first_time(folder)
        connection.execute("SELECT sum(a.range * b.range) FROM range(10000000) a, range(100000) b")


def test_an_interrupt_while_a_model_is_made_is_one():
    text = 'Error building "literal" validator:\n  KeyboardInterrupt: '
    with pytest.raises(KeyboardInterrupt), interrupts_in_libraries():
        raise SchemaError(text)
    with pytest.raises(ValueError, match="KeyboardInterrupt"), interrupts_in_libraries():
        raise ValueError(text)


def test_a_worker_that_is_stopped_within_a_query_says_nothing(tmp_path, capfd):
    with WorkerPool(partial(queries, str(tmp_path)), 1) as pool:
        pool.submit(0, None)
        wait_for((tmp_path / "mark").exists)
        # The query is under way a moment later; stopped before, the worker says nothing either.
        time.sleep(0.3)
    assert capfd.readouterr().err == ""


def stop_this(mark):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.01)
    mark.touch()


def stopped_late(mark):
    atexit.register(stop_this, mark)
    return str


def test_a_signal_does_not_interrupt_a_worker_that_leaves(tmp_path):
    with WorkerPool(partial(stopped_late, tmp_path / "mark"), 1) as pool:
        pool.submit(0, None)
        assert pool.next() == Outcome(number=0, result="None")
    assert (tmp_path / "mark").exists()
