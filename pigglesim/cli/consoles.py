"""Consoles, tables, JSON and progress bars; nothing that they print commands the terminal."""

import codecs
import json
import math
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from io import TextIOWrapper
from threading import current_thread, main_thread
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from pigglesim.errors import one_line

_UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON need not escape, and a terminal should not meet."""

_PLAIN = str.maketrans({
    "·": "-", "±": "+-", "→": "->", "←": "<-", "↔": "<->", "↑": "^", "↓": "v", "…": "...",
    "\u2212": "-", "\u2013": "-", "\xd7": "x", "‖": "|", "∞": "inf", "²": "2", "³": "3",
    "°": "deg", "μ": "u",
    "♣": "#", "▒": "%", "█": "#", "▀": "#", "▲": "^", "▼": "v", "◆": "*", "◇": "*", "■": "#",
    "●": "o", "○": "o", "│": "|", "┆": "|", "─": "-", "━": "-", "╭": "+", "╮": "+", "╰": "+",
    "╯": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "▸": ">", "▶": ">",
    "↺": "(", "↻": ")", "⚀": "1", "⚁": "2", "⚂": "3", "⚃": "4", "⚄": "5", "⚅": "6",
})  # fmt: skip
"""How characters of the program's own output are spelt where they cannot be encoded."""

_SPELLED = "pigglesim-spelled"


def spell_unencodable() -> None:
    """Let standard output and error print any text, whatever encoding they have.

    Characters that the encoding lacks are spelt in ASCII, or become a question mark.
    """
    codecs.register_error(_SPELLED, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_SPELLED)


def _spelled(fault: UnicodeError) -> tuple[str, int]:
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    found = fault.object[fault.start : fault.end].translate(_PLAIN)
    return re.sub("[^ -~]", "?", found), fault.end


def json_text(document: object, *, indent: int | None = None) -> str:
    """Return a document as JSON in which nothing commands the terminal that it is printed on.

    Where standard output cannot encode every character, JSON escapes all but ASCII.
    """
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    text = json.dumps(
        document,
        ensure_ascii=not encoding.replace("-", "").startswith("utf"),
        allow_nan=False,
        indent=indent,
    )
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class PlainConsole(Console):
    """A console for words that may come from strangers: names, comments, levels of factors.

    Square brackets are what they look like, and control characters are spelt; colours and lines
    of the program itself are drawn as ever.

    Args:
        width: In letters; None for that of the terminal.
        stderr: Whether to print on standard error.
    """

    def __init__(self, *, width: int | None = None, stderr: bool = False) -> None:
        super().__init__(
            width=width, stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the pieces of anything that can be printed."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                lines = (one_line(line) for line in segment.text.split("\n"))
                yield Segment("\n".join(lines), segment.style)


def word_table(*columns: str, gap: int = 2) -> Table:
    """Return a table without lines.

    Args:
        columns: Headings; one that begins with `>` is of numbers, at the right and never broken.
        gap: Blanks between two columns.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, gap, 0, 0))
    for name in columns:
        if name.startswith(">"):
            table.add_column(name[1:], justify="right", no_wrap=True)
        else:
            table.add_column(name)
    return table


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    print(json_text(document, indent=1))


def result_console(*, piped: int = 96) -> PlainConsole:
    """Return the console for results: standard output.

    Args:
        piped: How wide it is where no terminal says so: a board and its list stand side by side.
    """
    return PlainConsole(width=None if sys.stdout.isatty() else piped)


def progress_console() -> PlainConsole:
    """Return the console for progress: standard error."""
    return PlainConsole(stderr=True)


_TELL_EVERY = 10.0
"""Seconds between two lines where no terminal shows the bar."""
_SURE = 1.0
"""Seconds since the first thing done from which on a rate is shown."""


class _Timed(Progress):
    """A bar whose rate is measured from the first thing done: before it, code may be compiled."""

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Count some more."""
        super().advance(task_id, advance)
        self._note_first(task_id)

    def update(self, task_id: TaskID, **changes: Any) -> None:  # noqa: ANN401 (as rich has them)
        """Count some more or change a task."""
        super().update(task_id, **changes)
        self._note_first(task_id)

    def _note_first(self, task_id: TaskID) -> None:
        task = self._tasks[task_id]
        if task.completed:
            task.fields.setdefault("first", (self.get_time(), task.completed))


def _rate(task: Task) -> float | None:
    """Return how many a second; None until that is known."""
    if "first" not in task.fields:
        return None
    began, first = task.fields["first"]
    ends = task.get_time() if task.stop_time is None else task.stop_time
    if task.finished_time is not None and task.start_time is not None:
        ends = task.start_time + task.finished_time
    return (task.completed - first) / (ends - began) if ends - began >= _SURE else None


def _left(task: Task) -> timedelta | None:
    """Return how long it still takes; None until that is known, and at the end."""
    rate = _rate(task)
    if not rate or task.total is None or task.completed >= task.total:
        return None
    return timedelta(seconds=round((task.total - task.completed) / rate))


class _Left(ProgressColumn):
    """How long it still takes."""

    def render(self, task: Task) -> Text:
        """Return it as text."""
        left = _left(task)
        return Text("" if left is None else f"{left} left")


class _Rate(ProgressColumn):
    """Things done a second; until that is known, how long it has taken.

    Args:
        unit: What is counted, such as `"pours"`.
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        super().__init__()

    def render(self, task: Task) -> Text:
        """Return the rate as text."""
        rate = _rate(task)
        if not rate:
            return Text(f"{task.elapsed or 0.0:.0f} s")
        return Text(f"{rate:,.0f} {self._unit}/s" if rate >= 20 else f"{rate:.1f} {self._unit}/s")


class _Bar(_Timed):
    """A bar, and below it in one line what a task tells beside its number: its field `told`."""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield the bar and what is told."""
        yield from super().get_renderables()
        for task in self.tasks:
            if told := task.fields.get("told"):
                yield Text(told, style="dim", no_wrap=True, overflow="ellipsis")


class _Lines(_Timed):
    """A bar for a log, which has no line that could be drawn anew: a plain line now and then.

    The first comes with the first thing done, the last at the end.

    Args:
        unit: What is counted.
        console: Where to.
    """

    def __init__(self, unit: str, console: Console) -> None:
        super().__init__(console=console, disable=True, get_time=lambda: time.monotonic())
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
            done = f"{task.description}: {task.completed:,.0f}"
            if task.total is not None:
                done += f" of {task.total:,.0f}"
            if task.completed and done != self._last:
                told = task.fields.get("told")
                parts = [f"{done} {self._unit}", *_pace(task), *([told] if told else [])]
                self.console.print("; ".join(parts), markup=False, soft_wrap=True)
                self._last, self._told_at = done, time.monotonic()


def _pace(task: Task) -> Iterator[str]:
    """Yield how many a second, and how long still, as far as they are known."""
    rate, left = _rate(task), _left(task)
    if rate:
        yield f"{rate:,.0f}/s" if rate >= 20 else f"{rate:.1f}/s"
    if left is not None:
        yield f"{left} left"


def progress_bar(unit: str, *, quiet: bool = False) -> Progress:
    """Return a bar that counts `unit`; where no terminal shows it, it tells plain lines.

    A task may have no total, and a field `told`: a line of text below the bar.

    Args:
        unit: What is counted.
        quiet: Whether to show nothing at all.
    """
    console = progress_console()
    if quiet:
        return Progress(console=console, disable=True)
    if not console.is_terminal:
        return _Lines(unit, console)
    return _Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(unit),
        _Left(),
        console=console,
    )


def finish_undisturbed() -> None:
    """After a stop that shows what is done, ignore every further one: it would lose that."""
    if current_thread() is main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
