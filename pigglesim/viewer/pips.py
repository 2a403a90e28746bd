"""The numbers of a die: pips on the sides that its poses are named for."""

import math

import numpy as np

from pigglesim.shapes.body import Body, StablePose
from pigglesim.spatial import Array
from pigglesim.viewer.surface import Surface, joined

__all__ = ["pip_surface"]

_PIPS = {
    "1": ((0, 0),),
    "2": ((-1, -1), (1, 1)),
    "3": ((-1, -1), (0, 0), (1, 1)),
    "4": ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    "5": ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    "6": ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Where pips are on a side, in steps."""
_STEP, _RADIUS = 0.48, 0.17
"""Between pips, and of one, in distances of the side from the middle."""
_LIFT = 0.00006
"""How far above the side they are drawn [m]."""
_CORNERS = 24
_DARK = (0.02, 0.018, 0.02)


def pip_surface(body: Body) -> Surface | None:
    """Return the pips of a die about its centre of mass, in its own axes; None for what is none."""
    if not body.poses or any(pose.name not in _PIPS for pose in body.poses):
        return None
    return joined([_side(body, pose) for pose in body.poses])


def _side(body: Body, pose: StablePose) -> Surface:
    """Return the pips of the side that is up in a pose."""
    up: Array = -pose.down
    # The same axes for a side and its opposite, so that pips do not depend on a choice.
    across = np.roll(np.abs(up), 1)
    across = across - up * float(across @ up)
    across /= np.linalg.norm(across)
    ahead = np.cross(up, across)
    away = float(np.max((body.hull.vertices - body.mass.centre) @ up))
    turns = 2.0 * math.pi * np.arange(_CORNERS) / _CORNERS
    rim = _RADIUS * away * (np.outer(np.cos(turns), across) + np.outer(np.sin(turns), ahead))
    here = np.arange(_CORNERS)
    faces = np.column_stack([np.full(_CORNERS, _CORNERS), here, (here + 1) % _CORNERS])
    discs = []
    for x, y in _PIPS[pose.name]:
        middle = (away + _LIFT) * up + _STEP * away * (x * across + y * ahead)
        points = np.vstack([middle + rim, middle])
        discs.append(Surface.of(points, up, np.array(_DARK), faces))
    return joined(discs)
