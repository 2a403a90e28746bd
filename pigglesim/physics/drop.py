"""A single die from the hand to the pose it comes to lie in."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique

import numpy as np

from pigglesim.physics.decide import MARGIN, Decision
from pigglesim.physics.engine import Ends, FloorEngine, Levels, WholeDrops
from pigglesim.scene.floor import Surface
from pigglesim.scene.scene import Stepping
from pigglesim.shapes.body import Body
from pigglesim.shapes.support import SupportFunction
from pigglesim.spatial import Array
from pigglesim.throws.drop import Drop, Drops

__all__ = ["Dropper", "Ending", "Fallen"]

_SPAN = 0.032
"""How long a die is left alone that may have come to another basin [s]."""
_ROUNDING = 1e-9
"""What sums of steps may miss [s]."""


@unique
class Ending(Enum):
    """How the pose of a die came to be known, in the order of `Ends.endings`."""

    DECIDED = "decided"
    """Its energy no longer reached any other class."""
    DESCENDED = "descended"
    """It stopped leaning, held by rolling resistance; from there the pose is that of a free
    descent."""
    TIMED_OUT = "timed out"
    """It still moved when time was up: no pose."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fallen:
    """What became of one drop."""

    pose: int | None
    """Index in the poses of the support function, right up to its class; None if time was up."""
    ending: Ending
    time: float
    """From the first meeting with the floor to the end of stepping [s]."""
    down: Array
    """Unit vector of the body frame that pointed to the floor at that end, shape [3]."""


class Dropper:
    """Drops one kind of die on one floor.

    It is valid until the next world of the same engine is made in this process.

    Args:
        body: The die.
        support: Its support function.
        classes: The class of each of its poses; what is not told apart may share one.
        surface: How die and floor act on each other.
        stepping: How finely time is cut.
        engine: What steps it.
        margin: What the engine's faults may add to the height of the energy [m]; infinite to
            step every die to rest.
    """

    def __init__(
        self,
        body: Body,
        support: SupportFunction,
        classes: Sequence[object],
        *,
        surface: Surface,
        stepping: Stepping,
        engine: FloorEngine,
        margin: float = MARGIN,
    ) -> None:
        self._support = support
        self._world = engine.floor(body, surface, stepping)
        self._decision = Decision(
            support, classes, overlap_time=self._world.overlap_time, margin=margin
        )
        self._stepping = stepping
        self._levels = Levels(
            below=tuple(self._decision.below), span=_SPAN, limit=stepping.time_limit
        )

    def drop_all(self, drops: Drops) -> Ends:
        """Return what becomes of each drop, in their order: each as if it were alone."""
        if isinstance(self._world, WholeDrops):
            return self._world.settle_all(drops, self._support, self._levels)
        fallen = [self.drop(drop) for drop in drops]
        order = list(Ending)
        return Ends(
            poses=np.array([-1 if one.pose is None else one.pose for one in fallen]),
            endings=np.array([order.index(one.ending) for one in fallen]),
            times=np.array([one.time for one in fallen]),
            downs=np.array([one.down for one in fallen]).reshape(-1, 3),
        )

    def drop(self, drop: Drop) -> Fallen:
        """Step one die until its class is certain, it lies still, or time is up."""
        world, stepping = self._world, self._stepping
        world.release(drop)
        time, span = 0.0, stepping.time_limit
        below = self._decision.highest
        while True:
            time += world.advance(span, below=below)
            motion = world.motion()
            pose, below = self._decision.judge(motion)
            if pose is not None:
                return Fallen(pose=pose, ending=Ending.DECIDED, time=time, down=motion.down)
            if motion.quiet >= stepping.rest_time - _ROUNDING:
                pose = self._support.descend(motion.down)
                return Fallen(pose=pose, ending=Ending.DESCENDED, time=time, down=motion.down)
            if time >= stepping.time_limit - _ROUNDING:
                return Fallen(pose=None, ending=Ending.TIMED_OUT, time=time, down=motion.down)
            span = min(_SPAN, stepping.time_limit - time)
