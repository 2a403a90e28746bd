"""How the general engines step: worlds one step after another, floors with a look now and then."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from pigglesim.physics.engine import Motion
from pigglesim.physics.laws import sleep_energy_height
from pigglesim.scene.scene import Stepping
from pigglesim.throws.pour import Pose

_LOOK_INTERVAL = 0.008
"""Time between two looks at the motion [s]: a few times in a rebound, for little of the cost."""


class WorldSteps(ABC):
    """Takes one step at a time."""

    @abstractmethod
    def move_cup(self, pose: Pose) -> None:
        """Let the cup reach this pose at the end of the next step, pushing what it holds."""

    @abstractmethod
    def step(self) -> None:
        """Advance by one time step."""

    def advance(self, count: int) -> None:
        """Advance by some time steps; a cup stands still."""
        for _ in range(count):
            self.step()

    def advance_with_cup(self, poses: Iterable[Pose]) -> None:
        """Advance by a time step for each pose, which the cup reaches at its end."""
        for pose in poses:
            self.move_cup(pose)
            self.step()


class FloorSteps(ABC):
    """Steps a die, and looks at it now and then.

    Args:
        stepping: Time step, and what counts as rest.
    """

    def __init__(self, stepping: Stepping) -> None:
        self._stepping = stepping
        self._sleep_energy_height = sleep_energy_height(stepping)
        self.still_time = 0.0
        """How long the energy of the die has been that of rest [s]."""

    @property
    def overlap_time(self) -> float:
        """How long a vertex may move on below the floor before the engine resolves it [s]."""
        return self._stepping.time_step

    @abstractmethod
    def step(self, count: int) -> None:
        """Advance by some time steps."""

    @abstractmethod
    def motion(self) -> Motion:
        """Return height, energy and direction of the die."""

    def advance(self, time: float, *, stop_below: float) -> float:
        """Advance until the energy is below a height, the die sleeps, or by `time`."""
        step = self._stepping.time_step
        stride = max(1, round(_LOOK_INTERVAL / step))
        steps = 0
        while steps * step < time - step / 2.0:
            self.step(stride)
            steps += stride
            motion = self.motion()
            still = motion.energy_height <= self._sleep_energy_height
            self.still_time = self.still_time + stride * step if still else 0.0
            # Rounding of the sums of steps.
            if self.still_time >= self._stepping.rest_time - 1e-9:
                break
            if motion.height + motion.energy_height < stop_below:
                break
        return steps * step
