"""Random initial conditions of drops of a single die."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.rng import generator
from pigglesim.rotations import Array, random_quaternion
from pigglesim.scene.scene import GRAVITY, Fall
from pigglesim.throws.pour import reach

DRAW_BLOCK = 250
"""Number of trials whose random numbers are drawn together."""
_NUMBERS = 9
"""Standard normal numbers per drop: 4 for the quaternion, 2 for the drift, 3 for the spin."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drop:
    """Transform and velocities of a die when its bounding sphere touches the floor."""

    height: float
    """Height of the centre of mass [m]."""
    rotation: Array
    """Rotation, a quaternion (x, y, z, w), shape [4]."""
    velocity: Array
    """Velocity [m/s], shape [3]."""
    angular_velocity: Array
    """Angular velocity [rad/s], world axes, shape [3]."""


def sample_drop(fall: Fall, body: Body, *, rng: np.random.Generator) -> Drop:
    """Return one drop of `body`, drawn from `rng` alone.

    Rotations are uniform, so that no pose is favoured before first contact. The flight until then
    is left out: a uniform distribution of rotations stays uniform in flight.
    """
    rotation = random_quaternion(rng=rng)
    x, y = rng.normal(0.0, 1.0, 2) * fall.drift_spread
    angular_velocity = rng.normal(0.0, 1.0, 3) * fall.spin_spread
    speed = (2.0 * GRAVITY * fall.height) ** 0.5
    return Drop(
        height=reach(body),
        rotation=rotation,
        velocity=np.array([x, y, -speed]),
        angular_velocity=angular_velocity,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drops:
    """Many drops of one die, one row each."""

    height: float
    """Height of the centre of mass [m]."""
    rotations: Array
    """Rotations, quaternions (x, y, z, w), shape [count, 4]."""
    velocities: Array
    """Velocities [m/s], shape [count, 3]."""
    angular_velocities: Array
    """Angular velocities [rad/s], world axes, shape [count, 3]."""

    def __len__(self) -> int:
        """Return the number of drops."""
        return len(self.rotations)

    def __iter__(self) -> Iterator[Drop]:
        """Yield each drop."""
        for row in zip(self.rotations, self.velocities, self.angular_velocities, strict=True):
            rotation, velocity, angular_velocity = row
            yield Drop(
                height=self.height,
                rotation=rotation,
                velocity=velocity,
                angular_velocity=angular_velocity,
            )


def sample_drops(
    fall: Fall, body: Body, *, trials: range, seed: int, purpose: Sequence[str]
) -> Drops:
    """Return a drop of `body` per trial, distributed like those of `sample_drop`.

    A drop is a pure function of seed, purpose, trial, body and fall. Trials are drawn in blocks,
    at a twentieth of the cost of one generator each.

    Args:
        fall: Distribution of the die's motion.
        body: The die.
        trials: Numbers of the drops, consecutive; at least one.
        seed: Root seed.
        purpose: Name of the stream of random numbers, with the seed.
    """
    first, last = trials.start // DRAW_BLOCK, (trials.stop - 1) // DRAW_BLOCK
    drawn = np.concatenate(
        [
            generator(seed, *purpose, block).standard_normal((DRAW_BLOCK, _NUMBERS))
            for block in range(first, last + 1)
        ]
    )
    numbers = drawn[trials.start - first * DRAW_BLOCK :][: len(trials)]
    velocities = np.full((len(numbers), 3), -((2.0 * GRAVITY * fall.height) ** 0.5))
    velocities[:, :2] = numbers[:, 4:6] * fall.drift_spread
    return Drops(
        height=reach(body),
        rotations=numbers[:, :4] / np.linalg.norm(numbers[:, :4], axis=1)[:, None],
        velocities=velocities,
        angular_velocities=numbers[:, 6:] * fall.spin_spread,
    )
