"""Progress bars on standard error, and work that Ctrl-C ends early."""

import math
import signal
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from threading import current_thread, main_thread
from typing import Self

from rich.console import RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from pigglesim.cli.consoles import progress_console

_LINE_INTERVAL = 10.0
"""Interval between two lines without a terminal [s]."""
_RESULTS_INTERVAL = 1.0
"""Interval between two updates of the results so far [s]."""
_MIN_RATE_TIME = 1.0
"""Shortest time after which a rate is shown [s]."""
_RATE_PERIOD = 3600.0
"""Longest time over which a rate is measured [s]."""


class _Rate(ProgressColumn):
    """Column with the rate; until it is known, the elapsed time."""

    def render(self, task: Task) -> Text:
        """Return the rate as text."""
        if rate := _rate(task):
            return Text(rate.replace("/", f" {task.fields['unit']}/"))
        return Text(f"{task.elapsed or 0.0:.0f} s")


def _rate(task: Task) -> str:
    """Return the number done per second as text; empty while unknown."""
    rate = (task.finished_speed or task.speed) if (task.elapsed or 0.0) >= _MIN_RATE_TIME else None
    return f"{rate:,.0f}/s" if rate and rate >= 20 else f"{rate:.1f}/s" if rate else ""


def _left(task: Task) -> str:
    """Return the remaining time as text; empty while unknown, and at the end."""
    left = task.time_remaining if _rate(task) else None
    return f"{timedelta(seconds=round(left))} left" if left else ""


class _Bar(Progress):
    """Progress bar with the results so far in one line below it."""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield the bar and the results."""
        yield from super().get_renderables()
        for task in self.tasks:
            if results := task.fields["results"]:
                yield Text(results, style="dim", no_wrap=True, overflow="ellipsis")


class Work:
    """Progress of some work on standard error; Ctrl-C can end the work early.

    A terminal shows a bar. A log gets a plain line after the first item, every ten seconds and at
    the end. Rates are measured from the first item: code may be compiled before it.
    Work that is `stoppable` ends with the first Ctrl-C: the `with` block exits and `stopped` is
    set. Every further Ctrl-C is ignored, so that the results so far can be shown.

    Args:
        unit: Noun for the items that are counted, such as `"pours"`.
        name: Name of the work, such as `"pouring"`.
        total: Number of items wanted, with those that existed before; None while unknown.
        existing: Number that existed before; None for that of the first update. It counts neither
            for the rate nor for the time left.
        quiet: Whether to show nothing.
        stoppable: Whether Ctrl-C ends the block normally; otherwise it is raised there.
    """

    def __init__(
        self,
        unit: str,
        name: str,
        *,
        total: int | None = None,
        existing: int | None = 0,
        quiet: bool = False,
        stoppable: bool = False,
    ) -> None:
        self.stopped = False
        self._name, self._quiet, self._stoppable = name, quiet, stoppable
        self._existing, self._counted = existing or 0, existing is not None
        console = progress_console()
        self._bar = _Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
            get_time=None if console.is_terminal else lambda: time.monotonic(),
            speed_estimate_period=_RATE_PERIOD,
        )
        number = self._bar.add_task(
            self._description(),
            total=None if total is None else max(0, total - self._existing),
            unit=unit,
            results="",
        )
        self._task = self._bar.tasks[number]
        self._results: Callable[[], str] = lambda: ""
        self._results_at = self._line_at = -math.inf
        self._last = ""

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_fault: object) -> bool:
        self._bar.stop()
        self._print_line()
        if kind is None or not issubclass(kind, KeyboardInterrupt) or not self._stoppable:
            return False
        self.stopped = True
        ignore_interrupts()
        return True

    @property
    def unfinished(self) -> str:
        """Progress of stopped work, `unfinished: 5 of 20 pours`; empty if it was not stopped."""
        if not self.stopped:
            return ""
        total = "" if self._task.total is None else f" of {self._task.total + self._existing:,.0f}"
        done = self._task.completed + self._existing
        return f"unfinished: {done:,.0f}{total} {self._task.fields['unit']}"

    def advance(self, count: int = 1) -> None:
        """Count further items."""
        self.update(int(self._task.completed) + self._existing + count)

    def update(
        self,
        done: int,
        total: int | None = None,
        *,
        results: Callable[[], str] | None = None,
    ) -> None:
        """Update the progress that is shown.

        Args:
            done: Number of items done, with those that existed before.
            total: Number wanted, with those that existed before; None if unchanged.
            results: Function that returns the results so far in one line; called once per second.
        """
        self._results = results or self._results
        if not self._counted:
            self._existing, self._counted = done, True
        self._bar.update(
            self._task.id,
            completed=done - self._existing,
            total=None if total is None else max(0, total - self._existing),
            description=self._description(),
        )
        if not self._quiet and time.monotonic() - self._results_at >= _RESULTS_INTERVAL:
            self._bar.update(self._task.id, results=self._results())
            self._results_at = time.monotonic()
        if time.monotonic() - self._line_at >= _LINE_INTERVAL:
            self._print_line()

    def _description(self) -> str:
        return f"{self._name}, {self._existing:,} saved" if self._existing else self._name

    def _print_line(self) -> None:
        """Print a line if no terminal shows the bar and the progress has changed."""
        task = self._task
        total = "" if task.total is None else f" of {task.total:,.0f}"
        done = f"{task.description}: {task.completed:,.0f}{total}"
        if self._quiet or self._bar.console.is_terminal or not task.completed or done == self._last:
            return
        parts = [f"{done} {task.fields['unit']}", _rate(task), _left(task), self._results()]
        self._bar.console.print("; ".join(filter(None, parts)), markup=False, soft_wrap=True)
        self._last, self._line_at = done, time.monotonic()


def ignore_interrupts() -> None:
    """Ignore further interrupts: they would lose the results so far."""
    if current_thread() is main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
