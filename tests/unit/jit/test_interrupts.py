"""Ctrl-C at any moment of compiled code and of its compiler: heard, and never a crash.

Without `signals_deferred` the first test ends with a segmentation fault, and every fifth signal of
the second is lost or becomes an error of the compiler's own.
"""

import subprocess
import sys

import pytest

from pigglesim.solvers.kernel import score_sums

RUNNING = """
import os, random, signal, time
import numpy as np
from pigglesim.jit import compiled
from pigglesim.signals import signals_deferred

@compiled
def draw(rng):
    return rng.random()

def work():
    with signals_deferred():
        return draw(rng)

rng = np.random.default_rng(1)
work()
own, until, heard, calls = os.getpid(), time.monotonic() + 3.0, 0, 0
if not os.fork():
    waits = random.Random(1)
    while time.monotonic() < until and os.getppid() == own:
        time.sleep(waits.random() * 0.002)
        os.kill(own, signal.SIGINT)
    os._exit(0)

def drawing():
    global calls
    while time.monotonic() < until + 0.3:
        work()
        calls += 1

while time.monotonic() < until + 0.3:
    try:
        while time.monotonic() < until + 0.3:
            try:
                drawing()
            except KeyboardInterrupt:
                heard += 1
    except KeyboardInterrupt:
        heard += 1
print(heard, calls)
"""
COMPILING = """
import os, signal, threading, time
import numpy as np
from pigglesim.jit import compiled

SOURCE = '''
def total(numbers):
    found = 0.0
    for number in numbers:
        found += np.sin(number) if number > 0.5 else np.cos(number) * {factor}
    return found
'''

def fresh(factor):
    names = {"np": np, "__name__": "fresh"}
    exec(SOURCE.format(factor=factor), names)
    return compiled(names["total"])

numbers = np.zeros(3)
fresh(1)(numbers)
begun = time.monotonic()
fresh(2)(numbers)
took, heard = time.monotonic() - begun, 0
for k in range(12):
    function = fresh(k)
    stop = lambda: os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(took * (k + 0.5) / 12, stop)
    try:
        timer.start()
        function(numbers)
        timer.join()
        time.sleep(0.05)
    except KeyboardInterrupt:
        heard += 1
    timer.join()
    assert function(numbers) == 3.0 * k
print(heard)
"""


def told_by(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.mark.slow
def test_thousands_of_interrupts_while_compiled_code_unpacks_a_generator_end_only_calls():
    heard, calls = told_by(RUNNING)
    assert heard > 50
    assert calls > 1000


@pytest.mark.slow
def test_an_interrupt_of_the_compiler_is_heard_and_what_it_compiles_is_right_afterwards():
    assert told_by(COMPILING) == [12]


def test_a_sweep_is_cut_into_short_parts_that_hold_every_sum_of_scores_once():
    for target in (1, 2, 5, 100, 300):
        parts = list(score_sums(target))
        sums = [total for top, end in parts for total in range(top, end, -1)]
        assert sums == list(range(2 * target - 2, -1, -1))
        assert max(top - end for top, end in parts) <= 8
