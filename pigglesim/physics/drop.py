"""Drops of a single die, from the hand to the pose at rest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique
from math import isfinite

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.support import SupportFunction
from pigglesim.errors import SpecError
from pigglesim.physics.early_stop import TIME_TOLERANCE, StopCriteria, certain_pose
from pigglesim.physics.engine import BatchFloor, DropResults, Engine, LostMotionError
from pigglesim.physics.stepping import energy_margin
from pigglesim.rotations import Array, transform
from pigglesim.scene.scene import Stepping, Surface
from pigglesim.throws import Drop, Drops

MARGIN = 1e-4
"""Largest rise of the energy as a height while overlaps are pushed apart [m]."""
_RECHECK_INTERVAL = 0.032
"""Time between two checks of a die that may have moved to another basin [s]."""


@unique
class DropEnding(Enum):
    """Reasons why a drop ended, in the order of `DropResults.endings`."""

    DECIDED = "decided"
    """Its energy no longer reached any other class."""
    DESCENDED = "descended"
    """It stopped tilted, held by rolling resistance; its pose is the end of a free descent."""
    TIMED_OUT = "timed out"
    """It still moved at the time limit: no pose."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DropResult:
    """The result of one drop."""

    pose: int | None
    """Index in the poses of the support function, correct up to its class; None if timed out."""
    ending: DropEnding
    """Reason why the drop ended."""
    time: float
    """Time from first contact with the floor to the end of stepping [s]."""
    down: Array
    """Unit vector down at that end, body frame, shape [3]."""


def expect_known_laws(engine: str, surface: Surface) -> None:
    """Raise SpecError if an engine does not support the laws of friction of a surface."""
    if engine != "impulse" and (surface.sliding_friction or surface.impact_stages > 1):
        raise SpecError(
            f"engine {engine} does not support sliding_friction and impact_stages",
            fix="use --engine impulse, or a floor without them",
        )


def expect_known_throw(engine: str, drops: Drops) -> None:
    """Raise SpecError if an engine supports only a level floor, and throws need more."""
    if engine != "impulse" and not drops.on_floor_alone:
        raise SpecError(
            f"engine {engine} does not support walls, turning boxes and catches",
            fix="use --engine impulse, or throw a drop",
        )


class Dropper:
    """Drops one kind of die on one floor.

    It is valid until the next world of the same engine is made in this process.

    Classes of poses are compared by equality. `margin` is the energy as a height that errors of
    the engine may add [m]; infinite to step every die to rest.
    """

    def __init__(
        self,
        body: Body,
        support: SupportFunction,
        classes: Sequence[object],
        *,
        surface: Surface,
        stepping: Stepping,
        engine: Engine,
        margin: float = MARGIN,
    ) -> None:
        expect_known_laws(engine.name, surface)
        self._support, self._engine = support, engine.name
        self.floor = engine.floor(body, surface, stepping)
        self._rest_time = stepping.rest_time
        certain_below = [height - margin for height in support.decided_below(classes)]
        self._criteria = StopCriteria(
            cells=support.cells,
            certain_below=certain_below,
            highest_certain=max(certain_below),
            energy_margin=energy_margin(self.floor.overlap_time),
            recheck_interval=_RECHECK_INTERVAL,
            time_limit=stepping.time_limit,
        )
        self._corners = np.array(support.cells.corners)

    @property
    def batch_criteria(self) -> StopCriteria:
        """Conditions that end a drop, with the arrays that a `BatchFloor` takes."""
        return self._criteria._replace(
            cells=self._support.cell_arrays,
            certain_below=np.array(self._criteria.certain_below),  # type: ignore[arg-type]
        )

    def drop_all(self, drops: Drops) -> DropResults:
        """Return the results of drops, in their order, each as if it were alone.

        Raises:
            SpecError: If the engine knows a level floor alone, and they need more.
        """
        if isinstance(self.floor, BatchFloor):
            ends = self.floor.drop_all(drops, self.batch_criteria)
            return ends if drops.catch_times is None else self._caught(ends)
        expect_known_throw(self._engine, drops)
        results = [self.drop(drop) for drop in drops]
        order = list(DropEnding)
        return DropResults(
            poses=np.array([-1 if one.pose is None else one.pose for one in results]),
            endings=np.array([order.index(one.ending) for one in results]),
            times=np.array([one.time for one in results]),
            downs=np.array([one.down for one in results]).reshape(-1, 3),
        )

    def _caught(self, results: DropResults) -> DropResults:
        """Return the results of dice that a hand has turned flat: to the nearest pose each."""
        nearness = transform(np.array([pose.down for pose in self._support.poses]), results.downs)
        poses = np.argmax(nearness, axis=1)
        return replace(results, poses=poses, endings=np.zeros_like(results.endings))

    def drop(self, drop: Drop) -> DropResult:
        """Step one die until its class is certain, it sleeps, or it reaches the time limit.

        Raises:
            LostMotionError: If the motion diverged, which MuJoCo does at hundreds of rad/s.
        """
        floor, criteria = self.floor, self._criteria
        floor.release(drop)
        time, span, below = 0.0, criteria.time_limit, criteria.highest_certain
        while True:
            time += floor.advance(span, stop_below=below)
            motion = floor.motion()
            if not isfinite(motion.energy_height):
                raise LostMotionError(self._engine, "a die")
            down = motion.down.tolist()
            vertex = int(np.argmax(transform(self._corners, motion.down)))
            pose, below = certain_pose(criteria, motion.height, motion.energy_height, down, vertex)
            ending, end = DropEnding.DECIDED, pose
            if pose < 0 and motion.still_time >= self._rest_time - TIME_TOLERANCE:
                ending, end = DropEnding.DESCENDED, self._support.descend(motion.down)
            elif pose < 0 and time >= criteria.time_limit - TIME_TOLERANCE:
                ending = DropEnding.TIMED_OUT
            elif pose < 0:
                span = min(criteria.recheck_interval, criteria.time_limit - time)
                continue
            return DropResult(
                pose=None if end < 0 else end, ending=ending, time=time, down=motion.down
            )
