"""Colours of what is shared, in three dimensions and from above: board, lines, table, glass."""

from pigglesim.rolls import Zone
from pigglesim.shapes.objfile import to_linear

__all__ = ["BOARD", "EDGE", "GLASS", "LINE", "PLAIN", "TABLE", "linear"]

_FIELD = "#fbf7ec"
_PATH = "#e8d9bd"

BOARD = {
    Zone.FIELD_NORTH: _FIELD,
    Zone.FIELD_EAST: _FIELD,
    Zone.FIELD_SOUTH: _FIELD,
    Zone.FIELD_WEST: _FIELD,
    Zone.PATH_INNER: _PATH,
    Zone.PATH_OUTER: _PATH,
    Zone.WOODS: "#b9cfae",
}
"""sRGB of each region: paper, sand and leaves, light enough for every livery to stand out."""
PLAIN = BOARD[Zone.WOODS]
"""sRGB of a board without regions, for dice."""
LINE = "#6f665c"
"""sRGB of the printed lines."""
EDGE = "#c9a273"
"""sRGB of the board's sides."""
TABLE = "#d9cbb8"
"""sRGB of the table that the board lies on."""
GLASS = "#dbe8ea"
"""sRGB of the cup: clear, so that one sees in."""


def linear(colour: str) -> tuple[float, float, float]:
    """Return the linear RGB, 0 to 1, of an sRGB colour as `#rrggbb`."""
    red, green, blue = (to_linear(int(colour[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return red, green, blue
