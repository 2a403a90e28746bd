"""Worlds of the general engines: several steps, one after another."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from pigglesim.throws.cup_path import Pose

__all__ = ["WorldSteps"]


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
