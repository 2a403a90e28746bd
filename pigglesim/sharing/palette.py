"""Colours of what is shared: the board as cloth and card, its lines, the glass of the cup."""

from pigglesim.rolls import Zone
from pigglesim.shapes.objfile import to_linear

__all__ = ["BOARD", "EDGE", "GLASS", "LINE", "TABLE", "linear"]

_FIELD = "#d5dfb2"
_PATH = "#eddfc3"

BOARD = {
    Zone.FIELD_NORTH: _FIELD,
    Zone.FIELD_EAST: _FIELD,
    Zone.FIELD_SOUTH: _FIELD,
    Zone.FIELD_WEST: _FIELD,
    Zone.PATH_INNER: _PATH,
    Zone.PATH_OUTER: _PATH,
    Zone.WOODS: "#a5bb93",
}
"""sRGB of each region: meadow, sand and wood, light enough for every livery to stand out."""
LINE = "#6b5a45"
"""sRGB of the printed lines."""
EDGE = "#8a6a48"
"""sRGB of the board's sides."""
TABLE = "#b9a48c"
"""sRGB of the table that the board lies on."""
GLASS = "#cfe3ea"
"""sRGB of the cup: clear, so that one sees in."""


def linear(colour: str) -> tuple[float, float, float]:
    """Return the linear RGB, 0 to 1, of an sRGB colour as `#rrggbb`."""
    red, green, blue = (to_linear(int(colour[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return red, green, blue
