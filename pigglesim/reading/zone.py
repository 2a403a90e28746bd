"""The landing zone: from the board's geometry and the footprint of contact, nothing else."""

import numpy as np

from pigglesim.landing import LineRule, Zone
from pigglesim.rotations import Array
from pigglesim.scene.board import Board

POINTS = {
    Zone.FIELD_NORTH: 3,
    Zone.FIELD_EAST: 3,
    Zone.FIELD_SOUTH: 3,
    Zone.FIELD_WEST: 3,
    Zone.PATH_INNER: 2,
    Zone.PATH_OUTER: 2,
    Zone.LINE_FIELD_PATH: 2,
    Zone.WOODS: 1,
    Zone.LINE_PATH_WOODS: 1,
    Zone.OFF: 0,
}
"""Points of a Snout-Up Piggle by zone (R3): a line pays its lower side."""

_FIELDS = (Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST)
_PATHS = (Zone.PATH_INNER, Zone.PATH_OUTER)


def footprint_points(rule: LineRule, contacts: Array, centre: Array) -> Array:
    """Return the points that the house rule `line_rule` looks at.

    Args:
        rule: Which part of a Piggle decides its zone (P10).
        contacts: Where it touches the board [m], shape [contact_count, 2].
        centre: Its centre of mass seen from above [m], shape [2].

    Returns:
        Points [m], shape [point_count, 2].
    """
    match rule:
        case LineRule.FOOTPRINT:
            return contacts
        case LineRule.CONTACT_CENTROID:
            middle: Array = contacts.mean(axis=0, keepdims=True)
            return middle
        case LineRule.COM:
            return centre[None, :]


def classify(board: Board, points: Array) -> Zone:
    """Return the zone of a footprint: the lowest region that its convex hull touches pays (P10).

    A footprint that touches a printed line, or reaches over it into both of its sides, lies on
    that line. Inner and outer path pay alike and have no line between them: there the middle of
    the footprint names the zone.

    Args:
        board: The geometry.
        points: Corners of the footprint [m], shape [point_count, 2], at least one.
    """
    from shapely import MultiPoint, Point  # noqa: PLC0415 (slow to import)

    on_board = np.clip(points, -board.half, board.half)
    footprint = MultiPoint(on_board).convex_hull
    touched = {zone for zone, region in board.regions.items() if region.intersects(footprint)}
    half_line = board.line / 2.0
    inward = touched - {Zone.WOODS}
    if footprint.distance(board.woods_border) <= half_line or (Zone.WOODS in touched and inward):
        return Zone.LINE_PATH_WOODS
    if not inward:
        return Zone.WOODS
    fields = [zone for zone in _FIELDS if zone in touched]
    if footprint.distance(board.field_borders) <= half_line or (
        fields and touched.intersection(_PATHS)
    ):
        return Zone.LINE_FIELD_PATH
    if fields:
        return fields[0]
    middle = Point(*np.mean(on_board, axis=0))
    return min(_PATHS, key=lambda zone: board.regions[zone].distance(middle))
