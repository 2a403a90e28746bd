"""Hold and path of the cup in one pour: what a hand can do, by R9 and P13, and what is drawn.

It is plain arithmetic on numbers: a page plays matches without arrays.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import degrees, hypot, pi

from pigglesim.correctly_rounded import cos, exp, tan
from pigglesim.cup_motion import PEAK, CupMotion, Pose, cup_pose
from pigglesim.errors import SpecError
from pigglesim.hand_throw import MAX_TIME, RATE, HandThrow
from pigglesim.landing import MAX_CUP_HEIGHT, MAX_HEADING, MAX_SWING, MIN_CUP_HEIGHT, CupHold, Seat
from pigglesim.rng import Generator
from pigglesim.scene.scene import INCH, Board, Cup, Hand, Scene
from pigglesim.trig import sin_cos

LENGTHS = 3
_HAND_TOLERANCE = 2e-4
"""Tolerance of the height of a cup in a person's hand [m]: samples are rounded."""
TOLERANCE = 1e-6
"""Tolerance of the legality test [m]: lengths typed in inches must not fail by rounding."""


def unmoved() -> CupMotion:
    """Return a motion all of whose numbers are 0, without samples."""
    return CupMotion._make([*[0.0] * (len(CupMotion._fields) - 1), ()])


@lru_cache(maxsize=64)
def centre_height(cup: Cup, hand: Hand) -> float:
    """Return the height of the cup's centre for which its lowest point reaches the hold's [m]."""
    tips = [pi * k / 90.0 for k in range(91) if pi * k / 90.0 < hand.tip_angle]
    tipped = max(depth_below(cup, tip) for tip in (*tips, hand.tip_angle, pi))
    return hand.lip_height + max(depth_below(cup, 0.0) + hand.shake_up, tipped)


def depth_below(cup: Cup, tip: float) -> float:
    """Return the distance from the cup's centre down to its lowest point at a tip [m]."""
    sine, cosine = sin_cos(tip)
    half = cup.depth / 2.0
    return max((half + cup.wall) * cosine, -half * cosine) + cup.outer_radius * abs(sine)


@dataclass(frozen=True, kw_only=True)
class _Path(ABC):
    """Path of the cup in one pour."""

    cup: Cup
    hand: Hand
    seat: Seat

    @property
    @abstractmethod
    def motion(self) -> CupMotion:
        """The numbers of the path, in the world."""

    @property
    def sign(self) -> float:
        """1 for seat A and -1 for seat B, who sees the table from the other side."""
        return -1.0 if self.seat is Seat.B else 1.0

    @property
    def time_limit(self) -> float:
        """Time that the path adds to that of a throw [s]."""
        return 0.0

    def pose(self, time: float) -> Pose:
        """Return the position [m] and quaternion of the cup's frame in the world at `time` [s]."""
        x, y, z, qx, qy, qz, qw = cup_pose(self.motion, time)
        return (x, y, z), (qx, qy, qz, qw)


@dataclass(frozen=True, kw_only=True)
class HandPath(_Path):
    """Path of a person's own hand."""

    throw: HandThrow

    @cached_property
    def motion(self) -> CupMotion:
        """The samples of the path."""
        return unmoved()._replace(
            sign=self.sign, patience_end=self.hand.patience, samples=self.throw.path
        )

    @property
    def time_limit(self) -> float:
        """Time of the longest path [s]: a page that simulates a hand does not know its end."""
        return MAX_TIME


@dataclass(frozen=True, kw_only=True)
class CupPath(_Path):
    """Path of a scene's hand, with all random details drawn."""

    across: float
    """Distance to the thrower's right [m]."""
    heading: float
    """Error of the direction of the tip, counter-clockwise from the hand's own [rad]."""
    tempo: float
    """Factor on all times of the motion."""
    phase: float
    """Initial phase of the shake [rad]."""

    @cached_property
    def motion(self) -> CupMotion:
        """The numbers of the path, in the world."""
        hand = self.hand
        heading = self.heading - hand.heading
        tip_start = hand.shake_time * self.tempo
        tip_end = tip_start + hand.tip_time * self.tempo
        return CupMotion(
            sign=self.sign,
            across=self.across,
            heading=heading + pi if self.seat is Seat.B else heading,
            centre_height=centre_height(self.cup, hand),
            start_back=hand.start_back,
            end_back=hand.end_back,
            slip=(hand.start_back - hand.end_back) * tan(hand.heading),
            shake_across=hand.shake_across,
            shake_along=hand.shake_along,
            shake_up=hand.shake_up,
            angular_frequency=2.0 * pi * hand.shake_frequency / self.tempo,
            phase=self.phase,
            tip_start=tip_start,
            tip_end=tip_end,
            patience_end=tip_end + hand.patience,
            tip_angle=hand.tip_angle,
            samples=(),
        )


def legal_hold(scene: Scene, hold: CupHold) -> CupHold:
    """Return the hold closest to a requested one that R9 and P13 allow in a scene."""
    half = scene.board.half
    swing = None if hold.swing is None else min(max(hold.swing, 0.0), MAX_SWING)
    return CupHold(
        across=min(max(hold.across, -half), half),
        back=min(max(hold.back, 0.0), half),
        height=max(hold.height, MIN_CUP_HEIGHT),
        heading=min(max(hold.heading, -MAX_HEADING), MAX_HEADING),
        swing=swing,
    )


def with_hold(hand: Hand, hold: CupHold | None) -> Hand:
    """Return a hand with another hold of the cup; None for its own hold.

    Raises:
        SpecError: If a number of the hold is not finite, or beyond what a hand can do.
    """
    if hold is None:
        return hand
    for name, value in (("across", hold.across), ("back", hold.back), ("height", hold.height)):
        if not abs(value) < MAX_CUP_HEIGHT:
            raise SpecError(f"invalid {name} {value} of the hold", fix="use inches, such as 4.5")
    moved = replace(
        hand,
        across=hold.across,
        end_back=hold.back,
        start_back=max(hold.back + (hand.start_back - hand.end_back), 0.0),
        lip_height=hold.height,
    )
    if hold.swing is None and hold.heading == hand.heading:
        return moved
    swing = swing_of(hand) if hold.swing is None else hold.swing
    return swung(moved, swing, hold.heading)


def swing_of(hand: Hand) -> float:
    """Return the greatest speed of the cup while a hand tips it [m/s]."""
    travel = (hand.start_back - hand.end_back) / cos(hand.heading)
    return PEAK * travel / hand.tip_time


def swung(hand: Hand, swing: float, heading: float) -> Hand:
    """Return a hand that swings the cup at most this fast [m/s], in this direction [rad].

    The cup stops where it did before, so a faster swing begins further behind.

    Raises:
        SpecError: If a hand cannot swing so fast, or throws to the side.
    """
    if not 0.0 <= swing <= MAX_SWING:
        raise SpecError(
            f"invalid swing {swing:g} m/s", expected=f"0 to {MAX_SWING:g}", fix="use --swing 1"
        )
    if not abs(heading) <= MAX_HEADING:
        raise SpecError(
            f"invalid heading {degrees(heading):g} degrees",
            expected=f"at most {degrees(MAX_HEADING):g} to either side",
            fix="use --heading 20",
        )
    travel = swing * hand.tip_time / PEAK * cos(heading)
    return replace(hand, heading=heading, start_back=hand.end_back + travel)


def expect_legal(path: CupPath, *, half: float) -> None:
    """Raise `SpecError` if the hold violates R9 as ruled in P13, before any simulation."""
    hand = path.hand
    if hand.lip_height < MIN_CUP_HEIGHT - TOLERANCE:
        raise SpecError(
            f"the cup is held {hand.lip_height / INCH:.2f} in above the board",
            expected="at least 2 in, by R9",
            fix="increase lip_height_in or --height",
        )
    # The arm may swing from behind the board; what counts is where the cup is when it is tipped.
    nearest = min(hand.start_back, hand.end_back)
    if nearest < -TOLERANCE:
        raise SpecError(
            f"the cup's centre is {-nearest / INCH:.2f} in past the centre line, against R9",
            fix="increase end_back_in or --back",
        )
    if max(hand.end_back, abs(hand.across)) > half + TOLERANCE:
        raise SpecError(
            f"the cup is {hand.end_back / INCH:.2f} in back and {hand.across / INCH:.2f} in "
            f"across, past the board's edge at {half / INCH:.2f} in",
            fix="hold it nearer to the middle",
        )


_CARRY_TILT = 0.35
"""Tilt up to which a cup beside the board is carried, not poured [rad]: 20 degrees."""


def expect_legal_hand(path: HandPath, *, board: Board) -> None:
    """Raise `SpecError` if a person's hand violates R9 as ruled in P13, before any simulation.

    A cup may stand beside the board and is carried upright from there; over the board, and at the
    end, all of it is at least 2 inches above it, and its centre is over the own half.
    """
    cup, (first, *_) = path.cup, path.throw.path
    over = board.half + cup.outer_radius

    def refuse(time: float, what: str) -> SpecError:
        return SpecError(f"{time:.2f} s after the cup was taken {what}", fix="throw again, by R9")

    if any(first[LENGTHS:]) or path.throw.path[1] != first:
        raise refuse(0.0, "it does not stand upright and still")
    for number, (x, y, z, tilt_x, tilt_y) in enumerate(path.throw.path):
        time, tilt = number / RATE, hypot(tilt_x, tilt_y)
        lowest = z - depth_below(cup, tilt)
        if -path.sign * y < -TOLERANCE:
            raise refuse(time, "its centre is past the centre line")
        if max(abs(x), abs(y)) <= over:
            if lowest < MIN_CUP_HEIGHT - _HAND_TOLERANCE:
                raise refuse(time, f"it is {lowest / INCH:.2f} in above the board, less than 2")
        elif tilt > _CARRY_TILT or lowest < -board.thickness - _HAND_TOLERANCE:
            raise refuse(time, "it is tipped beside the board")
    if max(abs(x), abs(y)) > board.half + TOLERANCE:
        raise refuse(time, "it is let go beside the board")


def drawn_path(scene: Scene, hand: Hand, seat: Seat, rng: Generator) -> "CupPath":
    """Return the path of a pour by a hand, drawn from `rng`."""
    # Aim within two standard deviations: an unlimited tail would leave the board.
    across, heading, tempo = (min(max(float(each), -2.0), 2.0) for each in rng.standard_normal(3))
    half = scene.board.half
    aim = hand.across + across * hand.across_spread
    return CupPath(
        cup=scene.cup,
        hand=hand,
        seat=seat,
        # A hand that aims at the very edge does not move past it.
        across=min(max(aim, -half), half),
        heading=heading * hand.heading_spread,
        tempo=exp(tempo * hand.tempo_spread),
        phase=float(rng.uniform(0.0, 2.0 * pi)),
    )


def loaded(cup: Cup, count: int, radius: float, rng: Generator) -> list[tuple[float, ...]]:
    """Return centres of bodies of a radius in the cup's frame [m]: layers that do not overlap."""
    layer_size = 2 if 2.0 * radius <= cup.inner_radius else 1
    off_axis = cup.inner_radius - radius if layer_size == 2 else 0.0
    places: list[tuple[float, ...]] = [()] * count
    azimuth = 0.0
    for slot, index in enumerate(rng.permutation(count).tolist()):
        layer, side = divmod(slot, layer_size)
        azimuth = float(rng.uniform(0.0, 2.0 * pi)) if side == 0 else azimuth + pi
        sine, cosine = sin_cos(azimuth)
        places[index] = (
            off_axis * cosine,
            off_axis * sine,
            -cup.depth / 2.0 + radius * (1.0 + 2.0 * layer),
        )
    return places
