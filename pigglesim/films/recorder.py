"""Makes a film of a roll while physics steps it, without changing a bit of it."""

from array import array
from collections.abc import Mapping, Sequence
from math import inf, nan

import numpy as np

from pigglesim.films.film import Film, FilmActor, Frames, Impact
from pigglesim.games.game import JSON
from pigglesim.landing import Knock, Landing, RestPlace
from pigglesim.physics.pour import Moment

_NUMBERS = 7
"""Numbers of a pose: three of the position, four of the rotation."""
_NO_CUP = ((nan,) * 3, (nan,) * 4)


class Recorder:
    """Keeps the moments of one roll.

    Every step is kept: between 50 of them a second, as between any two poses that far apart, a
    straight line would lead 10 mm past a bounce and 45 degrees past a turn, and at a sixteenth of
    its speed a roll would be seen to float.
    """

    def __init__(self) -> None:
        self._times: list[float] = []
        # Plain numbers: a hundred thousand small objects would keep the collector busy.
        self._bodies = array("d")
        self._cup = array("d")
        self._began = 0.0
        self._last = -inf
        """Time of the last moment, as physics reported it."""
        self._touched: dict[int, tuple[float, int]] = {}

    def keep(self, moment: Moment) -> None:
        """Add a moment; one that begins again at 0 follows what was there."""
        if moment.time < self._last:
            self._began = self._times[-1]
        self._last = moment.time
        time = self._began + moment.time
        if self._times and time == self._times[-1]:
            # Where a nudge sets in, all stands as it was read, not as it was left.
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
        """Return the film of what was kept; it ends with all as it was read.

        Where nothing was kept, as of a Piggle set down by hand, it is one frame: the end.

        Args:
            actors: Every body, those rolled first.
            ends: Where each was read to lie.
            scene: Id of the scene.
            readings: How each came to lie, by name.
            knocks: Who was knocked.
            origin: What rolls the same again.
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
