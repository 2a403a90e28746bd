"""The words beside a board seen from above: what lies where, and what the zones pay."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from pigglesim.pictures.marks import landing_points
from pigglesim.pictures.style import FAINT, INK, RULE
from pigglesim.reading.zone import POINTS
from pigglesim.rolls import Landing, Seat, Zone
from pigglesim.shapes.body import Body
from pigglesim.sharing.palette import BOARD, LINE
from pigglesim.sharing.svg_atoms import mark, owner_colour, text

__all__ = ["WIDTH", "Lying", "WordsBeside", "words_beside"]

WIDTH = 127.0
"""Of the words [mm]."""
_LINE = 7.6
"""From one line of words to the next [mm]."""
_LETTERS = 46
"""Letters in a line of words."""
_KINDS = (
    ("field", Zone.FIELD_NORTH),
    ("path", Zone.PATH_INNER),
    ("woods", Zone.WOODS),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lying:
    """One thing on the board, and what is known of it."""

    name: str
    landing: Landing
    body: Body | None = None
    """As it is dressed; None for a mark in its place."""
    owner: Seat | None = None
    worn: str = ""
    """Its marking in a few letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsBeside:
    """Lines beside the board, and where the last of them ends."""

    parts: Sequence[str]
    bottom: float
    """[mm]"""


def words_beside(
    entries: Sequence[Lying], words: Sequence[str], *, x: float, y: float
) -> WordsBeside:
    """Return a list of what lies on the board, further words, and what the zones pay.

    Args:
        entries: What lies on the board, in the order of the list.
        words: Lines to write under it.
        x: Where lines begin [mm].
        y: The top of the first line [mm].
    """
    parts = []
    y += 4.0
    for each in entries:
        landing, points = each.landing, landing_points(each.landing)
        pose = landing.orientation.label if landing.orientation else ""
        note = " leans" if landing.leaning else " stacked" if landing.stacked else ""
        parts.append(mark(landing.orientation, x + 1.8, y - 1.8, size=1.7, colour=INK))
        name = text(x + 5.5, y, each.name, colour=owner_colour(each.owner), weight="bold")
        parts += [name, text(x + 17.0, y, f"{pose}{note}")]
        parts.append(text(x + 74.0, y, landing.zone.value, colour=FAINT))
        parts.append(text(x + WIDTH, y, str(points or ""), anchor="end", weight="bold"))
        if each.worn:
            y += _LINE * 0.8
            parts.append(text(x + 17.0, y, each.worn, colour=FAINT, size=4.4))
        y += _LINE
    if any(each.landing.place is None for each in entries):
        note = "Rolled by odds: marks stand anywhere in their zones"
        parts.append(text(x, y, note, colour=FAINT, size=4.4))
        y += _LINE
    parts.append(f'<path d="M{x:.2f} {y - 3:.2f}h{WIDTH:.2f}" stroke="{RULE}"/>')
    y += _LINE * 0.7
    for line in words:
        first, *more = wrap(line, _LETTERS) or [""]
        parts.append(text(x, y, first))
        for rest in more:
            y += _LINE * 0.85
            parts.append(text(x + 4.0, y, rest))
        y += _LINE
    y += _LINE * 0.3
    for k, (kind, zone) in enumerate(_KINDS):
        at = x + 38.0 * k
        parts.append(
            f'<rect x="{at:.2f}" y="{y - 4:.2f}" width="5" height="5" fill="{BOARD[zone]}" '
            f'stroke="{LINE}" stroke-width=".4"/>'
        )
        parts.append(text(at + 7.0, y, f"{kind} {POINTS[zone]}", colour=FAINT))
    if any(each.body and each.landing.place for each in entries):
        y += _LINE
        note = "Dashed, or a dot: what decides the zone"
        parts.append(text(x, y, note, colour=FAINT, size=4.4))
    return WordsBeside(parts=parts, bottom=y)
