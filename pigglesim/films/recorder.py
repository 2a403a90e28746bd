"""Makes a film of a roll while physics steps it, without changing a bit of it."""

from collections.abc import Mapping, Sequence

import numpy as np

from pigglesim.films.film import Actor, Film, Frames, Impact
from pigglesim.games.game import JSON
from pigglesim.physics.simulate import Moment
from pigglesim.rolls import Knock, Landing, RestPlace
from pigglesim.spatial import Array

__all__ = ["Recorder"]

_NO_CUP = ((np.nan,) * 3, (np.nan,) * 4)


class Recorder:
    """Keeps the moments of one roll.

    Every step is kept: between 50 of them a second, as between any two poses that far apart, a
    straight line would lead 10 mm past a bounce and 45 degrees past a turn, and at a sixteenth of
    its speed a roll would be seen to float.
    """

    def __init__(self) -> None:
        self._moments: list[Moment] = []
        self._times: list[float] = []
        self._began = 0.0
        self._touched: dict[int, tuple[float, int]] = {}

    def keep(self, moment: Moment) -> None:
        """Add a moment; one that begins again at 0 follows what was there."""
        if self._moments and moment.time < self._moments[-1].time:
            self._began = self._times[-1]
        time = self._began + moment.time
        if self._times and time == self._times[-1]:
            # Where a nudge sets in, all stands as it was read, not as it was left.
            self._moments.pop()
            self._times.pop()
        self._moments.append(moment)
        self._times.append(time)
        first = len(moment.places) - len(moment.strikers)
        for struck, striker in enumerate(moment.strikers, start=first):
            if striker not in {None, struck} and struck not in self._touched:
                assert striker is not None
                self._touched[struck] = (time, striker)

    def film(
        self,
        actors: Sequence[Actor],
        readings: Sequence[tuple[str, Landing]],
        *,
        scene: str,
        knocks: tuple[Knock, ...] = (),
        origin: Mapping[str, JSON],
    ) -> Film:
        """Return the film of what was kept; it ends with all as it was read.

        Where nothing was kept, as of a Piggle set down by hand, it is one frame: the end.

        Args:
            actors: Every body, those rolled first.
            readings: How each came to lie, by name, with its place.
            scene: Id of the scene.
            knocks: Who was knocked.
            origin: What rolls the same again.
        """
        ends = dict(readings)
        names = [actor.name for actor in actors]
        last = Moment(time=0.0, places=tuple(_place(ends[name]) for name in names), cup=None)
        return Film(
            scene=scene,
            actors=tuple(actors),
            frames=_frames([*self._moments[:-1], last], self._times or [0.0]),
            readings=tuple(readings),
            knocks=knocks,
            impacts=tuple(
                Impact(time=time, struck=names[struck], by=names[striker])
                for struck, (time, striker) in self._touched.items()
                if actors[struck].standing
            ),
            origin=dict(origin),
        )


def _place(landing: Landing) -> RestPlace:
    assert landing.place is not None, "physics has made it"
    return landing.place


def _frames(moments: Sequence[Moment], times: Sequence[float]) -> Frames:
    count, bodies = len(moments), len(moments[0].places)
    cups = [_NO_CUP if moment.cup is None else moment.cup for moment in moments]
    return Frames(
        times=np.array(times),
        positions=_array(
            [place.position for moment in moments for place in moment.places], count, bodies, 3
        ),
        orientations=_array(
            [place.orientation for moment in moments for place in moment.places], count, bodies, 4
        ),
        cup_positions=_array([position for position, _ in cups], count, 3),
        cup_orientations=_array([orientation for _, orientation in cups], count, 4),
    )


def _array(rows: Sequence[tuple[float, ...]], *shape: int) -> Array:
    return np.array(rows, dtype=float).reshape(shape)
