"""ASCII instead of signs, for terminals that lack them or show them two columns wide."""

import re

_SPELLINGS = {
    "·": "-", "±": "+-", "→": ">", "←": "<", "↔": "=", "↑": "^", "↓": "v", "…": ".", "•": "*",
    "\u2212": "-", "\u2013": "-", "\xd7": "x", "‖": "|", "∞": "inf", "²": "2", "³": "3",
    "°": "deg", "μ": "u",
    "♣": "%", "▒": "%", "█": "#", "▀": "#", "▲": "^", "▼": "v", "◆": "*", "◇": "*", "■": "#",
    "●": "o", "○": "o", "│": "|", "┆": "|", "─": "-", "━": "-", "╭": "+", "╮": "+", "╰": "+",
    "╯": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "▸": ">", "▶": ">",
    "▁": "1", "▂": "2", "▃": "3", "▄": "4", "▅": "5", "▆": "6", "▇": "7",
    "↺": "(", "↻": ")", "◴": "@", "◵": "e", "⑂": "Y",
    **dict.fromkeys("⚀⚁⚂⚃⚄⚅", "#"),
}  # fmt: skip
"""ASCII spelling of each sign of the program's output; signs in columns have one character.

A face of a die always has its number beside it.
"""
_SPELLED = str.maketrans(_SPELLINGS)


def spell(text: str) -> str:
    """Return a text in ASCII: signs are spelt, and any other character is a question mark."""
    return re.sub("[^ -~\n]", "?", text.translate(_SPELLED))
