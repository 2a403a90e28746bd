"""When a die's class is certain, long before the die lies still.

On a passive floor energy only falls, and standing on direction n of its frame a die's centre can
be no lower than h(n). So the die can reach only directions with h below its energy as a height,
E / (m g). Once that lies below every saddle of h that leads out of its basin to another class,
the class is certain, however the die goes on to rock. Saddles come from `shapes/support`.
"""

from collections.abc import Sequence

from pigglesim.physics.engine import Motion
from pigglesim.scene.scene import GRAVITY
from pigglesim.shapes.support import SupportFunction

__all__ = ["MARGIN", "Decision"]

MARGIN = 1e-4
"""How far the height of a die's energy may creep up again while overlaps are pushed apart [m]."""
_OVERLAP = 2.0
"""A step finds a corner below the floor by up to its way in that step, and no stop is sooner. The
way of a corner is at most about twice that of the same energy in pure flight."""


class Decision:
    """The heights of energy below which each class is certain.

    Args:
        support: The die's support function.
        classes: The class of each of its poses, compared by equality.
        time_step: Of the engine [s].
        margin: What the energy may rise by at rest [m].
    """

    def __init__(
        self,
        support: SupportFunction,
        classes: Sequence[object],
        *,
        time_step: float,
        margin: float = MARGIN,
    ) -> None:
        self._support = support
        self._below = [height - margin for height in support.decided_below(classes)]
        self._highest = max(self._below)
        self._reach = _OVERLAP * time_step * (2.0 * GRAVITY) ** 0.5

    def pose(self, motion: Motion) -> int | None:
        """Return a pose of the class that is certain now, or None while none is.

        The class is certain, the pose within it may still change.
        """
        energy = motion.climb + self._reach * motion.climb**0.5
        if motion.height + energy >= self._highest:
            return None
        # A die that has sunk into the floor will be lifted out of it.
        height = max(motion.height, self._support.height(motion.down))
        if height + energy >= self._highest:
            return None
        pose = self._support.descend(motion.down)
        return pose if height + energy < self._below[pose] else None
