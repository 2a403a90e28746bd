"""What a soak does over and over, what the process holds then, and how much that has grown."""

import gc
import hashlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pigglesim.experiments.statistics import Interval
from pigglesim.experiments.tally import OddsSetting
from pigglesim.landing import RollRequest, RollResult, Seat
from pigglesim.rotations import Array
from pigglesim.scene.load import load_scene
from tests.simple_odds import simple_chance

_PAGE = os.sysconf("SC_PAGE_SIZE")
_BLOCK = 10
"""Windows that are resampled together: a busy neighbour slows several in a row."""
_RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Rolls of one kind."""

    name: str
    roll: Callable[[int], RollResult]
    """Does roll number `index`."""
    in_window: int
    """Rolls between two measurements."""
    again: int
    """Rolls that are done anew at each measurement, always the same ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What one measurement found."""

    rolls: int
    """Done so far."""
    seconds_each: float
    """Time that this process worked for each of the rolls since the last measurement [s]."""
    again: float
    """Time for the rolls that are always the same, in ticks of this machine as it ran just then."""
    bits: str
    """Digest of what those rolls gave."""


def pours(seed: int) -> Work:
    """Return full cups, poured in turns by both players, by the default engine."""
    chance = OddsSetting(
        label="soak", scene=load_scene("piggles_classic"), engine="impulse", seed=seed
    ).chance()
    cups = [
        RollRequest(
            thrower=seat,
            piggles=tuple(name for name in chance.models if name.startswith(seat.value)),
        )
        for seat in (Seat.A, Seat.B)
    ]
    return Work(
        name="pours",
        roll=lambda index: chance.roll(cups[index % 2], index=index),
        in_window=500,
        again=20,
    )


def tabular_rolls(seed: int) -> Work:
    """Return rolls of six by the table of odds."""
    chance = simple_chance(seed=seed)
    names = tuple(f"A{number}" for number in range(1, 7))
    cups = [RollRequest(thrower=seat, piggles=names) for seat in (Seat.A, Seat.B)]
    return Work(
        name="tabular rolls",
        roll=lambda index: chance.roll(cups[index % 2], index=index),
        in_window=50_000,
        again=2_000,
    )


def window(work: Work, *, first: int, count: int) -> Window:
    """Do rolls `first` to `first + count - 1`, then measure."""
    began = time.process_time()
    for index in range(first, first + count):
        work.roll(index)
    each = (time.process_time() - began) / count
    # Ticks before and after: a machine that slows down meanwhile slows both.
    before = _tick()
    began = time.process_time()
    digest = hashlib.sha256()
    for index in range(work.again):
        digest.update(repr(work.roll(index)).encode())
    spent = time.process_time() - began
    after = _tick()
    return Window(
        rolls=first + count,
        seconds_each=each,
        again=2.0 * spent / (before + after),
        bits=digest.hexdigest()[:16],
    )


def _tick() -> float:
    """Return how long this machine works now on something fixed that keeps nothing [s]."""
    began = time.process_time()
    value, data = 1.0, b"pigglesim" * 4096
    for _ in range(150):
        hashlib.sha256(data).digest()
    for number in range(150_000):
        value = value * 1.0000001 + number * 1e-9
    return time.process_time() - began


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a process holds at one moment."""

    memory: int
    """Resident set [bytes]."""
    descriptors: int
    """Open files, sockets and pipes."""
    threads: int
    objects: int
    """Python objects that the collector tracks, after a collection."""


def held_now() -> Held:
    """Return what this process holds, once what is garbage has been collected."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(
        memory=resident * _PAGE,
        # The folder itself is open while it is listed.
        descriptors=sum(1 for _ in Path("/proc/self/fd").iterdir()) - 1,
        threads=threading.active_count(),
        objects=len(gc.get_objects()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How much a value changed from the first window to the last, by a straight line."""

    start: float
    """Where the line begins."""
    change: Interval
    """From the first window to the last, in the unit of the value; 95 %."""


def growth(values: Array, *, seed: int = 0) -> Growth:
    """Return the change of a series by least squares, its interval by a moving-block bootstrap.

    Residuals are resampled in blocks around a circle, so that what lasts over several windows
    widens the interval as it should (Kuensch 1989; Politis and Romano 1992).

    There is a value for each window, in order; at least three.
    """
    y = np.asarray(values, dtype=float)
    count = len(y)
    x = np.linspace(0.0, 1.0, count)
    slope, start = np.polyfit(x, y, 1)
    residuals = y - (start + slope * x)
    rng = np.random.default_rng(seed)
    block = min(_BLOCK, count)
    blocks = -(-count // block)
    firsts = rng.integers(0, count, size=(_RESAMPLES, blocks))
    places = (firsts[:, :, None] + np.arange(block)).reshape(_RESAMPLES, -1)[:, :count] % count
    drawn = residuals[places]
    weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    low, high = np.quantile(slope + drawn @ weights, [0.025, 0.975])
    method = "moving-block bootstrap of residuals"
    change = Interval(
        value=float(slope), low=float(low), high=float(high), level=0.95, method=method
    )
    return Growth(start=float(start), change=change)
