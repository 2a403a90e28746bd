"""Results in order, whatever becomes of those who do the jobs."""

import os
import signal
from functools import partial

import pytest

from pigglesim.errors import RecordError
from pigglesim.studies.workers import WorkersError, map_in_order


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
