"""Engine `impulse`: one die on a plane, and nothing else, much faster than a general engine.

It knows no cup, no board and no second die: `drop` studies, fits and validation use it, and tests
hold it to the same closed forms as the others. Its compiled part is `impulse_steps`.
"""

from importlib.metadata import version
from itertools import chain, permutations

import numpy as np

from pigglesim.physics.decide import creep
from pigglesim.physics.engine import Ends, Levels, Motion
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.impulse_decide import Deciding, settle_all, with_arrays
from pigglesim.physics.impulse_steps import advance, stance
from pigglesim.physics.impulse_types import STATE_SIZE, Die, Ground, work_space
from pigglesim.physics.impulse_world import ImpulseWorld
from pigglesim.physics.laws import NO_BOUNCE, still_climb
from pigglesim.scene.floor import Surface
from pigglesim.scene.scene import GRAVITY, Scene, Stepping
from pigglesim.shapes.body import Body, Hull, Indices
from pigglesim.shapes.support import SupportFunction
from pigglesim.spatial import Array, transform
from pigglesim.throws.drop import Drop, Drops

__all__ = ["ImpulseEngine"]

_OVERLAP_TIME = 2e-4
"""A corner sinks no deeper than its way in this time [s]: impacts are met on the plane."""

_AT_ONCE = 200
"""Drops of a call: some twentieth of a second. Between two calls Ctrl-C is heard."""


class ImpulseEngine:
    """Makes worlds, and floors for single dice."""

    name = "impulse"

    @property
    def version(self) -> str:
        """Versions of this package, whose code it is, and of its compiler."""
        return f"{version('pigglesim')} (numba {version('numba')})"

    def world(self, scene: Scene) -> ImpulseWorld:
        """Return a fresh world."""
        return ImpulseWorld(scene)

    def floor(self, body: Body, surface: Surface, stepping: Stepping) -> "ImpulseFloor":
        """Return an endless floor for one kind of die."""
        return ImpulseFloor(body, surface, stepping)


class ImpulseFloor:
    """A plane and one die.

    Args:
        body: The die; only its convex hull meets the floor.
        surface: How die and floor act on each other.
        stepping: How finely time is cut.
    """

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        self._frame = principal_frame(body)
        corners = np.ascontiguousarray(self._frame.to_principal(body.hull.vertices))
        links, ends = _edges(body.hull)
        self._moments = np.ascontiguousarray(self._frame.moments)
        self._die = Die(
            corners=corners,
            links=links,
            ends=ends,
            lightness=1.0 / body.mass.mass,
            seen=np.zeros(len(corners), np.int64),
            rates=(1.0 / self._moments[0], 1.0 / self._moments[1], 1.0 / self._moments[2]),
            radius=float(np.sqrt((corners**2).sum(axis=1).max())),
        )
        self._ground = Ground(
            friction=surface.contact.friction,
            restitution=surface.contact.restitution,
            rolling=surface.rolling_lever,
            spinning=surface.spinning_lever,
            gravity=GRAVITY,
            no_bounce=NO_BOUNCE,
            creep=creep(_OVERLAP_TIME),
            still=still_climb(stepping),
            rest=stepping.rest_time,
        )
        self._step = stepping.time_step
        self._work = work_space()
        self._state = np.zeros(STATE_SIZE)

    @property
    def overlap_time(self) -> float:
        """How long a corner may move on below the floor before it is met [s]."""
        return _OVERLAP_TIME

    def release(self, drop: Drop) -> None:
        """Take the last die away and let the next one go."""
        only = Drops(
            height=drop.height,
            orientations=drop.orientation[None],
            velocities=drop.velocity[None],
            spins=drop.spin[None],
        )
        self._state = self._states(only)[0]
        # The walk to the lowest corner starts anew: where it ends may hang on where it starts.
        self._work.marks[1:] = 0

    def _states(self, drops: Drops) -> Array:
        """Return the state in which each drop begins, shape [count, STATE_SIZE]."""
        states = np.zeros((len(drops), STATE_SIZE))
        states[:, 0] = drops.height
        states[:, 1:4] = drops.velocities
        states[:, 4:8] = _product(drops.orientations, self._frame.orientation)
        turns, spins = _turns(states[:, 4:8]), drops.spins
        # Term by term: a matrix product may round otherwise for one than for many.
        own = spins[:, 0, None] * turns[:, 0] + spins[:, 1, None] * turns[:, 1]
        states[:, 8:11] = (own + spins[:, 2, None] * turns[:, 2]) * self._moments
        return states

    def settle_all(self, drops: Drops, support: SupportFunction, levels: Levels) -> Ends:
        """Return what becomes of each drop, as if it were alone."""
        deciding = Deciding(
            cells=with_arrays(support.cells),
            own=self._frame.axes,
            pose_of_facet=np.array(support.pose_of_facet),
            below=np.array(levels.below),
            highest=max(levels.below),
            span=levels.span,
            limit=levels.limit,
        )
        states, count = self._states(drops), len(drops)
        poses, endings = np.zeros(count, np.int64), np.zeros(count, np.int64)
        times = np.zeros(count)
        for begin in range(0, count, _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            settle_all(
                states[part],
                self._die,
                self._ground,
                self._work,
                deciding,
                self._step,
                poses[part],
                endings[part],
                times[part],
            )
        downs = transform(self._frame.axes, -_turns(states[:, 4:8])[:, 2])
        return Ends(poses=poses, endings=endings, times=times, downs=downs)

    def step(self, count: int) -> None:
        """Advance by some time steps."""
        self.advance(count * self._step, below=0.0)

    def advance(self, time: float, *, below: float) -> float:
        """Advance until the energy is below a height, all is quiet, or by `time`."""
        return advance(self._state, self._die, self._ground, self._work, self._step, time, below)

    def motion(self) -> Motion:
        """Return how the die stands and how much it could still climb."""
        height, climb, x, y, z = stance(self._state, self._die, GRAVITY)
        down = -transform(self._frame.axes, np.array([x, y, z]))
        return Motion(height=height, climb=climb, down=down, quiet=float(self._state[11]))


def _product(first: Array, second: Array) -> Array:
    """Return quaternions that turn by `second`, shape [4], and then by each of `first`."""
    ax, ay, az, aw = first.T
    bx, by, bz, bw = second
    return np.column_stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def _turns(quaternions: Array) -> Array:
    """Return the rotation matrix of each unit quaternion, shape [count, 3, 3]."""
    x, y, z, w = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _edges(hull: Hull) -> tuple[Indices, Indices]:
    """Return the neighbours of every corner, in a row, and where those of each begin."""
    joined: list[set[int]] = [set() for _ in hull.vertices]
    for face in hull.faces.tolist():
        for first, second in permutations(face, 2):
            joined[first].add(second)
    ends = np.cumsum([0, *map(len, joined)])
    return np.array(list(chain.from_iterable(map(sorted, joined)))), ends
