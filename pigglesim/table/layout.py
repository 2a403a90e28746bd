"""The table of a game without Piggles, as data: squares, pieces, cards and scales.

The terminal and the page draw these parts, and know nothing of the games.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum, unique
from typing import Any

from pigglesim.landing import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A unit, a card or a token."""

    label: str
    """Sign on it, such as `7` or `A2gy`."""
    id: str = ""
    """Name by which actions involve it; empty if none does."""
    words: str = ""
    """Description in words."""
    seat: Seat | None = None
    """Player whose it is."""
    colour: str | None = None
    """Colour of its kind, as `#rrggbb`."""
    face_down: bool = False
    marked: bool = False
    """True if it takes part in what goes on now."""
    numbers: tuple[str, ...] = ()
    """Numbers on it, in the columns of its `Cards`."""
    note: str = ""
    """What lies with it, in words."""
    key: str = ""
    """Identity by which it is found again in another place; empty if its label is one."""
    art: str = ""
    """Name of the drawing on it."""
    count: int = 1
    """Number of equal pieces on top of each other."""
    holds: tuple["Piece", ...] = ()
    """Pieces that it carries, or votes on it."""
    needs: int = 0
    """Number of votes that it needs; 0 if none are cast on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """A space of a board."""

    id: str
    pieces: tuple[Piece, ...] = ()
    """Pieces on it, the uppermost first."""
    colour: str | None = None
    """Colour of the pieces that come here."""
    marked: bool = False
    last: bool = False
    """True if the latest decision touched it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Squares:
    """A board of squares as its viewer sees it: the first row is the farthest."""

    rows: tuple[str, ...]
    """Names of the rows."""
    columns: tuple[str, ...]
    squares: tuple[tuple[Square, ...], ...]
    """Squares of each row."""


@unique
class Spread(StrEnum):
    """How cards lie together."""

    ROW = "row"
    HAND = "hand"
    PILE = "pile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """Cards that lie together: side by side, or in lines if they have numbers."""

    name: str
    cards: tuple[Piece, ...]
    seat: Seat | None = None
    more: int = 0
    """Number of cards under them."""
    note: str = ""
    columns: tuple[str, ...] = ()
    """Headings of the cards' numbers."""
    seats: tuple[Seat | None, ...] = ()
    """Player whom each of them concerns."""
    spread: Spread = Spread.ROW


@dataclass(frozen=True, slots=True, kw_only=True)
class Piles:
    """Piles of cards whose faces nobody sees, and what goes on between them."""

    counts: tuple[tuple[str, int], ...]
    """Name of each pile, and how many cards it has."""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """Dice of the latest turn, which a screen adds to the table of a game: they are no state."""

    rolls: tuple[tuple[int, ...], ...] = ()
    """Faces of each roll, in order."""
    seat: Seat | None = None
    """Player who has rolled."""
    id: str = "dice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A number on a scale from zero."""

    name: str
    value: int
    high: int
    """End of the scale; the number may be beyond it."""
    gain: int = 0
    """What may be added to the number soon."""
    note: str = ""
    """Quantity that it measures."""
    seat: Seat | None = None
    moves: bool = False
    """True if this player is to move."""
    id: str = ""
    """Name by which actions involve it; empty if none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A sentence, or the heading of a player's part of the table."""

    strong: str = ""
    """Its first words, which stand out."""
    text: str = ""
    seat: Seat | None = None
    moves: bool = False
    """True if this player is to move."""


Part = Squares | Cards | Piles | Scale | Note
"""Part of a table; parts follow each other from above."""


def as_json(parts: Iterable[Part | Dice]) -> list[dict[str, Any]]:
    """Return parts as JSON values, each with its kind."""
    return [{"kind": type(part).__name__.lower(), **asdict(part)} for part in parts]
