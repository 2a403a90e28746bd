"""The soak would see a leak, and is not fooled by a busy machine."""

import gc
import os
from mmap import mmap
from pathlib import Path

import pytest

from pigglesim.landing import RollRequest, Seat
from scripts.trust.soaking.__main__ import Work, _run, _table
from tests.support.simple_odds import simple_chance


@pytest.fixture(autouse=True, scope="module")
def left_by_others():
    """What tests before have left is not looked through at each measurement."""
    gc.collect()
    gc.freeze()


def rolling(roll, **how):
    return Work(name="rolls", roll=roll, in_window=20, again=5, **how)


def rolls():
    chance = simple_chance(seed=1)
    request = RollRequest(thrower=Seat.A, piggles=("A1", "A2"))
    return lambda index: chance.roll(request, index=index)


def test_a_sound_process_is_flat():
    soaked = _run(rolling(rolls()), 120, None)
    assert soaked.rolls == 120
    assert soaked.same_bits
    assert soaked.descriptors[1] <= soaked.descriptors[0]
    assert "| rolls | 120 |" in _table([soaked])


def test_a_leak_of_memory_and_of_descriptors_is_not_flat():
    roll, leaked, files = rolls(), [], []

    def leaking(index):
        # Of the system, not of what this process has and does not use.
        leaked.append(mmap(-1, 81_920))
        leaked[-1].write(b"." * 81_920)
        return roll(index)

    assert _run(rolling(leaking), 150, None).memory.change.low > 8 * 2**20

    def opening(index):
        files.append(Path(os.devnull).open())  # noqa: SIM115 (a leak)
        return roll(index)

    soaked = _run(rolling(opening), 100, None)
    for file in files:
        file.close()
    assert soaked.descriptors[1] > soaked.descriptors[0]
    assert not soaked.flat


def test_other_bits_are_reported():
    roll, done = rolls(), []

    def drifting(index):
        done.append(index)
        return roll(index + len(done) // 60)

    assert not _run(rolling(drifting), 100, None).same_bits
