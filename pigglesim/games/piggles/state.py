"""A position of Piggles: who owns what, where it lies and whose turn it is."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum, unique

from pigglesim.errors import SpecError
from pigglesim.games.game import Result
from pigglesim.games.piggles.phases import Phase
from pigglesim.rolls import Landing, Seat, Zone

__all__ = [
    "PEN_SIZE",
    "MudEntry",
    "Position",
    "Reason",
    "Side",
    "Sudden",
    "check_position",
    "in_order",
    "owner",
    "team",
]

PEN_SIZE = 6
"""How many Piggles a player has, and a Pen holds (R1, R4)."""


@unique
class Reason(StrEnum):
    """Why a game of Piggles ended (P17)."""

    SCORE = "score"
    SUDDEN_SNOUT_UP = "sudden_snout_up"
    NONE_AVAILABLE = "none_available"
    EXHAUSTION = "exhaustion"
    CONCESSION = "concession"
    DRAW = "draw"


def owner(piggle: str) -> Seat:
    """Return the seat whose team a Piggle belongs to: the first letter of its id."""
    return Seat(piggle[0])


def team(seat: Seat) -> tuple[str, ...]:
    """Return the ids of a player's Piggles, such as A1 to A6."""
    return tuple(f"{seat}{number}" for number in range(1, PEN_SIZE + 1))


def in_order(piggles: Iterable[str]) -> tuple[str, ...]:
    """Return ids in the order in which every position keeps them."""
    return tuple(sorted(piggles))


@dataclass(frozen=True, slots=True, kw_only=True)
class MudEntry:
    """A Piggle in the Mud, and since when (P3)."""

    piggle: str
    round: int
    early: bool = False
    """Whether its owner's turn of that round was still to come when it went in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one player has off the board, and the points."""

    pen: tuple[str, ...] = ()
    cup: tuple[str, ...] = ()
    mud: tuple[MudEntry, ...] = ()
    kitchen: tuple[str, ...] = ()
    score: int = 0
    mud_bonuses: int = 0
    """Piggles knocked into the Mud since this player's last Tally (R11)."""
    kitchen_bonuses: int = 0
    """Piggles knocked straight into the Kitchen since this player's last Tally (R11)."""
    charged: tuple[str, ...] = ()
    """Piggles in the Kitchen that have already cost a point (P8)."""
    late: tuple[str, ...] = ()
    """Piggles that entered the Kitchen since this player's last Tally (P8)."""

    @property
    def mud_piggles(self) -> tuple[str, ...]:
        """The ids of the Piggles in the Mud."""
        return tuple(entry.piggle for entry in self.mud)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sudden:
    """How far Sudden Snout-Up has come (R16)."""

    a: Landing | None = None
    """What A has rolled in this attempt, if anything that counts."""
    b: Landing | None = None
    rerolls: int = 0

    def of(self, seat: Seat) -> Landing | None:
        """Return what a player has rolled in this attempt."""
        return self.a if seat is Seat.A else self.b


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Everything that the rules of Piggles need to know to go on."""

    round: int = 1
    active: Seat = Seat.A
    phase: Phase = Phase.LOAD
    a: Side = Side()
    b: Side = Side()
    board: tuple[tuple[str, Landing], ...] = ()
    """Every Piggle on the board, by id, as it lies."""
    head_credits: tuple[tuple[str, Seat], ...] = ()
    """Piggles knocked onto their heads, and who is paid if they go to the Kitchen (P7)."""
    rerolls: int = 0
    """How often Piggles have been rolled again in this turn (P11, P12)."""
    sudden: Sudden = Sudden()
    result: Result | None = None

    def side(self, seat: Seat) -> Side:
        """Return one player's part of the position."""
        return self.a if seat is Seat.A else self.b

    def with_side(self, seat: Seat, side: Side) -> "Position":
        """Return this position with one player's part put in."""
        return replace(self, a=side) if seat is Seat.A else replace(self, b=side)

    def on_board(self, seat: Seat) -> tuple[tuple[str, Landing], ...]:
        """Return a player's own Piggles on the board."""
        return tuple(entry for entry in self.board if owner(entry[0]) is seat)


def _held(side: Side) -> list[str]:
    return [*side.pen, *side.cup, *side.mud_piggles, *side.kitchen]


def check_position(position: Position) -> None:
    """Raise `SpecError` if a Piggle is unknown, in two places or in the wrong player's area."""
    for seat in Seat:
        for piggle in _held(position.side(seat)):
            if piggle not in team(seat):
                raise SpecError(
                    f"Piggles of {seat} in the areas of {seat}",
                    got=repr(piggle),
                    remedy=f"an id from {team(seat)[0]} to {team(seat)[-1]}",
                )
    for piggle, landing in position.board:
        if piggle not in {*team(Seat.A), *team(Seat.B)}:
            raise SpecError(
                "a known Piggle on the board", got=repr(piggle), remedy="an id such as A1 or B6"
            )
        if landing.orientation is None or landing.zone is Zone.OFF:
            raise SpecError(
                f"{piggle} in a pose and a zone of the board",
                got="off the board",
                remedy="put it into the Mud, or leave it out",
            )
    counts = Counter([*_held(position.a), *_held(position.b), *(p for p, _ in position.board)])
    for piggle, count in counts.items():
        if count > 1:
            raise SpecError(
                f"{piggle} in one place", got=f"{count} places", remedy="leave all but one out"
            )
