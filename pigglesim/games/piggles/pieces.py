"""What each Piggle of a Modern game is: its colour and its rune (R21, R23, R24, M20)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pigglesim.errors import SpecError
from pigglesim.games.piggles.state import team
from pigglesim.markings import Colour, Rune, read_colour, read_rune
from pigglesim.rolls import BOARD_SEATS, Seat

__all__ = [
    "NEUTRAL",
    "STANDARD",
    "Lineup",
    "Piece",
    "format_piece",
    "lineup",
    "parse_piece",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The markings of a Piggle."""

    colour: Colour | None = None
    rune: Rune | None = None

    @property
    def directional(self) -> bool:
        """Whether its rune gives its colour a direction (M4)."""
        return self.rune in {Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS}


NEUTRAL = Piece()
"""A Piggle without markings: a body that others act on (R24)."""

Lineup = tuple[tuple[str, Piece], ...]
"""The markings of Piggles by id, in order; one that is not named is neutral."""

STANDARD = (
    Piece(colour=Colour.ORANGE, rune=Rune.LEFT),
    Piece(colour=Colour.RED, rune=Rune.RIGHT),
    Piece(colour=Colour.RED, rune=Rune.ADJACENT),
    Piece(colour=Colour.BLUE, rune=Rune.LEFT),
    Piece(colour=Colour.GREEN, rune=Rune.ADJACENT),
    Piece(colour=Colour.YELLOW, rune=Rune.ADJACENT),
)
"""The default team: every colour, and the common runes alone."""


def format_piece(piece: Piece) -> str:
    """Return markings as text: `blue+left`, `blue` for a runeless one, `-` for none at all."""
    colour = str(piece.colour) if piece.colour else "-"
    return f"{colour}+{piece.rune}" if piece.rune else colour


def parse_piece(text: str) -> Piece:
    """Return the markings that `format_piece` wrote.

    Raises:
        SpecError: If a colour or a rune is unknown; the nearest names are given.
    """
    colour, plus, rune = text.partition("+")
    return Piece(
        colour=None if colour == "-" else read_colour(colour),
        rune=read_rune(rune) if plus else None,
    )


def lineup(teams: Mapping[Seat, Sequence[Piece]]) -> Lineup:
    """Return the markings of all Piggles by id.

    Raises:
        SpecError: If a team is not of six.
    """
    pieces: list[tuple[str, Piece]] = []
    for seat in BOARD_SEATS:
        ids, own = team(seat), teams.get(seat, STANDARD)
        if len(own) != len(ids):
            raise SpecError(
                f"{len(ids)} Piggles in the team of {seat}",
                got=str(len(own)),
                remedy="leave some out" if len(own) > len(ids) else "add some",
            )
        pieces += zip(ids, own, strict=True)
    return tuple(pieces)
