"""Bodies in a cup that a person shakes: stepped along with the hand, before its path has an end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import Pose
from pigglesim.hand_throw import RATE, HandThrow, Sample
from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Engine, Mode
from pigglesim.throws import Pour


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaken:
    """A cup and the bodies in it at one moment."""

    time: float
    """Time since the path began [s]."""
    cup: Pose
    places: tuple[RestPlace, ...]
    """Position and rotation of each body, in the order of the throw."""


class Shaking:
    """Bodies in a cup whose path grows; its moments are those of the throw by the whole path.

    Args:
        pour: Table and seat.
        bodies: Bodies in the cup.
        begun: Throw with the places in the cup and the first samples of the path.
        engine: Engine that simulates the throw, too.
    """

    def __init__(
        self, pour: Pour, bodies: tuple[Body, ...], begun: HandThrow, *, engine: Engine
    ) -> None:
        self._pour, self._begun, self._count, self._steps = pour, begun, len(bodies), 0
        throw = pour.begun(bodies, begun)
        self._cup, self._world = throw.path.pose(0.0), engine.world(pour.scene)
        for body, position, turn in zip(bodies, throw.positions, throw.rotations, strict=True):
            (x, y, z), (qx, qy, qz, qw) = position.tolist(), turn.tolist()
            place = RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))
            self._world.add_body(body, place, Mode.IN_CUP)
        self._world.add_cup(self._cup)

    def follow(self, samples: Sequence[Sample]) -> Shaken:
        """Step as far as the path is known, and return that moment."""
        path = self._pour.hand_path(replace(self._begun, samples=tuple(samples)))
        step = self._pour.scene.stepping.time_step
        # A pose needs the sample after the nearest.
        known = int((len(samples) - 1.5) / RATE / step)
        poses = [path.pose(k * step + step) for k in range(self._steps, known)]
        if poses:
            self._world.advance_with_cup(poses)
            self._steps, self._cup = known, poses[-1]
        places = tuple(self._world.place(number) for number in range(self._count))
        return Shaken(time=self._steps * step, cup=self._cup, places=places)
