"""Parts that engines share: speeds of rest, the boxes of a cup, and a die stepped at intervals."""

import sys
from abc import abstractmethod
from dataclasses import dataclass
from math import cos, pi, sin, sqrt, tan

import numpy as np

from pigglesim.cup_motion import WALLS
from pigglesim.errors import pip_install
from pigglesim.physics.engine import FloorWorld
from pigglesim.physics.settling import SLOW_ENERGY_HEIGHT
from pigglesim.rotations import Array
from pigglesim.scene.scene import GRAVITY, Cup, Stepping
from pigglesim.throws import Drop

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


_BULLET = "pybullet" if sys.platform == "linux" and sys.version_info < (3, 12) else "pybullet-arm64"
BULLET_REMEDY = f"use --engine mujoco, or {pip_install(_BULLET)} (Python 3.13 or older)"
"""Remedies for a missing PyBullet, or its fork; without a wheel pip builds it, which may fail."""
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

    @abstractmethod
    def transform(self) -> tuple[Array, Array]:
        """Return the position of the centre of mass [m] and the rotation, body axes."""

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
