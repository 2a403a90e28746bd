"""The colours of everything that is drawn in three dimensions, as people mix them: `#rrggbb`.

Of one family with the drawings of a board in two dimensions, a little deeper, for light falls on
them here.
"""

import numpy as np

from pigglesim.bodies.objfile import to_linear
from pigglesim.pictures.board import OWNER_COLOURS
from pigglesim.rotations import Array
from pigglesim.sharing.stage import BOARD as REGIONS
from pigglesim.sharing.stage import EDGE, LINE, PLAIN, TABLE
from pigglesim.sharing.stage import GLASS as CUP

__all__ = [
    "CUP",
    "EDGE",
    "HAZE",
    "LINE",
    "OWNERS",
    "PLAIN",
    "REGIONS",
    "TABLE",
    "linear",
    "srgb",
]

HAZE = "#efe9df"
"""What is seen far off, and behind everything."""
OWNERS = dict(OWNER_COLOURS)
"""Rings under the Piggles, as the names in drawings."""


def srgb(colour: str) -> Array:
    """Return a colour as it is shown, in 0..1, shape [3]."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def linear(colour: str) -> Array:
    """Return a colour as light adds up, in 0..1, shape [3]."""
    return np.array([to_linear(part) for part in srgb(colour)])
