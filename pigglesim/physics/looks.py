"""Looks at a recorded throw, and the errors with which a hand repeats what they show.

A look is the state of one body in a frame of its motion, as a row of numbers.
"""

from math import pi
from typing import NamedTuple

TIME, BOUNCES, AFTER_BOUNCE = 0, 1, 2
"""Entries of a look: time [s], bounces so far, and 1 if it is the first look after a bounce."""
STATE = 3
"""First entry of the state, as in `impulse.state`, with the height of the centre of mass [m] at `Z`
and the angular velocity about world axes [rad/s] from `LX` on."""
LOOK_SIZE = STATE + 14
"""Number of entries of a look."""
MAX_LOOKS = 512
"""Maximum looks at one body; later ones are left out, but for that at rest."""
DISPLACEMENT_SIZE = 10
"""Normal numbers that displace a copy: of height, rotation, velocity and angular velocity."""


class LookParams(NamedTuple):
    """What is known of a body and of its table when it is looked at."""

    turn: tuple[float, float, float, float]
    """Unit quaternion from principal to body axes."""
    reach: float
    """Distance from its centre of mass to its farthest point [m]."""
    cup_radius: float
    """Inner radius of the cup [m]."""
    cup_half_depth: float
    """Half the depth of the cup [m]."""
    rest_distance: float
    """Distance from its last place within which it visibly rests [m]."""
    rest_cosine: float
    """Cosine of half the angle within which it does."""
    gravity: float
    """Acceleration of gravity [m/s2]."""


class HandError(NamedTuple):
    """How exactly a hand sets a body: standard deviations of each component. Assumed."""

    position: float = 0.001
    """Error of the height [m]."""
    angle: float = 2.0 * pi / 180.0
    """Error of the rotation about each axis [rad]."""
    speed: float = 0.02
    """Error of the velocity, as a share of the speed: a faster hand is less exact."""
    spin: float = 0.05
    """Error of the angular velocity, as a share of its length."""

    def times(self, factor: float) -> "HandError":
        """Return all errors multiplied by a factor."""
        return HandError(*(factor * value for value in self))
