"""What is drawn, as surfaces: board, table, cup and bodies, each from what physics and rules use."""

import math
from typing import Any

import numpy as np

from pigglesim.scene.board import Board
from pigglesim.scene.cup import Cup
from pigglesim.shapes.body import Body
from pigglesim.shapes.shading import corner_normals
from pigglesim.spatial import Array
from pigglesim.viewer.palette import CUP, EDGE, LINE, REGIONS, TABLE, linear
from pigglesim.viewer.surface import Surface, joined

__all__ = ["board_surface", "body_surface", "cup_surface", "table_surface"]

_UP = np.array([0.0, 0.0, 1.0])
_TABLE_RADIUS = 1.6
"""How far the table reaches before it is lost in the haze [m]."""
_SIDES = 72
"""Corners of a round thing: the cup's outline shows no edge at a thousand pixels."""
_LIP = 6
"""Steps of the rounding of the cup's lip."""


def board_surface(board: Board) -> Surface:
    """Return the board: regions, printed lines and sides, in the world's frame.

    Regions and lines are the polygons that zones are read from, cut apart and none above another,
    so that a picture from above shows at each point the zone that is read there.
    """
    from shapely import union_all  # noqa: PLC0415 (slow to import)

    lines = union_all(
        [
            border.buffer(board.line / 2.0, join_style="mitre")
            for border in (board.field_borders, board.woods_border)
        ]
    )
    flats = [
        _flat(region.difference(lines), linear(REGIONS[zone]))
        for zone, region in board.regions.items()
    ]
    return joined([*flats, _flat(lines, linear(LINE)), _sides(board)])


def _flat(shape: Any, colour: Array) -> Surface:  # noqa: ANN401 (shapely carries no types)
    """Return a polygon, or several, as triangles on the board's top."""
    from shapely import constrained_delaunay_triangles, get_coordinates  # noqa: PLC0415

    triangles = constrained_delaunay_triangles(shape).geoms
    corners = np.array([get_coordinates(each)[:3] for each in triangles])
    ahead, back = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    clockwise = ahead[:, 0] * back[:, 1] < ahead[:, 1] * back[:, 0]
    corners[clockwise] = corners[clockwise][:, ::-1]
    points = corners.reshape(-1, 2)
    places, faces = np.unique(points, axis=0, return_inverse=True)
    flat = np.column_stack([places, np.zeros(len(places))])
    return Surface.of(flat, _UP, colour, faces.reshape(-1, 3))


def _sides(board: Board) -> Surface:
    """Return the four sides of the board's slab."""
    half, low = board.half, -board.thickness
    sides = []
    for turn in range(4):
        cos, sin = round(math.cos(turn * math.pi / 2)), round(math.sin(turn * math.pi / 2))
        outward = np.array([cos, sin, 0.0])
        along = np.array([-sin, cos, 0.0])
        corners = [
            half * (outward + side * along) + [0.0, 0.0, height]
            for side, height in ((-1, low), (1, low), (1, 0.0), (-1, 0.0))
        ]
        faces = [[0, 1, 2], [0, 2, 3]]
        sides.append(Surface.of(np.array(corners), outward, linear(EDGE), faces))
    return joined(sides)


def table_surface(board: Board) -> Surface:
    """Return the table under the board: rings about the middle, for its haze is by the vertex."""
    turns = 2.0 * math.pi * np.arange(_SIDES) / _SIDES
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    radii = np.linspace(0.0, _TABLE_RADIUS, 9)[1:]
    points = np.vstack([np.zeros((1, 2)), *(radius * circle for radius in radii)])
    here = np.arange(_SIDES)
    after = (here + 1) % _SIDES
    faces = [np.column_stack([np.zeros(_SIDES, dtype=int), 1 + here, 1 + after])]
    for ring in range(len(radii) - 1):
        low, high = 1 + ring * _SIDES, 1 + (ring + 1) * _SIDES
        faces.append(np.column_stack([low + here, high + here, high + after]))
        faces.append(np.column_stack([low + here, high + after, low + after]))
    flat = np.column_stack([points, np.full(len(points), -board.thickness)])
    return Surface.of(flat, _UP, linear(TABLE), np.vstack(faces))


def cup_surface(cup: Cup) -> Surface:
    """Return the cup as it is seen, in its own frame: inside, rounded lip, outside and floor."""
    inner, outer, half = cup.inner_radius, cup.outer_radius, cup.depth / 2.0
    middle, rim = (inner + outer) / 2.0, cup.wall / 2.0
    lip = [
        (middle - rim * math.cos(turn), half - rim + rim * math.sin(turn))
        for turn in np.linspace(0.0, math.pi, _LIP + 1)
    ]
    profile = np.array(
        [(0.0, -half), (inner, -half), *lip, (outer, -half - cup.wall), (0.0, -half - cup.wall)]
    )
    # Sharp at the floor inside and outside, smooth over the lip: each run has its own normals.
    ends = (0, 1, len(profile) - 2, len(profile) - 1)
    runs = [profile[start : end + 1] for start, end in zip(ends[:-1], ends[1:], strict=True)]
    return joined([_turned(run) for run in runs])


def _turned(profile: Array) -> Surface:
    """Return the surface of a profile of (radius, height) turned about the z axis."""
    ahead = np.gradient(profile, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    turns = 2.0 * math.pi * np.arange(_SIDES) / _SIDES
    out = np.column_stack([np.cos(turns), np.sin(turns)])
    # The material lies to the right of the way along the profile.
    points = [np.column_stack([r * out, np.full(_SIDES, z)]) for r, z in profile]
    normals = [np.column_stack([-dz * out, np.full(_SIDES, dr)]) for dr, dz in ahead]
    here = np.arange(_SIDES)
    after = (here + 1) % _SIDES
    faces = []
    for ring in range(len(profile) - 1):
        low, high = ring * _SIDES, (ring + 1) * _SIDES
        faces.append(np.column_stack([low + here, high + here, high + after]))
        faces.append(np.column_stack([low + here, high + after, low + after]))
    return Surface.of(np.vstack(points), np.vstack(normals), linear(CUP), np.vstack(faces))


def body_surface(body: Body) -> Surface:
    """Return a body's skin about its centre of mass, in its own axes: smooth where it is round."""
    skin = body.skin
    normals = corner_normals(skin).reshape(-1, 3)
    points = (skin.vertices - body.mass.centre)[skin.faces].reshape(-1, 3)
    materials = skin.face_materials or ("",) * len(skin.faces)
    paint = {name: skin.colours.get(name, (0.8, 0.8, 0.8)) for name in dict.fromkeys(materials)}
    colours = np.repeat([paint[name] for name in materials], 3, axis=0)
    # Corners alike in all of it are one vertex: the card shades it once.
    rows = np.hstack([points, normals, colours]).astype(np.float32)
    alike = np.round(rows * [1e6] * 3 + [1e3] * 6) if False else rows
    unique, faces = np.unique(alike, axis=0, return_inverse=True)
    return Surface.of(unique[:, :3], unique[:, 3:6], unique[:, 6:], faces.reshape(-1, 3))
