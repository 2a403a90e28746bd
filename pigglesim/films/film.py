"""A recorded roll: its bodies, all transforms over time, and its result."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pigglesim import notebook_display
from pigglesim.arguments import checked
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.landing import Knock, Landing, RestPlace, Seat
from pigglesim.notebook_display import displayed
from pigglesim.rotations import Array
from pigglesim.throws import Pose

_STILL = 0.001
"""Distance along each axis below which a motion is invisible [m]."""
_AT_REST, _AT_REST_TURN = 0.0004, 0.01
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
        there: NDArray[np.bool_] = ~np.isnan(self.cup_positions[:, 0])
        return there

    def cup_poses(self) -> tuple[Array, Array]:
        """Return the cup's positions and rotations; after its removal, the last ones."""
        there = self.has_cup
        if not there.any():
            return np.zeros((self.count, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (self.count, 1))
        numbers = np.where(there, np.arange(self.count), int(np.argmax(there)))
        last = np.maximum.accumulate(numbers)
        return self.cup_positions[last], self.cup_rotations[last]

    def rest_times(self) -> Array:
        """Return the time from which each body visibly rests as at the end [s], shape [k]."""
        far = np.linalg.norm(self.positions - self.positions[-1], axis=2)
        alike = np.abs(np.sum(self.rotations * self.rotations[-1], axis=2))
        moving = (far > _AT_REST) | (2.0 * np.arccos(np.minimum(alike, 1.0)) > _AT_REST_TURN)
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
        met = {name for event in events for name in (event.struck, event.by)}
        if strangers := met.difference(names):
            raise SpecError(
                f"knocks or impacts of unknown bodies: {', '.join(sorted(strangers))}",
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
        seen = np.any(moved, axis=(1, 2)) | ~np.isnan(frames.cup_positions[:, 0])
        return float(frames.times[np.flatnonzero(seen)[-1]]) if np.any(seen) else self.start

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
        before = bisect_right(frames.times, time) - 1
        since = time - float(frames.times[before])
        if since == 0.0:
            return self._frame(before)
        share = since / float(frames.times[before + 1] - frames.times[before])
        was, then = self._frame(before), self._frame(before + 1)
        return Still(
            time=time,
            positions=was.positions + share * (then.positions - was.positions),
            rotations=_turned(was.rotations, then.rotations, share),
            cup=_between(was.cup, then.cup, share),
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
        told = f"{self.frames.count} frames, {self.end:.3f} s"
        return f"Film({self.scene}: {names}, {told}, seed {self.origin.get('seed', 'unknown')})"

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


def _turned(first: Array, second: Array, share: float) -> Array:
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


def _between(first: Pose | None, second: Pose | None, share: float) -> Pose | None:
    if first is None or second is None:
        return None
    (was, was_turned), (then, then_turned) = (map(np.array, pose) for pose in (first, second))
    return _pose(was + share * (then - was), _turned(was_turned, then_turned, share))


def _pose(position: Array, rotation: Array) -> Pose:
    (x, y, z), (qx, qy, qz, qw) = position.tolist(), rotation.tolist()
    return (x, y, z), (qx, qy, qz, qw)
