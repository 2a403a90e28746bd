"""Quasistatic descent: the rest of a body that stopped tilted, alone, without stepping.

Rolling resistance is a lever, which is a crude model at rest: it holds bodies tilted, even halfway
over an edge. From there a real body descends without momentum, along the steepest descent of its
support function (`bodies.support`), which is exact: it rolls without slip on one vertex after
another.
"""

from math import atan2, cos, hypot

import numpy as np

from pigglesim.bodies.body import Body, support_for
from pigglesim.landing import RestPlace
from pigglesim.rotations import Array, axis_angle, dot, from_matrix, length, to_matrix, transform
from pigglesim.scene.scene import Board
from pigglesim.throws import reach

_SETTLED_ANGLE = 0.01
"""Rotation out of a stable pose below which a body has settled in it [rad]."""
_MAX_GAP, _MAX_OVERLAP = 2e-4, 2e-3
"""Distances that the centre of mass may be above and below the height given by the lowest vertex
[m]: the overlap from a late fall takes long to close."""
_ENERGY_MARGIN = 6e-5
"""Energy above that of the pose, as a height [m], too small to take a body to another pose."""
_LAST_ARC_STEPS = 8
"""Steps of the last rotation, out of an equilibrium too shallow to be a pose."""


def is_settled(body: Body, place: RestPlace) -> bool:
    """Return whether a body is rotated closely enough into one of its stable poses."""
    down = -to_matrix(np.array(place.rotation))[2]
    return any(dot(pose.down, down) > cos(_SETTLED_ANGLE) for pose in body.poses)


def will_settle(body: Body, place: RestPlace, energy_height: float, board: Board) -> bool:
    """Return whether a body that rests alone must come to rest in the pose that it is near.

    Its energy is then hardly above that of the pose, and far below that of any saddle.

    `energy_height` is an upper bound on its kinetic energy as a height [m].
    """
    support = support_for(body)
    down = -to_matrix(np.array(place.rotation))[2]
    height = support.height(down)
    if not body.poses or _plane_below(place, height, board) is None:
        return False
    pose = support.poses[support.descend(down)]
    excess = height + energy_height - pose.height
    return excess < min(_ENERGY_MARGIN, pose.escape / 2.0)


def descend(body: Body, place: RestPlace, board: Board) -> RestPlace | None:
    """Return the final position and rotation of a body that stopped alone.

    If it has settled in a stable pose, only the remaining overlap from its fall is closed.

    Returns:
        Position and rotation; None if the body has no stable poses, is not on a flat surface, or
        would roll near the board's edge.
    """
    if not body.poses:
        return None
    matrix = to_matrix(np.array(place.rotation))
    support = support_for(body)
    # On the vertices that touch, not at the pose's own height: the body may be rotated a little.
    height = support.height(-matrix[2])
    plane = _plane_below(place, height, board)
    if plane is None:
        return None
    x, y, _ = place.position
    if is_settled(body, place):
        return RestPlace(position=(x, y, plane + height), rotation=place.rotation)
    if abs(max(abs(x), abs(y)) - board.half) < 2.0 * reach(body):
        return None
    path, pose = support.path(-matrix[2])
    target = body.poses[pose].down
    if dot(path[-1], target) < 1.0 - 1e-12:
        # Descent ended in a stand too shallow for a pose, which is over a tiny saddle.
        shares = np.linspace(0.0, 1.0, _LAST_ARC_STEPS + 1)[1:, None]
        arc = path[-1] + shares * (target - path[-1])
        path = np.concatenate([path, arc / np.linalg.norm(arc, axis=1)[:, None]])
    centre = np.array([x, y, plane + height])
    for down in path:
        matrix, centre = _rolled(body, matrix, centre, down)
    qx, qy, qz, qw = from_matrix(matrix).tolist()
    final = plane + support.height(-matrix[2])
    return RestPlace(
        position=(float(centre[0]), float(centre[1]), final), rotation=(qx, qy, qz, qw)
    )


def _rolled(body: Body, matrix: Array, centre: Array, down: Array) -> tuple[Array, Array]:
    """Return rotation and centre [m] of a body that rolled on a vertex until `down` points down."""
    x, y, z = transform(matrix, down).tolist()
    sine = hypot(x, y)
    if sine < 1e-12:
        return matrix, centre
    # Rotate about the level axis that takes it straight down.
    axis = np.array([-y / sine, x / sine, 0.0])
    step = to_matrix(axis_angle(axis, atan2(sine, -z)))
    vertices = body.hull.vertices - body.mass.centre
    # Both vertices of an edge that it tips over stay in place: either can be used.
    middle = down - matrix[2]
    farthest = np.argmax(transform(middle[None, :], vertices)[:, 0])
    vertex = transform(matrix, vertices[farthest])
    return transform(step, matrix.T).T, centre + vertex - transform(step, vertex)


def _plane_below(place: RestPlace, height: float, board: Board) -> float | None:
    """Return the height of the plane on which a body stands, the board or the table [m]."""
    for plane in (0.0, -board.thickness):
        if -_MAX_OVERLAP < place.position[2] - plane - height < _MAX_GAP:
            return plane
    return None


def unstick_axis(body: Body, place: RestPlace) -> Array | None:
    """Return the axis about which a body would descend into its pose, or None if it has settled.

    Returns:
        Unit vector, world axes, shape [3].
    """
    if not body.poses or is_settled(body, place):
        return None
    matrix = to_matrix(np.array(place.rotation))
    pose = body.poses[support_for(body).descend(-matrix[2])]
    axis: Array = np.cross(transform(matrix, pose.down), [0.0, 0.0, -1.0])
    return axis / length(axis)
