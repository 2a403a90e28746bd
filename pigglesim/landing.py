"""The words the table and the rules share: what was asked of a roll, and how it came to lie.

Plain values only. The rules build a `RollRequest`; whatever answers it (physics, a script, a
record) gives back a `RollResult`; neither side knows more of the other than this module.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.errors import SpecError, cut
from pigglesim.notebook_display import displayed


@unique
class Seat(StrEnum):
    """A player's place at the table, in the order of turns; at a board A sits South, B North."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    E = "E"
    F = "F"
    G = "G"
    H = "H"

    @property
    def other(self) -> "Seat":
        """The opposite side of a board.

        Raises:
            KeyError: If the seat is at none.
        """
        return {Seat.A: Seat.B, Seat.B: Seat.A}[self]


BOARD_SEATS = (Seat.A, Seat.B)
"""The two sides of a board: A sits South (y < 0), B sits North (y > 0)."""


@unique
class Orientation(StrEnum):
    """The three poses of the rules (R14)."""

    SNOUT_UP = "up"
    SNOUT_DOWN = "down"
    ON_THEIR_HEAD = "head"

    @property
    def label(self) -> str:
        """The name the rule book uses."""
        return {"up": "Snout-Up", "down": "Snout-Down", "head": "On-Their-Head"}[self.value]


@unique
class Zone(StrEnum):
    """Where a Piggle lies for the score (R2, P10); a line is named by its two sides."""

    FIELD_NORTH = "field:N"
    FIELD_EAST = "field:E"
    FIELD_SOUTH = "field:S"
    FIELD_WEST = "field:W"
    PATH_INNER = "path:inner"
    PATH_OUTER = "path:outer"
    WOODS = "woods"
    LINE_FIELD_PATH = "line:field/path"
    LINE_PATH_WOODS = "line:path/woods"
    OFF = "off"

    @property
    def on_line(self) -> bool:
        """Whether this is one of the two kinds of line."""
        return self in {Zone.LINE_FIELD_PATH, Zone.LINE_PATH_WOODS}


@unique
class LineRule(StrEnum):
    """Which part of a Piggle decides its zone (house rule `line_rule`, P10)."""

    FOOTPRINT = "footprint"
    CONTACT_CENTROID = "contact_centroid"
    COM = "com"


@unique
class Cocked(StrEnum):
    """What is done with a Piggle that leans on another (house rule `cocked`, P12)."""

    CLASSIFY = "classify"
    NUDGE = "nudge"
    REROLL = "reroll"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRules:
    """The house rules that the reading of the table needs (P10, P12, P18)."""

    line_rule: LineRule = LineRule.FOOTPRINT
    cocked: Cocked = Cocked.CLASSIFY
    contact_tolerance_mm: float = 0.5
    """How near the board a point of the skin counts as touching [mm] (P10)."""
    knock_distance_mm: float = 3.0
    """A struck Piggle that moved further is knocked [mm] (P18)."""
    knock_angle_deg: float = 5.0
    """A struck Piggle that turned further is knocked [deg] (P18)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestPlace:
    """Where and how a body lies in the world."""

    position: tuple[float, float, float]
    """Centre of mass [m]; the board's top is z = 0, its centre the origin, North is +y."""
    rotation: tuple[float, float, float, float]
    """Unit quaternion (x, y, z, w) from the body's axes to the world's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """How one Piggle lies, as the rules see it."""

    orientation: Orientation | None
    """None where the zone is `Zone.OFF`, and for a body that is not a pig."""
    zone: Zone
    leaning: bool = False
    """Supported in part by another Piggle."""
    stacked: bool = False
    """Supported by other Piggles alone."""
    place: RestPlace | None = None
    """The body's place, where physics made this landing; None in a script."""

    @property
    def label(self) -> str | None:
        """Its pose for people, such as `"Snout-Up"`; None off the board."""
        return self.orientation.label if self.orientation else None


_LONGEST_CLASS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLanding(Landing):
    """How a body that is not a pig lies on the board: in a class of its own, with no orientation.

    A type of its own: the landing of a Piggle has no place for a class.
    """

    class_name: str
    """Class that its model names, such as `"side"`, or the number that a die shows; up to 100
    printable characters."""

    def __post_init__(self) -> None:
        named = 0 < len(self.class_name) <= _LONGEST_CLASS and self.class_name.isprintable()
        if self.orientation or self.zone is Zone.OFF or not named:
            raise SpecError(
                "a class name, no pose, and a zone on the board",
                got=f"{cut(repr(self.class_name))}, {self.orientation or 'no pose'}, {self.zone}",
                remedy="use the file as it was written",
            )

    @property
    def label(self) -> str:
        """Its class."""
        return self.class_name


@dataclass(frozen=True, slots=True, kw_only=True)
class CupHold:
    """Where the thrower holds the cup, in the thrower's own view (the board's centre ahead)."""

    across: float
    """To the thrower's right of the middle of the board [m]."""
    back: float
    """How far the mouth's end of the tip stays behind the centre line [m], positive."""
    height: float
    """Lowest height of the cup's lip above the board during the pour [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDown:
    """A Piggle put on the board by hand where the rules say, in a free spot that chance finds."""

    orientation: Orientation
    zone: Zone
    near: Landing | None = None
    """As near as can be to what lies so; None for the middle of the zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollRequest:
    """What the rules ask of chance: a pour, a toss or a Piggle set down by hand."""

    thrower: Seat
    piggles: tuple[str, ...]
    """Ids of the Piggles in the cup, in order."""
    standing: tuple[tuple[str, Landing], ...] = ()
    """Piggles that already lie on the board, by id, as they lie; empty on a cleared board."""
    reading: ReadingRules = ReadingRules()
    hold: CupHold | None = None
    """Where the cup is held; None for the scene's own hold."""
    toss: Landing | None = None
    """How the one Piggle lies that is tossed up from there; None where a cup is poured."""
    set_down: SetDown | None = None
    """How the one Piggle is set down; the answer has its landing alone, off the board where the
    zone has no room. None where Piggles are rolled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """A Piggle that lay on the board and was knocked in this roll (P18)."""

    struck: str
    by: str
    """The rolled Piggle from which the chain of contact came."""
    distance: float
    """How far its centre moved in the plane of the board [m]."""
    angle: float
    """How far it turned [rad]."""
    flipped: bool
    """Whether its pose changed."""
    zone_changed: bool
    off_board: bool


@unique
class SettleStatus(StrEnum):
    """How a throw ended."""

    SETTLED = "settled"
    TIMED_OUT = "timed-out"

    @property
    def sentence(self) -> str:
        """What this status means, for people."""
        return {
            "settled": "every Piggle came to rest",
            "timed-out": "some Piggle still moved when time was up; it is read as it stood then",
        }[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleReport:
    """When and whether the throw came to rest."""

    status: SettleStatus
    time: float
    """Simulated time from the first motion of the cup [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollResult:
    """How the board lies after a roll."""

    landings: tuple[tuple[str, Landing | ClassLanding], ...]
    """Every Piggle of the request, rolled or standing, by id; the rolled ones first."""
    knocks: tuple[Knock, ...] = ()
    settle: SettleReport | None = None
    """None where no physics made the roll."""

    def _repr_svg_(self) -> str | None:
        return displayed("result_svg", self)
