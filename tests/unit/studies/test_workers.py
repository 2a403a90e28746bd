"""Results in order, whatever becomes of those who do the jobs."""

import os
import signal
import time
from functools import partial

import duckdb
import pytest

from pigglesim.errors import RecordError
from pigglesim.signals import interrupts_in_queries
from pigglesim.studies.worker_pool import WorkerPool, WorkersError, map_in_order


def squares(folder):
    return partial(square, folder)


def square(folder, number):
    """Square a number; at 3 the first worker dies, at 5 all do, at 7 one raises."""
    if number == 5 or (number == 3 and first_time(folder)):
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 7:
        raise RecordError("a number", got="7", remedy="8")
    return number * number


def first_time(folder):
    try:
        os.close(os.open(f"{folder}/mark", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def test_a_worker_that_dies_is_replaced_and_one_that_always_does_is_told(tmp_path):
    found = []
    with pytest.raises(WorkersError, match=r"died \(signal 9\).*fewer --workers"):
        for result in map_in_order(partial(squares, str(tmp_path)), [1, 2, 3, 4, 5], workers=2):
            found.append(result)
    assert found == [1, 4, 9, 16]


def test_an_error_of_a_job_is_raised_as_it_is(tmp_path):
    with pytest.raises(RecordError, match="expected a number, got 7; try: 8") as caught:
        list(map_in_order(partial(squares, str(tmp_path)), [1, 7], workers=2))
    assert caught.value.remedy == "8"


def queries(folder):
    return partial(query, folder)


def query(folder, _number):
    with duckdb.connect(":memory:", config={"threads": 1}) as connection, interrupts_in_queries():
        assert first_time(folder)
        connection.execute("SELECT sum(a.range * b.range) FROM range(10000000) a, range(100000) b")


def test_a_worker_that_is_stopped_within_a_query_says_nothing(tmp_path, capfd):
    with WorkerPool(partial(queries, str(tmp_path)), 1) as crew:
        crew.submit(0, None)
        while not (tmp_path / "mark").exists():
            time.sleep(0.01)
        time.sleep(0.3)
    assert capfd.readouterr().err == ""
