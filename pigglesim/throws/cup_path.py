"""The cup's motion as a function of time: shaken upright, tipped, taken away."""

from dataclasses import dataclass
from functools import cached_property
from math import cos, pi, sin

from pigglesim.rolls import Seat
from pigglesim.scene.cup import Cup, Hand

__all__ = ["CupPath", "Pose"]

Pose = tuple[tuple[float, float, float], tuple[float, float, float, float]]
"""A position [m] and a quaternion (x, y, z, w)."""

_RAMP = 0.05
"""Time over which the shake swells and fades [s]: without it the first step would be a blow."""

_EMPTYING_TIME = 0.25
"""Time in which an impatient hand turns the cup right over [s]."""


def _smooth(u: float) -> float:
    """Return 0..1 for u in 0..1 with no velocity or acceleration at either end."""
    if u <= 0.0:
        return 0.0
    if u >= 1.0:
        return 1.0
    return u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


@dataclass(frozen=True, kw_only=True)
class CupPath:
    """One pour's path of the cup, every chance detail already drawn."""

    cup: Cup
    hand: Hand
    seat: Seat
    across: float
    """To the thrower's right [m]."""
    heading: float
    """Direction of the tip, counter-clockwise from straight ahead [rad]."""
    tempo: float
    """All times of the motion are multiplied by this."""
    phase: float
    """Where in its cycle the shake begins [rad]."""

    @cached_property
    def tip_start(self) -> float:
        """When the tip begins [s]."""
        return self.hand.shake_time * self.tempo

    @cached_property
    def tip_end(self) -> float:
        """When the cup is fully tipped [s]."""
        return self.tip_start + self.hand.tip_time * self.tempo

    @cached_property
    def patience_end(self) -> float:
        """When the hand turns over a cup that has not emptied [s]."""
        return self.tip_end + self.hand.patience

    @cached_property
    def centre_height(self) -> float:
        """Height of the cup's centre such that its lowest point ever is the hold's height [m]."""
        tips = [pi * k / 90.0 for k in range(91) if pi * k / 90.0 < self.hand.tip_angle]
        shaken = self._reach(0.0) + self.hand.shake_up
        tipped = max(self._reach(tip) for tip in (*tips, self.hand.tip_angle, pi))
        return self.hand.lip_height + max(shaken, tipped)

    def pose(self, time: float) -> Pose:
        """Return the position [m] and quaternion of the cup's frame in the world at `time` [s].

        Plain floats: this is asked at every step, where small arrays cost more than the physics
        of a Piggle.
        """
        if self.tip_end < time < self.patience_end:
            return self._tipped
        return self._pose(time)

    @cached_property
    def _tipped(self) -> Pose:
        """The pose in which the hand waits for the cup to empty."""
        return self._pose(self.tip_end)

    def _pose(self, time: float) -> Pose:
        u = _smooth((time - self.tip_start) / (self.tip_end - self.tip_start))
        back = self.hand.start_back + u * (self.hand.end_back - self.hand.start_back)
        across, along, up = self._shake(time)
        x, y = self.across + across, along - back
        heading = self.heading
        if self.seat is Seat.B:
            # The thrower opposite does the same, seen from the other side of the table.
            x, y, heading = -x, -y, heading + pi
        tip = -self._tip(u, time) / 2.0
        ch, sh, ct, st = cos(heading / 2.0), sin(heading / 2.0), cos(tip), sin(tip)
        return (x, y, self.centre_height + up), (ch * st, sh * st, sh * ct, ch * ct)

    def _tip(self, u: float, time: float) -> float:
        """Return the angle [rad] between the cup's axis and the vertical, `u` of the tip done."""
        more = _smooth((time - self.patience_end) / _EMPTYING_TIME)
        return self.hand.tip_angle * u + (pi - self.hand.tip_angle) * more

    def _shake(self, time: float) -> tuple[float, float, float]:
        """Return the shake's displacement [m] in the thrower's view."""
        swell = _smooth(time / _RAMP) * _smooth((self.tip_start - time) / _RAMP)
        if swell == 0.0:
            return 0.0, 0.0, 0.0
        turn = 2.0 * pi * self.hand.shake_frequency * time / self.tempo + self.phase
        return (
            swell * self.hand.shake_across * sin(turn),
            swell * self.hand.shake_along * cos(turn),
            swell * self.hand.shake_up * sin(2.0 * turn),
        )

    def _reach(self, tip: float) -> float:
        """Return how far below its centre the cup reaches at that tip [m]."""
        half = self.cup.depth / 2.0
        floor_end, mouth_end = (half + self.cup.wall) * cos(tip), -half * cos(tip)
        return max(floor_end, mouth_end) + self.cup.outer_radius * abs(sin(tip))
