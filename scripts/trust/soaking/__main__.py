"""One process that rolls for a long time: does it grow, slow down or leak?"""

import gc
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from pigglesim.chance.physical import physical_chance
from pigglesim.cli.progress import Work as ProgressBar
from pigglesim.experiments.interval import Interval
from pigglesim.landing import RollRequest, RollResult, Seat
from pigglesim.rotations import Array
from pigglesim.scene.load import load_scene, team_models
from scripts.measured_page import markdown_table, write_between
from tests.support.simple_odds import simple_chance

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
    memory: int
    """Resident set of the process [bytes]."""
    descriptors: int
    """Open files, sockets and pipes."""
    threads: int
    objects: int
    """Python objects that the collector tracks, after a collection."""


def pours(seed: int) -> Work:
    """Return full cups, poured in turns by both players, by the default engine."""
    scene = load_scene("piggles_classic")
    chance = physical_chance(scene, team_models(scene), engine="impulse", seed=seed)
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
    # Only what is held once garbage has been collected.
    gc.collect()
    return Window(
        rolls=first + count,
        seconds_each=each,
        again=2.0 * spent / (before + after),
        bits=digest.hexdigest()[:16],
        memory=int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE,
        # The folder itself is open while it is listed.
        descriptors=sum(1 for _ in Path("/proc/self/fd").iterdir()) - 1,
        threads=threading.active_count(),
        objects=len(gc.get_objects()),
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


_WARM = 0.05
"""Share of a run that is not judged: caches fill, code is compiled."""
_MOST_MEMORY = 8 * 2**20
"""Growth over a whole run that counts as flat [bytes]."""
_MOST_SLOWING = 0.02
"""Slowing over a whole run that counts as flat."""

_HELP = """Roll for a long time in one process and tell whether it stays as it was.

At each of some hundred measurements the process does the same rolls once more: their bits must
stay, and so must the time they take (counted in ticks of the machine, so that a busy neighbour
slows both). Growth is a straight line's, from the end of the first twentieth to the end; its
interval (95 %) is a moving-block bootstrap's. Ctrl-C judges what is done.

Examples:

  scripts/soak                         # 100,000 pours, then 10,000,000 tabular rolls: hours

  scripts/soak --pours 2000 --rolls 0

  scripts/soak --write docs/trust/soak.md
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Soaked:
    """What one kind of roll did to the process."""

    name: str
    rolls: int
    windows: int
    memory: Growth
    """Resident set [bytes]."""
    objects: Growth
    speed: Growth
    """Time of rolls that are always the same, in ticks."""
    descriptors: tuple[int, int]
    threads: tuple[int, int]
    same_bits: bool
    rolls_per_second: float
    """Of one core, by the time it worked; the median window's."""

    @property
    def flat(self) -> bool:
        """Whether it neither grew, slowed, leaked nor gave other bits."""
        return (
            self.same_bits
            and self.descriptors[1] <= self.descriptors[0]
            and self.threads[1] <= self.threads[0]
            and self.memory.change.high < _MOST_MEMORY
            and self.speed.change.high < _MOST_SLOWING * self.speed.start
        )


def soak(
    pour_count: Annotated[
        int, typer.Option("--pours", min=0, help="Full cups to pour by physics.")
    ] = 100_000,
    roll_count: Annotated[
        int, typer.Option("--rolls", min=0, help="Rolls by the table of odds.")
    ] = 10_000_000,
    seed: Annotated[int, typer.Option(help="Of all rolls.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="File for every measurement, a JSON line each.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--write", help="Page whose table is written anew.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Run the soak."""
    soaked = []
    for work, count in ((pours(seed), pour_count), (tabular_rolls(seed), roll_count)):
        if count >= 3 * work.in_window:
            soaked.append(_run(work, count, out))
        elif count:
            raise typer.BadParameter(f"expected 0 or at least {3 * work.in_window} {work.name}")
    if as_json:
        print(json.dumps([asdict(one) | {"flat": one.flat} for one in soaked], indent=1))
    else:
        print(_table(soaked))
    if page is not None:
        date = datetime.now(tz=UTC).date().isoformat()
        write_between(page, "scripts/soak", f"{_table(soaked)}\n\nMeasured on {date}.")
    if not all(one.flat for one in soaked):
        raise typer.Exit(1)


def _run(work: Work, count: int, out: Path | None) -> Soaked:
    windows: list[Window] = []
    with ProgressBar(work.name, work.name, total=count) as bar:
        try:
            while len(windows) * work.in_window < count:
                first = len(windows) * work.in_window
                found = window(work, first=first, count=min(work.in_window, count - first))
                windows.append(found)
                bar.update(found.rolls)
                if out is not None:
                    with out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps({"work": work.name} | asdict(found)) + "\n")
        except KeyboardInterrupt:
            if len(windows) < 3:
                raise
            print("stopped: judged as far as it came", file=sys.stderr)
    late = windows[max(1, int(_WARM * len(windows))) - 1 :]
    each = sorted(one.seconds_each for one in late)
    return Soaked(
        name=work.name,
        rolls=windows[-1].rolls,
        windows=len(windows),
        memory=growth([one.memory for one in late]),
        objects=growth([one.objects for one in late]),
        speed=growth([one.again for one in late]),
        descriptors=(late[0].descriptors, late[-1].descriptors),
        threads=(late[0].threads, late[-1].threads),
        same_bits=len({one.bits for one in windows}) == 1,
        rolls_per_second=1.0 / each[len(each) // 2],
    )


def _table(soaked: list[Soaked]) -> str:
    """Return what was found as a table in Markdown."""
    head = (
        "what", "rolls in one process", "rolls/s of one core", "memory at start", "its growth",
        "Python objects", "slowing", "descriptors", "threads", "same bits", "verdict",
    )  # fmt: skip
    rows = []
    for one in soaked:
        mb, share = 2.0**20, 100.0 / one.speed.start
        rows.append(
            [
                one.name,
                f"{one.rolls:,}",
                f"{one.rolls_per_second:,.1f}",
                f"{one.memory.start / mb:.0f} MB",
                _interval(one.memory, 1 / mb, "MB"),
                _interval(one.objects, 1.0, ""),
                _interval(one.speed, share, "%"),
                "{} to {}".format(*one.descriptors),
                "{} to {}".format(*one.threads),
                "yes" if one.same_bits else "**no**",
                "flat" if one.flat else "**not flat**",
            ]
        )
    return markdown_table(head, rows)


def _interval(found: Growth, scale: float, unit: str) -> str:
    change = found.change
    low, high = sorted((change.low * scale, change.high * scale))
    return f"{change.value * scale:+.2f} {unit} [{low:+.2f}, {high:+.2f}]".replace("  ", " ")


if __name__ == "__main__":
    app = typer.Typer(add_completion=False)
    app.command(help=_HELP)(soak)
    app()
