"""The bar that long work shows on standard error: how much, how fast, how long still."""

import signal
from threading import current_thread, main_thread

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

from pigglesim.cli.options import progress_console

__all__ = ["finish_undisturbed", "progress_bar"]


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


def progress_bar(unit: str) -> Progress:
    """Return a bar that counts `unit`; it shows only on a terminal."""
    console = progress_console()
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(unit),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )


def finish_undisturbed() -> None:
    """After a Ctrl-C that shows what is done, ignore every further one: it would lose that."""
    if current_thread() is main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
