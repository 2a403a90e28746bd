"""Interface of physics engines, their registry, and the parts that they share."""

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto, unique
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import cycle, islice
from math import cos, pi, sin, sqrt, tan
from typing import Protocol, runtime_checkable

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.errors import SpecError, pip_install, unknown_name
from pigglesim.landing import RestPlace
from pigglesim.physics.impulse.state import StopCriteria
from pigglesim.rotations import Array, Indices, from_matrix, transform
from pigglesim.scene.scene import GRAVITY, Cup, Scene, Stepping, Surface
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


_THIN_DIRECTIONS = 40
"""Number of directions whose support points form the thinned hull: some 36 points remain."""

_NEGLIGIBLE = 2.0**-60
"""Share of the diagonal entry below which an entry counts as zero: far below rounding."""
_PAIRS = ((0, 1), (0, 2), (1, 2))
_MAX_ROTATIONS = 60
"""Maximum number of Jacobi rotations: twenty sweeps; six are usual."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrincipalFrame:
    """The frame in which a body's inertia is diagonal: origin at its centre of mass."""

    centre: Array
    """Origin in the body frame [m], shape [3]."""
    axes: Array
    """Axes as columns in the body frame, shape [3, 3], right-handed."""
    moments: Array
    """Principal moments of inertia [kg m2], shape [3]."""
    rotation: Array
    """Unit quaternion from principal to body axes, shape [4]."""
    inverse_rotation: Array
    """Inverse of `rotation`, shape [4]."""

    def to_principal(self, points: Array) -> Array:
        """Return points of the body frame [m], shape [count, 3], in this frame."""
        return transform(self.axes.T, points - self.centre)


@cache
def principal_frame(body: Body) -> PrincipalFrame:
    """Return the principal frame of a body; the same bits on any machine."""
    moments, axes = eigen_decomposition(body.mass.inertia)
    # Signs are free; fix them, so that similar bodies have similar frames.
    for k in range(3):
        if axes[np.argmax(np.abs(axes[:, k])), k] < 0.0:
            axes[:, k] = -axes[:, k]
    (a, b, c), (d, e, f), (g, h, i) = axes.tolist()
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
        axes[:, 2] = -axes[:, 2]
    rotation = from_matrix(axes)
    return PrincipalFrame(
        centre=body.mass.centre,
        axes=axes,
        moments=moments,
        rotation=rotation,
        inverse_rotation=rotation * np.array([-1.0, -1.0, -1.0, 1.0]),
    )


def eigen_decomposition(matrix: Array) -> tuple[Array, Array]:
    """Return eigenvalues, from the least, and eigenvectors as columns, of a symmetric matrix.

    By Jacobi rotations (Golub and Van Loan 2013, section 8.5), each of which makes one pair of
    entries vanish. LAPACK is faster, but its last digits depend on the kind of processor, and a
    pour magnifies last digits into other readings. Products, sums and roots do not.

    Returns:
        Eigenvalues, shape [3], and eigenvectors, shape [3, 3].
    """
    a: list[list[float]] = matrix.tolist()
    v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for p, q in islice(cycle(_PAIRS), _MAX_ROTATIONS):
        if all(abs(a[i][j]) <= _NEGLIGIBLE * abs(a[i][i]) for i, j in _PAIRS):
            break
        if a[p][q] == 0.0:
            continue
        slope = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
        tangent = math.copysign(1.0, slope) / (abs(slope) + math.sqrt(slope * slope + 1.0))
        cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
        sine = tangent * cosine
        for row in (*a, *v):
            row[p], row[q] = cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]
        for k in range(3):
            upper, lower = a[p][k], a[q][k]
            a[p][k], a[q][k] = cosine * upper - sine * lower, sine * upper + cosine * lower
        a[p][q] = a[q][p] = 0.0
    order = sorted(range(3), key=lambda k: a[k][k])
    return np.array([a[k][k] for k in order]), np.array([[row[k] for k in order] for row in v])


@cache
def thin_hull(body: Body) -> Array:
    """Return the support points of a hull in spread directions [m], shape [count, 3].

    The directions form a Fibonacci lattice (Swinbank and Purser 2006), so they are reproducible.
    """
    i = np.arange(_THIN_DIRECTIONS) + 0.5
    polar = np.arccos(1.0 - 2.0 * i / _THIN_DIRECTIONS)
    azimuth = np.pi * (1.0 + 5.0**0.5) * i
    directions = np.column_stack(
        [np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)]
    )
    points = body.hull.vertices
    chosen = np.unique(np.argmax(transform(directions, points), axis=0))
    thin: Array = points[chosen]
    return thin


RESTITUTION_THRESHOLD = 0.05
"""Speed below which impacts do not rebound [m/s]: the bounce would be 0.1 mm, and with less than
g * time step a body at rest would rattle forever."""
CONTACT_DISTANCE = 5e-5
"""Distance within which bodies at rest touch [m]; overlaps are closed to the same precision."""
FADE_DAMPING = 20.0
"""Damping while rolling resistance fades [1/s]: without it a body on a round rim keeps rocking."""
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


# Order of preference for a roll or a match: engines that start at once come first.
_NEEDS = {
    "bullet": ("pybullet", BULLET_REMEDY),
    "mujoco": ("mujoco", pip_install("mujoco-core")),
    "impulse": ("numba", pip_install("numba")),
}
"""Module that each engine needs, and the command that installs it."""
_FASTEST = ("impulse", "bullet", "mujoco")
"""Order of preference for many throws: the first is the fastest by far, but must be compiled."""
PLAIN = "plain"
"""Name of the baseline: PyBullet with a straightforward setup, for comparison only."""


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, whether installed or not."""
    return tuple(_NEEDS)


def default_engine_name() -> str:
    """Return the default engine of a roll or a match: one that starts at once."""
    return _first_installed(_NEEDS)


def fastest_engine_name() -> str:
    """Return the default engine of many throws: the fastest that is installed."""
    return _first_installed(_FASTEST)


def _first_installed(names: Iterable[str]) -> str:
    # The error for the last names the package to install, which has wheels everywhere.
    return next((name for name in names if find_spec(_NEEDS[name][0]) is not None), "mujoco")


def make_engine(name: str | None = None) -> Engine:
    """Return the engine of that name, or the default one.

    Raises:
        SpecError: If there is none, or its package is not installed; either gives a remedy.
    """
    name = name or default_engine_name()
    if name not in {*_NEEDS, PLAIN}:
        raise unknown_name("engine", name, _NEEDS)
    module, fix = _NEEDS["bullet" if name == PLAIN else name]
    if find_spec(module) is None:
        raise SpecError(f"{module} is not installed", fix=fix)
    match name:
        case "impulse":
            from pigglesim.physics.impulse.engine import ImpulseFloor, ImpulseWorld  # noqa: PLC0415

            own = f"{version('pigglesim')} (numba {version('numba')})"
            return Engine(name=name, version=own, world=ImpulseWorld, floor=ImpulseFloor)
        case "mujoco":
            import mujoco  # noqa: PLC0415

            from pigglesim.physics.mujoco import MujocoFloor, MujocoWorld  # noqa: PLC0415

            own = str(mujoco.__version__)
            return Engine(name=name, version=own, world=MujocoWorld, floor=MujocoFloor)
        case _:
            from pigglesim.physics import bullet  # noqa: PLC0415

            world = bullet.plain_world if name == PLAIN else bullet.BulletWorld
            own = version("pybullet")
            return Engine(name=name, version=own, world=world, floor=bullet.BulletFloor)


_LAST = {"drops": ("early_stop", "run_drops"), "pours": ("step", "advance_world")}
"""Module and function that are compiled last, by kind of work."""


def is_compiled(throws: str) -> bool:
    """Return whether the code for `"drops"` or `"pours"` has been compiled."""
    from pigglesim.jit import is_kept  # noqa: PLC0415 (needs numba)

    module, function = _LAST[throws]
    return is_kept(f"pigglesim.physics.impulse.{module}", function)


_COMPILING = {"drops": 20, "pours": 60}
"""Compile time on an idle core [s]."""


def tell_of_compiling(engine: str, *, throws: str = "pours") -> bool:
    """Print a note on standard error if an engine must first be compiled, which happens once.

    Throws are `"drops"` of single dice, or `"pours"`.

    Returns:
        True if it must be compiled.
    """
    compiles = engine == "impulse" and not is_compiled(throws)
    if compiles:
        sys.stderr.write(
            f"pigglesim: compiling for {throws} (once; about {_COMPILING[throws]} s on a free core,"
            " longer where others use it) ...\n",
        )
    return compiles
