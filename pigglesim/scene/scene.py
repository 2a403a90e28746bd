"""Scenes: the board and its regions, cup and hand, materials, floors and stepping."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from pigglesim.errors import SpecError, unknown_name
from pigglesim.landing import FIELD_LINES, FIELDS, STANDARD_READING, ReadingRules, Seat, Zone
from pigglesim.pose_reading import LINE_RULES, BoardPrint

INCH = 0.0254
"""Metres per inch, exactly (the international yard, 1959)."""

_PRINTED = ("woods", "ring", "inner", "lane", "line")
"""Names of the lengths of a board's print."""


@dataclass(frozen=True, kw_only=True)
class Board:
    """A board: fields in an X of lanes, a ring of path, the woods, the edge (R2, P10).

    Seen from above, North is +y and East is +x; the top surface is z = 0. The inner square is cut
    by two diagonal lanes into four triangular fields. Regions are exact polygons, and the only
    source of zones, drawings and area fractions.
    """

    size: float = 13.0 * INCH
    """Side of the whole board [m]."""
    woods: float = 1.5 * INCH
    """Width of the outermost ring [m]."""
    ring: float = 1.0 * INCH
    """Width of the square band of path [m]."""
    inner: float = 8.0 * INCH
    """Side of the inner square [m]."""
    lane: float = 1.0 * INCH
    """Width of a diagonal lane, across it [m]."""
    line: float = 0.002
    """Printed width of a line, centred on the border it draws [m]."""
    thickness: float = 0.012
    """Height of the board above the table [m]."""
    plain: bool = False
    """True if nothing is printed on it: dice are read by their faces, at any position."""

    def __post_init__(self) -> None:
        for name in ("size", "thickness", *_PRINTED):
            value = getattr(self, name)
            # Written so that NaN fails too.
            if not 0.0 < value < 10.0:
                raise SpecError(
                    f"invalid {name} of the board: {value:g} m",
                    expected="above 0 and below 10 m",
                    fix=f"change {name}",
                )
        total = self.inner + 2.0 * (self.ring + self.woods)
        if abs(total - self.size) > 1e-6:
            raise SpecError(
                f"board regions add up to {total / INCH:g} in, its size is {self.size / INCH:g} in",
                fix="change inner_in, ring_in, woods_in or size_in until they add up",
            )
        if self.lane * 2**0.5 >= self.inner or 2 * self.line >= min(
            self.lane, self.ring, self.woods
        ):
            raise SpecError(
                f"lane {self.lane / INCH:g} in or line {self.line * 1000:g} mm is too wide",
                fix="make lane_in or line_mm smaller",
            )

    @classmethod
    def unprinted(cls, *, size: float, thickness: float) -> "Board":
        """Return a plain board [m]; its regions are the usual ones, and unused."""
        common = cls()
        printed = {name: getattr(common, name) * (size / common.size) for name in _PRINTED}
        return cls(size=size, thickness=thickness, plain=True, **printed)

    @property
    def half(self) -> float:
        """Half the side of the board [m]."""
        return self.size / 2.0

    def lengths(self, rules: ReadingRules = STANDARD_READING) -> BoardPrint:
        """Return the lengths and the house rules by which bodies on it are read."""
        return BoardPrint(
            half=self.half,
            thickness=self.thickness,
            ring=self.inner / 2.0 + self.ring,
            inner=self.inner / 2.0,
            cut=self.lane / 2**0.5,
            half_line=self.line / 2.0,
            tolerance=rules.contact_tolerance_mm / 1000.0,
            line_rule=LINE_RULES.index(rules.line_rule),
        )

    @cached_property
    def regions(self) -> dict[Zone, Any]:
        """Polygons of the eight regions that have an area, by zone; borders at mid-line."""
        from shapely import MultiPolygon, Polygon, box, union_all  # noqa: PLC0415 (slow to import)

        def square(half: float) -> Polygon:
            return box(-half, -half, half, half)

        inner, ring = self.inner / 2.0, self.inner / 2.0 + self.ring
        # A lane's border meets the inner square this far from its corner, and the other lane's
        # border this far from the centre.
        cut = self.lane / 2**0.5
        north = Polygon([(0.0, cut), (inner - cut, inner), (cut - inner, inner)])
        turns = ((1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0))
        fields = {
            zone: Polygon([(a * x + b * y, c * x + d * y) for x, y in north.exterior.coords])
            for zone, (a, b, c, d) in zip(FIELDS, turns, strict=True)
        }
        lanes = square(inner).difference(union_all(list(fields.values())))
        assert not isinstance(lanes, MultiPolygon)
        return {
            **fields,
            Zone.PATH_INNER: lanes,
            Zone.PATH_OUTER: square(ring).difference(square(inner)),
            Zone.WOODS: square(self.half).difference(square(ring)),
        }

    @cached_property
    def lines(self) -> dict[Zone, Any]:
        """Middle of the printed lines, by zone."""
        from shapely import box, union_all  # noqa: PLC0415 (slow to import)

        ring = self.inner / 2.0 + self.ring
        borders = {line: self.regions[field].boundary for field, line in FIELD_LINES.items()}
        return {
            **borders,
            Zone.LINE_FIELD_PATH: union_all(list(borders.values())),
            Zone.LINE_PATH_WOODS: box(-ring, -ring, ring, ring).exterior,
        }


Print: TypeAlias = Zone | Literal["line", "plain"]
"""Print of an area of the board's top: a region, the lines, or nothing."""


def printed_areas(board: Board) -> Iterator[tuple[Print, Any]]:
    """Yield each print of a board with its area, a geometry of shapely [m].

    Zones are read from the same polygons, so a picture from above shows the zone of each point.
    The lines come last. A plain board is one area.
    """
    from shapely import box, union_all  # noqa: PLC0415 (slow to import)

    if board.plain:
        yield "plain", box(-board.half, -board.half, board.half, board.half)
        return
    borders = (board.lines[Zone.LINE_FIELD_PATH], board.lines[Zone.LINE_PATH_WOODS])
    lines = union_all([border.buffer(board.line / 2.0, join_style="mitre") for border in borders])
    for zone, region in board.regions.items():
        yield zone, region.difference(lines)
    yield "line", lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Cup:
    """A straight round cup, open at the top of its own frame.

    Its frame has the origin at the middle of the axis, halfway up the inside, and +z towards the
    mouth: the point about which the hand tips it.
    """

    inner_radius: float = 0.035
    """Radius of the inside [m]."""
    depth: float = 0.090
    """Depth from the lip to the floor inside [m]."""
    wall: float = 0.003
    """Visible thickness of wall and floor [m]."""

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("inner_radius", self.inner_radius, 0.005, 0.5),
            ("depth", self.depth, 0.005, 1.0),
            ("wall", self.wall, 0.0002, 0.05),
        ):
            if not low <= value <= high:
                raise SpecError(
                    f"the {name} of the cup is {value * 1000:g} mm",
                    expected=f"{low * 1000:g} to {high * 1000:g} mm",
                    fix=f"change {name}_mm",
                )

    @property
    def outer_radius(self) -> float:
        """Outer radius of the wall [m]."""
        return self.inner_radius + self.wall


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A person's motion of the cup: means, and spread from pour to pour.

    Lengths along the throw are in the thrower's view: `back` is the distance behind the centre
    line, `across` to the thrower's right.
    """

    shake_time: float = 0.40
    """Duration of the shake [s]."""
    shake_frequency: float = 5.0
    """Frequency of the shake [Hz]."""
    shake_across: float = 0.025
    """Amplitude across the throw [m]."""
    shake_along: float = 0.025
    """Amplitude along the throw [m]."""
    shake_up: float = 0.006
    """Amplitude upwards [m]."""
    tip_time: float = 0.30
    """Time from upright to fully tipped [s]."""
    tip_angle: float = 2.27
    """Angle of the tip [rad]."""
    start_back: float = 0.165
    """Distance of the cup's centre behind the centre line during the shake [m]."""
    end_back: float = 0.119
    """Distance of the cup's centre behind the centre line when fully tipped [m]."""
    across: float = 0.0
    """Distance of the cup's centre to the thrower's right when fully tipped [m]."""
    heading: float = 0.0
    """Direction of the swing and the tip, from straight ahead towards the right [rad]."""
    lip_height: float = 0.102
    """Lowest height of any part of the cup above the board [m]."""
    across_spread: float = 0.0
    """Standard deviation of `across` from pour to pour [m]."""
    heading_spread: float = 0.0
    """Standard deviation of the direction of the tip [rad]."""
    tempo_spread: float = 0.0
    """Standard deviation of the logarithm of all times of the motion."""
    patience: float = 1.5
    """Longest time that the cup stays tipped [s]; then it is shaken out."""


GRAVITY = 9.80665
"""Standard gravity [m/s2] (CGPM 1901)."""


_MAX_ITERATIONS = 1e8
"""Maximum solver iterations of one throw: some minutes; our scenes take a tenth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepping:
    """The time step, and the conditions that end a throw."""

    time_step: float = 0.002
    """Time step [s]."""
    iterations: int = 10
    """Solver iterations per step."""
    rest_speed: float = 0.004
    """Speed below which a supported body is still [m/s]."""
    rest_spin: float = 0.4
    """Angular speed below which it is still [rad/s]."""
    rest_time: float = 0.1
    """Time below both bounds after which it counts as at rest [s]."""
    time_limit: float = 6.0
    """Time after which a moving throw is reported as timed out [s]."""
    ease_time: float = 0.25
    """Time over which rolling resistance fades once all are still [s], so that a body stopped
    halfway over an edge descends into the pose of its basin."""

    def __post_init__(self) -> None:
        if not 1e-5 <= self.time_step <= 0.005:
            raise SpecError(
                f"invalid time step {self.time_step * 1000:g} ms",
                expected="0.01 to 5 ms",
                fix="use time_step_ms = 2",
            )
        if not 1 <= self.iterations <= 1000:
            raise SpecError(
                f"invalid iterations {self.iterations}",
                expected="1 to 1000",
                fix="use iterations = 10",
            )
        work = self.time_limit / self.time_step * self.iterations
        if not work <= _MAX_ITERATIONS:
            raise SpecError(
                f"a throw would take up to {work:.1e} solver iterations",
                expected=f"at most {_MAX_ITERATIONS:.0e}",
                fix="use a coarser time_step_ms, fewer iterations or a shorter time_limit_s",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Friction and restitution of a pair of surfaces.

    Values belong to pairs, not to single materials, because only pairs can be measured: a friction
    coefficient belongs to plastic on wood, not to plastic.
    """

    friction: float
    """Coulomb coefficient of friction."""
    restitution: float
    """Ratio of the normal speeds after and before an impact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contacts:
    """One `Contact` per kind of pair, and the board's resistance to rolling.

    Only the board resists rolling and spinning: in the cup and between Piggles contacts are too
    short for an effect on any share.
    """

    board: Contact
    piggle: Contact
    cup: Contact
    rolling_lever: float
    """Lever of the board's normal force against rolling [m]: a sphere of radius r slows by
    5/7 g lever / r."""
    spinning_lever: float
    """Lever against spinning about the contact normal [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """The distribution of a die's motion when a hand releases it."""

    height: float
    """Height of fall until its bounding sphere touches the floor [m]."""
    drift_spread: float
    """Standard deviation of each horizontal component of its velocity [m/s]."""
    spin_spread: float
    """Standard deviation of each component of its angular velocity [rad/s]."""


Direction: TypeAlias = tuple[float, float, float]
"""A direction in the frame of a body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """The distribution of a flip: a thumb tosses the die up, spinning about an axis of its own."""

    height: float = 0.3
    """Height of the hand above the floor [m]."""
    rise: float = 0.3
    """Height above the hand at which the die turns back [m]."""
    spin: float = 40.0
    """Angular speed about the axis [rad/s]."""
    spread: float = 0.1
    """Standard deviation of speed and spin from flip to flip, relative."""
    wobble_spread: float = 1.0
    """Standard deviation of each component of the spin across the axis [rad/s]."""
    drift_spread: float = 0.1
    """Standard deviation of each horizontal component of the velocity [m/s]."""
    axis: Direction = (1.0, 0.0, 0.0)
    """Axis of the spin, body frame; the nearest level one if the start is known."""
    start: Direction | None = (0.0, 0.0, -1.0)
    """Direction that is down in the hand, body frame; None for any rotation."""
    caught: bool = False
    """Whether it is caught at the height of the hand, and turned flat to its nearest pose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRoll:
    """The distribution of a roll: a hand close to the table throws the die along it."""

    height: float = 0.02
    """Height of fall until its bounding sphere touches the floor [m]."""
    speed: float = 1.0
    """Horizontal speed [m/s]."""
    spread: float = 0.25
    """Standard deviation of the speed from throw to throw, relative."""
    rolling: float = 0.5
    """Spin about the axis across, over that of rolling without slip."""
    spin_spread: float = 10.0
    """Standard deviation of each other component of the spin [rad/s]."""
    wall: float = 0.0
    """Distance of a wall across the way from the first contact with the floor [m]; 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tumbler:
    """A square box that slowly turns by a quarter, so that its die slides to the next side.

    The die lands on one side, at its upper end. As that side turns upright, the die slides or
    tumbles down onto the next one. Gravity turns in the frame of the box; what the turn adds
    besides is left out.
    """

    length: float = 0.1
    """Length of a side, inside [m]."""
    rate: float = 2.0
    """Angular speed of the box [rad/s]."""
    spin_spread: float = 10.0
    """Standard deviation of each component of the die's spin at its start [rad/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower:
    """A dice tower: the die falls from baffle to baffle and leaves at the bottom.

    Baffles slope from one wall and the other in turn, and end at three fifths of the width. Only
    vertices of the die meet them: their ends do not meet its faces.
    """

    baffles: int = 3
    """Number of baffles."""
    width: float = 3.0
    """Distance of the walls, over the diameter of the die's bounding sphere."""
    slope: float = 0.8
    """Slope of the baffles [rad]."""
    height: float = 0.05
    """Height of fall onto the first baffle [m]."""
    spin_spread: float = 10.0
    """Standard deviation of each component of the die's spin at its start [rad/s]."""


Release: TypeAlias = Fall | Flip | FloorRoll | Tumbler | Tower
"""The distribution of a die's motion at its start, and what stands around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Contact between the floor and one material of die."""

    contact: Contact
    rolling_lever: float
    """Lever of the floor's normal force against rolling [m]: a sphere of radius r slows by
    5/7 g lever / r."""
    spinning_lever: float
    """Lever against spinning about the contact normal [m]."""
    sliding_friction: float | None = None
    """Coulomb coefficient of friction between impacts; None for that of impacts."""
    impact_stages: int = 1
    """Stages in which an impact is solved, so that friction follows the slip as it turns. Engine
    `impulse` alone knows both of these; drops with others refuse them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """A floor, the fall of dice onto it, and the stepping."""

    id: str
    title: str
    fall: Release
    surfaces: dict[str, Surface]
    """Surface for each material of die."""
    stepping: Stepping
    sha256: str
    """Digest of the file."""

    @property
    def drop(self) -> Fall:
        """The fall of a floor whose throw is a drop, as that of every file is."""
        assert isinstance(self.fall, Fall)
        return self.fall

    def surface(self, material: str) -> Surface:
        """Return the contact between a die of this material and the floor.

        Raises:
            SpecError: If the floor does not have the material; those it has are listed.
        """
        if material not in self.surfaces:
            raise unknown_name(f"material of die on the floor {self.id!r}", material, self.surfaces)
        return self.surfaces[material]

    def __post_init__(self) -> None:
        if not self.surfaces:
            raise SpecError(
                f"the floor {self.id!r} has no surfaces",
                fix="add a table such as [surfaces.plastic]",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceSet:
    """The numbered dice of a scene, all alike."""

    model: str
    most: int
    """Maximum number of dice in the cup."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A scene: everything except the throw."""

    id: str
    title: str
    game: str
    """Name of the game played in this scene."""
    board: Board
    cup: Cup
    hand: Hand
    contacts: Contacts
    stepping: Stepping
    teams: dict[Seat, tuple[str, ...]]
    """Model of each Piggle of a seat, in the order of their numbers."""
    sha256: str
    """Digest of the file."""
    dice: DiceSet | None = None
    """Numbered dice; None in a scene with only Piggles."""

    @property
    def capacity(self) -> int:
        """Capacity of the cup: a whole team of Piggles (R8), or all dice."""
        thrown = [len(team) for team in self.teams.values()]
        return max([*thrown, self.dice.most] if self.dice else thrown)
