"""Motion of the cup in a pour: shaken, tipped, and turned over if it does not empty.

The path is plain arithmetic on numbers, so that compiled code can use it too.
"""

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import NamedTuple

from pigglesim.descent import Placed
from pigglesim.landing import Seat
from pigglesim.scene.scene import Cup, Hand
from pigglesim.trig import sin_cos

Pose = tuple[tuple[float, float, float], tuple[float, float, float, float]]
"""A position [m] and a quaternion (x, y, z, w)."""

_RAMP = 0.05
"""Time over which the shake grows and fades [s]: without it the first step would be an impact."""
_EMPTYING_TIME = 0.25
"""Time in which an impatient hand turns the cup upside down [s]."""


class CupMotion(NamedTuple):
    """The numbers of a path, for `cup_pose`."""

    sign: float
    """1 for seat A and -1 for seat B, whose motion is the same, seen from the other side."""
    across: float
    """Distance to the thrower's right [m]."""
    heading: float
    """Direction of the tip in the world, counter-clockwise from North [rad]."""
    centre_height: float
    """Height of the cup's centre, but for the shake [m]."""
    start_back: float
    """Distance of its centre behind the centre line while it is shaken [m]."""
    end_back: float
    """The same when it is fully tipped [m]."""
    shake_across: float
    """Amplitude of the shake to the right [m]."""
    shake_along: float
    """Amplitude towards the centre line [m]."""
    shake_up: float
    """Amplitude upwards [m], at twice the frequency."""
    angular_frequency: float
    """Of the shake [rad/s]."""
    phase: float
    """Initial phase of the shake [rad]."""
    tip_start: float
    """Time at which the tip begins [s]."""
    tip_end: float
    """Time at which the cup is fully tipped [s]."""
    patience_end: float
    """Time at which the hand turns over a cup that has not emptied [s]."""
    tip_angle: float
    """Angle between the cup's axis and the vertical when it is fully tipped [rad]."""


def smooth(u: float) -> float:
    """Return 0..1 for u in 0..1, without velocity or acceleration at either end."""
    if u <= 0.0:
        return 0.0
    if u >= 1.0:
        return 1.0
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)


def cup_pose(motion: CupMotion, time: float) -> Placed:
    """Return position and rotation of the cup's frame in the world at a time [s].

    It is called at every step, where small arrays would cost more than the physics of a Piggle.
    """
    u = smooth((time - motion.tip_start) / (motion.tip_end - motion.tip_start))
    x, y = motion.across, u * (motion.start_back - motion.end_back) - motion.start_back
    z = motion.centre_height
    swell = smooth(time / _RAMP) * smooth((motion.tip_start - time) / _RAMP)
    if swell > 0.0:
        sine, cosine = sin_cos(motion.angular_frequency * time + motion.phase)
        x += swell * motion.shake_across * sine
        y += swell * motion.shake_along * cosine
        z += swell * motion.shake_up * (2.0 * sine * cosine)
    emptying = smooth((time - motion.patience_end) / _EMPTYING_TIME)
    tip = motion.tip_angle * u + (pi - motion.tip_angle) * emptying
    st, ct = sin_cos(-0.5 * tip)
    sh, ch = sin_cos(0.5 * motion.heading)
    return motion.sign * x, motion.sign * y, z, ch * st, sh * st, sh * ct, ch * ct


@dataclass(frozen=True, kw_only=True)
class CupPath:
    """Path of the cup in one pour, with all random details drawn."""

    cup: Cup
    hand: Hand
    seat: Seat
    across: float
    """Distance to the thrower's right [m]."""
    heading: float
    """Direction of the tip, counter-clockwise from straight ahead [rad]."""
    tempo: float
    """Factor on all times of the motion."""
    phase: float
    """Initial phase of the shake [rad]."""

    @cached_property
    def motion(self) -> CupMotion:
        """The numbers of the path, in the world."""
        hand = self.hand
        tip_start = hand.shake_time * self.tempo
        tip_end = tip_start + hand.tip_time * self.tempo
        return CupMotion(
            sign=-1.0 if self.seat is Seat.B else 1.0,
            across=self.across,
            heading=self.heading + pi if self.seat is Seat.B else self.heading,
            centre_height=self.centre_height,
            start_back=hand.start_back,
            end_back=hand.end_back,
            shake_across=hand.shake_across,
            shake_along=hand.shake_along,
            shake_up=hand.shake_up,
            angular_frequency=2.0 * pi * hand.shake_frequency / self.tempo,
            phase=self.phase,
            tip_start=tip_start,
            tip_end=tip_end,
            patience_end=tip_end + hand.patience,
            tip_angle=hand.tip_angle,
        )

    @cached_property
    def centre_height(self) -> float:
        """Height of the cup's centre for which its lowest point reaches the hold's height [m]."""
        tips = [pi * k / 90.0 for k in range(91) if pi * k / 90.0 < self.hand.tip_angle]
        shaken = self._reach(0.0) + self.hand.shake_up
        tipped = max(self._reach(tip) for tip in (*tips, self.hand.tip_angle, pi))
        return self.hand.lip_height + max(shaken, tipped)

    def pose(self, time: float) -> Pose:
        """Return the position [m] and quaternion of the cup's frame in the world at `time` [s]."""
        x, y, z, qx, qy, qz, qw = cup_pose(self.motion, time)
        return (x, y, z), (qx, qy, qz, qw)

    def _reach(self, tip: float) -> float:
        """Return the distance from the cup's centre down to its lowest point at a tip [m]."""
        sine, cosine = sin_cos(tip)
        half = self.cup.depth / 2.0
        floor_end, mouth_end = (half + self.cup.wall) * cosine, -half * cosine
        return max(floor_end, mouth_end) + self.cup.outer_radius * abs(sine)
