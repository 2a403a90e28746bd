"""What a soak does over and over, and the same small piece of it whose time and bits must stay."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from pigglesim.chance.physical import PhysicalChance
from pigglesim.landing import RollRequest, RollResult, Seat
from pigglesim.scene.load import load_scene
from pigglesim.studies.tally import OddsSetting
from tests.simple_odds import simple_chance


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
    chance: PhysicalChance = OddsSetting(
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
