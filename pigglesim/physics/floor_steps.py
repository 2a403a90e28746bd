"""How a floor of a general engine advances: some steps, a look at the motion, some more."""

from abc import ABC, abstractmethod

from pigglesim.physics.engine import Motion
from pigglesim.physics.laws import still_climb
from pigglesim.scene.scene import Stepping

__all__ = ["FloorSteps"]

_LOOK_TIME = 0.008
"""How often the motion is looked at [s]: a few times in a rebound, for little of the cost."""


class FloorSteps(ABC):
    """Steps a die, and looks at it now and then.

    Args:
        stepping: How finely time is cut, and what counts as rest.
    """

    def __init__(self, stepping: Stepping) -> None:
        self._stepping = stepping
        self._still = still_climb(stepping)
        self.quiet = 0.0
        """How long the die has been still [s]."""

    @property
    def overlap_time(self) -> float:
        """How long a corner may move on below the floor before it is met [s]."""
        return self._stepping.time_step

    @abstractmethod
    def step(self, count: int) -> None:
        """Advance by some time steps."""

    @abstractmethod
    def motion(self) -> Motion:
        """Return how the die stands and how much it could still climb."""

    def advance(self, time: float, *, below: float) -> float:
        """Advance until the energy is below a height, all is quiet, or by `time`."""
        step = self._stepping.time_step
        stride = max(1, round(_LOOK_TIME / step))
        steps = 0
        while steps * step < time - step / 2.0:
            self.step(stride)
            steps += stride
            motion = self.motion()
            self.quiet = self.quiet + stride * step if motion.climb <= self._still else 0.0
            # Rounding of the sums of steps.
            if self.quiet >= self._stepping.rest_time - 1e-9:
                break
            if motion.height + motion.climb < below:
                break
        return steps * step
