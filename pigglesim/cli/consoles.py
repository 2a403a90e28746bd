"""Consoles, tables and JSON; no printed text can control the terminal."""

import json
import math
import re
import signal
import sys
from collections.abc import Iterable, Mapping

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from pigglesim.errors import one_line

_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that JSON may leave unescaped but that a terminal should not receive."""


def json_text(document: object, *, indent: int | None = None) -> str:
    """Return a document as JSON that is safe to print on a terminal.

    If standard output cannot encode every character, JSON escapes all but ASCII.
    """
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    text = json.dumps(
        document,
        ensure_ascii=not encoding.replace("-", "").startswith("utf"),
        allow_nan=False,
        indent=indent,
    )
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class PlainConsole(Console):
    """Console for untrusted text: names, comments, levels of factors.

    Square brackets are printed literally, and control characters are escaped. The program's own
    colours and lines are unchanged.

    Args:
        width: Width [columns]; None for that of the terminal.
        stderr: Whether to print on standard error.
    """

    def __init__(self, *, width: int | None = None, stderr: bool = False) -> None:
        super().__init__(
            width=width, stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable object."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                lines = (one_line(line) for line in segment.text.split("\n"))
                yield Segment("\n".join(lines), segment.style)


def word_table(*columns: str, rows: Iterable[Iterable[RenderableType]] = ()) -> Table:
    """Return a table without lines; a heading with `>` is right-aligned and never wraps."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in columns:
        if name.startswith(">"):
            table.add_column(name[1:], justify="right", no_wrap=True)
        else:
            table.add_column(name)
    for row in rows:
        table.add_row(*row)
    return table


def budget_table(budgets: Iterable[tuple[str, str, Mapping[str, float]]]) -> Table:
    """Return a table of error budgets of shares.

    Each budget has the place of the share, its outcome, and a standard deviation by source.
    """
    table, before = Table(), ""
    for place, outcome, sources in budgets:
        if not table.columns:
            table = word_table("± 1 sd", "of", *(f">{name}" for name in (*sources, "all")))
        parts = (*sources.values(), math.hypot(*sources.values()))
        table.add_row("" if place == before else place, outcome, *(f"{part:.4f}" for part in parts))
        before = place
    return table


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    print(json_text(document, indent=1))


def note(text: str) -> None:
    """Print a line for the user on standard error."""
    print(f"pigglesim: {one_line(text)}", file=sys.stderr)


def note_commands(agents: Iterable[str]) -> None:
    """Print a line for each agent that is a command, whose code is not known."""
    for agent in agents:
        note(f"{agent} is a command: whether it has changed cannot be compared")


def result_console(*, piped: int = 96) -> PlainConsole:
    """Return the console for results, `piped` columns wide without a terminal."""
    return PlainConsole(width=None if sys.stdout.isatty() else piped)


def say(text: str) -> None:
    """Print lines on standard output; names in them cannot control the terminal."""
    result_console().print(text, soft_wrap=True)


def show_unfinished(text: str) -> None:
    """Print the progress of something unfinished before its results; nothing if text is empty."""
    if text:
        result_console().print(text, style="bold", soft_wrap=True)


def progress_console() -> PlainConsole:
    """Return the console for progress: standard error."""
    return PlainConsole(stderr=True)


def exit_if_stopped(stopped: bool) -> None:
    """Exit with the status that shells expect after Ctrl-C, if `stopped`."""
    if stopped:
        raise typer.Exit(128 + signal.SIGINT)
