"""Work in a process of its own: its result, its errors, its progress and its end."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from threading import Event

import pytest

from pigglesim.errors import SpecError
from pigglesim.serve.elsewhere import WorkLostError, elsewhere, kill_running


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
