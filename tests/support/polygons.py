"""Zones of footprints by polygons: the oracle of the reading, which needs no polygons."""

import numpy as np
import shapely

from pigglesim.landing import FIELD_LINES, FIELDS, Zone

_PATHS = (Zone.PATH_INNER, Zone.PATH_OUTER)


def zone_by_polygons(board, points):
    """The lowest-paying region that the convex hull of points [m] touches (P10, M6)."""
    footprint = shapely.convex_hull(shapely.multipoints(points))
    meets = shapely.intersects(list(board.regions.values()), footprint).tolist()
    touched = {zone for zone, met in zip(board.regions, meets, strict=True) if met}
    half_line = board.line / 2.0
    inward = touched - {Zone.WOODS}
    if footprint.distance(board.lines[Zone.LINE_PATH_WOODS]) <= half_line or (
        Zone.WOODS in touched and inward
    ):
        return Zone.LINE_PATH_WOODS
    if not inward:
        return Zone.WOODS
    middle = shapely.Point(*np.mean(points, axis=0))
    lines = [board.lines[FIELD_LINES[field]] for field in FIELDS]
    near = shapely.dwithin(lines, footprint, half_line).tolist()
    fields = [zone for zone, lined in zip(FIELDS, near, strict=True) if lined or zone in touched]
    if any(near) or (fields and touched.intersection(_PATHS)):
        return FIELD_LINES[min(fields, key=lambda zone: board.regions[zone].distance(middle))]
    if fields:
        return fields[0]
    return min(_PATHS, key=lambda zone: board.regions[zone].distance(middle))
