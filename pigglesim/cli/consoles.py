"""Consoles that say what they are given, and let nothing in it command the terminal."""

import codecs
import json
import re
import sys
from collections.abc import Iterable
from io import TextIOWrapper

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

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


def word_table(*columns: str, gap: int = 1) -> Table:
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
