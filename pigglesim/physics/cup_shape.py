"""The cup's collision shape in general engines: twelve wall boxes and a floor."""

from dataclasses import dataclass
from math import cos, pi, sin, tan

from pigglesim.scene.cup import Cup

WALLS = 12
"""Number of flat walls of a round cup."""
_WALL_DEPTH = 0.008
"""Thickness of the collision walls [m], outwards of the cup as drawn: a Piggle never tunnels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupBox:
    """One box of the cup, in the cup's frame."""

    centre: tuple[float, float, float]
    """[m]"""
    rotation: tuple[float, float, float, float]
    """Unit quaternion (x, y, z, w)."""
    half_extents: tuple[float, float, float]
    """[m]"""


def cup_boxes(cup: Cup, *, walls: int = WALLS) -> tuple[CupBox, ...]:
    """Return the wall boxes and, last, the floor."""
    half_wall = _WALL_DEPTH / 2.0
    radius = cup.inner_radius + half_wall
    # Boxes meet at the inside corners of a regular polygon drawn round the circle.
    half_width = (cup.inner_radius + _WALL_DEPTH) * tan(pi / walls)
    half_depth = cup.depth / 2.0
    angles = [2.0 * pi * k / walls for k in range(walls)]
    around = tuple(
        CupBox(
            centre=(radius * cos(angle), radius * sin(angle), 0.0),
            rotation=(0.0, 0.0, sin(angle / 2), cos(angle / 2)),
            half_extents=(half_wall, half_width, half_depth),
        )
        for angle in angles
    )
    wide = cup.inner_radius + _WALL_DEPTH
    floor = CupBox(
        centre=(0.0, 0.0, -(half_depth + half_wall)),
        rotation=(0.0, 0.0, 0.0, 1.0),
        half_extents=(wide, wide, half_wall),
    )
    return (*around, floor)
