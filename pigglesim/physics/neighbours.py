"""Who is near whom, and who lies where it can be left alone."""

import numpy as np

from pigglesim.rolls import RestPlace
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body
from pigglesim.shapes.poses import pose_at
from pigglesim.spatial import Array, to_matrix
from pigglesim.throws.pour import reach

__all__ = ["Neighbours", "at_home", "homeward"]

_NEAR = 0.006
"""Bounding spheres with less than this between them are near [m]: what moves at 3 m/s covers it
in one step of 2 ms, so a sleeper is awake before it is struck."""
_HOME_ANGLE = 0.01
"""A body turned by less than this out of a stable pose lies in it [rad]."""
_HOME_HEIGHT = 2e-4
"""And its centre is this near the height that its lowest corner gives it [m]."""


class Neighbours:
    """Distances between bounding spheres at the moment last looked at.

    Args:
        bodies: Every body of the world, by number.
    """

    def __init__(self, bodies: tuple[Body, ...]) -> None:
        self.radii: Array = np.array([reach(body) for body in bodies])
        self._sums = self.radii[:, None] + self.radii[None, :]
        np.fill_diagonal(self._sums, -1.0)
        self._gaps = np.full_like(self._sums, np.inf)

    def look(self, positions: Array) -> None:
        """Take in centres of mass [m], shape [body_count, 3]."""
        apart = positions[:, None, :] - positions[None, :, :]
        self._gaps = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart)) - self._sums

    def near(self, number: int) -> list[int]:
        """Return the bodies that could meet this one within a step."""
        return [int(n) for n in np.flatnonzero(self._gaps[number] < _NEAR) if n != number]

    def meet(self, some: set[int], others: set[int]) -> bool:
        """Whether any of some could meet any of the others within a step."""
        if not some or not others:
            return False
        return bool((self._gaps[np.ix_(list(some), list(others))] < _NEAR).any())

    def within_reach(self, number: int) -> list[int]:
        """Return the bodies whose bounding spheres overlap this one's."""
        return [int(n) for n in np.flatnonzero(self._gaps[number] < 0.0) if n != number]


def at_home(body: Body, place: RestPlace, board: Board) -> RestPlace | None:
    """Return the place of a body that lies in one of its stable poses, or None if it does not.

    The place returned has the height that the pose has on the board, or on the table below: what
    is left of the overlap that stopped the fall, some hundredths of a millimetre, is taken out.
    """
    if not body.poses:
        return None
    down = -to_matrix(np.array(place.orientation))[2]
    cosines = np.array([pose.down @ down for pose in body.poses])
    best = int(np.argmax(cosines))
    if cosines[best] < np.cos(_HOME_ANGLE):
        return None
    # On the corners that touch, not on the pose's own height: the body may be turned a little.
    lowest = float(np.max((body.hull.vertices - body.mass.centre) @ down))
    x, y, z = place.position
    for floor in (0.0, -board.thickness):
        if abs(z - floor - lowest) < _HOME_HEIGHT:
            return RestPlace(position=(x, y, floor + lowest), orientation=place.orientation)
    return None


def homeward(body: Body, place: RestPlace) -> Array | None:
    """Return the axis about which a body would sink into its pose, or None if it lies in it.

    Args:
        body: A body that stands alone.
        place: How it stands.

    Returns:
        Unit vector, world axes, shape [3].
    """
    turn = to_matrix(np.array(place.orientation))
    pose = pose_at(body, -turn[2]) if body.poses else None
    if pose is None or pose.down @ -turn[2] > np.cos(_HOME_ANGLE):
        return None
    axis: Array = np.cross(turn @ pose.down, [0.0, 0.0, -1.0])
    return axis / np.linalg.norm(axis)
