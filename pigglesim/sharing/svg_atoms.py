"""What drawings from above are made of: letters, marks of poses, closed lines."""

from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from pigglesim.pictures.marks import OWNER_COLOURS
from pigglesim.pictures.style import INK, shown
from pigglesim.rolls import Orientation, Seat
from pigglesim.shapes.objfile import to_srgb
from pigglesim.spatial import Array

__all__ = ["TEXT", "area", "loops", "mark", "owner_colour", "plain", "srgb", "text"]

TEXT = 5.2
"""Size of letters [mm]."""
_MARKS = {
    Orientation.SNOUT_UP: ((0.0, 1.0), (1.0, -0.8), (-1.0, -0.8)),
    Orientation.SNOUT_DOWN: ((0.0, -1.0), (-1.0, 0.8), (1.0, 0.8)),
    Orientation.ON_THEIR_HEAD: ((0.0, 1.1), (0.9, 0.0), (0.0, -1.1), (-0.9, 0.0)),
}
"""Corners of the marks that the board as text has, for no font need know them."""


def owner_colour(owner: Seat | None) -> str:
    """Return the sRGB of a player; ink for nobody."""
    return INK if owner is None else OWNER_COLOURS[owner]


def mark(pose: Orientation | None, x: float, y: float, *, size: float, colour: str) -> str:
    """Return the mark of a pose about a point [mm]; nothing for no pose."""
    if pose is None:
        return ""
    corners = " ".join(f"{x + size * a:.2f},{y - size * b:.2f}" for a, b in _MARKS[pose])
    return f'<polygon points="{corners}" fill="{colour}"/>'


def text(
    x: float,
    y: float,
    words: str,
    *,
    colour: str = INK,
    anchor: str = "start",
    size: float = TEXT,
    weight: str = "normal",
    turn: float = 0.0,
) -> str:
    """Return a line of words.

    Args:
        x: Where it begins, ends or has its middle, as `anchor` says [mm].
        y: Its foot [mm].
        words: Escaped here.
        colour: sRGB.
        anchor: `start`, `middle` or `end`.
        size: Of the letters [mm].
        weight: `normal` or `bold`.
        turn: Clockwise about its place [deg].
    """
    if not words:
        return ""
    turned = f' transform="rotate({turn} {x:.2f} {y:.2f})"' if turn else ""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}"{turned}>{plain(words)}</text>'
    )


def plain(text: str) -> str:
    """Return words as XML may hold them: on one line, without marks that no letter is."""
    return escape(shown(text, longest=400))


def srgb(colour: tuple[float, float, float]) -> str:
    """Return linear RGB, 0 to 1, as `#rrggbb`."""
    return "#" + "".join(f"{round(255 * to_srgb(part)):02x}" for part in colour)


def area(polygon: Any, *, decimals: int = 3) -> str:  # noqa: ANN401 (shapely has no types)
    """Return polygons with their holes as the content of a path."""
    parts = getattr(polygon, "geoms", [polygon])
    rings = [np.asarray(ring.coords)[:-1] for each in parts for ring in _rings(each)]
    return loops(rings, decimals=decimals)


def _rings(polygon: Any) -> Iterable[Any]:  # noqa: ANN401 (shapely carries no types)
    return (polygon.exterior, *polygon.interiors)


def loops(lines: Iterable[Array], *, decimals: int = 2) -> str:
    """Return closed lines [m] as the content of a path [mm], each corner from the one before it."""
    words = []
    for loop in lines:
        flat = np.round(1e3 * loop * [1.0, -1.0], decimals)
        steps = np.diff(flat, axis=0, prepend=np.zeros((1, 2)))
        rest = " ".join(f"{_short(x, decimals)} {_short(y, decimals)}" for x, y in steps[1:])
        words.append(f"M{_short(flat[0, 0], decimals)} {_short(flat[0, 1], decimals)}l{rest}z")
    return "".join(words)


def _short(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return text if text not in {"-0", ""} else "0"
