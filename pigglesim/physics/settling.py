"""Criteria by which a throw proceeds, for the driver of any engine and for the compiled throw."""

from math import copysign

from pigglesim.cup_motion import CupMotion, cup_pose
from pigglesim.descent import Placed

CONTACT_DISTANCE = 5e-5
"""Distance within which bodies at rest touch [m]; overlaps are closed to the same precision."""
SLOW_ENERGY_HEIGHT = 2e-5
"""Kinetic energy, as a height, below which a body is slow [m]: before it rests, it slides at most
some hundredths of a millimetre."""
SLOW_SPIN = 1.0
"""Angular speed below which a body is slow [rad/s]: less than half of that energy in a Piggle."""
FADE_STAGES = 10
"""Number of equal steps in which rolling resistance fades."""
FADE_DAMPING = 20.0
"""Damping while rolling resistance fades [1/s]: without it a body on a round rim keeps rocking."""
STEPS_PER_SETTLE_CHECK = 4
"""Steps between two checks for bodies that are still."""
STEPS_PER_CUP_CHECK = 2
"""Steps between two checks for bodies that are clear of the cup."""
MAX_SPEED = 3.0
"""Upper bound on the speed of bodies that have left the cup [m/s]."""
MAX_BLIND_STEPS = 8
"""Maximum steps between two checks of distances, however large they are."""
UNSTICK_SPIN = 1.5
"""Angular speed that pushes a body out of a shallow equilibrium [rad/s]: 10 micrometres of height.
"""
MAX_PUSHES = 12
"""Maximum number of such pushes of a body."""
NEAR = 0.006
"""Gap below which bounding spheres are near [m]. A body at 3 m/s covers it in one step of 2 ms, so
a sleeping body is awake before it is struck."""
ROUNDING = 1e-9
"""Rounding of a sum of steps [s]."""
WITHDRAW_TIME = 0.3
"""Time for which the empty cup stays in the world [s]."""
_WITHDRAW_SPEED = 1.0
"""Speed at which the empty cup is withdrawn [m/s]."""


def withdrawn_pose(motion: CupMotion, emptied_at: float, time: float) -> Placed:
    """Return the pose of the empty cup, on its way up and back over the thrower's half.

    `emptied_at` is the time at which the last body had left it [s].
    """
    x, y, z, qx, qy, qz, qw = cup_pose(motion, emptied_at)
    since = time - emptied_at
    # From rest to full speed within the time, so that the hand does not jerk.
    way = _WITHDRAW_SPEED * since * since / (2.0 * WITHDRAW_TIME)
    return x, y + copysign(way, y), z + way, qx, qy, qz, qw
