"""A recorded roll: its bodies, all transforms over time and its result; recorder and playback."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pigglesim import notebook_display
from pigglesim.arguments import checked
from pigglesim.cup_motion import Pose
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.landing import Knock, Landing, RestPlace, Seat
from pigglesim.notebook_display import displayed
from pigglesim.rotations import Array

if TYPE_CHECKING:
    from pigglesim.physics.pour import Moment
    from pigglesim.physics.settling import Trajectory

_STILL = 0.001
"""Distance along each axis below which a motion is invisible [m]."""
AT_REST, AT_REST_TURN = 0.0004, 0.01
"""Distance from its end position [m] and rotation [rad] beyond which a body is not at rest."""
_NEARLY_ONE = 1.0 - 1e-9
"""Cosine of half an angle so small that arc and chord are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmActor:
    """One body of a film."""

    name: str
    """Name such as `"A1"`, or `"die 1"`."""
    model: str
    """Name of a model, such as `"piggle"`, without its livery."""
    owner: Seat | None = None
    color: str | None = None
    """Colour such as `"orange"`; None if it wears no colour."""
    rune: str | None = None
    """Name of its rune; None if it wears none."""
    standing: bool = False
    """True if it rested on the board before the roll."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """First contact of a body that rested on the board."""

    time: float
    """Time in the film [s]."""
    struck: str
    by: str
    """Rolled body that started the chain of contacts."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frames:
    """Transforms of k bodies and of the cup at n increasing times; all arrays are read-only."""

    times: Array
    """Times since the first motion of the cup [s], shape [n], n >= 1."""
    positions: Array
    """Centres of mass [m], shape [n, k, 3]."""
    rotations: Array
    """Unit quaternions (x, y, z, w) from the bodies' axes to the world's, shape [n, k, 4]."""
    cup_positions: Array
    """Positions of the cup [m], shape [n, 3]; nan once it is removed."""
    cup_rotations: Array
    """Unit quaternions of the cup, shape [n, 4]; nan once it is removed."""

    def __post_init__(self) -> None:
        n, k = len(self.times), self.positions.shape[1] if self.positions.ndim == 3 else 0
        shapes = {
            "times": (n,),
            "positions": (n, k, 3),
            "rotations": (n, k, 4),
            "cup_positions": (n, 3),
            "cup_rotations": (n, 4),
        }
        for name, shape in shapes.items():
            array: Array = getattr(self, name)
            if array.shape != shape or not n:
                raise SpecError(
                    f"{name} of the frames have the shape {list(array.shape)}",
                    expected=f"{list(shape)}, at least one frame",
                    fix="give one transform of each body and of the cup per time",
                )
            array.setflags(write=False)
        if not (np.all(np.isfinite(self.times)) and np.all(np.diff(self.times) > 0.0)):
            raise SpecError(
                "times of frames that do not increase or are not finite",
                fix="leave out every frame that is not later than its predecessor",
            )

    @classmethod
    def still(cls, places: Sequence[RestPlace]) -> "Frames":
        """Return one frame of resting bodies, without a cup."""
        return cls(
            times=np.zeros(1),
            positions=np.array([place.position for place in places]).reshape(1, -1, 3),
            rotations=np.array([place.rotation for place in places]).reshape(1, -1, 4),
            cup_positions=np.full((1, 3), np.nan),
            cup_rotations=np.full((1, 4), np.nan),
        )

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.times)

    @property
    def has_cup(self) -> NDArray[np.bool_]:
        """True at each time at which the cup is present, shape [n]."""
        present: NDArray[np.bool_] = ~np.isnan(self.cup_positions[:, 0])
        return present

    def cup_poses(self) -> tuple[Array, Array]:
        """Return the cup's positions and rotations; after its removal, the last ones."""
        has_cup = self.has_cup
        if not has_cup.any():
            return np.zeros((self.count, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (self.count, 1))
        numbers = np.where(has_cup, np.arange(self.count), int(np.argmax(has_cup)))
        last = np.maximum.accumulate(numbers)
        return self.cup_positions[last], self.cup_rotations[last]

    def rest_times(self) -> Array:
        """Return the time from which each body visibly rests as at the end [s], shape [k]."""
        distances = np.linalg.norm(self.positions - self.positions[-1], axis=2)
        cosines = np.abs(np.sum(self.rotations * self.rotations[-1], axis=2))
        angles = 2.0 * np.arccos(np.minimum(cosines, 1.0))
        moving = (distances > AT_REST) | (angles > AT_REST_TURN)
        # The frame after the last one in motion.
        last = np.where(moving, np.arange(self.count)[:, None], -1).max(axis=0)
        times: Array = self.times[np.minimum(last + 1, self.count - 1)]
        return times


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Still:
    """Transforms of everything at one time of a film."""

    time: float
    """Time in the film [s]."""
    positions: Array
    """Centres of mass [m], shape [k, 3]."""
    rotations: Array
    """Unit quaternions (x, y, z, w), shape [k, 4]."""
    cup: Pose | None
    """Transform of the cup; None if it is absent."""

    def place(self, number: int) -> RestPlace:
        """Return the transform of a body as readings take it, by its number among the actors."""
        position, rotation = _pose(self.positions[number], self.rotations[number])
        return RestPlace(position=position, rotation=rotation)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Film:
    """One roll from the first shake to rest, with the results of its bodies."""

    scene: str
    """Id of the scene, such as `"piggles_classic"`."""
    actors: tuple[FilmActor, ...]
    """All bodies, in the order of the frames: the rolled ones, then those already on the board."""
    frames: Frames
    readings: tuple[tuple[str, Landing], ...] = ()
    """Reading of each body, by name."""
    knocks: tuple[Knock, ...] = ()
    impacts: tuple[Impact, ...] = ()
    """First contacts, ordered by time."""
    origin: Mapping[str, JSON]
    """Arguments that reproduce the roll: seed, number, engine, scene, versions, command."""

    def __post_init__(self) -> None:
        names = [actor.name for actor in self.actors]
        bodies = self.frames.positions.shape[1]
        if len(names) != bodies or len(set(names)) != len(names):
            raise SpecError(
                f"the frames have {bodies} bodies, but the actors are {', '.join(names) or 'none'}",
                fix="name one actor for each body of the frames, in their order",
            )
        events: tuple[Knock | Impact, ...] = (*self.knocks, *self.impacts)
        involved = {name for event in events for name in (event.struck, event.by)}
        if unknown := involved.difference(names):
            raise SpecError(
                f"knocks or impacts of unknown bodies: {', '.join(sorted(unknown))}",
                fix="add an actor for each of them",
            )

    @property
    def start(self) -> float:
        """Time of the first frame [s]."""
        return float(self.frames.times[0])

    @property
    def end(self) -> float:
        """Time of the last frame [s]."""
        return float(self.frames.times[-1])

    @property
    def rests_from(self) -> float:
        """End of the last motion visible from above, including the cup's [s]."""
        frames = self.frames
        moved = np.abs(frames.positions - frames.positions[-1]) > _STILL
        visible = np.any(moved, axis=(1, 2)) | ~np.isnan(frames.cup_positions[:, 0])
        return float(frames.times[np.flatnonzero(visible)[-1]]) if np.any(visible) else self.start

    def at(self, time: float) -> Still:
        """Return the transforms at a time [s], clamped to the start and end of the film.

        Exact at the time of a frame. In between, centres are interpolated linearly and rotations
        along the shorter arc; a cup that is absent in the next frame is absent.

        Raises:
            SpecError: If the time is not finite.
        """
        if not isfinite(time):
            raise SpecError(f"invalid time {time}", fix=f"use {self.start} to {self.end} s")
        frames = self.frames
        time = min(max(time, self.start), self.end)
        index = bisect_right(frames.times, time) - 1
        elapsed = time - float(frames.times[index])
        if elapsed == 0.0:
            return self._frame(index)
        share = elapsed / float(frames.times[index + 1] - frames.times[index])
        first, second = self._frame(index), self._frame(index + 1)
        return Still(
            time=time,
            positions=first.positions + share * (second.positions - first.positions),
            rotations=_slerp(first.rotations, second.rotations, share),
            cup=_interpolate_pose(first.cup, second.cup, share),
        )

    @checked
    def save(
        self,
        file: str | PathLike[str],
        *,
        size: str | tuple[int, int] | None = None,
        camera: str | Sequence[float] | None = None,
        fps: float | None = None,
        slow_motion: float | None = None,
        at: float | None = None,
    ) -> Path:
        """Write the film to a file, in the format of its suffix.

        Suffixes and arguments are those of `Roll.save`, except `.json`. An existing file is
        replaced atomically.

        Raises:
            PigglesimError: If the suffix is unknown, or the film cannot be written or drawn.
        """
        look = {"size": size, "camera": camera, "fps": fps, "slow_motion": slow_motion, "at": at}
        notebook_display.save(self, Path(file), look)
        return Path(file)

    def __repr__(self) -> str:
        names = " ".join(actor.name for actor in self.actors if not actor.standing)
        length = f"{self.frames.count} frames, {self.end:.3f} s"
        return f"Film({self.scene}: {names}, {length}, seed {self.origin.get('seed', 'unknown')})"

    def _repr_html_(self) -> str | None:
        return displayed("film_html", self)

    def _repr_svg_(self) -> str | None:
        return displayed("film_svg", self)

    def _frame(self, index: int) -> Still:
        frames = self.frames
        cup = frames.cup_positions[index], frames.cup_rotations[index]
        return Still(
            time=float(frames.times[index]),
            positions=frames.positions[index],
            rotations=frames.rotations[index],
            cup=None if np.isnan(cup[0][0]) else _pose(*cup),
        )


def _slerp(first: Array, second: Array, share: float) -> Array:
    """Return unit quaternions [..., 4] a share along the shorter arc, by slerp."""
    cosine = np.sum(first * second, axis=-1, keepdims=True)
    second = np.where(cosine < 0.0, -second, second)
    cosine = np.minimum(np.abs(cosine), 1.0)
    angle = np.arccos(cosine)
    straight = cosine > _NEARLY_ONE
    sine = np.where(straight, 1.0, np.sin(angle))
    left = np.where(straight, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    right = np.where(straight, share, np.sin(share * angle) / sine)
    turned = left * first + right * second
    unit: Array = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    return unit


def _interpolate_pose(first: Pose | None, second: Pose | None, share: float) -> Pose | None:
    if first is None or second is None:
        return None
    (start, start_rotation), (end, end_rotation) = (map(np.array, pose) for pose in (first, second))
    return _pose(start + share * (end - start), _slerp(start_rotation, end_rotation, share))


def _pose(position: Array, rotation: Array) -> Pose:
    (x, y, z), (qx, qy, qz, qw) = position.tolist(), rotation.tolist()
    return (x, y, z), (qx, qy, qz, qw)


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

    def __call__(self, moment: "Moment") -> None:
        """Add a moment; a time that restarts at 0 continues after the previous moments."""
        time = self._add(moment.time, moment.places, moment.cup)
        first = len(moment.places) - len(moment.strikers)
        for struck, striker in enumerate(moment.strikers, start=first):
            if striker not in {None, struck} and struck not in self._touched:
                assert striker is not None
                self._touched[struck] = (time, striker)

    def trajectory(self, trajectory: "Trajectory", *, time_step: float) -> None:
        """Add all moments of a throw, as calls add them one by one."""
        places, cup, has_cup, strikers = trajectory
        rows = len(places)
        if self._times:
            # The first moment is at time 0.
            self._began = self._times.pop()
            del self._bodies[-_NUMBERS * places.shape[1] :]
            del self._cup[-_NUMBERS:]
        times = self._began + np.arange(rows) * time_step
        self._last = (rows - 1) * time_step
        self._times += times.tolist()
        self._bodies.frombytes(np.ascontiguousarray(places).tobytes())
        self._cup.frombytes(np.where(has_cup.astype(bool)[:, None], cup, nan).tobytes())
        first, standing = places.shape[1] - strikers.shape[1], np.arange(strikers.shape[1])
        struck = (strikers >= 0) & (strikers != first + standing)
        # In the order of time, then of bodies.
        for row, number in np.argwhere(struck).tolist():
            body = first + number
            if body not in self._touched:
                self._touched[body] = float(times[row]), int(strikers[row, number])

    def _add(self, moment: float, places: Sequence[RestPlace], cup: Pose | None) -> float:
        """Store transforms at a time of the simulation, and return the time in the film [s]."""
        if moment < self._last:
            self._began = self._times[-1]
        self._last = moment
        time = self._began + moment
        if self._times and time == self._times[-1]:
            # At the start of a nudge, the transforms as read replace those of the last step.
            self._times.pop()
            del self._bodies[-_NUMBERS * len(places) :]
            del self._cup[-_NUMBERS:]
        self._times.append(time)
        for place in places:
            self._bodies.extend(place.position)
            self._bodies.extend(place.rotation)
        for part in cup or _NO_CUP:
            self._cup.extend(part)
        return time

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

        Without moments, as for a Piggle set down by hand, it is a single frame: the end. The rolled
        bodies come first; `origin` are the arguments that reproduce the roll.
        """
        names = [actor.name for actor in actors]
        self._add(max(self._last, 0.0), ends, None)
        poses = np.array(self._bodies).reshape(len(self._times), len(actors), _NUMBERS)
        cup_poses = np.array(self._cup).reshape(-1, _NUMBERS)
        return Film(
            scene=scene,
            actors=tuple(actors),
            frames=Frames(
                times=np.array(self._times),
                positions=poses[:, :, :3].copy(),
                rotations=poses[:, :, 3:].copy(),
                cup_positions=cup_poses[:, :3].copy(),
                cup_rotations=cup_poses[:, 3:].copy(),
            ),
            readings=tuple(readings),
            knocks=knocks,
            impacts=tuple(
                Impact(time=time, struck=names[struck], by=names[striker])
                for struck, (time, striker) in self._touched.items()
                if actors[struck].standing
            ),
            origin=dict(origin),
        )


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
