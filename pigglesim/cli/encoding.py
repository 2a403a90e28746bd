"""Standard output and standard error that print any text in any encoding."""

import codecs
import re
import sys
from io import TextIOWrapper

_ASCII = str.maketrans({
    "·": "-", "±": "+-", "→": "->", "←": "<-", "↔": "<->", "↑": "^", "↓": "v", "…": "...",
    "\u2212": "-", "\u2013": "-", "\xd7": "x", "‖": "|", "∞": "inf", "²": "2", "³": "3",
    "°": "deg", "μ": "u",
    "♣": "#", "▒": "%", "█": "#", "▀": "#", "▲": "^", "▼": "v", "◆": "*", "◇": "*", "■": "#",
    "●": "o", "○": "o", "│": "|", "┆": "|", "─": "-", "━": "-", "╭": "+", "╮": "+", "╰": "+",
    "╯": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "▸": ">", "▶": ">",
    "▁": "1", "▂": "2", "▃": "3", "▄": "4", "▅": "5", "▆": "6", "▇": "7",
    "↺": "(", "↻": ")", "⚀": "1", "⚁": "2", "⚂": "3", "⚃": "4", "⚄": "5", "⚅": "6",
})  # fmt: skip
"""ASCII spelling of each character of the program's output that cannot be encoded."""

_ERROR_HANDLER = "pigglesim-spelled"


def spell_unencodable() -> None:
    """Let standard output and standard error print any text in any encoding.

    Characters that the encoding lacks are spelt in ASCII, or become a question mark.
    """
    codecs.register_error(_ERROR_HANDLER, _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ERROR_HANDLER)


def _spell(fault: UnicodeError) -> tuple[str, int]:
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    text = fault.object[fault.start : fault.end].translate(_ASCII)
    return re.sub("[^ -~]", "?", text), fault.end
