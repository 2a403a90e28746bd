"""Free spots on the board, where a Piggle is set down by hand: a search over spots and headings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body, StablePose
from pigglesim.landing import (
    FIELD_LINES,
    Landing,
    LineRule,
    ReadingRules,
    RestPlace,
    SetDown,
    Zone,
)
from pigglesim.landing_reading import ground_contact, hull_in_world, read_landing
from pigglesim.rotations import Array, axis_angle, from_matrix, length, multiply
from pigglesim.scene.scene import Board

_STEP = 0.003
"""Distance between tried spots [m], an eighth of a Piggle."""
_HEADINGS = 8
"""Headings tried on each spot."""
_CLEARANCE = 0.001
"""Minimum distance to other bodies, seen from above [m]."""
_REACH = 0.03
"""Maximum distance of a point of a Piggle from its centre of mass, seen from above [m]."""
_BATCH = 256
"""Spots tested together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Heading:
    """Resting Piggle in one heading, with its centre of mass over the middle of the board."""

    place: RestPlace
    outline: Array
    """Vertices of the covered area, seen from above [m], shape [vertex_count, 2]."""
    footprint: Array
    """Points on the board [m], shape [contact_count, 2]."""


def landing_in_free_spot(
    body: Body,
    request: SetDown,
    *,
    resting: Sequence[tuple[Body, RestPlace]],
    board: Board,
    reading: ReadingRules,
) -> Landing | None:
    """Return the landing in the free spot nearest to the requested one, or None without room."""
    from shapely import MultiPoint, union_all  # noqa: PLC0415 (slow to import)

    hulls = [hull_in_world(other, place)[:, :2] for other, place in resting]
    occupied = union_all([MultiPoint(hull).convex_hull for hull in hulls])
    headings = tuple(_headings(body, request, board, reading))
    spots = _spots(request, board)
    for start in range(0, len(spots), _BATCH):
        batch = spots[start : start + _BATCH]
        mask = [_free_spots(at, batch, occupied, request.zone, board, reading) for at in headings]
        # Candidates are ordered by spot, then by heading.
        for spot, number in np.argwhere(np.stack(mask, 1)):
            rest_place = headings[number].place
            x, y = map(float, batch[spot])
            place = replace(rest_place, position=(x, y, rest_place.position[2]))
            landing = read_landing(body, place, (), board=board, rules=reading)
            any_line = request.zone is Zone.LINE_FIELD_PATH and landing.zone in FIELD_LINES.values()
            fits = landing.zone is request.zone or any_line
            if fits and landing.orientation is request.orientation:
                return landing
    return None


def _spots(request: SetDown, board: Board) -> Array:
    """Return spots on a grid for the centre of mass, the nearest first [m], shape [count, 2].

    The centre of mass of a body that rests alone is over its footprint. For a region the spots are
    within it; for a line they are within reach of it.
    """
    from shapely import contains_xy, distance, points  # noqa: PLC0415 (slow to import)

    region = board.regions.get(request.zone)
    if request.near is not None and request.near.place is not None:
        target = np.array(request.near.place.position[:2])
    else:
        middle = (region or board.lines[request.zone]).centroid
        target = np.array([middle.x, middle.y])
    reach = int(board.size / _STEP)
    steps = np.arange(-reach, reach + 1) * _STEP
    offsets = np.stack([grid.ravel() for grid in np.meshgrid(steps, steps)], axis=1)
    # Equally distant spots are ordered by angle, so that the order is unique.
    angle = np.arctan2(offsets[:, 1], offsets[:, 0])
    order = np.lexsort((angle, np.round(np.hypot(offsets[:, 0], offsets[:, 1]), 9)))
    spots: Array = target + offsets[order]
    if region is not None:
        reachable = contains_xy(region, spots[:, 0], spots[:, 1])
    else:
        reachable = distance(points(spots), board.lines[request.zone]) <= _REACH
    within_reach: Array = spots[np.asarray(reachable)]
    return within_reach


def _headings(
    body: Body, request: SetDown, board: Board, reading: ReadingRules
) -> Iterator[_Heading]:
    """Yield the headings of that requested stable pose which is hardest to tip over."""
    from shapely import MultiPoint  # noqa: PLC0415 (slow to import)

    poses = [pose for pose in body.poses if pose.orientation is request.orientation]
    if not poses:
        return
    pose = max(poses, key=lambda pose: pose.escape)
    upright = _upright(pose)
    tolerance = reading.contact_tolerance_mm / 1000.0
    for k in range(_HEADINGS):
        turn = axis_angle(np.array([0.0, 0.0, 1.0]), 2.0 * pi * k / _HEADINGS)
        qx, qy, qz, qw = (float(q) for q in multiply(turn, upright))
        place = RestPlace(position=(0.0, 0.0, pose.height), rotation=(qx, qy, qz, qw))
        hull = MultiPoint(hull_in_world(body, place)[:, :2]).convex_hull
        yield _Heading(
            place=place,
            outline=np.asarray(hull.exterior.coords, dtype=float),
            footprint=ground_contact(body, place, board, tolerance=tolerance).board,
        )


def _free_spots(
    heading: _Heading,
    spots: Array,
    occupied: Any,  # noqa: ANN401 (shapely carries no types)
    zone: Zone,
    board: Board,
    reading: ReadingRules,
) -> NDArray[np.bool_]:
    """Return the spots on which a body touches no other and may be in the requested zone."""
    from shapely import contains_xy, distance, points, polygons  # noqa: PLC0415 (slow to import)

    free = np.ones(len(spots), dtype=bool)
    region = board.regions.get(zone)
    if region is not None and reading.line_rule is LineRule.FOOTPRINT:
        # For a convex region the vertices decide; for others, reading confirms the zone.
        inner, feet = region.buffer(-board.line / 2.0), spots[:, None, :] + heading.footprint
        free &= contains_xy(inner, feet[..., 0], feet[..., 1]).all(axis=1)
    if occupied.is_empty:
        return free
    gap = distance(points(spots), occupied)
    close = np.flatnonzero(free & (gap < _REACH + _CLEARANCE))
    covered = polygons(spots[close, None, :] + heading.outline)
    free[close] = distance(covered, occupied) >= _CLEARANCE
    return free


def _upright(pose: StablePose) -> Array:
    """Return a rotation, shape [4], that points the pose's `down` axis downwards."""
    down = pose.down
    # Any axis not parallel to `down` would do; that of its smallest component is the safest.
    across = np.cross(down, np.eye(3)[int(np.argmin(np.abs(down)))])
    across /= length(across)
    return from_matrix(np.array([across, np.cross(-down, across), -down]))
