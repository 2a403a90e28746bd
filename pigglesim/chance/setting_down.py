"""Where a hand sets a Piggle down: the nearest free spot in which it lies as the rules ask.

The spot depends on the board, the body and what lies there, and on no random number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.reading.contact import ground_contact, hull_in_world
from pigglesim.reading.read_roll import read_landing
from pigglesim.rolls import Landing, LineRule, ReadingRules, RestPlace, SetDown, Zone
from pigglesim.scene.board import Board
from pigglesim.shapes.body import Body, StablePose
from pigglesim.spatial import Array, axis_angle, from_matrix, length, multiply

__all__ = ["free_landing"]

_STEP = 0.003
"""Distance between spots that are tried [m]: an eighth of a Piggle."""
_HEADINGS = 8
"""Headings tried on each spot."""
_CLEARANCE = 0.001
"""Least distance to other bodies, seen from above [m]: nothing is pushed when it is thrown at."""
_REACH = 0.03
"""No point of a Piggle is further than this from its centre of mass, seen from above [m]."""
_TOGETHER = 256
"""Spots looked at together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Way:
    """A way to lie, with the centre of mass over the middle of the board."""

    place: RestPlace
    outline: Array
    """Corners of what it covers, seen from above [m], shape [corner_count, 2]."""
    footprint: Array
    """Points on the board [m], shape [contact_count, 2]."""

    def at(self, x: float, y: float) -> RestPlace:
        """Return the place with the centre of mass over a spot [m]."""
        return RestPlace(
            position=(x, y, self.place.position[2]), orientation=self.place.orientation
        )


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
    ways = tuple(_ways(body, asked, board, reading))
    spots = _spots(asked, board)
    for start in range(0, len(spots), _TOGETHER):
        some = spots[start : start + _TOGETHER]
        free = np.stack([_free(way, some, taken, asked.zone, board, reading) for way in ways], 1)
        # By spot, and on each by heading.
        for spot, number in np.argwhere(free):
            place = ways[number].at(float(some[spot, 0]), float(some[spot, 1]))
            landing = read_landing(body, place, (), board=board, rules=reading)
            if (landing.orientation, landing.zone) == (asked.orientation, asked.zone):
                return landing
    return None


def _shadow(outlines: Sequence[Array]) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return what bodies cover, seen from above, as one geometry."""
    from shapely import MultiPoint, union_all  # noqa: PLC0415 (slow to import)

    return union_all([MultiPoint(outline).convex_hull for outline in outlines])


def _spots(asked: SetDown, board: Board) -> Array:
    """Return spots on a grid for the centre of mass, the nearest first [m], shape [count, 2].

    A body that rests alone has its centre over its footprint: for a region the spots lie in it,
    for a line as near to it as a body reaches.
    """
    from shapely import contains_xy, distance, points  # noqa: PLC0415 (slow to import)

    region = board.regions.get(asked.zone)
    if asked.near is not None and asked.near.place is not None:
        target = np.array(asked.near.place.position[:2])
    else:
        middle = board.regions[asked.zone].centroid
        target = np.array([middle.x, middle.y])
    count = int(board.size / _STEP)
    steps = np.arange(-count, count + 1) * _STEP
    apart = np.stack([grid.ravel() for grid in np.meshgrid(steps, steps)], axis=1)
    # Of spots that are as far the first by angle, so that the order is one and the same.
    angle = np.arctan2(apart[:, 1], apart[:, 0])
    order = np.lexsort((angle, np.round(np.hypot(apart[:, 0], apart[:, 1]), 9)))
    spots: Array = target + apart[order]
    if region is not None:
        inside: Array = spots[contains_xy(region, spots[:, 0], spots[:, 1])]
        return inside
    border = board.woods_border if asked.zone is Zone.LINE_PATH_WOODS else board.field_borders
    near: Array = spots[distance(points(spots), border) <= _REACH]
    return near


def _ways(body: Body, asked: SetDown, board: Board, reading: ReadingRules) -> Iterator[_Way]:
    """Give the headings of the pose that is hardest to tip over of those asked for."""
    from shapely import MultiPoint  # noqa: PLC0415 (slow to import)

    poses = [pose for pose in body.poses if pose.orientation is asked.orientation]
    if not poses:
        return
    pose = max(poses, key=lambda each: each.escape)
    upright = _upright(pose)
    for k in range(_HEADINGS):
        turn = axis_angle(np.array([0.0, 0.0, 1.0]), 2.0 * pi * k / _HEADINGS)
        qx, qy, qz, qw = (float(q) for q in multiply(turn, upright))
        place = RestPlace(position=(0.0, 0.0, pose.height), orientation=(qx, qy, qz, qw))
        hull = MultiPoint(hull_in_world(body, place)[:, :2]).convex_hull
        tolerance = reading.contact_tolerance_mm / 1000.0
        yield _Way(
            place=place,
            outline=np.asarray(hull.exterior.coords, dtype=float),
            footprint=ground_contact(body, place, board, tolerance=tolerance).board,
        )


def _free(
    way: _Way,
    spots: Array,
    taken: Any,  # noqa: ANN401 (shapely carries no types)
    zone: Zone,
    board: Board,
    reading: ReadingRules,
) -> NDArray[np.bool_]:
    """Return on which spots a body touches no other and, as far as is easily told, lies right."""
    from shapely import distance, points, polygons  # noqa: PLC0415 (slow to import)

    free = np.ones(len(spots), dtype=bool)
    region = board.regions.get(zone)
    if region is not None and reading.line_rule is LineRule.FOOTPRINT:
        free &= _inside(region.buffer(-board.line / 2.0), way.footprint, spots)
    if taken.is_empty:
        return free
    gap = distance(points(spots), taken)
    near = np.flatnonzero(free & (gap < _REACH + _CLEARANCE))
    covered = polygons(spots[near, None, :] + way.outline)
    free[near] = distance(covered, taken) >= _CLEARANCE
    return free


def _inside(
    region: Any,  # noqa: ANN401 (shapely carries no types)
    footprint: Array,
    spots: Array,
) -> NDArray[np.bool_]:
    """Return on which spots the whole footprint lies in a region.

    In one without a hole or a bay the corners tell; in the others reading has the last word.
    """
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    corners = spots[:, None, :] + footprint
    told: NDArray[np.bool_] = contains_xy(region, corners[..., 0], corners[..., 1]).all(axis=1)
    return told


def _upright(pose: StablePose) -> Array:
    """Return an orientation, shape [4], in which the pose's own down points down."""
    down = pose.down
    # Any axis that is not along it will do; the one it has least of is the safest.
    across = np.cross(down, np.eye(3)[int(np.argmin(np.abs(down)))])
    across /= length(across)
    return from_matrix(np.array([across, np.cross(-down, across), -down]))
