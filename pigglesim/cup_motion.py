"""Motion of the cup in a pour: shaken, tipped, and turned over if it does not empty.

The cup is moved as the numbers of a scene's hand say, or along the samples of a person's own hand.
The path is plain arithmetic on numbers, so that compiled code can use it too.
"""

from math import pi, sqrt
from typing import Any, NamedTuple, TypeAlias

from pigglesim.descent import Placed
from pigglesim.hand_throw import RATE
from pigglesim.trig import sin_cos

Pose = tuple[tuple[float, float, float], tuple[float, float, float, float]]
"""A position [m] and a quaternion (x, y, z, w)."""

WALLS = 12
"""Number of flat walls that stand for a round cup."""
PEAK = 15.0 / 8.0
"""Peak of the derivative of `smooth`: the greatest speed of a motion over its mean speed."""
_RAMP = 0.05
"""Time over which the shake grows and fades [s]: without it the first step would be an impact."""
_EMPTYING_TIME = 0.25
"""Time in which an impatient hand turns the cup upside down [s]."""
_SMALL = 1e-9
"""Tilt below which a cup stands upright [rad]."""

Samples: TypeAlias = Any
"""Samples of a path: position [m] and tilt [rad] as in `HandThrow`, shape [sample_count, 5]."""


class CupMotion(NamedTuple):
    """The numbers of a path, for `cup_pose`."""

    sign: float
    """1 for seat A and -1 for seat B, whose motion is the same, seen from the other side."""
    across: float
    """Distance of its centre to the thrower's right when it is fully tipped [m]."""
    heading: float
    """Direction of the tip in the world, counter-clockwise from North [rad]."""
    centre_height: float
    """Height of the cup's centre, but for the shake [m]."""
    start_back: float
    """Distance of its centre behind the centre line while it is shaken [m]."""
    end_back: float
    """The same when it is fully tipped [m]."""
    slip: float
    """Distance that it moves to the right while it is tipped [m]."""
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
    samples: Samples
    """Path of a person's hand, to which of the numbers above only `sign` and `patience_end` apply;
    without samples, the path is that of the numbers."""


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
    if len(motion.samples) > 0:
        return _sampled_pose(motion, time)
    u = smooth((time - motion.tip_start) / (motion.tip_end - motion.tip_start))
    x = motion.across - (1.0 - u) * motion.slip
    y = u * (motion.start_back - motion.end_back) - motion.start_back
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


def _sampled_pose(motion: CupMotion, time: float) -> Placed:
    """Return the pose of a cup in a person's hand, a quadratic B-spline of its samples.

    With s from -1/2 to 1/2 between the halves of the way to the samples before and after, the
    weights of the three are (1/2 - s)^2 / 2, 3/4 - s^2 and (1/2 + s)^2 / 2.
    """
    last = len(motion.samples) - 1
    nearest = int(time * RATE + 0.5)
    s = time * RATE - nearest
    before = motion.samples[min(max(nearest - 1, 0), last)]
    at = motion.samples[min(nearest, last)]
    after = motion.samples[min(nearest + 1, last)]
    a, c = 0.5 * (0.5 - s) * (0.5 - s), 0.5 * (0.5 + s) * (0.5 + s)
    b = 0.75 - s * s
    x = a * before[0] + b * at[0] + c * after[0]
    y = a * before[1] + b * at[1] + c * after[1]
    z = a * before[2] + b * at[2] + c * after[2]
    tilt_x = a * before[3] + b * at[3] + c * after[3]
    tilt_y = a * before[4] + b * at[4] + c * after[4]
    tilt = sqrt(tilt_x * tilt_x + tilt_y * tilt_y)
    turned = tilt
    if tilt > _SMALL:
        tilt_x, tilt_y = tilt_x / tilt, tilt_y / tilt
    else:
        # Straight ahead, as seen by the thrower.
        tilt_x, tilt_y = -motion.sign, 0.0
    # A hand turns over a cup that has not emptied.
    emptying = smooth((time - last / RATE - motion.patience_end) / _EMPTYING_TIME)
    if tilt < pi:
        turned = tilt + (pi - tilt) * emptying
    sine, cosine = sin_cos(0.5 * turned)
    return x, y, z, tilt_x * sine, tilt_y * sine, 0.0, cosine
