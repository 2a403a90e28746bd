"""When a die's class is certain, long before the die lies still.

On a passive floor energy only falls, and standing on direction n of its frame a die's centre can
be no lower than h(n). So the die can reach only directions with h below its energy as a height,
E / (m g). Once that lies below every saddle of h that leads out of its basin to another class,
the class is certain, however the die goes on to rock. Saddles come from `shapes/support`.
"""

from collections.abc import Sequence
from math import sqrt

from pigglesim.physics.engine import Motion
from pigglesim.scene.scene import GRAVITY
from pigglesim.shapes.support import SupportFunction

__all__ = ["MARGIN", "Decision", "creep"]

MARGIN = 1e-4
"""How far the height of a die's energy may creep up again while overlaps are pushed apart [m]."""
_OVERLAP = 2.0
"""The way of a corner is at most about twice that of the same energy in pure flight."""


def creep(overlap_time: float) -> float:
    """Return what overlaps may add to the energy as a height, for each root of a metre of climb.

    Args:
        overlap_time: A corner is found below the floor by up to its way in this time [s].
    """
    return _OVERLAP * overlap_time * sqrt(2.0 * GRAVITY)


class Decision:
    """The heights of energy below which each class is certain.

    Args:
        support: The die's support function.
        classes: The class of each of its poses, compared by equality.
        overlap_time: A corner is found below the floor by up to its way in this time [s].
        margin: What the energy may rise by at rest [m].
    """

    def __init__(
        self,
        support: SupportFunction,
        classes: Sequence[object],
        *,
        overlap_time: float,
        margin: float = MARGIN,
    ) -> None:
        self._support = support
        self.below = [height - margin for height in support.decided_below(classes)]
        """Height of energy below which the class of each pose is certain [m]."""
        self.highest = max(self.below)
        """No class is certain while the energy as a height is above this [m]."""
        self._creep = creep(overlap_time)

    def judge(self, motion: Motion) -> tuple[int | None, float]:
        """Return a pose of the class that is certain now, or None, and when to look again.

        The class is certain, the pose within it may still change. It may be certain as soon as
        the energy is below the height returned [m], or the die has come to another basin.
        """
        energy = motion.climb + self._creep * motion.climb**0.5
        if motion.height + energy >= self.highest:
            return None, self.highest
        # A die that has sunk into the floor will be lifted out of it.
        height = max(motion.height, self._support.height(motion.down))
        if height + energy >= self.highest:
            return None, self.highest - (height - motion.height)
        pose = self._support.descend(motion.down)
        level = self.below[pose]
        return (pose if height + energy < level else None), level - (height - motion.height)
