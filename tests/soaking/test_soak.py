"""The soak would see a leak, and is not fooled by a busy machine."""

import gc
import os
from mmap import mmap
from pathlib import Path

import numpy as np
import pytest

from pigglesim.landing import RollRequest, Seat
from tests.simple_odds import simple_chance
from tests.soaking.__main__ import Work, _run, _table, growth


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


def test_the_interval_holds_the_truth_though_neighbours_are_alike():
    # Noise that lasts over several windows, as a busy neighbour makes it: AR(1) of .7.
    rng, held = np.random.default_rng(7), 0
    for k in range(200):
        noise = np.zeros(200)
        for i in range(1, 200):
            noise[i] = 0.7 * noise[i - 1] + rng.standard_normal()
        change = growth(noise + 2.0 * np.linspace(0.0, 1.0, 200), seed=k).change
        held += change.low <= 2.0 <= change.high
    # An interval that took windows for independent would hold it 58 % of the time.
    assert held >= 0.85 * 200


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


def test_other_bits_are_told():
    roll, done = rolls(), []

    def drifting(index):
        done.append(index)
        return roll(index + len(done) // 60)

    assert not _run(rolling(drifting), 100, None).same_bits
