"""Where a hand sets a Piggle down: the nearest free spot in which it lies as the rules ask.

The spot depends on the board, the body and what lies there, and on no random number.
"""

from collections.abc import Iterator, Sequence
from math import pi
from typing import Any

import numpy as np

from pigglesim.reading.contact import hull_in_world
from pigglesim.reading.read_roll import read_landing
from pigglesim.rolls import Landing, ReadingRules, RestPlace, SetDown
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body, StablePose
from pigglesim.spatial import Array, axis_angle, from_matrix, multiply

__all__ = ["free_landing"]

_STEP = 0.003
"""Distance between spots that are tried [m]: an eighth of a Piggle."""
_HEADINGS = 8
"""Headings tried on each spot."""
_CLEARANCE = 0.001
"""Least distance to other bodies, seen from above [m]: nothing is pushed when it is thrown at."""


def free_landing(
    body: Body,
    asked: SetDown,
    *,
    others: Sequence[tuple[Body, RestPlace]],
    board: Board,
    reading: ReadingRules,
) -> Landing | None:
    """Return how a Piggle lies in the free spot nearest to what is asked, or None without room.

    Args:
        body: The Piggle's body.
        asked: Pose and zone, and what it is to lie near.
        others: Everything else on the board.
        board: The board.
        reading: The house rules of reading, by which the landing is read.
    """
    taken = _shadow([hull_in_world(other, place)[:, :2] for other, place in others])
    poses = [pose for pose in body.poses if pose.orientation is asked.orientation]
    for x, y in _spots(_target(asked, board), board):
        for pose in poses:
            for place in _places(pose, x, y):
                outline = _shadow([hull_in_world(body, place)[:, :2]])
                if outline.distance(taken) < _CLEARANCE:
                    continue
                landing = read_landing(body, place, (), board=board, rules=reading)
                if (landing.orientation, landing.zone) == (asked.orientation, asked.zone):
                    return landing
    return None


def _shadow(outlines: Sequence[Array]) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return what bodies cover, seen from above, as one geometry."""
    from shapely import MultiPoint, union_all  # noqa: PLC0415 (slow to import)

    return union_all([MultiPoint(outline).convex_hull for outline in outlines])


def _target(asked: SetDown, board: Board) -> tuple[float, float]:
    """Return the point that the spot is to be near [m]."""
    if asked.near is not None and asked.near.place is not None:
        x, y, _ = asked.near.place.position
        return x, y
    middle = board.regions[asked.zone].centroid
    return middle.x, middle.y


def _spots(target: tuple[float, float], board: Board) -> Iterator[tuple[float, float]]:
    """Give spots on a grid about the target, the nearest first, all over the board [m]."""
    count = int(2.0 * board.size / _STEP)
    steps = np.arange(-count, count + 1) * _STEP
    x, y = (grid.ravel() for grid in np.meshgrid(steps, steps))
    inside = (np.abs(x + target[0]) <= board.half) & (np.abs(y + target[1]) <= board.half)
    x, y = x[inside], y[inside]
    # Of spots that are as far the first by angle, so that the order is one and the same.
    for k in np.lexsort((np.arctan2(y, x), np.round(np.hypot(x, y), 9))):
        yield float(target[0] + x[k]), float(target[1] + y[k])


def _places(pose: StablePose, x: float, y: float) -> Iterator[RestPlace]:
    """Give the ways to lie in a pose with the centre of mass over a spot [m]."""
    upright = _upright(pose)
    for k in range(_HEADINGS):
        turn = axis_angle(np.array([0.0, 0.0, 1.0]), 2.0 * pi * k / _HEADINGS)
        qx, qy, qz, qw = (float(q) for q in multiply(turn, upright))
        yield RestPlace(position=(x, y, pose.height), orientation=(qx, qy, qz, qw))


def _upright(pose: StablePose) -> Array:
    """Return an orientation, shape [4], in which the pose's own down points down."""
    down = pose.down
    # Any axis that is not along it will do; the one it has least of is the safest.
    across = np.cross(down, np.eye(3)[int(np.argmin(np.abs(down)))])
    across /= np.linalg.norm(across)
    return from_matrix(np.array([across, np.cross(-down, across), -down]))
