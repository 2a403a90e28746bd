"""When a die's class is certain, long before the die lies still.

On a passive floor energy only falls, and standing on direction n of its frame a die's centre can
be no lower than h(n). So the die can reach only directions with h below its energy as a height,
E / (m g). Once that lies below every saddle of h that leads out of its basin to another class,
the class is certain, however the die goes on to rock. Saddles come from `shapes/support`.
"""

from collections.abc import Sequence

from pigglesim.physics.engine import Motion
from pigglesim.shapes.support import SupportFunction

__all__ = ["MARGIN", "Decision"]

MARGIN = 1e-4
"""How far the height of a die's energy may rise again by faults of the engine [m]: overlaps are
pushed apart and a step is not a moment. Measured on drops of several bodies, see the tests."""


class Decision:
    """The heights of energy below which each class is certain.

    Args:
        support: The die's support function.
        classes: The class of each of its poses, compared by equality.
        margin: What the energy may rise by [m].
    """

    def __init__(
        self, support: SupportFunction, classes: Sequence[object], *, margin: float = MARGIN
    ) -> None:
        self._support = support
        self._below = [height - margin for height in support.decided_below(classes)]
        self._highest = max(self._below)

    def pose(self, motion: Motion) -> int | None:
        """Return a pose of the class that is certain now, or None while none is.

        The class is certain, the pose within it may still change.
        """
        energy = motion.height + motion.climb
        if energy >= self._highest:
            return None
        pose = self._support.descend(motion.down)
        return pose if energy < self._below[pose] else None
