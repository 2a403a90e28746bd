"""Quasistatic descent: the rest of a body that stopped tilted, alone, without stepping.

Rolling resistance is a lever, which is a crude model at rest: it holds bodies tilted, even halfway
over an edge. From there a real body descends without momentum, along the steepest descent of its
support function (`descent`), which is exact: it rolls without slip on one vertex after another.
"""

import math

import numpy as np

from pigglesim import descent
from pigglesim.bodies.body import Body, cells_of, support_for
from pigglesim.descent import Placed
from pigglesim.landing import RestPlace
from pigglesim.physics.settling import rest_place, unstick_motion
from pigglesim.rotations import Array
from pigglesim.scene.scene import Board
from pigglesim.throws import reach


def is_settled(body: Body, place: RestPlace) -> bool:
    """Return whether a body is rotated closely enough into one of its stable poses."""
    return descent.is_settled(cells_of(body), _placed(place))


def descend(
    body: Body, place: RestPlace, board: Board, *, slow: bool = False, room: float = math.inf
) -> RestPlace | None:
    """Return the final position and rotation of a body that stopped alone.

    If it has settled in a stable pose, only the remaining overlap from its fall is closed.

    Args:
        body: The body.
        place: Its position and rotation.
        board: The board.
        slow: True if it may still move; then it must be certain to end in its pose.
        room: Distance that it may move before it could touch another [m].

    Returns:
        Position and rotation; None if the body has no stable poses, is not on a flat surface, has
        no room, or would roll near the board's edge.
    """
    if not body.poses:
        return None
    support, down = support_for(body), _down(place)
    found, (x, y, z, qx, qy, qz, qw) = rest_place(
        support.cells,
        _placed(place),
        support.lowest_corner(down),
        support.height(down),
        slow,
        room,
        reach(body),
        board.half,
        board.thickness,
    )
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw)) if found else None


def unstick_push(body: Body, place: RestPlace, board: Board) -> tuple[Array, Array] | None:
    """Return the push that lets a body descend into its pose, or None if it has settled.

    Returns:
        Velocity [m/s] and angular velocity [rad/s], world axes, shape [3] each.
    """
    if not body.poses:
        return None
    support = support_for(body)
    corner = support.lowest_corner(_down(place))
    vx, vy, wx, wy = unstick_motion(support.cells, _placed(place), corner, board.thickness)
    return (np.array([vx, vy, 0.0]), np.array([wx, wy, 0.0])) if wx or wy else None


def _placed(place: RestPlace) -> Placed:
    return (*place.position, *place.rotation)


def _down(place: RestPlace) -> Array:
    return np.array(descent.direction_down(_placed(place)))
