"""The phases of a round, and which of them a turn has (R5, R6, R19)."""

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
    """Which of the two rule books is played."""

    CLASSIC = "classic"
    MODERN = "modern"


@unique
class PigglesPhase(StrEnum):
    """A step of a round; only load, roll and sudden ever wait for a player or for chance."""

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
"""How many Piggles a player has, and a Pen holds (R1, R4)."""


@unique
class PigglesReason(StrEnum):
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

    Who plays it may be the other: `PigglesState.controller` tells (M13).
    """
    return _OWNERS[piggle[0]]


def team(seat: Seat) -> tuple[str, ...]:
    """Return the ids of a player's Piggles, such as A1 to A6."""
    return tuple(f"{seat}{number}" for number in range(1, PEN_SIZE + 1))


def in_order(piggles: Iterable[str]) -> tuple[str, ...]:
    """Return ids in the order in which every state keeps them."""
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


@dataclass(frozen=True, kw_only=True)
class Shield:
    """A Piggle that Yellow protects in the next roll (R21, M12)."""

    piggle: str
    by: Seat
    """Who declared it, into whose Pen the Piggle goes if it is knocked."""
    fresh: bool = True
    """Whether the turn in which it was declared still goes on."""
    rolled: bool = False
    """Whether its roll has begun."""


@dataclass(frozen=True, kw_only=True)
class PigglesSide:
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


@dataclass(frozen=True, kw_only=True)
class Sudden:
    """How far Sudden Snout-Up has come (R16)."""

    a: Landing | None = None
    """What A has rolled in this attempt, if anything that counts."""
    b: Landing | None = None
    rerolls: int = 0

    def of(self, seat: Seat) -> Landing | None:
        """Return what a player has rolled in this attempt."""
        return self.a if seat is Seat.A else self.b


@dataclass(frozen=True, kw_only=True)
class PigglesState:
    """Everything that the rules of Piggles need to know to go on."""

    round: int = 1
    active: Seat = Seat.A
    phase: PigglesPhase = PigglesPhase.LOAD
    a: PigglesSide = PigglesSide()
    b: PigglesSide = PigglesSide()
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
            # As in nearly every state: ids tell, and nobody need be asked.
            letter = seat.value
            return tuple(entry for entry in self.board if entry[0][0] == letter)
        return tuple(entry for entry in self.board if self.controller(entry[0]) is seat)

    def landing(self, piggle: str) -> Landing | None:
        """Return how a Piggle lies on the board, or None if it does not."""
        return next((at for name, at in self.board if name == piggle), None)

    def _repr_svg_(self) -> str | None:
        return displayed("state_picture", self)


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
