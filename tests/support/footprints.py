"""Zones of footprints, without a body."""

from pigglesim.pose_reading import ZONES, zone_of


def classify(board, points):
    """Return the zone of a footprint: its corners [m], shape [point_count, 2]."""
    return ZONES[zone_of(board.lengths(), [*points.tolist(), [0.0, 0.0]], len(points))]
