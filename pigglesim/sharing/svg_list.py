"""The words beside a board seen from above: what lies where, and what the zones pay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from pigglesim.pictures.marks import landing_points
from pigglesim.pictures.style import FAINT, INK, RULE
from pigglesim.reading.zone import POINTS
from pigglesim.rolls import Landing, RestPlace, Seat, Zone
from pigglesim.shapes.body import Body
from pigglesim.sharing.palette import BOARD, LINE
from pigglesim.sharing.svg_atoms import mark, owner_colour, text

__all__ = ["WIDTH", "Lying", "LyingDie", "WordsBeside", "words_beside"]

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
    """A Piggle on the board, and what is known of it."""

    name: str
    landing: Landing
    body: Body | None = None
    """As it is dressed; None for a mark in its place."""
    owner: Seat | None = None
    worn: str = ""
    """Its marking in a few letters."""

    @property
    def place(self) -> RestPlace | None:
        """Where and how it lies, where physics tells."""
        return self.landing.place


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LyingDie:
    """A numbered die on the board, which has no zone: it is read by its upper face."""

    name: str
    face: int
    place: RestPlace
    body: Body
    owner: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsBeside:
    """Lines beside the board, and where the last of them ends."""

    parts: Sequence[str]
    bottom: float
    """[mm]"""


def words_beside(
    entries: Sequence[Lying | LyingDie], words: Sequence[str], *, x: float, y: float, zones: bool
) -> WordsBeside:
    """Return a list of what lies on the board, further words, and what the zones pay.

    Args:
        entries: What lies on the board, in the order of the list.
        words: Lines to write under it.
        x: Where lines begin [mm].
        y: The top of the first line [mm].
        zones: Whether the board has any.
    """
    parts: list[str] = []
    y += 4.0
    for each in entries:
        if isinstance(each, LyingDie):
            parts += _die(each, x, y)
        else:
            parts += _piggle(each, x, y)
            if each.worn:
                y += _LINE * 0.8
                parts.append(text(x + 17.0, y, each.worn, colour=FAINT, size=4.4))
        y += _LINE
    if any(each.place is None for each in entries):
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
    if not zones:
        return WordsBeside(parts=parts, bottom=y)
    y += _LINE * 0.3
    parts += _payments(x, y)
    if any(each.body and each.place for each in entries):
        y += _LINE
        note = "Dashed, or a dot: what decides the zone"
        parts.append(text(x, y, note, colour=FAINT, size=4.4))
    return WordsBeside(parts=parts, bottom=y)


def _piggle(each: Lying, x: float, y: float) -> Iterator[str]:
    """Yield the line of a Piggle: how it lies, in which zone, and what that pays."""
    landing, points = each.landing, landing_points(each.landing)
    pose = landing.label or ""
    note = " leans" if landing.leaning else " stacked" if landing.stacked else ""
    yield mark(landing.orientation, x + 1.8, y - 1.8, size=1.7, colour=INK)
    yield text(x + 5.5, y, each.name, colour=owner_colour(each.owner), weight="bold")
    yield text(x + 17.0, y, f"{pose}{note}")
    yield text(x + 74.0, y, landing.zone.value, colour=FAINT)
    yield text(x + WIDTH, y, str(points or ""), anchor="end", weight="bold")


def _die(each: LyingDie, x: float, y: float) -> Iterator[str]:
    """Yield the line of a die: its name and its number."""
    yield text(x, y, each.name, colour=owner_colour(each.owner), weight="bold")
    yield text(x + 30.0, y, str(each.face), weight="bold")


def _payments(x: float, y: float) -> Iterator[str]:
    """Yield a line of what the kinds of zones pay."""
    for k, (kind, zone) in enumerate(_KINDS):
        at = x + 38.0 * k
        yield (
            f'<rect x="{at:.2f}" y="{y - 4:.2f}" width="5" height="5" fill="{BOARD[zone]}" '
            f'stroke="{LINE}" stroke-width=".4"/>'
        )
        yield text(at + 7.0, y, f"{kind} {POINTS[zone]}", colour=FAINT)
