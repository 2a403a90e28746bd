"""Interface of physics engines, and the parts that they share."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum, auto, unique
from math import cos, pi, sin, sqrt, tan
from typing import Protocol, runtime_checkable

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import CupMotion, Pose
from pigglesim.errors import pip_install
from pigglesim.landing import RestPlace, SettleReport
from pigglesim.physics.impulse.state import StopCriteria, Trajectory
from pigglesim.physics.settling import SLOW_ENERGY_HEIGHT
from pigglesim.rotations import Array, Indices
from pigglesim.scene.scene import GRAVITY, Cup, Scene, Stepping, Surface
from pigglesim.throws import Drop, Drops


@unique
class Mode(Enum):
    """Shape used for a body, and its freedom to move."""

    IN_CUP = auto()
    """Moves, with a thinned hull, which is enough in the cup."""
    FREE = auto()
    """Moves, with its full shape."""
    FROZEN = auto()
    """Does not move; has its full shape. Nothing is near enough to push it."""


class World(Protocol):
    """The world of one throw: a board on a table, an optional cup, and bodies numbered from 0."""

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        """Add a body at rest and return its number."""

    def set_mode(self, number: int, mode: Mode) -> None:
        """Change a body's mode; its motion continues (a frozen one starts at rest)."""

    def freeze(self, number: int, place: RestPlace) -> bool:
        """Freeze a body at a position and rotation; it is freed before anything is near it.

        Return whether it is frozen: an engine may step it further instead.
        """

    def add_cup(self, pose: Pose) -> None:
        """Add the scene's cup at a pose."""

    def move_cup(self, pose: Pose) -> None:
        """Move the cup to this pose by the end of the next step, pushing its contents."""

    def remove_cup(self) -> None:
        """Remove the cup from the world."""

    def cup_released(self) -> None:
        """Notify the engine that no cup will move any body from now on."""

    def step(self) -> None:
        """Advance by one time step."""

    def advance(self, count: int) -> None:
        """Advance by `count` time steps with the cup at rest."""
        for _ in range(count):
            self.step()

    def advance_with_cup(self, poses: Sequence[Pose]) -> None:
        """Advance by one time step per pose, which the cup reaches at the step's end."""
        for pose in poses:
            self.move_cup(pose)
            self.step()

    def positions(self) -> Array:
        """Return the centres of mass [m], shape [body_count, 3]."""

    def place(self, number: int) -> RestPlace:
        """Return position and rotation of a body; for a frozen one, exactly those it was given."""

    def speeds(self, number: int) -> tuple[float, float]:
        """Return a body's speed [m/s] and angular speed [rad/s]."""

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        """Return the points where two bodies touched in the last step [m], shape [3] each."""

    def supported(self, number: int) -> bool:
        """Return whether anything touched the body in the last step."""

    def set_velocity(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        """Set a body's velocity [m/s] and angular velocity [rad/s], world axes, shape [3] each."""

    def fade_resistance(self, share: float) -> None:
        """Scale rolling and spinning resistance by `share`, and damp motion."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThrowEnd:
    """The end of a throw; transforms and contacts are those of the world."""

    settle: SettleReport
    emptied_at: float
    """Time at which the last body had left the cup [s]."""
    strikers: dict[int, int]
    """Thrown or pushed body whose chain of contact reached each body that was struck."""
    trajectory: Trajectory
    """State before the first step and after each; without rows unless asked for."""


@runtime_checkable
class CompiledWorld(Protocol):
    """A world that steps a whole throw by itself, to the same bits as `pour` would."""

    def run_throw(
        self, motion: CupMotion | None, rolled: int, pushed: Collection[int], *, record: bool
    ) -> ThrowEnd:
        """Step a throw to its end.

        Args:
            motion: Motion of the cup, which was added at its start; None without a cup.
            rolled: Number of bodies in the cup; they come first.
            pushed: Bodies that were pushed, each the start of a chain of contact.
            record: Keep the trajectory.
        """


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Motion:
    """Height, energy and direction of a die on the floor."""

    height: float
    """Height of the centre of mass [m]."""
    energy_height: float
    """Kinetic energy as a height, E / (m g) [m]."""
    down: Array
    """Unit vector down, body frame, shape [3]."""
    still_time: float
    """Time for which its energy has been that of rest [s]."""


class FloorWorld(Protocol):
    """An endless floor on which one kind of die is dropped repeatedly.

    No drop affects the next: each gives the same bits as in a fresh world.
    """

    @property
    def overlap_time(self) -> float:
        """Longest time that a vertex may move below the floor before the impact is solved [s]."""

    def release(self, drop: Drop) -> None:
        """Remove the last die and release the next one."""

    def step(self, count: int) -> None:
        """Advance by `count` time steps."""

    def advance(self, time: float, *, stop_below: float) -> float:
        """Advance until the energy is below a height, the die sleeps, or `time` has passed.

        A die sleeps once its energy has been that of rest for the rest time of its stepping.

        Args:
            time: Longest time [s].
            stop_below: Height of the centre of mass with all energy turned into height [m].

        Returns:
            The time that passed [s].
        """

    def motion(self) -> Motion:
        """Return height, energy and direction of the die."""

    def trajectory(self, drop: Drop, frame_time: float, count: int) -> Array:
        """Release a die above the origin and return its motion, a die that sleeps included.

        Args:
            drop: The release.
            frame_time: Time between two frames, a whole number of time steps [s].
            count: Number of frames; the first is the release.

        Returns:
            Position of the centre of mass [m] and rotation in each frame, shape [count, 7].
        """


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DropResults:
    """The results of many drops, in their order."""

    poses: Indices
    """Index in the poses of the support function, shape [count]; -1 if timed out."""
    endings: Indices
    """Index in `drop.Ending`, shape [count]: decided, descended or timed out."""
    times: Array
    """Time from first contact with the floor to the end of stepping [s], shape [count]."""
    downs: Array
    """Unit vector down at that end, body frame, shape [count, 3]."""


@runtime_checkable
class BatchFloor(Protocol):
    """A floor that steps many drops from first contact to pose by itself."""

    def drop_all(self, drops: Drops, criteria: StopCriteria) -> DropResults:
        """Return the result of each drop, as if it were alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A physics engine: a factory of worlds, and of floors for single dice."""

    name: str
    """Name, such as `"bullet"`."""
    version: str
    """Versions of its packages, for records."""
    world: Callable[[Scene], World]
    """Return a fresh world: the same calls on it give the same bits."""
    floor: Callable[[Body, Surface, Stepping], FloorWorld]
    """Return an endless floor for one kind of die."""


RESTITUTION_THRESHOLD = 0.05
"""Speed below which impacts do not rebound [m/s]: the bounce would be at most 0.13 mm, and with
less than g * time step a body at rest would rattle forever."""
SLOW_SPEED = sqrt(GRAVITY * SLOW_ENERGY_HEIGHT)
"""Speed below which a body is slow [m/s]: half of that energy in motion."""
_OVERLAP_FACTOR = 2.0
"""Largest path of a vertex, over that of the same energy in pure flight."""


def sleep_energy_height(stepping: Stepping) -> float:
    """Return the kinetic energy as a height, E / (m g), below which a die counts as still [m]."""
    return stepping.rest_speed**2 / (2.0 * GRAVITY)


def energy_margin(overlap_time: float) -> float:
    """Return the possible gain of energy height from overlaps, per root of energy height [m^0.5].

    `overlap_time` is the longest time that a vertex moves below the floor before it is found [s].
    """
    return _OVERLAP_FACTOR * overlap_time * sqrt(2.0 * GRAVITY)


BULLET_REMEDY = (
    f"use --engine mujoco, or {pip_install('pybullet')} (Linux x86-64, Python 3.11 or older)"
)
"""Remedies for a missing PyBullet; elsewhere pip would have to build it, which may fail."""
WALLS = 12
"""Number of flat walls of a round cup."""
_WALL_DEPTH = 0.008
"""Thickness of the collision walls [m], outside the drawn cup: it prevents tunnelling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupBox:
    """One box of the cup, in the cup's frame."""

    centre: tuple[float, float, float]
    """Centre [m]."""
    rotation: tuple[float, float, float, float]
    """Rotation, a unit quaternion (x, y, z, w)."""
    half_extents: tuple[float, float, float]
    """Half extents [m]."""


def cup_boxes(cup: Cup, *, walls: int = WALLS) -> tuple[CupBox, ...]:
    """Return the wall boxes and, last, the floor."""
    half_wall = _WALL_DEPTH / 2.0
    radius = cup.inner_radius + half_wall
    # Boxes meet at the inside corners of the regular polygon circumscribed about the circle.
    half_width = (cup.inner_radius + _WALL_DEPTH) * tan(pi / walls)
    half_depth = cup.depth / 2.0
    angles = [2.0 * pi * k / walls for k in range(walls)]
    around = tuple(
        CupBox(
            centre=(radius * cos(angle), radius * sin(angle), 0.0),
            rotation=(0.0, 0.0, sin(angle / 2), cos(angle / 2)),
            half_extents=(half_wall, half_width, half_depth),
        )
        for angle in angles
    )
    wide = cup.inner_radius + _WALL_DEPTH
    floor = CupBox(
        centre=(0.0, 0.0, -(half_depth + half_wall)),
        rotation=(0.0, 0.0, 0.0, 1.0),
        half_extents=(wide, wide, half_wall),
    )
    return (*around, floor)


_LOOK_INTERVAL = 0.008
"""Time between two checks of the motion [s]: a few per rebound, at little of the cost."""


class FloorSteps(FloorWorld):
    """Stepping of a die, with checks of its motion at intervals."""

    def __init__(self, stepping: Stepping) -> None:
        self._stepping = stepping
        self._sleep_energy_height = sleep_energy_height(stepping)
        self.still_time = 0.0
        """Time for which the energy of the die has been that of rest [s]."""

    @property
    def overlap_time(self) -> float:
        """Longest time that a vertex may move below the floor before the impact is solved [s]."""
        return self._stepping.time_step

    def transform(self) -> tuple[Array, Array]:
        """Return the position of the centre of mass [m] and the rotation, body axes."""
        raise NotImplementedError

    def trajectory(self, drop: Drop, frame_time: float, count: int) -> Array:
        """Release a die and return its motion, as `FloorWorld` says."""
        self.release(drop)
        steps = round(frame_time / self._stepping.time_step)
        frames = np.empty((count, 7))
        for k in range(count):
            if k:
                self.step(steps)
            frames[k, :3], frames[k, 3:] = self.transform()
        return frames

    def advance(self, time: float, *, stop_below: float) -> float:
        """Advance until the energy is below a height, the die sleeps, or `time` has passed."""
        step = self._stepping.time_step
        stride = max(1, round(_LOOK_INTERVAL / step))
        steps = 0
        while steps * step < time - step / 2.0:
            self.step(stride)
            steps += stride
            motion = self.motion()
            still = motion.energy_height <= self._sleep_energy_height
            self.still_time = self.still_time + stride * step if still else 0.0
            # Rounding of the sums of steps.
            if self.still_time >= self._stepping.rest_time - 1e-9:
                break
            if motion.height + motion.energy_height < stop_below:
                break
        return steps * step
