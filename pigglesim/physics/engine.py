"""The seam between a throw and whatever steps it: all that an engine must be able to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto, unique
from typing import Protocol, runtime_checkable

from pigglesim.rolls import RestPlace
from pigglesim.scene.floor import Surface
from pigglesim.scene.scene import Scene, Stepping
from pigglesim.shapes.body import Body, Indices
from pigglesim.shapes.support import SupportFunction
from pigglesim.spatial import Array
from pigglesim.throws.cup_path import Pose
from pigglesim.throws.drop import Drop, Drops

__all__ = [
    "Ends",
    "Engine",
    "FloorEngine",
    "FloorWorld",
    "Form",
    "Levels",
    "Motion",
    "WholeDrops",
    "World",
]


@unique
class Form(Enum):
    """How closely a body's shape is followed, and whether it may move."""

    IN_CUP = auto()
    """Moves; a thinned hull, enough where only jostling counts."""
    LOOSE = auto()
    """Moves; the full shape."""
    STANDING = auto()
    """Lies still as if nailed down, full shape: nothing is near enough to move it."""


class World(Protocol):
    """One throw's world: a board on a table, perhaps a cup, and bodies by number from 0."""

    def add_body(self, body: Body, place: RestPlace, form: Form) -> int:
        """Add a body at rest and return its number."""

    def reform(self, number: int, form: Form) -> None:
        """Let a body move in another form; its motion goes on (a standing one starts at rest)."""

    def hold(self, number: int, place: RestPlace) -> bool:
        """Have a body stand still at a place; it is let go again before anything is near it.

        Returns whether it does: an engine may go on stepping it.
        """

    def add_cup(self, pose: Pose) -> None:
        """Add the scene's cup at a pose."""

    def move_cup(self, pose: Pose) -> None:
        """Have the cup reach this pose at the end of the next step, pushing what it holds."""

    def remove_cup(self) -> None:
        """Take the cup out of the world."""

    def land(self) -> None:
        """Say that no cup will move any body from now on."""

    def step(self) -> None:
        """Advance by one time step."""

    def advance(self, count: int) -> None:
        """Advance by some time steps."""

    def carry_cup(self, poses: Sequence[Pose]) -> None:
        """Advance by a time step for each pose, which the cup reaches at its end."""

    def positions(self) -> Array:
        """Return the centres of mass [m], shape [body_count, 3]."""

    def place(self, number: int) -> RestPlace:
        """Return where and how a body is; one that stands still, as it was put, to the bit."""

    def speeds(self, number: int) -> tuple[float, float]:
        """Return a body's speed [m/s] and rate of turning [rad/s]."""

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        """Return the points where two bodies met in the last step [m], shape [3] each."""

    def supported(self, number: int) -> bool:
        """Whether anything touched the body in the last step."""

    def kick(self, number: int, velocity: Array, spin: Array) -> None:
        """Set a body's velocity [m/s] and spin [rad/s], shape [3] each."""

    def ease(self, share: float) -> None:
        """Scale rolling and spinning resistance by `share` and damp motion, to sink into place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """When a drop is over."""

    below: tuple[float, ...]
    """Height of energy below which the class of each pose is certain [m]."""
    span: float
    """How long a die is left alone that may have come to another basin [s]."""
    limit: float
    """When time is up [s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Motion:
    """How a die on the floor stands, and what motion it has left."""

    height: float
    """Of the centre of mass [m]."""
    climb: float
    """How far its kinetic energy could lift it [m]."""
    down: Array
    """Unit vector of the body frame that points to the floor, shape [3]."""
    quiet: float
    """How long it has moved too little to be told from rest [s]."""


class FloorWorld(Protocol):
    """An endless floor, on which one kind of die is dropped again and again.

    No drop leaves a trace on the next: each gives the same bits as in a fresh world.
    """

    @property
    def overlap_time(self) -> float:
        """How long a corner may move on below the floor before it is met [s]."""

    def release(self, drop: Drop) -> None:
        """Take the last die away and let the next one go."""

    def step(self, count: int) -> None:
        """Advance by some time steps."""

    def advance(self, time: float, *, below: float) -> float:
        """Advance until the energy is below a height, all is quiet, or by `time`.

        Quiet is a die whose energy has been what the stepping takes for rest, for as long as it
        asks. Returns the time that passed [s].

        Args:
            time: How far at most [s].
            below: Height of the centre of mass, with all energy turned into height [m].
        """

    def motion(self) -> Motion:
        """Return how the die stands and what motion it has left."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ends:
    """What became of many drops, in their order."""

    poses: Indices
    """Index in the poses of the support function; -1 if time was up."""
    endings: Indices
    """0: certain by its energy; 1: it stopped, and the pose is that of a free descent; 2: time
    was up."""
    times: Array
    """From the first meeting with the floor to the end of stepping [s]."""
    downs: Array
    """Unit vector of the body frame that pointed to the floor at that end, shape [count, 3]."""


@runtime_checkable
class WholeDrops(Protocol):
    """A floor world that takes drops from first meeting to pose by itself."""

    def settle_all(self, drops: Drops, support: SupportFunction, levels: Levels) -> Ends:
        """Return what becomes of each drop, as if it were alone."""


class FloorEngine(Protocol):
    """A maker of floors for single dice."""

    @property
    def name(self) -> str:
        """Name of the engine, such as `"bullet"`."""

    @property
    def version(self) -> str:
        """Version of the engine, for records."""

    def floor(self, body: Body, surface: Surface, stepping: Stepping) -> FloorWorld:
        """Return an endless floor for one kind of die."""


class Engine(FloorEngine, Protocol):
    """A maker of worlds, and of floors."""

    def world(self, scene: Scene) -> World:
        """Return a fresh world: the same commands into it give the same bits."""
