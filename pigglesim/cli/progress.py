"""The bar that long work shows on standard error: how much, how fast, how long still."""

import math
import signal
import time
from threading import current_thread, main_thread
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from pigglesim.cli.options import progress_console

__all__ = ["finish_undisturbed", "progress_bar"]

_TELL_EVERY = 10.0
"""Seconds between two lines where no terminal shows the bar."""


class _Rate(ProgressColumn):
    """Things done a second, over all that is done.

    Args:
        unit: What is counted, such as `"pours"`.
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        super().__init__()

    def render(self, task: Task) -> Text:
        """Return the rate as text."""
        if not task.completed or not task.elapsed:
            return Text(f"- {self._unit}/s")
        rate = task.completed / task.elapsed
        return Text(f"{rate:.0f} {self._unit}/s" if rate >= 20 else f"{rate:.1f} {self._unit}/s")


class _Lines(Progress):
    """A bar for a log, which has no line that could be drawn anew: a plain line now and then.

    The first comes with the first thing done, the last at the end.

    Args:
        unit: What is counted.
        console: Where to.
    """

    def __init__(self, unit: str, console: Console) -> None:
        super().__init__(console=console, disable=True)
        self._unit = unit
        self._last = ""
        self._told_at = -math.inf

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Count some more, and tell if it is time."""
        super().advance(task_id, advance)
        self._tell_now_and_then()

    def update(self, task_id: TaskID, **changes: Any) -> None:  # noqa: ANN401 (as rich has them)
        """Count some more or change a task, and tell if it is time."""
        super().update(task_id, **changes)
        self._tell_now_and_then()

    def stop(self) -> None:
        """Tell how far it came."""
        super().stop()
        self._tell()

    def _tell_now_and_then(self) -> None:
        if time.monotonic() - self._told_at >= _TELL_EVERY:
            self._tell()

    def _tell(self) -> None:
        for task in self.tasks:
            line = f"{task.description}: {task.completed:.0f} of {task.total:.0f} {self._unit}"
            if task.completed and line != self._last:
                self.console.print(line, markup=False, soft_wrap=True)
                self._last, self._told_at = line, time.monotonic()


def progress_bar(unit: str) -> Progress:
    """Return a bar that counts `unit`; where no terminal shows it, it tells plain lines."""
    console = progress_console()
    if not console.is_terminal:
        return _Lines(unit, console)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(unit),
        TimeRemainingColumn(),
        console=console,
    )


def finish_undisturbed() -> None:
    """After a stop that shows what is done, ignore every further one: it would lose that."""
    if current_thread() is main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
