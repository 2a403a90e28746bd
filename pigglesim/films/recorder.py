"""Film recorder of a roll during its simulation, without any effect on the result."""

from array import array
from collections.abc import Mapping, Sequence
from math import inf, nan

import numpy as np

from pigglesim.films.film import Film, FilmActor, Frames, Impact
from pigglesim.games.game import JSON
from pigglesim.landing import Knock, Landing, RestPlace
from pigglesim.physics.pour import Moment

_NUMBERS = 7
"""Numbers per transform: three of the position, four of the rotation."""
_NO_CUP = ((nan,) * 3, (nan,) * 4)


class Recorder:
    """Recorder of all steps of one roll.

    Every step is stored. With only 50 steps per second, linear interpolation would be wrong by up
    to 10 mm at a bounce and 45 degrees in a rotation. At a sixteenth of its speed a roll would
    then seem to float.
    """

    def __init__(self) -> None:
        self._times: list[float] = []
        # Plain numbers: a hundred thousand small objects would slow down garbage collection.
        self._bodies = array("d")
        self._cup = array("d")
        self._began = 0.0
        self._last = -inf
        """Time of the last moment, as physics reported it."""
        self._touched: dict[int, tuple[float, int]] = {}

    def keep(self, moment: Moment) -> None:
        """Add a moment; a time that restarts at 0 continues after the previous moments."""
        if moment.time < self._last:
            self._began = self._times[-1]
        self._last = moment.time
        time = self._began + moment.time
        if self._times and time == self._times[-1]:
            # At the start of a nudge, the transforms as read replace those of the last step.
            self._drop_last(len(moment.places))
        self._times.append(time)
        for place in moment.places:
            self._bodies.extend(place.position)
            self._bodies.extend(place.rotation)
        for part in moment.cup or _NO_CUP:
            self._cup.extend(part)
        first = len(moment.places) - len(moment.strikers)
        for struck, striker in enumerate(moment.strikers, start=first):
            if striker not in {None, struck} and struck not in self._touched:
                assert striker is not None
                self._touched[struck] = (time, striker)

    def _drop_last(self, bodies: int) -> None:
        self._times.pop()
        del self._bodies[-_NUMBERS * bodies :]
        del self._cup[-_NUMBERS:]

    def film(
        self,
        actors: Sequence[FilmActor],
        ends: Sequence[RestPlace],
        *,
        scene: str,
        readings: Sequence[tuple[str, Landing]] = (),
        knocks: tuple[Knock, ...] = (),
        origin: Mapping[str, JSON],
    ) -> Film:
        """Return the film of the stored moments; it ends with the transforms as read.

        Without moments, as for a Piggle set down by hand, it is a single frame: the end.

        Args:
            actors: All bodies, the rolled ones first.
            ends: Position and rotation of each body, as read.
            scene: Id of the scene.
            readings: Landing of each body, by name.
            knocks: Knocked bodies.
            origin: Arguments that reproduce the roll.
        """
        names = [actor.name for actor in actors]
        self.keep(Moment(time=max(self._last, 0.0), places=tuple(ends), cup=None))
        return Film(
            scene=scene,
            actors=tuple(actors),
            frames=self._frames(len(actors)),
            readings=tuple(readings),
            knocks=knocks,
            impacts=tuple(
                Impact(time=time, struck=names[struck], by=names[striker])
                for struck, (time, striker) in self._touched.items()
                if actors[struck].standing
            ),
            origin=dict(origin),
        )

    def _frames(self, bodies: int) -> Frames:
        count = len(self._times)
        poses = np.array(self._bodies).reshape(count, bodies, _NUMBERS)
        cup = np.array(self._cup).reshape(count, _NUMBERS)
        return Frames(
            times=np.array(self._times),
            positions=poses[:, :, :3].copy(),
            rotations=poses[:, :, 3:].copy(),
            cup_positions=cup[:, :3].copy(),
            cup_rotations=cup[:, 3:].copy(),
        )
