"""States of Piggles, their parts, and the phases of a round (R5, R6, R19)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.errors import SpecError
from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.landing import BOARD_SEATS, CupHold, Landing, Seat
from pigglesim.markings import Colour, Rune, read_colour, read_rune
from pigglesim.notebook_display import displayed

FIRST_RECOUP_ROUND = 3
"""Turns 1 and 2 have no Recoup (R6)."""


@unique
class PhaseMode(StrEnum):
    """Rule books of Piggles."""

    CLASSIC = "classic"
    MODERN = "modern"


@unique
class PigglesPhase(StrEnum):
    """Phases of a round."""

    RECOUP = "recoup"
    LOAD = "load"
    ROLL = "roll"
    ACTION_REACTION = "action_reaction"
    TALLY = "tally"
    RESOLVE = "resolve"
    SUDDEN = "sudden"


def turn_phases(
    round_number: int, *, mode: PhaseMode = PhaseMode.CLASSIC
) -> tuple[PigglesPhase, ...]:
    """Return the phases of each player's turn in a round, in order; Resolve follows once."""
    recoup = (PigglesPhase.RECOUP,) if round_number >= FIRST_RECOUP_ROUND else ()
    effects = (PigglesPhase.ACTION_REACTION,) if mode is PhaseMode.MODERN else ()
    return (*recoup, PigglesPhase.LOAD, PigglesPhase.ROLL, *effects, PigglesPhase.TALLY)


PEN_SIZE = 6
"""Number of Piggles of a player, and of places in a Pen (R1, R4)."""


@unique
class PigglesReason(StrEnum):
    """Reasons for the end of a game of Piggles (P17)."""

    SCORE = "score"
    SUDDEN_SNOUT_UP = "sudden_snout_up"
    NONE_AVAILABLE = "none_available"
    EXHAUSTION = "exhaustion"
    CONCESSION = "concession"
    DRAW = "draw"


_OWNERS = {seat.value: seat for seat in BOARD_SEATS}


def owner(piggle: str) -> Seat:
    """Return the seat whose team a Piggle belongs to: the first letter of its id.

    The other player may control it: see `PigglesState.controller` (M13).
    """
    return _OWNERS[piggle[0]]


def team(seat: Seat) -> tuple[str, ...]:
    """Return the ids of a player's Piggles, such as A1 to A6."""
    return tuple(f"{seat}{number}" for number in range(1, PEN_SIZE + 1))


def in_order(piggles: Iterable[str]) -> tuple[str, ...]:
    """Return ids in the order of every state."""
    return tuple(sorted(piggles))


@dataclass(frozen=True, slots=True, kw_only=True)
class MudEntry:
    """Piggle in the Mud, with its round of entry (P3)."""

    piggle: str
    round: int
    early: bool = False
    """True if it entered before its owner's turn of that round."""


@dataclass(frozen=True, slots=True)
class Act:
    """Action of declaring a Piggle's effect and its target (R20)."""

    piggle: str
    target: str


@dataclass(frozen=True, slots=True)
class Done:
    """Action of ending the Action phase (M2)."""


@dataclass(frozen=True, kw_only=True)
class Shield:
    """Shield by Yellow of a Piggle in the next roll (R21, M12)."""

    piggle: str
    by: Seat
    """Player who declared it, and whose Pen gets the Piggle if it is knocked."""
    fresh: bool = True
    """True during the turn in which it was declared."""
    rolled: bool = False
    """True if its roll has begun."""


@dataclass(frozen=True, kw_only=True)
class PigglesSide:
    """Score of one player, and areas off the board."""

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
        """Ids of the Piggles in the Mud."""
        return tuple(entry.piggle for entry in self.mud)


@dataclass(frozen=True, kw_only=True)
class Sudden:
    """Progress of Sudden Snout-Up (R16)."""

    a: Landing | None = None
    """Landing of A's roll in this attempt; None without one that counts."""
    b: Landing | None = None
    rerolls: int = 0

    def of(self, seat: Seat) -> Landing | None:
        """Return a player's landing in this attempt."""
        return self.a if seat is Seat.A else self.b


@dataclass(frozen=True, kw_only=True)
class PigglesState:
    """State of a game of Piggles."""

    round: int = 1
    active: Seat = Seat.A
    phase: PigglesPhase = PigglesPhase.LOAD
    a: PigglesSide = PigglesSide()
    b: PigglesSide = PigglesSide()
    board: tuple[tuple[str, Landing], ...] = ()
    """Landing of every Piggle on the board, by id."""
    head_credits: tuple[tuple[str, Seat], ...] = ()
    """Piggles knocked onto their heads, and the seats paid if they go to the Kitchen (P7)."""
    rerolls: int = 0
    """Number of rerolls in this turn (P11, P12)."""
    sudden: Sudden = Sudden()
    result: Result | None = None
    captured: tuple[str, ...] = ()
    """Piggles controlled by their owner's opponent (M13)."""
    shields: tuple[Shield, ...] = ()
    """Shields of Piggles on the board, at most one each."""
    actors: tuple[str, ...] = ()
    """Piggles that may still act in this Action phase (M1, M3)."""
    acted: tuple[str, ...] = ()
    """Piggles that have acted in this turn."""
    pending: Act | None = None
    """Effect that waits for a roll or for a Piggle to be set down."""
    hold: CupHold | None = None
    """Hold of the loaded cup by the active player; None for the scene's default."""

    def controller(self, piggle: str) -> Seat:
        """Return the player who controls a Piggle: its owner, unless it was captured (M13)."""
        seat = owner(piggle)
        return seat.other if piggle in self.captured else seat

    def side(self, seat: Seat) -> PigglesSide:
        """Return one player's part of the state."""
        return self.a if seat is Seat.A else self.b

    def with_side(self, seat: Seat, **parts: object) -> "PigglesState":
        """Return this state with fields of one player's part changed."""
        side = changed(self.side(seat), **parts)
        return changed(self, a=side) if seat is Seat.A else changed(self, b=side)

    def on_board(self, seat: Seat) -> tuple[tuple[str, Landing], ...]:
        """Return the Piggles on the board that a player controls."""
        if not self.captured:
            # Without captures, as in nearly every state, ids identify the controller.
            letter = seat.value
            return tuple(entry for entry in self.board if entry[0][0] == letter)
        return tuple(entry for entry in self.board if self.controller(entry[0]) is seat)

    def landing(self, piggle: str) -> Landing | None:
        """Return the landing of a Piggle on the board, or None if it is elsewhere."""
        return next((at for name, at in self.board if name == piggle), None)

    def _repr_svg_(self) -> str | None:
        return displayed("state_picture", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Markings of a Piggle."""

    colour: Colour | None = None
    rune: Rune | None = None

    @property
    def directional(self) -> bool:
        """True if the rune gives the colour a direction (M4)."""
        return self.rune in {Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS}


NEUTRAL = Piece()
"""Markings of a neutral Piggle, on which others can act (R24)."""

Lineup = tuple[tuple[str, Piece], ...]
"""Markings of Piggles by id, in order; a missing one is neutral."""

STANDARD = (
    Piece(colour=Colour.ORANGE, rune=Rune.LEFT),
    Piece(colour=Colour.RED, rune=Rune.RIGHT),
    Piece(colour=Colour.RED, rune=Rune.ADJACENT),
    Piece(colour=Colour.BLUE, rune=Rune.LEFT),
    Piece(colour=Colour.GREEN, rune=Rune.ADJACENT),
    Piece(colour=Colour.YELLOW, rune=Rune.ADJACENT),
)
"""Default team, with every colour and only common runes."""


def format_piece(piece: Piece) -> str:
    """Return markings as text: `blue+left`, `blue` without a rune, `-` without any."""
    colour = str(piece.colour) if piece.colour else "-"
    return f"{colour}+{piece.rune}" if piece.rune else colour


def parse_piece(text: str) -> Piece:
    """Return the markings that `format_piece` wrote.

    Raises:
        SpecError: If a colour or a rune is unknown; it suggests the nearest names.
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
                str(len(own)),
                expected=f"{len(ids)} Piggles in the team of {seat}",
                fix="leave some out" if len(own) > len(ids) else "add some",
            )
        pieces += zip(ids, own, strict=True)
    return tuple(pieces)
