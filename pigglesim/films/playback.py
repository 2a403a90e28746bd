"""Playback clock of all players of films: the time in the film after any sequence of commands.

It reads no clock: each command receives the external time. The time in the film is computed
from the last command instead of summed over pictures, so it cannot drift.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from math import isfinite

from pigglesim.errors import SpecError
from pigglesim.films.film import Film

SPEEDS = tuple(2.0**power for power in range(-4, 4))
"""Playback speeds, from a sixteenth of real time to eight times as fast."""

_PICTURE = 1 / 50
"""Duration of a step as watched [s]."""
_SAME = 1e-9
"""Tolerance within which times are equal [s]."""
_GRACE = 0.5
"""Time after a mark, as watched [s], in which "previous" skips to the mark before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmPlayback:
    """A playing or paused film; every command returns the next playback state.

    `now` is the external time, from any monotonic clock [s].
    """

    film: Film
    speed: float = 1.0
    """Playback speed, one of `SPEEDS`."""
    playing: bool = False
    """True if time advances; without `loop` only to the end."""
    loop: bool = False
    """True if the film restarts after its end."""
    mark_time: float = 0.0
    """Time of the film at the last command [s]."""
    mark_now: float = 0.0
    """External time at the last command [s]."""

    def __post_init__(self) -> None:
        if self.speed not in SPEEDS:
            raise SpecError(
                f"invalid speed {self.speed}",
                expected=f"a power of two from {SPEEDS[0]} to {SPEEDS[-1]}",
                fix="use 1, 0.5 or 2",
            )
        if not (isfinite(self.mark_time) and isfinite(self.mark_now)):
            raise SpecError(
                f"invalid time {self.mark_time} of the film at {self.mark_now}",
                fix=f"use {self.film.start} to {self.film.end} s",
            )

    @classmethod
    def begin(
        cls, film: Film, *, now: float, speed: float = 1.0, loop: bool = False
    ) -> "FilmPlayback":
        """Return a film that plays from its beginning.

        Raises:
            SpecError: If the speed is not in `SPEEDS`, or `now` is not finite.
        """
        return cls(
            film=film, speed=speed, playing=True, loop=loop, mark_time=film.start, mark_now=now
        )

    def time(self, now: float) -> float:
        """Return the time in the film [s]."""
        begin, end = self.film.start, self.film.end
        time = self.mark_time
        if self.playing:
            time += max(now - self.mark_now, 0.0) * self.speed
        if time >= end and self.playing and self.loop and end > begin:
            return begin + (time - begin) % (end - begin)
        return min(max(time, begin), end)

    def over(self, now: float) -> bool:
        """Return True if the film has ended and does not loop."""
        return self.time(now) >= self.film.end and not (self.playing and self.loop)

    # Play and pause.

    def pause(self, now: float) -> "FilmPlayback":
        """Pause."""
        return replace(self, playing=False, mark_time=self.time(now), mark_now=now)

    def toggle(self, now: float) -> "FilmPlayback":
        """Pause if it plays; else play, from the beginning if it had ended."""
        over = self.over(now)
        if self.playing and not over:
            return self.pause(now)
        time = self.film.start if over else self.time(now)
        return replace(self, playing=True, mark_time=time, mark_now=now)

    def toggle_loop(self, now: float) -> "FilmPlayback":
        """Turn looping on or off."""
        return replace(self.scrub(self.time(now), now), loop=not self.loop)

    # Speed.

    def at_speed(self, speed: float, now: float) -> "FilmPlayback":
        """Change the speed.

        Raises:
            SpecError: If it is not in `SPEEDS`.
        """
        return replace(self.scrub(self.time(now), now), speed=speed)

    def faster(self, now: float) -> "FilmPlayback":
        """Double the speed, up to the highest."""
        return self.at_speed(min(2.0 * self.speed, SPEEDS[-1]), now)

    def slower(self, now: float) -> "FilmPlayback":
        """Halve the speed, down to the lowest."""
        return self.at_speed(max(self.speed / 2.0, SPEEDS[0]), now)

    # Position.

    def scrub(self, time: float, now: float) -> "FilmPlayback":
        """Go to a time of the film [s], clamped to its start and end.

        Raises:
            SpecError: If the time is not finite.
        """
        if isfinite(time):
            time = min(max(time, self.film.start), self.film.end)
        return replace(self, mark_time=time, mark_now=now)

    def step(self, count: int, now: float) -> "FilmPlayback":
        """Pause some pictures later, or earlier if the count is negative.

        A picture lasts a fiftieth of a second as watched at this speed, but each step reaches
        another frame. At a sixteenth of real time that is one step of the physics.
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
        """Go to the next time that a body was struck; to the end if there is none."""
        time = self.time(now)
        later = (mark for mark in self._marks() if mark > time + _SAME)
        return self.scrub(next(later, self.film.end), now)

    def previous_mark(self, now: float) -> "FilmPlayback":
        """Go to the last time that a body was struck; to the beginning if there is none.

        While the film plays, a mark that it has only just passed is skipped.
        """
        since = _GRACE * self.speed if self.playing and not self.over(now) else _SAME
        time = self.time(now)
        earlier = [mark for mark in self._marks() if mark < time - since]
        return self.scrub(earlier[-1] if earlier else self.film.start, now)

    def _marks(self) -> list[float]:
        return sorted({impact.time for impact in self.film.impacts})
