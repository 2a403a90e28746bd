"""Bodies set down by hand: a pose, a heading and a spot."""

import numpy as np

from pigglesim.bodies.body import Body, StablePose
from pigglesim.landing import RestPlace
from pigglesim.rotations import Array, axis_angle, from_matrix, multiply, to_matrix


def pose_rotation(pose: StablePose, heading: float) -> Array:
    """The rotation that turns a pose's down direction onto -z, then turns by a heading."""
    down = pose.down
    side = np.cross(down, [0.31, 0.52, 0.79])
    side /= np.linalg.norm(side)
    upright = from_matrix(np.array([side, np.cross(-down, side), -down]))
    return multiply(axis_angle(np.array([0.0, 0.0, 1.0]), heading), upright)


def feet(body: Body, pose: StablePose, heading: float) -> Array:
    """Where the pose touches the floor, relative to the centre of mass [m], shape [n, 2]."""
    turn = to_matrix(pose_rotation(pose, heading))
    corners = (body.hull.vertices - body.mass.centre) @ turn.T
    return corners[corners[:, 2] < -pose.height + 5e-4][:, :2]


def set_down(
    body: Body, pose: StablePose, *, contact_at: tuple[float, float], heading=0.0, floor=0.0
) -> RestPlace:
    """A body in a pose, the middle of its footprint at a spot [m]."""
    middle = feet(body, pose, heading).mean(axis=0)
    rotation = pose_rotation(pose, heading)
    return RestPlace(
        position=(
            float(contact_at[0] - middle[0]),
            float(contact_at[1] - middle[1]),
            floor + pose.height,
        ),
        rotation=tuple(float(q) for q in rotation),
    )
