"""The clock of every player of films: what time of the film it is, whatever was pressed.

It asks no clock: each command is told what time it is outside. The time of the film is reckoned
from the last command, not added up picture by picture, so it cannot drift.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from math import isfinite

from pigglesim.errors import SpecError
from pigglesim.films.film import Film

SPEEDS = tuple(2.0**power for power in range(-4, 4))
"""Speeds from a sixteenth of real time to eight times as fast."""

_PICTURE = 1 / 50
"""Length of a step, as it would be watched [s]."""
_SAME = 1e-9
"""Times nearer than this are the same [s]."""
_GRACE = 0.5
"""Time after a mark, as watched [s], in which one goes back to the mark before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmPlayback:
    """A film that is being played, or stands still; every command gives the playback after it.

    `now` is the time outside, of any clock that only goes forward [s].
    """

    film: Film
    speed: float = 1.0
    """One of `SPEEDS`."""
    playing: bool = False
    """Whether time goes on; without `loop` only to the end."""
    loop: bool = False
    """Whether the beginning follows the end."""
    mark_time: float = 0.0
    """Time of the film at the last command [s]."""
    mark_now: float = 0.0
    """Time outside at the last command [s]."""

    def __post_init__(self) -> None:
        if self.speed not in SPEEDS:
            raise SpecError(
                f"a speed that is a power of two from {SPEEDS[0]} to {SPEEDS[-1]}",
                got=str(self.speed),
                remedy="1, 0.5 or 2",
            )
        if not (isfinite(self.mark_time) and isfinite(self.mark_now)):
            raise SpecError(
                "finite times",
                got=f"{self.mark_time} in the film, {self.mark_now} outside",
                remedy=f"{self.film.start} to {self.film.end}",
            )

    @classmethod
    def begin(
        cls, film: Film, *, now: float, speed: float = 1.0, loop: bool = False
    ) -> "FilmPlayback":
        """Return a film that plays from its beginning.

        Raises:
            SpecError: If the speed is none of `SPEEDS`, or `now` is not finite.
        """
        return cls(
            film=film, speed=speed, playing=True, loop=loop, mark_time=film.start, mark_now=now
        )

    def time(self, now: float) -> float:
        """Return what time of the film it is [s]."""
        begin, end = self.film.start, self.film.end
        time = self.mark_time
        if self.playing:
            time += max(now - self.mark_now, 0.0) * self.speed
        if time >= end and self.playing and self.loop and end > begin:
            return begin + (time - begin) % (end - begin)
        return min(max(time, begin), end)

    def over(self, now: float) -> bool:
        """Whether the end has come, and nothing follows it."""
        return self.time(now) >= self.film.end and not (self.playing and self.loop)

    # Going on and standing still.

    def pause(self, now: float) -> "FilmPlayback":
        """Stand still."""
        return replace(self, playing=False, mark_time=self.time(now), mark_now=now)

    def toggle(self, now: float) -> "FilmPlayback":
        """Stand still if it goes on; else go on, from the beginning if it was over."""
        over = self.over(now)
        if self.playing and not over:
            return self.pause(now)
        time = self.film.start if over else self.time(now)
        return replace(self, playing=True, mark_time=time, mark_now=now)

    def toggle_loop(self, now: float) -> "FilmPlayback":
        """Have the beginning follow the end, or no longer."""
        return replace(self.scrub(self.time(now), now), loop=not self.loop)

    # How fast.

    def at_speed(self, speed: float, now: float) -> "FilmPlayback":
        """Go on at another speed.

        Raises:
            SpecError: If it is none of `SPEEDS`.
        """
        return replace(self.scrub(self.time(now), now), speed=speed)

    def faster(self, now: float) -> "FilmPlayback":
        """Go on twice as fast, up to the highest speed."""
        return self.at_speed(min(2.0 * self.speed, SPEEDS[-1]), now)

    def slower(self, now: float) -> "FilmPlayback":
        """Go on half as fast, down to the lowest speed."""
        return self.at_speed(max(self.speed / 2.0, SPEEDS[0]), now)

    # Where to.

    def scrub(self, time: float, now: float) -> "FilmPlayback":
        """Go to a time of the film [s]; to the nearest end beyond either of them.

        Raises:
            SpecError: If the time is not finite.
        """
        if isfinite(time):
            time = min(max(time, self.film.start), self.film.end)
        return replace(self, mark_time=time, mark_now=now)

    def step(self, count: int, now: float) -> "FilmPlayback":
        """Stand still so many pictures further on, or back if it is negative.

        From one picture to the next it is a fiftieth of a second as it is watched at this speed,
        but always another frame: a step of the physics at a sixteenth.
        """
        time, times = self.time(now), self.film.frames.times
        pace = self.speed * _PICTURE
        for _ in range(abs(count)):
            if count > 0:
                index = max(bisect_left(times, time + pace - _SAME), bisect_right(times, time))
            else:
                index = bisect_right(times, time - pace + _SAME) - 1
                index = min(index, bisect_left(times, time) - 1)
            time = float(times[min(max(index, 0), len(times) - 1)])
        return replace(self.scrub(time, now), playing=False)

    def next_mark(self, now: float) -> "FilmPlayback":
        """Go to the next time that a body was struck; to the end if no more is."""
        time = self.time(now)
        later = (mark for mark in self._marks() if mark > time + _SAME)
        return self.scrub(next(later, self.film.end), now)

    def previous_mark(self, now: float) -> "FilmPlayback":
        """Go to the last time that a body was struck; to the beginning if none was.

        While the film plays one so near that it was reached just now does not count.
        """
        since = _GRACE * self.speed if self.playing and not self.over(now) else _SAME
        time = self.time(now)
        earlier = [mark for mark in self._marks() if mark < time - since]
        return self.scrub(earlier[-1] if earlier else self.film.start, now)

    def _marks(self) -> list[float]:
        return sorted({impact.time for impact in self.film.impacts})
