"""The colours of everything that is drawn in three dimensions, as people mix them: `#rrggbb`.

Of one family with the drawings of a board in two dimensions, a little deeper, for light falls on
them here.
"""

import numpy as np

from pigglesim.pictures.marks import OWNER_COLOURS
from pigglesim.rolls import Zone
from pigglesim.shapes.objfile import to_linear
from pigglesim.spatial import Array

__all__ = [
    "CUP",
    "EDGE",
    "HAZE",
    "LINE",
    "OWNERS",
    "REGIONS",
    "TABLE",
    "linear",
    "srgb",
]

_FIELD, _PATH = "#fbf7ec", "#e8d9bd"

REGIONS = {
    Zone.FIELD_NORTH: _FIELD,
    Zone.FIELD_EAST: _FIELD,
    Zone.FIELD_SOUTH: _FIELD,
    Zone.FIELD_WEST: _FIELD,
    Zone.PATH_INNER: _PATH,
    Zone.PATH_OUTER: _PATH,
    Zone.WOODS: "#b9cfae",
}
"""What each region of the board is printed with."""
LINE = "#6f665c"
"""Printed lines."""
EDGE = "#c9a273"
"""The board's sides: plain beech."""
TABLE = "#d9cbb8"
"""What the board lies on."""
HAZE = "#efe9df"
"""What is seen far off, and behind everything."""
CUP = "#dbe8ea"
"""Glass, where it is thick."""
OWNERS = dict(OWNER_COLOURS)
"""Rings under the Piggles, as the names in drawings."""


def srgb(colour: str) -> Array:
    """Return a colour as it is shown, in 0..1, shape [3]."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def linear(colour: str) -> Array:
    """Return a colour as light adds up, in 0..1, shape [3]."""
    return np.array([to_linear(part) for part in srgb(colour)])
