"""Colours, signs and names of what is drawn, the same in a window, a page, a drawing and in text.

A colour is `#rrggbb` (sRGB), as people mix them.
"""

import numpy as np

from pigglesim.landing import Landing, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.reading import POINTS
from pigglesim.rotations import Array

HAZE = "#efe9df"
"""The far distance, and the ground behind everything."""


def srgb(colour: str) -> Array:
    """Return a colour as screens show it, 0 to 1, shape [3]."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])


POSE_MARKS = {
    Orientation.SNOUT_UP: "▲",
    Orientation.SNOUT_DOWN: "▼",
    Orientation.ON_THEIR_HEAD: "◆",
}
"""A mark for each pose, so that no colour is needed to tell them apart."""

RUNE_MARKS = {
    Rune.LEFT: "←",
    Rune.RIGHT: "→",
    Rune.ADJACENT: "↔",
    Rune.ACROSS: "↑",
    Rune.ARROW_CW: "↻",
    Rune.ARROW_CCW: "↺",
    Rune.SPIRAL_CW: "◴",
    Rune.SPIRAL_CCW: "◵",
    Rune.SPLIT: "⑂",
}
"""One character a rune."""

SHIELD_MARK = "#"
"""Follows a Piggle that is shielded."""

ZONE_NAMES = {
    Zone.FIELD_NORTH: "field N",
    Zone.FIELD_EAST: "field E",
    Zone.FIELD_SOUTH: "field S",
    Zone.FIELD_WEST: "field W",
    Zone.PATH_INNER: "inner path",
    Zone.PATH_OUTER: "outer path",
    Zone.WOODS: "woods",
    Zone.LINE_FIELD_PATH: "field/path",
    Zone.LINE_PATH_WOODS: "path/woods",
    Zone.OFF: "off",
}
"""Zones in a few letters; a line is named by its two sides."""

SIDES = {Seat.A: "A (South)", Seat.B: "B (North)"}
"""The players at a board, as people call them."""

SEAT_COLOURS = {
    Seat.A: "#e0668a",
    Seat.B: "#6c9fe0",
    Seat.C: "#7aa65a",
    Seat.D: "#c08a3e",
    Seat.E: "#a07cc5",
    Seat.F: "#4fa5a0",
    Seat.G: "#b0766a",
    Seat.H: "#8a8f3c",
}
"""Colours of the players' words, light enough for a dark screen and dark enough for a light one."""

OWNER_COLOURS = {
    Seat.A: "#b3325b",
    Seat.B: "#2b5fa8",
    Seat.C: "#4a7530",
    Seat.D: "#8a5c17",
    Seat.E: "#7b4fa6",
    Seat.F: "#23706b",
    Seat.G: "#8c4a3c",
    Seat.H: "#61661b",
}
"""Ground of the name of a Piggle or of a die, dark enough for white letters; a Piggle's name begins
with its owner's letter."""


def landing_points(landing: Landing) -> int:
    """Return what this Piggle would pay its owner in a Tally now: nothing unless Snout-Up (R11)."""
    return POINTS[landing.zone] if landing.orientation is Orientation.SNOUT_UP else 0


def pose_mark(landing: Landing) -> str:
    """Return the mark of a pose; nothing off the board, or for a body that is not a pig."""
    return POSE_MARKS[landing.orientation] if landing.orientation else ""


def marking(colour: Colour | None, rune: Rune | None) -> str:
    """Return what a Piggle of Modern wears in two characters: `R→`, `B` without a rune."""
    return f"{colour.value[0].upper() if colour else '-'}{RUNE_MARKS[rune] if rune else ''}"


_FIELD = "#fbf7ec"

_PATH = "#e8d9bd"

REGIONS = {
    Zone.FIELD_NORTH: _FIELD,
    Zone.FIELD_EAST: _FIELD,
    Zone.FIELD_SOUTH: _FIELD,
    Zone.FIELD_WEST: _FIELD,
    Zone.PATH_INNER: _PATH,
    Zone.PATH_OUTER: _PATH,
    Zone.WOODS: "#b9cfae",
}
"""sRGB of each region: paper, sand and leaves, light enough for every livery to stand out."""

PLAIN = REGIONS[Zone.WOODS]
"""sRGB of a board without regions, for dice."""

LINE = "#6f665c"
"""sRGB of the printed lines."""

EDGE = "#c9a273"
"""sRGB of the board's sides."""

TABLE = "#d9cbb8"
"""sRGB of the table that the board lies on."""

GLASS = "#dbe8ea"
"""sRGB of the cup: clear, so that one sees in."""


PAPER, INK, FAINT, RULE = "#fbfaf7", "#2b2726", "#6f6966", "#dcd7d0"
