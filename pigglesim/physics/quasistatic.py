"""Quasistatic descent: the rest of a body that stopped tilted, alone, without stepping.

Rolling resistance is a lever, which is a crude model at rest: it holds bodies tilted, even halfway
over an edge. From there a real body descends without momentum, along the steepest descent of its
support function (`descent`), which is exact: it rolls without slip on one vertex after another.
"""

from typing import Any

import numpy as np

from pigglesim import descent
from pigglesim.bodies.body import Body, support_for
from pigglesim.descent import Cells, Placed
from pigglesim.landing import RestPlace
from pigglesim.rotations import Array
from pigglesim.scene.scene import Board
from pigglesim.throws import reach


def cells_of(body: Body) -> Cells:
    """Return the hull of a body for descent; only its corners if the body has no poses."""
    if body.poses:
        return support_for(body).cells
    corners = (body.hull.vertices - body.mass.centre).tolist()
    empty: dict[str, Any] = {name: [] for name in Cells._fields}
    empty |= {"corners": corners, "first": [0] * (len(corners) + 1), "grazing": 0.0}
    return Cells(**empty)


def is_settled(body: Body, place: RestPlace) -> bool:
    """Return whether a body is rotated closely enough into one of its stable poses."""
    return descent.is_settled(cells_of(body), _placed(place))


def will_settle(body: Body, place: RestPlace, energy_height: float, board: Board) -> bool:
    """Return whether a body that rests alone must come to rest in the pose that it is near.

    `energy_height` is an upper bound on its kinetic energy as a height [m].
    """
    if not body.poses:
        return False
    support, down = support_for(body), _down(place)
    return descent.will_settle(
        cells_of(body),
        _placed(place),
        support.lowest_corner(down),
        support.height(down),
        energy_height,
        board.thickness,
    )


def descend(body: Body, place: RestPlace, board: Board) -> RestPlace | None:
    """Return the final position and rotation of a body that stopped alone.

    If it has settled in a stable pose, only the remaining overlap from its fall is closed.

    Returns:
        Position and rotation; None if the body has no stable poses, is not on a flat surface, or
        would roll near the board's edge.
    """
    if not body.poses:
        return None
    found, (x, y, z, qx, qy, qz, qw) = descent.final_place(
        cells_of(body),
        _placed(place),
        support_for(body).height(_down(place)),
        reach(body),
        board.half,
        board.thickness,
    )
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw)) if found else None


def unstick_axis(body: Body, place: RestPlace) -> Array | None:
    """Return the axis about which a body would descend into its pose, or None if it has settled.

    Returns:
        Unit vector, world axes, shape [3].
    """
    if not body.poses:
        return None
    corner = support_for(body).lowest_corner(_down(place))
    axis = np.array(descent.unstick_axis(cells_of(body), _placed(place), corner))
    return axis if axis.any() else None


def _placed(place: RestPlace) -> Placed:
    return (*place.position, *place.rotation)


def _down(place: RestPlace) -> Array:
    return np.array(descent.direction_down(_placed(place)))
