"""Cases of a hunt: options drawn from a seed, run, judged, and made simpler while they fail.

A case is a table of plain values: its kind, and each option of that kind. So a case is one line of
JSON, and simpler cases differ in a value only. Options list their values with the simplest first,
as Hypothesis orders its choices; a case is made simpler by taking earlier values and shorter lists.
"""

import time
import traceback
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from pigglesim.errors import SpecError
from pigglesim.rng import generator

Case = dict[str, Any]
_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class One:
    """One of some values, the simplest first; a value that is listed twice comes twice as often."""

    values: Sequence

    def draw(self, rng):
        return self.values[int(rng.integers(len(self.values)))]

    def simpler(self, value):
        """Yield simpler values, the simplest first."""
        at = self.values.index(value)
        yield from (self.values[k] for k in dict.fromkeys((0, at // 2, at - 1)) if 0 <= k < at)


@dataclass(frozen=True, slots=True)
class Some:
    """A list of `low` to `high` values."""

    values: Sequence
    low: int
    high: int

    def draw(self, rng):
        one = One(self.values)
        return [one.draw(rng) for _ in range(int(rng.integers(self.low, self.high + 1)))]

    def simpler(self, value):
        """Yield shorter lists, then those with a simpler value."""
        size = len(value)
        while size:
            for start in range(0, len(value), size):
                if len(value) - len(value[start : start + size]) >= self.low:
                    yield [*value[:start], *value[start + size :]]
            size //= 2
        for k, each in enumerate(value):
            for other in One(self.values).simpler(each):
                yield [*value[:k], other, *value[k + 1 :]]


SEED = One(range(2**31))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of case: how its options are drawn, and what runs and checks it."""

    name: str
    options: Mapping[str, One | Some]
    run: Callable[[Case], object]
    """Raises if an invariant is broken. Returns what another process must have to the bit."""
    seconds: float
    """Mean time of a case [s]; each kind is drawn so often that all have the same time."""


class Broken(AssertionError):  # noqa: N818 (an invariant, not an error)
    """A broken invariant, named by its first argument."""


class Refused(Exception):  # noqa: N818 (not a fault)
    """A case that the program refuses as documented: it is no finding."""


def expect(kept, invariant, seen=""):
    """Raise `Broken` unless an invariant is kept."""
    if not kept:
        raise Broken(invariant, str(seen)[:600])


@contextmanager
def may_refuse():
    """Take a `SpecError` of what is set up here for a refusal."""
    try:
        yield
    except SpecError as error:
        raise Refused(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A case that failed."""

    fault: str
    """What is wrong: the invariant, or the error and where it was raised; equal for one fault."""
    detail: str


def draw(kinds, seed, number):
    """Return case `number` of a hunt."""
    rng = generator(seed, "hunt", number)
    kinds = tuple(kinds)
    bounds = list(accumulate(1.0 / kind.seconds for kind in kinds))
    kind = kinds[bisect_right(bounds, rng.random() * bounds[-1], hi=len(kinds) - 1)]
    return {"kind": kind.name} | {name: one.draw(rng) for name, one in kind.options.items()}


def judged(kind, case, *, elsewhere=None):
    """Run a case; return what it gave, and what is wrong with it or None.

    `elsewhere` runs it in another process, and returns a digest of what it gave there.
    """
    # Imported late: it compiles nothing, but loads every game.
    from scripts.determinism.fingerprints import digest

    try:
        bits = kind.run(case)
        if elsewhere is not None and bits is not None:
            here, there = digest(bits), elsewhere(case)
            expect(here == there, "equal bits in another process", (here, there))
    except Refused:
        raise
    except (Exception, pytest.fail.Exception) as error:
        return None, Finding(fault=_fault(error), detail=_detail(error))
    return bits, None


def _fault(error):
    if isinstance(error, Broken):
        return str(error.args[0])
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(_ROOT) and ".venv" not in frame.filename
    ]
    where = f"{Path(frames[-1].filename).name}: {frames[-1].name}" if frames else "outside"
    return f"{type(error).__name__} in {where}"


def _detail(error):
    lines = "".join(traceback.format_exception(error, limit=-4)).strip()
    return "\n".join([lines[-1500:], *getattr(error, "__notes__", ())])


def shrunk(kind, case, fault, *, seconds, elsewhere=None):
    """Return the simplest case found in some seconds that fails with the same fault."""
    until = time.monotonic() + seconds

    def fails(other):
        try:
            finding = judged(kind, other, elsewhere=elsewhere)[1]
        except Refused:
            return False
        return finding is not None and finding.fault == fault

    def step(case):
        """Return a simpler case that fails too, or None."""
        for name, option in kind.options.items():
            for value in option.simpler(case[name]):
                if time.monotonic() > until:
                    return None
                if fails(other := case | {name: value}):
                    return other
        return None

    while (simpler := step(case)) is not None:
        case = simpler
    return case
