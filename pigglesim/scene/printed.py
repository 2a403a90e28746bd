"""The top of a board as it is printed: regions and lines cut apart, none above another."""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from pigglesim.rolls import Zone
from pigglesim.scene.board import Board
from pigglesim.spatial import Array

__all__ = ["Print", "printed_areas", "triangles_of"]

Print: TypeAlias = Zone | Literal["line", "plain"]
"""What an area of the board's top shows: a region, the lines, or that nothing is printed."""


def printed_areas(board: Board) -> Iterator[tuple[Print, Any]]:
    """Yield what is printed on a board, and the area it covers as a geometry of shapely [m].

    They are the polygons that zones are read from, so that a picture from above shows at each point
    the zone that is read there; the lines come last. A plain board is one area.
    """
    from shapely import box, union_all  # noqa: PLC0415 (slow to import)

    if board.plain:
        yield "plain", box(-board.half, -board.half, board.half, board.half)
        return
    borders = (board.field_borders, board.woods_border)
    lines = union_all([each.buffer(board.line / 2.0, join_style="mitre") for each in borders])
    for zone, region in board.regions.items():
        yield zone, region.difference(lines)
    yield "line", lines


def triangles_of(area: Any) -> Array:  # noqa: ANN401 (shapely carries no types)
    """Return the triangles of an area, counter-clockwise [m], shape [triangle_count, 3, 2]."""
    from shapely import constrained_delaunay_triangles, get_coordinates  # noqa: PLC0415 (slow)

    points = get_coordinates(constrained_delaunay_triangles(area))
    # Each ring gives its first corner again at its end.
    corners: Array = points.reshape(-1, 4, 2)[:, :3]
    ahead, back = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    clockwise = ahead[:, 0] * back[:, 1] < ahead[:, 1] * back[:, 0]
    corners[clockwise] = corners[clockwise][:, ::-1]
    return corners
