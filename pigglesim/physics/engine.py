"""Interface of physics engines: worlds of throws, and floors for single dice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto, unique
from typing import Protocol, runtime_checkable

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import CupMotion, Pose
from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace
from pigglesim.physics.early_stop import StopCriteria
from pigglesim.physics.looks import HandError, LookParams
from pigglesim.physics.settling import ThrowState, Trajectory
from pigglesim.rotations import Array, Indices
from pigglesim.scene.scene import Scene, Stepping, Surface
from pigglesim.throws import Drop, Drops


class LostMotionError(SpecError):
    """What an engine found is no number: the free rotation of a body has diverged."""

    def __init__(self, engine: str, what: str) -> None:
        super().__init__(
            f"engine {engine} lost {what}: it spins too fast for its time step",
            fix="use --engine impulse, or a scene with a shorter time_step",
        )


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

    trajectory: Trajectory
    """State before the first step and after each; without rows unless asked for."""
    places: Sequence[RestPlace]
    """Where each body is at the end."""
    readings: Sequence[tuple[int, int, int]]
    """Orientation, zone and support of each body, as `read_pose` gives them by the usual rules."""


@runtime_checkable
class CompiledWorld(Protocol):
    """A world that steps a whole throw by itself, to the same bits as `pour` would."""

    def run_throw(
        self, throw: ThrowState, motion: CupMotion | None, *, time_limit: float, record: bool
    ) -> ThrowEnd:
        """Step a throw to its end.

        Args:
            throw: Its start; changed to its times, strikers and distances at the end.
            motion: Motion of the cup, which was added at its start; None without a cup.
            time_limit: Time at which it ends at the latest [s].
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

    def compiled_arguments(self, criteria: StopCriteria) -> tuple[object, ...]:
        """Return what compiled code takes to step the die until these conditions."""

    def looks(
        self,
        places: Array,
        cup: Array,
        has_cup: Indices,
        times: Array,
        number: int,
        params: LookParams,
    ) -> Array:
        """Return the looks at a die in its recorded motion, shape [look_count, LOOK_SIZE].

        The first is where it has left the cup, the last where it visibly rests. One is after each
        bounce, and others between, about 30 ms apart.

        Args:
            places: Position [m] and rotation of each body in each frame, shape [frame_count,
                body_count, 7].
            cup: The same of the cup, shape [frame_count, 7].
            has_cup: 1 in each frame with a cup, else 0, shape [frame_count].
            times: Time of each frame [s], shape [frame_count].
            number: Number of the die among the bodies.
            params: The die and its table.
        """

    def throw_copies(
        self, look: Array, displacements: Array, error: HandError, criteria: StopCriteria
    ) -> Indices:
        """Return the pose of each copy of a look, -1 if it timed out, shape [count].

        Args:
            look: State of the die, shape [LOOK_SIZE].
            displacements: Normal numbers of each copy, shape [count, DISPLACEMENT_SIZE].
            error: Errors by which they displace it.
            criteria: Conditions that end a throw.
        """


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
