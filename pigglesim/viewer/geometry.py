"""Board, table and cup as surfaces, from the numbers that physics and reading use.

Board and table bring their light along: the colours of their vertices are as they are shown, in
the sun and out of every shadow but the board's own. A film is mostly board and table, and drawing
them then costs next to nothing.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from pigglesim.rolls import Zone
from pigglesim.scene.board import Board, Print, printed_areas, triangles_of
from pigglesim.scene.cup import Cup
from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array
from pigglesim.viewer.light import SUN, encoded, level_light
from pigglesim.viewer.palette import CUP, EDGE, HAZE, LINE, PLAIN, REGIONS, TABLE, linear, srgb
from pigglesim.viewer.surface import Surface, joined

__all__ = ["board_surface", "cup_surface", "table_surface"]

_UP = np.array([0.0, 0.0, 1.0])
_SIDES = 72
"""Corners of a round thing: the cup's outline shows no edge at a thousand pixels."""
_LIP = 6
"""Steps of the rounding of the cup's lip."""
_ALONG = 24
"""Points along a side of the table's square rings."""
_SKIRT = (0.0, 0.002, 0.004, 0.006, 0.008, 0.010, 0.013, 0.018, 0.026, 0.040)
"""Distances of rings round the board, on which its shadow is drawn [m]."""
_PENUMBRA = 0.004
"""Over how much the edge of the board's shadow is soft [m]."""
_RADII = tuple(0.30 * 1.1**k for k in range(18))
"""Of the rings farther out [m]: close enough for no ring to be seen."""
_FADE = (0.30, 1.35)
"""From where to where the table turns to haze [m]."""


def board_surface(board: Board) -> Surface:
    """Return the board: regions, printed lines and sides, in the world's frame.

    Its top is cut into what is printed there, so that no two faces share a plane.
    """
    flats = [_flat(area, _shown(what)) for what, area in printed_areas(board)]
    return joined([*flats, _sides(board)])


def _shown(what: Print) -> Array:
    """Return the colour of what is printed."""
    if isinstance(what, Zone):
        return srgb(REGIONS[what])
    return srgb(LINE if what == "line" else PLAIN)


def _flat(area: Any, colour: Array) -> Surface:  # noqa: ANN401 (shapely carries no types)
    """Return a polygon, or several, as triangles on the board's top."""
    corners = triangles_of(area).reshape(-1, 2)
    places, faces = np.unique(corners, axis=0, return_inverse=True)
    flat = np.column_stack([places, np.zeros(len(places))])
    return Surface.of(flat, _UP, colour, faces.reshape(-1, 3))


def _sides(board: Board) -> Surface:
    """Return the four sides of the board's slab, darker towards the table."""
    half, low = board.half, -board.thickness
    sides = []
    for turn in range(4):
        cos, sin = round(math.cos(turn * math.pi / 2)), round(math.sin(turn * math.pi / 2))
        outward = np.array([cos, sin, 0.0])
        along = np.array([-sin, cos, 0.0])
        light = linear(EDGE) * level_light(outward)
        corners, colours = [], []
        for side, height, open_ in ((-1, low, 0.6), (1, low, 0.6), (1, 0.0, 1.0), (-1, 0.0, 1.0)):
            corners.append(half * (outward + side * along) + [0.0, 0.0, height])
            colours.append(encoded(light * open_))
        faces = [[0, 1, 2], [0, 2, 3]]
        sides.append(Surface.of(np.array(corners), outward, np.array(colours), faces))
    return joined(sides)


def table_surface(board: Board) -> Surface:
    """Return the table round the board: darker along the board's sides, lost in haze far off."""
    outline = _outline(board.half)
    far = np.linalg.norm(outline, axis=1)[:, None]
    rings = [outline * (1.0 + step / board.half) for step in _SKIRT]
    rings += [outline * (radius / far) for radius in _radii(board)]
    points = np.vstack(rings)
    shown = encoded(linear(TABLE) * (1.0 - _darkness(board, points))[:, None])
    near, gone = _FADE
    away = np.clip((np.linalg.norm(points, axis=1) - near) / (gone - near), 0.0, 1.0)[:, None]
    colours = shown + away * away * (3.0 - 2.0 * away) * (srgb(HAZE) - shown)
    flat = np.column_stack([points, np.full(len(points), -board.thickness)])
    return Surface.of(flat, _UP, colours, _bands(len(outline), len(rings)))


def _radii(board: Board) -> list[float]:
    """Return the radii of the round rings, all outside the square ones [m]."""
    least = math.sqrt(2.0) * (board.half + _SKIRT[-1])
    return [max(1.0, least / _RADII[0]) * radius for radius in _RADII]


def _outline(half: float) -> Array:
    """Return points round a square, counter-clockwise from its lower left, shape [count, 2]."""
    run = np.linspace(-half, half, _ALONG, endpoint=False)
    edge = np.full(_ALONG, half)
    sides = [(run, -edge), (edge, run), (-run, edge), (-edge, -run)]
    return np.vstack([np.column_stack(side) for side in sides])


def _darkness(board: Board, points: Array) -> Array:
    """Return how much of its light the board takes from points of the table, shape [count]."""

    def outside(moved: Array) -> Array:
        distance: Array = np.linalg.norm(np.maximum(np.abs(moved) - board.half, 0.0), axis=1)
        return distance

    # The board's shadow is the board itself, moved away from the lamp.
    shadow = outside(points + SUN[:2] / SUN[2] * board.thickness)
    cast = 0.45 * np.clip(1.0 - shadow / _PENUMBRA, 0.0, 1.0)
    near = 0.45 * np.exp(-outside(points) / board.thickness)
    dark: Array = 1.0 - (1.0 - cast) * (1.0 - near)
    return dark


def cup_surface(cup: Cup) -> Surface:
    """Return the cup as it is seen, in its own frame: inside, rounded lip, outside and floor."""
    inner, outer, half = cup.inner_radius, cup.outer_radius, cup.depth / 2.0
    middle, rim = (inner + outer) / 2.0, cup.wall / 2.0
    lip = [
        (middle - rim * math.cos(turn), half - rim + rim * math.sin(turn))
        for turn in np.linspace(0.0, math.pi, _LIP + 1)
    ]
    under = -half - cup.wall
    profile = np.array([(0.0, -half), (inner, -half), *lip, (outer, under), (0.0, under)])
    # Sharp at the floor inside and outside, smooth over the lip: each run has its own normals.
    ends = (0, 1, len(profile) - 2, len(profile) - 1)
    runs = [profile[start : end + 1] for start, end in pairwise(ends)]
    return joined([_turned(run) for run in runs])


def _turned(profile: Array) -> Surface:
    """Return the surface of a profile of (radius, height) turned about the z axis.

    The material lies to the right of the way along the profile.
    """
    ahead = np.gradient(profile, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    turns = 2.0 * math.pi * np.arange(_SIDES) / _SIDES
    out = np.column_stack([np.cos(turns), np.sin(turns)])
    points = [np.column_stack([r * out, np.full(_SIDES, z)]) for r, z in profile]
    normals = [np.column_stack([-dz * out, np.full(_SIDES, dr)]) for dr, dz in ahead]
    faces = _bands(_SIDES, len(profile))
    return Surface.of(np.vstack(points), np.vstack(normals), linear(CUP), faces)


def _bands(count: int, rings: int) -> Indices:
    """Return the triangles between rings of `count` points each, from the first to the last."""
    here = np.arange(count)
    after = (here + 1) % count
    faces = []
    for ring in range(rings - 1):
        low, high = ring * count, (ring + 1) * count
        faces.append(np.column_stack([low + here, high + here, high + after]))
        faces.append(np.column_stack([low + here, high + after, low + after]))
    return np.vstack(faces)
