"""A body that has stopped, alone, before it lay flat: where it would sink to, without stepping.

Rolling resistance is a lever, and a crude model at rest: it holds bodies tilted, even half over an
edge. From there a real body sinks without momentum, by the exact descent of `shapes/support`,
rolling without slip on one corner after another. No step is needed to tell where to.
"""

from math import atan2, cos, hypot

import numpy as np

from pigglesim.rolls import RestPlace
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body
from pigglesim.shapes.poses import support_for
from pigglesim.spatial import Array, axis_angle, dot, from_matrix, length, to_matrix, transform
from pigglesim.throws.pour import reach

__all__ = ["at_rest_soon", "homeward", "lies_home", "sunk"]

_HOME_ANGLE = 0.01
"""A body turned by less than this out of a stable pose lies in it [rad]."""
_ABOVE, _BELOW = 2e-4, 2e-3
"""How much its centre may be above the height that its lowest corner gives it, and below [m]: the
overlap that stopped a late fall takes long to close."""
_LITTLE = 6e-5
"""Energy over that of the pose, as a height [m], that takes a body nowhere else."""
_ARCS = 8
"""Pieces of the last turn, out of a stand too shallow to be a pose."""


def lies_home(body: Body, place: RestPlace) -> bool:
    """Whether a body is turned into one of its stable poses, near enough."""
    down = -to_matrix(np.array(place.orientation))[2]
    return any(dot(pose.down, down) > cos(_HOME_ANGLE) for pose in body.poses)


def at_rest_soon(body: Body, place: RestPlace, climb: float, board: Board) -> bool:
    """Whether a body that stands alone can only come to rest in the pose it is nearly in.

    Its energy is then hardly above what it has in the pose, and far below what any way out takes.

    Args:
        body: The body.
        place: Where and how it stands.
        climb: How far its motion could lift it at most [m].
        board: What it stands on, or beside.
    """
    support = support_for(body)
    down = -to_matrix(np.array(place.orientation))[2]
    height = support.height(down)
    if not body.poses or _floor(place, height, board) is None:
        return False
    pose = support.poses[support.descend(down)]
    over = height + climb - pose.height
    return over < min(_LITTLE, pose.escape / 2.0)


def sunk(body: Body, place: RestPlace, board: Board) -> RestPlace | None:
    """Return the place at which a body that stands still and alone comes to lie.

    One that lies in a stable pose stays as it is but for what is left of the overlap that stopped
    its fall. None if it has no stable poses, stands on nothing flat, or would roll near the
    board's edge.

    Args:
        body: The body.
        place: Where and how it stands.
        board: What it stands on, or beside.
    """
    if not body.poses:
        return None
    turn = to_matrix(np.array(place.orientation))
    support = support_for(body)
    # On the corners that touch, not on the pose's own height: the body may be turned a little.
    height = support.height(-turn[2])
    floor = _floor(place, height, board)
    if floor is None:
        return None
    x, y, _ = place.position
    if lies_home(body, place):
        return RestPlace(position=(x, y, floor + height), orientation=place.orientation)
    if abs(max(abs(x), abs(y)) - board.half) < 2.0 * reach(body):
        return None
    way, pose = support.path(-turn[2])
    home = body.poses[pose].down
    if dot(way[-1], home) < 1.0 - 1e-12:
        # Descent ended in a stand too shallow for a pose, which is over a tiny brim.
        shares = np.linspace(0.0, 1.0, _ARCS + 1)[1:, None]
        rest = way[-1] + shares * (home - way[-1])
        way = np.concatenate([way, rest / np.linalg.norm(rest, axis=1)[:, None]])
    centre = np.array([x, y, floor + height])
    for down in way:
        turn, centre = _rolled(body, turn, centre, down)
    qx, qy, qz, qw = from_matrix(turn).tolist()
    final = floor + support.height(-turn[2])
    return RestPlace(
        position=(float(centre[0]), float(centre[1]), final), orientation=(qx, qy, qz, qw)
    )


def _rolled(body: Body, turn: Array, centre: Array, down: Array) -> tuple[Array, Array]:
    """Return turn and centre of a body after it rolled on one corner until `down` points down.

    Args:
        body: The body.
        turn: From body to world axes, shape [3, 3].
        centre: Centre of mass [m], shape [3].
        down: Unit vector, body frame, shape [3].
    """
    x, y, z = transform(turn, down).tolist()
    sine = hypot(x, y)
    if sine < 1e-12:
        return turn, centre
    # About the level axis that takes it straight down.
    axis = np.array([-y / sine, x / sine, 0.0])
    step = to_matrix(axis_angle(axis, atan2(sine, -z)))
    corners = body.hull.vertices - body.mass.centre
    # Both corners of an edge that it tips over stay where they are: any of them will do.
    middle = down - turn[2]
    farthest = np.argmax(transform(middle[None, :], corners)[:, 0])
    corner = transform(turn, corners[farthest])
    return transform(step, turn.T).T, centre + corner - transform(step, corner)


def _floor(place: RestPlace, height: float, board: Board) -> float | None:
    """Return how high the ground is that a body stands on: the board, or the table."""
    for floor in (0.0, -board.thickness):
        if -_BELOW < place.position[2] - floor - height < _ABOVE:
            return floor
    return None


def homeward(body: Body, place: RestPlace) -> Array | None:
    """Return the axis about which a body would sink into its pose, or None if it lies in it.

    Args:
        body: A body that stands alone.
        place: How it stands.

    Returns:
        Unit vector, world axes, shape [3].
    """
    if not body.poses or lies_home(body, place):
        return None
    turn = to_matrix(np.array(place.orientation))
    pose = body.poses[support_for(body).descend(-turn[2])]
    axis: Array = np.cross(transform(turn, pose.down), [0.0, 0.0, -1.0])
    return axis / length(axis)
