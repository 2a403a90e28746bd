"""One process that rolls for as long as you like: does it grow, slow down or leak?"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.cli.consoles import Work as Progress
from tests.measured_page import write_between
from tests.soaking.work import (
    Growth,
    Held,
    Window,
    Work,
    growth,
    held_now,
    pours,
    tabular_rolls,
    window,
)

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
        write_between(page, "scripts/soak", _table(soaked))
    if not all(one.flat for one in soaked):
        raise typer.Exit(1)


def _run(work: Work, count: int, out: Path | None) -> Soaked:
    windows: list[Window] = []
    held: list[Held] = []
    with Progress(work.name, work.name, total=count) as bar:
        try:
            while len(windows) * work.in_window < count:
                first = len(windows) * work.in_window
                found = window(work, first=first, count=min(work.in_window, count - first))
                # Never one without the other, whenever Ctrl-C comes.
                windows, held = [*windows, found], [*held, held_now()]
                bar.update(found.rolls)
                if out is not None:
                    with out.open("a", encoding="utf-8") as file:
                        plain = {"work": work.name} | asdict(found) | asdict(held[-1])
                        file.write(json.dumps(plain) + "\n")
        except KeyboardInterrupt:
            if len(held) < 3:
                raise
            print("stopped: judged as far as it came", file=sys.stderr)
    windows = windows[: len(held)]
    warm = max(1, int(_WARM * len(held)))
    late, late_held = windows[warm - 1 :], held[warm - 1 :]
    each = sorted(one.seconds_each for one in late)
    return Soaked(
        name=work.name,
        rolls=windows[-1].rolls,
        windows=len(windows),
        memory=growth([one.memory for one in late_held]),
        objects=growth([one.objects for one in late_held]),
        speed=growth([one.again for one in late]),
        descriptors=(late_held[0].descriptors, late_held[-1].descriptors),
        threads=(late_held[0].threads, late_held[-1].threads),
        same_bits=len({one.bits for one in windows}) == 1,
        rolls_per_second=1.0 / each[len(each) // 2],
    )


def _table(soaked: list[Soaked]) -> str:
    """Return what was found as a table in Markdown."""
    head = (
        "| what | rolls in one process | rolls/s of one core | memory at start | its growth "
        "| Python objects | slowing | descriptors | threads | same bits | verdict |"
    )
    rows = [head, "|---" * 11 + "|"]
    for one in soaked:
        mb, share = 2.0**20, 100.0 / one.speed.start
        cells: list[Any] = [
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
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def _interval(found: Growth, scale: float, unit: str) -> str:
    change = found.change
    low, high = sorted((change.low * scale, change.high * scale))
    return f"{change.value * scale:+.2f} {unit} [{low:+.2f}, {high:+.2f}]".replace("  ", " ")


if __name__ == "__main__":
    app = typer.Typer(add_completion=False)
    app.command(help=_HELP)(soak)
    app()
