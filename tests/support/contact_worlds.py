"""Worlds of engine `impulse` opened for tests of its parts: shapes, state and parameters."""

from dataclasses import replace

import numpy as np

from pigglesim.physics.engine import Mode
from pigglesim.physics.engines import make_engine
from pigglesim.physics.impulse.state import STEP_TOGETHER
from pigglesim.scene.load import load_scene
from tests.support.tracking import place_at

SCENE = load_scene("piggles_classic")
STEP = SCENE.stepping.time_step


class Opened:
    """A world whose compiled parts are called one by one.

    Args:
        bodies: Every body with its position and quaternion, body frame.
        scene: The table.
    """

    def __init__(self, bodies, *, scene=SCENE):
        world = make_engine("impulse").world(scene)
        for body, position, quaternion in bodies:
            world.add_body(body, place_at(position, quaternion), Mode.FREE)
        self.shapes, self.params = world.shapes, world.params
        self.state, self.scratch = world.state, world.scratch
        self.state.step_mode[: len(bodies)] = STEP_TOGETHER
        self.hulls = [self.shapes.hull_shape[kind] for kind in self.state.body_kind[: len(bodies)]]

    def vertices(self, body):
        """Vertices of a body's hull, world axes."""
        shape = self.hulls[body]
        first, last = self.shapes.first_vertex[shape], self.shapes.first_vertex[shape + 1]
        own = self.shapes.vertices[first:last]
        return own @ self.state.rotation_matrix[body].T + self.state.position[body]

    def contacts(self):
        """Points, normals and separations of all contacts."""
        count, state = int(self.state.contact_count), self.state
        return (
            state.contact_point[:count].copy(),
            state.contact_frame[:count, 0].copy(),
            state.separation[:count].copy(),
        )

    def velocities_at_contacts(self):
        """Velocity of body a relative to b at each contact, along its frame, shape [count, 3]."""
        state = self.state

        def at(body, point):
            arm = point - state.position[body]
            return state.velocity[body] + np.cross(state.angular_velocity[body], arm)

        return np.array(
            [
                state.contact_frame[i]
                @ (
                    at(state.body_a[i], state.contact_point[i])
                    - at(state.body_b[i], state.contact_point[i])
                )
                for i in range(int(state.contact_count))
            ]
        ).reshape(-1, 3)


def with_contacts(**contacts):
    """The scene with other friction and restitution of some contacts."""
    return replace(SCENE, contacts=replace(SCENE.contacts, **contacts))
