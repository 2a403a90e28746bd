"""Values that the table and the rules share: requests of rolls, and landings.

The rules build a `RollRequest`; its source (physics, a script, a record) returns a `RollResult`.
Neither side depends on more of the other than this module.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.errors import SpecError, cut
from pigglesim.hand_throw import HandThrow
from pigglesim.notebook_display import displayed


@unique
class Seat(StrEnum):
    """A player's seat, in the order of turns; at a board A sits South, B North."""

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
        """The opposite side of a board; raises `KeyError` for other seats."""
        return {Seat.A: Seat.B, Seat.B: Seat.A}[self]


BOARD_SEATS = (Seat.A, Seat.B)
"""The two sides of a board: A sits South (y < 0), B sits North (y > 0)."""


@unique
class Orientation(StrEnum):
    """The three orientations of the rules (R14)."""

    SNOUT_UP = "up"
    SNOUT_DOWN = "down"
    ON_THEIR_HEAD = "head"

    @property
    def label(self) -> str:
        """Name in the rule book."""
        return {"up": "Snout-Up", "down": "Snout-Down", "head": "On-Their-Head"}[self.value]


def ordered_classes(names: Iterable[str]) -> tuple[str, ...]:
    """Return classes in the order of the rules, of numbers, or of the alphabet."""
    left = {*names}
    rules = [each.label for each in Orientation if each.label in left]
    numbers = sorted((name for name in left if name.isdecimal()), key=int)
    return (*rules, *numbers, *sorted(left - {*rules, *numbers}))


def class_names(labels: Iterable[str]) -> dict[str, str]:
    """Return the label of each class by the names that people write, in lower case.

    A class of Piggles also has its short name, such as `up`.
    """
    known = {label.casefold(): label for label in labels}
    return known | {str(each): each.label for each in Orientation if each.label in known.values()}


@unique
class Zone(StrEnum):
    """A Piggle's area of the board (R2, P10); a line is named by its two sides, the field by name.

    Reading the table always names the field of a line. `LINE_FIELD_PATH` is for landings written by
    hand whose field is not known.
    """

    FIELD_NORTH = "field:N"
    FIELD_EAST = "field:E"
    FIELD_SOUTH = "field:S"
    FIELD_WEST = "field:W"
    PATH_INNER = "path:inner"
    PATH_OUTER = "path:outer"
    WOODS = "woods"
    LINE_NORTH = "line:N/path"
    LINE_EAST = "line:E/path"
    LINE_SOUTH = "line:S/path"
    LINE_WEST = "line:W/path"
    LINE_FIELD_PATH = "line:field/path"
    LINE_PATH_WOODS = "line:path/woods"
    OFF = "off"

    @property
    def on_line(self) -> bool:
        """True if this is a line."""
        return self.value.startswith("line:")


FIELDS = (Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST)
"""Fields clockwise, seen from above."""
FIELD_LINES = {
    Zone.FIELD_NORTH: Zone.LINE_NORTH,
    Zone.FIELD_EAST: Zone.LINE_EAST,
    Zone.FIELD_SOUTH: Zone.LINE_SOUTH,
    Zone.FIELD_WEST: Zone.LINE_WEST,
}
"""Line between each field and the paths."""


READ_ZONES = tuple(zone for zone in Zone if zone is not Zone.LINE_FIELD_PATH)
"""Zones that reading the table gives."""


def half_turned(zone: Zone) -> Zone:
    """Return the zone that the other seat sees in place of this one."""
    return _HALF_TURN.get(zone, zone)


_OPPOSITE = {field: FIELDS[(number + 2) % len(FIELDS)] for number, field in enumerate(FIELDS)}
_HALF_TURN = _OPPOSITE | {FIELD_LINES[one]: FIELD_LINES[other] for one, other in _OPPOSITE.items()}

ZONE_POINTS = {
    Zone.FIELD_NORTH: 3,
    Zone.FIELD_EAST: 3,
    Zone.FIELD_SOUTH: 3,
    Zone.FIELD_WEST: 3,
    Zone.PATH_INNER: 2,
    Zone.PATH_OUTER: 2,
    Zone.WOODS: 1,
    # A line scores the lower of its two sides (R3).
    Zone.LINE_NORTH: 2,
    Zone.LINE_EAST: 2,
    Zone.LINE_SOUTH: 2,
    Zone.LINE_WEST: 2,
    Zone.LINE_FIELD_PATH: 2,
    Zone.LINE_PATH_WOODS: 1,
    Zone.OFF: 0,
}
"""Points of a Snout-Up Piggle by zone (R3)."""


@unique
class LineRule(StrEnum):
    """Part of a Piggle that decides its zone (house rule `line_rule`, P10)."""

    FOOTPRINT = "footprint"
    CONTACT_CENTROID = "contact_centroid"
    COM = "com"


@unique
class Cocked(StrEnum):
    """Treatment of a Piggle that leans on another (house rule `cocked`, P12)."""

    CLASSIFY = "classify"
    NUDGE = "nudge"
    REROLL = "reroll"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRules:
    """The house rules that the reading of the table needs (P10, P12, P18)."""

    line_rule: LineRule = LineRule.FOOTPRINT
    cocked: Cocked = Cocked.CLASSIFY
    contact_tolerance_mm: float = 0.5
    """Distance from the board within which a point of the skin counts as touching [mm] (P10)."""
    knock_distance_mm: float = 3.0
    """Distance beyond which a struck Piggle counts as knocked [mm] (P18)."""
    knock_angle_deg: float = 5.0
    """Rotation beyond which a struck Piggle counts as knocked [deg] (P18)."""


STANDARD_READING = ReadingRules()
"""Reading without house rules, which compiled throws use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestPlace:
    """Position and rotation of a resting body in the world."""

    position: tuple[float, float, float]
    """Centre of mass [m]; the origin is the centre of the board's top, North is +y."""
    rotation: tuple[float, float, float, float]
    """Unit quaternion (x, y, z, w) from the body's axes to the world's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """Result of one Piggle at rest, for the rules."""

    orientation: Orientation | None
    """Orientation; None where the zone is `Zone.OFF`, and for a body that is not a pig."""
    zone: Zone
    leaning: bool = False
    """True if supported in part by another Piggle."""
    stacked: bool = False
    """True if supported by other Piggles alone."""
    place: RestPlace | None = None
    """Position and rotation, where physics made this landing; None in a script."""

    @property
    def label(self) -> str | None:
        """Displayed orientation, such as `"Snout-Up"`; None off the board."""
        return self.orientation.label if self.orientation else None


_MAX_CLASS_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLanding(Landing):
    """Result of a body that is not a pig: a class of its own, without an orientation.

    This is a separate type, because the landing of a Piggle has no class.
    """

    class_name: str
    """Class named by its model, such as `"side"`, or the number that a die shows; up to 100
    printable characters."""

    def __post_init__(self) -> None:
        valid_name = 0 < len(self.class_name) <= _MAX_CLASS_NAME and self.class_name.isprintable()
        if self.orientation or self.zone is Zone.OFF or not valid_name:
            raise SpecError(
                f"invalid class {cut(repr(self.class_name))} with orientation "
                f"{self.orientation} in zone {self.zone}",
                fix="use the file as it was written",
            )

    @property
    def label(self) -> str:
        """Displayed class."""
        return self.class_name


MIN_CUP_HEIGHT = 0.0508
"""Minimum height of the cup above the board [m]: 2 inches (R9)."""
COMMON_CUP_HEIGHT = 0.25
"""Maximum height of the lip at its lowest that a person or an environment chooses [m]: about a
forearm."""
MAX_CUP_HEIGHT = 10.0
"""Height that no hand reaches, below which the cup must be [m]; the rule book sets no limit."""
BOARD_HALF = 0.1651
"""Half the side of the board of the rule book [m]: 6.5 inches (R2)."""
MAX_SWING = 2.0
"""Maximum speed of a swung cup [m/s], that of a brisk arm."""
MAX_HAND_ERROR = 20.0
"""Maximum factor of the usual errors of a hand."""
MAX_HEADING = 1.0471975511965976
"""Maximum angle between a throw and straight ahead [rad]: 60 degrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupHold:
    """A way of throwing, in the thrower's view (the board's centre ahead)."""

    across: float
    """Distance of the tipped cup's centre to the right of the middle of the board [m]."""
    back: float
    """Distance of the tipped cup's centre behind the centre line [m], positive."""
    height: float
    """Lowest height of the cup's lip above the board during the pour [m]."""
    heading: float = 0.0
    """Direction of the swing and the tip, from straight ahead towards the right [rad]."""
    swing: float | None = None
    """Greatest speed of the cup while it is tipped [m/s]; None for the scene's own."""


Hold = CupHold | HandThrow
"""A hold from which the scene's hand throws, or a throw that a person's own hand has made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDown:
    """A Piggle put on the board by hand, in a random free spot of the area that the rules give."""

    orientation: Orientation
    zone: Zone
    near: Landing | None = None
    """Landing to be as close to as possible; None for the middle of the zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollRequest:
    """A random event that the rules request: a pour, a toss or a Piggle set down by hand."""

    thrower: Seat
    piggles: tuple[str, ...]
    """Ids of the Piggles in the cup, in order."""
    standing: tuple[tuple[str, Landing], ...] = ()
    """Piggles already on the board and their landings, by id; empty on a cleared board."""
    reading: ReadingRules = STANDARD_READING
    hold: Hold | None = None
    """How the cup is held and thrown; None for the scene's own."""
    toss: Landing | None = None
    """Landing from which the one Piggle is tossed up; None where a cup is poured."""
    set_down: SetDown | None = None
    """Setting down of the one Piggle; None where Piggles are rolled. The result has its landing
    alone, off the board where the zone has no room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """A Piggle on the board that was knocked in this roll (P18)."""

    struck: str
    by: str
    """Rolled Piggle at the start of the chain of contacts."""
    distance: float
    """Distance that its centre moved in the plane of the board [m]."""
    angle: float
    """Angle of its rotation [rad]."""
    flipped: bool
    """True if its orientation changed."""
    zone_changed: bool
    off_board: bool


@unique
class SettleStatus(StrEnum):
    """The end of a throw."""

    SETTLED = "settled"
    TIMED_OUT = "timed-out"

    @property
    def sentence(self) -> str:
        """Meaning of this status, for display."""
        return {
            "settled": "all came to rest",
            "timed-out": "some still moved when time was up; they are read as they stood then",
        }[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleReport:
    """Time and manner of a throw's end."""

    status: SettleStatus
    time: float
    """Simulated time from the first motion of the cup [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollResult:
    """State of the board after a roll."""

    landings: tuple[tuple[str, Landing | ClassLanding], ...]
    """Landing of every Piggle of the request, rolled or standing, by id; the rolled ones first."""
    knocks: tuple[Knock, ...] = ()
    settle: SettleReport | None = None
    """End of the throw; None where the roll was not simulated."""

    def _repr_svg_(self) -> str | None:
        return displayed("result_svg", self)
