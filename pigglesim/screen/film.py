"""A roll as it was watched: kept while physics runs, shown afterwards at its own speed."""

from bisect import bisect_right

from pigglesim.physics.simulate import Moment

__all__ = ["Film"]

_STILL = 0.001
"""What moves by less is not seen [m]."""
_AFTER = 0.25
"""How long the end is shown [s]."""


class Film:
    """The moments of one roll."""

    def __init__(self) -> None:
        self._moments: list[Moment] = []
        self._starts = 0.0

    def keep(self, moment: Moment) -> None:
        """Add a moment; one that begins again at 0 follows what was there."""
        last = self._moments[-1].time if self._moments else 0.0
        if self._starts + moment.time < last:
            self._starts = last
        self._moments.append(
            Moment(time=self._starts + moment.time, places=moment.places, cup=moment.cup)
        )

    def clear(self) -> None:
        """Forget everything, before the next roll."""
        self._moments, self._starts = [], 0.0

    @property
    def bodies(self) -> int:
        """How many bodies are seen; 0 of a film without a moment."""
        return len(self._moments[0].places) if self._moments else 0

    @property
    def length(self) -> float:
        """How long there is anything to see [s]."""
        if not self._moments:
            return 0.0
        last = self._moments[-1]
        moving = (
            moment.time
            for moment in reversed(self._moments)
            if moment.cup is not None or _apart(moment, last) > _STILL
        )
        return next(moving, 0.0) + _AFTER

    def at(self, time: float) -> Moment:
        """Return the moment that is seen at a time [s]: the last one that has come.

        Raises:
            IndexError: If there is none at all.
        """
        index = bisect_right(self._moments, time, key=lambda moment: moment.time)
        return self._moments[max(index - 1, 0)]


def _apart(first: Moment, second: Moment) -> float:
    """Return how far any body moved between two moments, along any one axis [m]."""
    return max(
        (
            abs(a - b)
            for was, now in zip(first.places, second.places, strict=True)
            for a, b in zip(was.position, now.position, strict=True)
        ),
        default=0.0,
    )
