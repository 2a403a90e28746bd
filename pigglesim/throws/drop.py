"""How one drop of a single die differs from the next."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pigglesim.scene.floor import Fall
from pigglesim.scene.scene import GRAVITY
from pigglesim.shapes.body import Body
from pigglesim.spatial import Array, random_quaternion
from pigglesim.throws.pour import reach

__all__ = ["DROP_NUMBERS", "Drop", "sample_drop", "sample_drops"]

DROP_NUMBERS = 9
"""Standard normal numbers that decide a drop: of the quaternion 4, the drift 2, the spin 3."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drop:
    """Where and how a die is when its bounding sphere meets the floor."""

    height: float
    """Of the centre of mass [m]."""
    orientation: Array
    """Quaternion (x, y, z, w), shape [4]."""
    velocity: Array
    """[m/s], shape [3]."""
    spin: Array
    """[rad/s], world axes, shape [3]."""


def sample_drop(fall: Fall, body: Body, *, rng: np.random.Generator) -> Drop:
    """Return one drop of `body`, drawn from `rng` and nothing else.

    Orientations are uniform over all rotations, so that no pose is favoured before first contact.
    The flight down to there is left out: it only falls, and what is uniform stays uniform.
    """
    orientation = random_quaternion(rng=rng)
    x, y = rng.normal(0.0, 1.0, 2) * fall.drift_spread
    spin = rng.normal(0.0, 1.0, 3) * fall.spin_spread
    speed = (2.0 * GRAVITY * fall.height) ** 0.5
    return Drop(
        height=reach(body),
        orientation=orientation,
        velocity=np.array([x, y, -speed]),
        spin=spin,
    )


def sample_drops(fall: Fall, body: Body, numbers: Array) -> Iterator[Drop]:
    """Yield a drop of `body` for each row of numbers, distributed as those of `sample_drop`.

    Args:
        fall: How the die arrives.
        body: The die.
        numbers: Standard normal, shape [count, DROP_NUMBERS].
    """
    orientations = numbers[:, :4] / np.linalg.norm(numbers[:, :4], axis=1)[:, None]
    velocities = np.full((len(numbers), 3), -((2.0 * GRAVITY * fall.height) ** 0.5))
    velocities[:, :2] = numbers[:, 4:6] * fall.drift_spread
    spins = numbers[:, 6:] * fall.spin_spread
    height = reach(body)
    for row in zip(orientations, velocities, spins, strict=True):
        orientation, velocity, spin = row
        yield Drop(height=height, orientation=orientation, velocity=velocity, spin=spin)
