"""What a body does, told from where it is after each step: any engine can be asked that."""

import numpy as np

from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Mode
from pigglesim.rotations import multiply, to_matrix

GRAVITY = 9.80665


def place_at(position, rotation=(0.0, 0.0, 0.0, 1.0)) -> RestPlace:
    """A place in plain floats."""
    return RestPlace(position=tuple(map(float, position)), rotation=tuple(map(float, rotation)))


def spin_between(before, after, step):
    """The spin [rad/s], world axes, that takes one rotation to the next within a step."""
    turn = multiply(after, before * np.array([-1.0, -1.0, -1.0, 1.0]))
    turn = turn if turn[3] >= 0.0 else -turn
    sine = np.linalg.norm(turn[:3])
    if sine < 1e-15:
        return np.zeros(3)
    return turn[:3] / sine * (2.0 * np.arctan2(sine, turn[3]) / step)


class Tracked:
    """One body of a world, with the velocity and spin of its last step.

    Engines that step velocities first and then move by them (all semi-implicit ones) have these
    very values at the end of the step.
    """

    def __init__(self, world, body, place, *, step, velocity=(0, 0, 0), spin=(0, 0, 0)):
        self.world, self.body, self.step = world, body, step
        self.number = world.add_body(body, place, Mode.FREE)
        world.set_velocity(self.number, np.asarray(velocity, float), np.asarray(spin, float))
        self.velocity, self.spin = np.asarray(velocity, float), np.asarray(spin, float)
        self._keep(world.place(self.number))

    def _keep(self, place):
        self.position, self.rotation = np.array(place.position), np.array(place.rotation)

    def look(self):
        """Take in the step just made."""
        position, rotation = self.position, self.rotation
        self._keep(self.world.place(self.number))
        self.velocity = (self.position - position) / self.step
        self.spin = spin_between(rotation, self.rotation, self.step)

    @property
    def angular_momentum(self):
        """About its own centre [kg m2/s], shape [3]."""
        turn = to_matrix(self.rotation)
        return turn @ self.body.mass.inertia @ turn.T @ self.spin

    @property
    def kinetic(self):
        """[J]"""
        mass = self.body.mass.mass
        return mass * self.velocity @ self.velocity / 2 + self.spin @ self.angular_momentum / 2

    @property
    def energy_height(self):
        """Energy over weight: the height [m] its centre could rise to with all its motion."""
        return self.position[2] + self.kinetic / (self.body.mass.mass * GRAVITY)
