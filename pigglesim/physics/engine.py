"""Interface of physics engines, for throws and drops."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto, unique
from typing import Protocol, runtime_checkable

from pigglesim.bodies.body import Body, Indices
from pigglesim.landing import RestPlace
from pigglesim.physics.impulse.state import StopCriteria
from pigglesim.rotations import Array
from pigglesim.scene.scene import Scene, Stepping, Surface
from pigglesim.throws import Drop, Drops, Pose


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
        """Advance by `count` time steps."""

    def advance_with_cup(self, poses: Sequence[Pose]) -> None:
        """Advance by one time step per pose, which the cup reaches at the step's end."""

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


class FloorEngine(Protocol):
    """A factory of floors for single dice."""

    @property
    def name(self) -> str:
        """Name of the engine, such as `"bullet"`."""

    @property
    def version(self) -> str:
        """Version of the engine, for records."""

    def floor(self, body: Body, surface: Surface, stepping: Stepping) -> FloorWorld:
        """Return an endless floor for one kind of die."""


class Engine(FloorEngine, Protocol):
    """A factory of worlds and floors."""

    def world(self, scene: Scene) -> World:
        """Return a fresh world: the same calls on it give the same bits."""
