"""A position of Piggles: who owns what, where it lies and whose turn it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.displays import displayed
from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.piggles.phases import Phase
from pigglesim.rolls import BOARD_SEATS, CupHold, Landing, Seat

__all__ = [
    "PEN_SIZE",
    "Act",
    "Done",
    "MudEntry",
    "Position",
    "Reason",
    "Shield",
    "Side",
    "Sudden",
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


_OWNERS = {seat.value: seat for seat in BOARD_SEATS}


def owner(piggle: str) -> Seat:
    """Return the seat whose team a Piggle belongs to: the first letter of its id.

    Who plays it may be the other: `Position.controller` tells (M13).
    """
    return _OWNERS[piggle[0]]


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


@dataclass(frozen=True, slots=True)
class Act:
    """The action of declaring a Piggle's effect and its target (R20)."""

    piggle: str
    target: str


@dataclass(frozen=True, slots=True)
class Done:
    """The action of letting the rest of the Action phase go by (M2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shield:
    """A Piggle that Yellow protects in the next roll (R21, M12)."""

    piggle: str
    by: Seat
    """Who declared it, into whose Pen the Piggle goes if it is knocked."""
    fresh: bool = True
    """Whether the turn in which it was declared still goes on."""
    rolled: bool = False
    """Whether its roll has begun."""


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
    captured: tuple[str, ...] = ()
    """Piggles of which the other player than their owner has control (M13)."""
    shields: tuple[Shield, ...] = ()
    """At most one for each Piggle, which lies on the board."""
    actors: tuple[str, ...] = ()
    """Piggles that may still act in this Action phase (M1, M3)."""
    acted: tuple[str, ...] = ()
    """Piggles that have acted in this turn."""
    pending: Act | None = None
    """The effect that waits for a roll, or for the Piggle to be set down."""
    hold: CupHold | None = None
    """How the active player holds the loaded cup; None for the scene's own hold."""

    def controller(self, piggle: str) -> Seat:
        """Return who plays a Piggle: its owner, unless it was captured (M13)."""
        seat = owner(piggle)
        return seat.other if piggle in self.captured else seat

    def side(self, seat: Seat) -> Side:
        """Return one player's part of the position."""
        return self.a if seat is Seat.A else self.b

    def with_side(self, seat: Seat, side: Side) -> "Position":
        """Return this position with one player's part put in."""
        return changed(self, a=side) if seat is Seat.A else changed(self, b=side)

    def on_board(self, seat: Seat) -> tuple[tuple[str, Landing], ...]:
        """Return the Piggles on the board that a player controls."""
        if not self.captured:
            # As in nearly every position: ids tell, and nobody need be asked.
            letter = seat.value
            return tuple(entry for entry in self.board if entry[0][0] == letter)
        return tuple(entry for entry in self.board if self.controller(entry[0]) is seat)

    def landing(self, piggle: str) -> Landing | None:
        """Return how a Piggle lies on the board, or None if it does not."""
        return next((at for name, at in self.board if name == piggle), None)

    def _repr_svg_(self) -> str | None:
        return displayed("position_picture", self)
