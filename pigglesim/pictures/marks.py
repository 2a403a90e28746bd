"""One sign for each thing that is shown of a Piggle, and the colours of the players."""

from pigglesim.markings import Colour, Rune
from pigglesim.reading.zone import POINTS
from pigglesim.rolls import Landing, Orientation, Seat, Zone

__all__ = [
    "OWNER_COLOURS",
    "POSE_MARKS",
    "RUNE_MARKS",
    "SEAT_COLOURS",
    "SHIELD_MARK",
    "SIDES",
    "ZONE_NAMES",
    "landing_points",
    "marking",
    "pose_mark",
]

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
