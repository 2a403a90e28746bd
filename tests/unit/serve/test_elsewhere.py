"""Work in a process of its own: its result, its errors, its progress and its end."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from pathlib import Path
from threading import Event

import pytest

from pigglesim.errors import SpecError
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.serve.elsewhere import WorkLostError, elsewhere, kill_running
from tests.support.waiting import wait_for


def modules(name):
    __import__(name)
    return name in sys.modules, os.getpid()


def fail():
    raise SpecError("no such thing", fix="use another")


def die():
    os._exit(3)


def count(most, progress):
    for number in range(most):
        progress(number, most)
    return most


def count_for_ever(progress):
    while True:
        progress(1, 2)
        time.sleep(0.01)


def own_process():
    return lambda job: (job, os.getpid())


def spread(progress):
    """Return the processes of two workers; with the progress they are known before the end."""
    found = set()
    for number, process in map_in_order(own_process, range(40), workers=2):
        found.add(process)
        progress(process, number)
    return found


def runs(process):
    """Return whether a process runs; one that has ended may wait for its status to be read."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_it_may_have_workers_which_end_with_it():
    seen = set()

    def stopped(process, number):
        seen.add(process)
        if number == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        elsewhere(spread, progress=stopped)
    assert not active_children()
    assert seen and os.getpid() not in seen
    wait_for(lambda: not any(map(runs, seen)))


def test_what_it_loads_ends_with_it():
    there, process = elsewhere(modules, "this")
    assert there and process != os.getpid()
    assert "this" not in sys.modules


def test_its_error_is_raised_as_it_is():
    with pytest.raises(SpecError, match="no such thing; use another"):
        elsewhere(fail)


def test_a_process_that_dies_is_an_error_in_a_line():
    with pytest.raises(WorkLostError, match="its process died; try again"):
        elsewhere(die)


def test_progress_is_passed_on_and_ends_it():
    seen = []
    assert elsewhere(count, 3, progress=lambda done, total: seen.append((done, total))) == 3
    assert seen == [(0, 3), (1, 3), (2, 3)]

    def stopped(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        elsewhere(count_for_ever, progress=stopped)
    assert not active_children()


def test_a_server_that_ends_waits_for_none():
    started = Event()
    with ThreadPoolExecutor() as pool:
        work = pool.submit(elsewhere, count_for_ever, progress=lambda *_: started.set())
        assert started.wait(60)
        kill_running()
        with pytest.raises(WorkLostError):
            work.result(60)
    assert not active_children()
