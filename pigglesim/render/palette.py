"""Colours, signs and names shared by windows, pages, drawings and text.

A colour is `#rrggbb` (sRGB).
"""

import unicodedata
from typing import Any

from pigglesim.landing import ZONE_POINTS, Landing, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.scene.scene import Board

HAZE = "#efe9df"
"""Colour of the far distance and of the background."""


POSE_MARKS = {
    Orientation.SNOUT_UP: "▲",
    Orientation.SNOUT_DOWN: "▼",
    Orientation.ON_THEIR_HEAD: "◆",
}
"""Mark of each orientation, which distinguishes them without colours."""

POSE_CORNERS = {
    Orientation.SNOUT_UP: ((0.0, 1.0), (1.0, -0.8), (-1.0, -0.8)),
    Orientation.SNOUT_DOWN: ((0.0, -1.0), (-1.0, 0.8), (1.0, 0.8)),
    Orientation.ON_THEIR_HEAD: ((0.0, 1.1), (0.9, 0.0), (0.0, -1.1), (-0.9, 0.0)),
}
"""Corners of these marks, to draw them without a font: right and up, up to about 1."""

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
"""Mark of each rune, one character."""

SHIELD_MARK = "#"
"""Suffix of a shielded Piggle."""

ZONE_NAMES = {
    Zone.FIELD_NORTH: "field N",
    Zone.FIELD_EAST: "field E",
    Zone.FIELD_SOUTH: "field S",
    Zone.FIELD_WEST: "field W",
    Zone.PATH_INNER: "inner path",
    Zone.PATH_OUTER: "outer path",
    Zone.WOODS: "woods",
    Zone.LINE_NORTH: "N/path",
    Zone.LINE_EAST: "E/path",
    Zone.LINE_SOUTH: "S/path",
    Zone.LINE_WEST: "W/path",
    Zone.LINE_FIELD_PATH: "field/path",
    Zone.LINE_PATH_WOODS: "path/woods",
    Zone.OFF: "off",
}
"""Short names of zones; a line is named by its two sides."""

SIDES = {Seat.A: "A (South)", Seat.B: "B (North)"}
"""Display names of the players at a board."""

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
"""Text colours of the players, readable on dark and on light screens."""

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
"""Background of the name of a Piggle or of a die, dark enough for white letters; a Piggle's name
begins with its owner's letter."""


def landing_points(landing: Landing) -> int:
    """Return the points of this Piggle for its owner in a Tally now: 0 unless Snout-Up (R11)."""
    return ZONE_POINTS[landing.zone] if landing.orientation is Orientation.SNOUT_UP else 0


def pose_mark(landing: Landing) -> str:
    """Return the mark of an orientation; empty off the board, or for a body that is not a pig."""
    return POSE_MARKS[landing.orientation] if landing.orientation else ""


def support_word(landing: Landing) -> str:
    """Return the word for a Piggle that others hold up; empty for one that stands by itself."""
    return "leans" if landing.leaning else "stacked" if landing.stacked else ""


def marking(colour: Colour | None, rune: Rune | None) -> str:
    """Return the livery of a Piggle of Modern in two characters: `R→`, `B` without a rune."""
    return f"{colour.value[0].upper() if colour else '-'}{RUNE_MARKS[rune] if rune else ''}"


_FIELD = "#fbf4e2"
_PATH = "#e8d6b2"
REGIONS = {
    Zone.FIELD_NORTH: _FIELD,
    Zone.FIELD_EAST: _FIELD,
    Zone.FIELD_SOUTH: _FIELD,
    Zone.FIELD_WEST: _FIELD,
    Zone.PATH_INNER: _PATH,
    Zone.PATH_OUTER: _PATH,
    Zone.WOODS: "#a6c495",
}
"""sRGB of each region: paper, sand and leaves, light enough to contrast with every livery."""
CROWNS = ("#6f9a69", "#8db67f", "#98bf87", "#b5d3a3")
"""sRGB of the printed trees: shade, two crowns, and their light."""
PEBBLES = ("#d8c299", "#f1e3c6")
"""sRGB of the printed pebbles."""
CLEARING = "#cfe0bf"
"""sRGB of a clearing in the printed woods, behind a number."""
FIGURE = "#ead9b4"
"""sRGB of the large numbers in the fields, faint enough for what stands on them."""
PLAIN = REGIONS[Zone.WOODS]
"""sRGB of a board without regions, for dice."""
LINE = "#6a5240"
"""sRGB of the printed lines."""
EDGE = "#a9804f"
"""sRGB of the board's sides."""
TABLE = "#a98260"
"""sRGB of the lightest wood of the table under the board."""
UNPAINTED = (0.72, 0.62, 0.52)
"""Linear RGB of an unpainted body."""
GLASS = "#dbe8ea"
"""sRGB of the cup: clear, so that its inside is visible."""
BRASS, WALNUT, FELT = "#d9b36a", "#5a3b28", "#5f9b78"
"""sRGB of the cup's rim, of its foot and of the felt in it."""
SUN = (-0.43, -0.22, 0.87561)
"""Direction of the window's light: over the left shoulder of the South player."""
THEME = {
    "paper": ("#fbfaf7", "#1d1b1a"),
    "ink": ("#2b2726", "#ece7e1"),
    "faint": ("#6f6966", "#a59e98"),
    "rule": ("#dcd7d0", "#3d3936"),
    "sky": ("#f1ece3", "#2a2624"),
    "floor": ("#e4dacb", "#201d1b"),
    "accent": ("#1f6b50", "#6cc9a4"),
    "fault": ("#8a3b00", "#ffb072"),
    "alarm": ("#fdebd3", "#41260f"),
}
"""sRGB of paper and text on light and on dark pages, with what can be pressed (the accent) and what
went wrong: none is a player's colour."""
PAPER, INK, FAINT, RULE = (THEME[name][0] for name in ("paper", "ink", "faint", "rule"))


_LONGEST = 30
"""Maximum characters of a name in a picture."""


def display_name(name: object, *, longest: int = _LONGEST) -> str:
    """Return a name for a picture: one line, without control characters, at most `longest` long."""
    letters = [c if unicodedata.category(c)[0] != "C" else "\ufffd" for c in str(name)]
    text = " ".join("".join(letters).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def label_fields(landing: Landing | None, board: Board) -> dict[str, Any]:
    """Return the content of a label that depends on the landing."""
    if landing is None:
        return {"floor": 0.0, "mark": "", "points": 0, "reading": ""}
    pose = display_name(landing.label or "")
    return {
        "floor": -board.thickness if landing.zone is Zone.OFF else 0.0,
        "mark": pose_mark(landing),
        "points": landing_points(landing),
        "reading": ", ".join(word for word in (pose, ZONE_NAMES[landing.zone]) if word),
    }
