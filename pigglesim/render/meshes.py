"""The lamp, triangles as the graphics card takes them, and the frame that shadows are drawn in."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh_files import linear, to_srgb
from pigglesim.render.palette import HAZE, TABLE, srgb
from pigglesim.render.stage import Solid, bands, board_solid, body_solids
from pigglesim.rotations import Array
from pigglesim.scene.scene import Board


def _towards(azimuth: float, elevation: float) -> Array:
    """Return the unit vector to a place in the sky, shape [3], from compass degrees."""
    side, rise = math.radians(azimuth), math.radians(elevation)
    return np.array(
        [math.cos(rise) * math.sin(side), math.cos(rise) * math.cos(side), math.sin(rise)]
    )


SUN = _towards(255.0, 62.0)
"""Unit vector to the lamp: over the left shoulder of one who sits in the South, shape [3]."""

SKY = np.array([0.520, 0.545, 0.580])
"""Light of the sky on what faces it, linear RGB, shape [3]."""

SUNLIGHT = 1.0 - SKY
"""Light of the lamp on level surfaces, linear RGB, shape [3]."""

GROUND = np.array([0.300, 0.262, 0.225])
"""Light that the table throws back at what faces it, linear RGB, shape [3]."""

_GAMMA = 2.2


def encoded(light: Array) -> Array:
    """Return linear light, shape [..., 3], as it is shown, in 0..1."""
    shown: Array = np.clip(light, 0.0, 1.0) ** (1.0 / _GAMMA)
    return shown


def level_light(normal: Array) -> Array:
    """Return the light on a flat surface out of every shadow, linear RGB, shape [3].

    Args:
        normal: Unit vector, shape [3].
    """
    around = GROUND + (SKY - GROUND) * (0.5 + 0.5 * normal[2])
    light: Array = around + SUNLIGHT * max(0.0, float(normal @ SUN) / SUN[2])
    return light


Floats = NDArray[np.float32]
"""An array of single precision; its shape and unit stand in the docstring that names it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshSurface:
    """A mesh with a normal and a colour at each vertex."""

    rows: Floats
    """Position [m], unit normal and linear RGB in 0..1 of each vertex, shape [vertex_count, 9]."""
    faces: NDArray[np.uint32]
    """Corners, counter-clockwise from outside, shape [face_count, 3]."""

    @classmethod
    def of(
        cls, positions: Array, normals: Array, colours: Array, faces: NDArray[np.integer[Any]]
    ) -> "MeshSurface":
        """Return the surface of some arrays; a single normal or colour is for all."""
        parts = (np.broadcast_to(each, positions.shape) for each in (positions, normals, colours))
        return cls(rows=np.hstack(list(parts)).astype(np.float32), faces=faces.astype(np.uint32))

    @property
    def positions(self) -> Floats:
        """[m], shape [vertex_count, 3]."""
        return self.rows[:, :3]

    @property
    def normals(self) -> Floats:
        """Unit vectors, shape [vertex_count, 3]."""
        return self.rows[:, 3:6]

    @property
    def colours(self) -> Floats:
        """Linear RGB in 0..1, shape [vertex_count, 3]."""
        return self.rows[:, 6:]


def _joined(surfaces: Sequence[MeshSurface]) -> MeshSurface:
    starts = np.cumsum([0, *(len(each.rows) for each in surfaces)]).astype(np.uint32)
    faces = [each.faces + start for each, start in zip(surfaces, starts, strict=False)]
    return MeshSurface(rows=np.vstack([each.rows for each in surfaces]), faces=np.vstack(faces))


_FAR, _SHADOW = 0.7e-3, 1.2e-3
"""Side of the cells whose points become one, seen from afar and in shadows [m]."""
_FEW = 2000
"""Triangles that are too few to be thinned: what they show is flat."""
_LIFT = np.float32(0.25e-3)
"""Distance of a mark from the thinned skin, which is not quite where the skin is [m]."""


def surface_of(solid: Solid) -> MeshSurface:
    """Return a solid in the linear colours of its materials."""
    paint = np.array([material.colour for material in solid.materials])
    colours = paint[solid.vertex_materials]
    return MeshSurface.of(solid.vertices, solid.normals, colours, solid.faces)


def body_surface(body: Body) -> MeshSurface:
    """Return a body's skin about its centre of mass, in its own axes: smooth where it is round."""
    return _joined([surface_of(solid) for solid in body_solids(body)])


def far_surface(body: Body) -> MeshSurface:
    """Return a body's skin in a third of the triangles, as good where a millimetre is a pixel."""
    skin, *marks = (surface_of(solid) for solid in body_solids(body))
    for mark in marks:
        mark.positions[:] += _LIFT * mark.normals
    return _joined([_thinned(skin, _FAR), *marks])


def shadow_surface(body: Body) -> MeshSurface:
    """Return a body's skin without colours, in as few triangles as its shadow needs."""
    skin = surface_of(body_solids(body)[0])
    skin.colours[:] = 0.0
    return _thinned(skin, _SHADOW)


def _thinned(surface: MeshSurface, cell: float) -> MeshSurface:
    """Return a surface whose points of one colour in one cell of a grid [m] are their mean."""
    if len(surface.faces) < _FEW:
        return surface
    steps = np.round(surface.positions / cell).astype(np.int64)
    shades = np.round(surface.colours * 255.0).astype(np.int64)
    key = np.zeros(len(steps), dtype=np.int64)
    # One number for all that are alike, for to sort rows is slow.
    for column in (*(steps - steps.min(axis=0)).T, *shades.T):
        key = key * (int(column.max(initial=0)) + 1) + column
    _, owners, sizes = np.unique(key, return_inverse=True, return_counts=True)
    sums = [np.bincount(owners, column) for column in surface.rows.T]
    rows = (np.column_stack(sums) / sizes[:, None]).astype(np.float32)
    rows[:, 3:6] /= np.maximum(np.linalg.norm(rows[:, 3:6], axis=1), 1e-9)[:, None]
    a, b, c = owners[surface.faces].T
    kept = np.column_stack([a, b, c])[(a != b) & (b != c) & (c != a)]
    return MeshSurface(rows=rows, faces=kept.astype(np.uint32))


_UP = np.array([0.0, 0.0, 1.0])
_ALONG = 24
"""Points along a side of the table's square rings."""
_SKIRT = (0.0, 0.002, 0.004, 0.006, 0.008, 0.010, 0.013, 0.018, 0.026, 0.040)
"""Distances of rings round the board, on which its shadow is drawn [m]."""
_PENUMBRA = 0.004
"""Over how much the edge of the board's shadow is soft [m]."""
_RADII = tuple(0.30 * 1.1**k for k in range(18))
"""Radii of the rings farther out [m]: close enough for no ring to be seen."""
_FADE = (0.30, 1.35)
"""Distances between which the table turns to haze [m]."""


def board_surface(board: Board) -> MeshSurface:
    """Return the board in the world's frame, its light in its colours, darker towards the table.

    Its top is cut into what is printed there, so that no two faces share a plane.
    """
    solid = board_solid(board)
    paint = np.array([material.colour for material in solid.materials])[solid.vertex_materials]
    sides = solid.normals[:, 2] < 0.5
    colours = np.vectorize(to_srgb)(paint)
    light = np.array([level_light(normal) for normal in solid.normals[sides]])
    open_ = np.where(solid.vertices[sides, 2:] < 0.0, 0.6, 1.0)
    colours[sides] = encoded(paint[sides] * light * open_)
    return MeshSurface.of(solid.vertices, solid.normals, colours, solid.faces)


def table_surface(board: Board) -> MeshSurface:
    """Return the table round the board: darker along the board's sides, lost in haze far off."""
    outline = _outline(board.half)
    far = np.linalg.norm(outline, axis=1)[:, None]
    rings = [outline * (1.0 + step / board.half) for step in _SKIRT]
    rings += [outline * (radius / far) for radius in _radii(board)]
    points = np.vstack(rings)
    shown = encoded(np.array(linear(TABLE)) * (1.0 - _darkness(board, points))[:, None])
    near, gone = _FADE
    away = np.clip((np.linalg.norm(points, axis=1) - near) / (gone - near), 0.0, 1.0)[:, None]
    colours = shown + away * away * (3.0 - 2.0 * away) * (srgb(HAZE) - shown)
    flat = np.column_stack([points, np.full(len(points), -board.thickness)])
    return MeshSurface.of(flat, _UP, colours, bands(len(outline), len(rings)))


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


_DEPTH = 0.6
"""Reach above and below the board, along the light, of whatever casts a shadow [m]."""


def sun_matrix(reach: float) -> Array:
    """Return the matrix from the world to the lamp's clip space, shape [4, 4].

    Args:
        reach: How far from the middle of the board shadows are drawn, across the light [m].
    """
    right = np.cross([0.0, 0.0, 1.0], SUN)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[0, :3] = right / reach
    matrix[1, :3] = np.cross(SUN, right) / reach
    matrix[2, :3] = -SUN / _DEPTH
    return matrix


_ACROSS = 13
"""Cells along the board's side."""
_BEYOND = 6
"""Cells on each side of it, on the table."""
_CELL_LIFT = 0.0001
"""Height of the cells above what they darken [m]."""


class ShadowGrid:
    """Square cells over the board's top, and over the table round it.

    Args:
        board: What they lie on.
    """

    def __init__(self, board: Board) -> None:
        self._cell = board.size / _ACROSS
        self._count = _ACROSS + 2 * _BEYOND
        self._board = board
        self._half = self._cell * self._count / 2.0

    @property
    def reach(self) -> float:
        """Distance from the middle of the grid to its corners [m]."""
        return self._half * math.sqrt(2.0)

    def surface(self) -> MeshSurface:
        """Return all cells, two triangles each, row by row from the South-West."""
        lines = np.arange(self._count + 1) * self._cell - self._half
        low, high = lines[:-1], lines[1:]
        south, west = np.meshgrid(low, low, indexing="ij")
        north, east = np.meshgrid(high, high, indexing="ij")
        inside = np.arange(self._count) - _BEYOND
        on_board = (inside >= 0) & (inside < _ACROSS)
        height = np.where(on_board[:, None] & on_board, 0.0, -self._board.thickness) + _CELL_LIFT
        corners = [(west, south), (east, south), (east, north), (west, north)]
        points = np.stack([np.stack([x, y, height], axis=-1) for x, y in corners], axis=2)
        faces = self.faces(list(range(self._count**2)))
        return MeshSurface.of(points.reshape(-1, 3), _UP, np.zeros(3), faces)

    def faces(self, cells: list[int]) -> NDArray[np.uint32]:
        """Return the triangles of some cells, shape [2 times as many, 3]."""
        firsts = 4 * np.array(cells, dtype=np.uint32).reshape(-1, 1)
        corners = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32)
        return (firsts[:, None] + corners).reshape(-1, 3)

    def shaded(self, positions: Array, radii: Array) -> list[int]:
        """Return the numbers of the cells that the shadows of balls may touch, sorted.

        Args:
            positions: Middles of the balls [m], shape [count, 3].
            radii: [m], shape [count].
        """
        found: set[int] = set()
        # The shadow of a ball on a level floor is an ellipse, longest along the light.
        reach = radii / SUN[2]
        for floor in (0.0, -self._board.thickness):
            height = positions[:, 2:] - floor
            middles = positions[:, :2] - SUN[:2] / SUN[2] * height
            first = np.floor((middles - reach[:, None] + self._half) / self._cell).astype(int)
            last = np.floor((middles + reach[:, None] + self._half) / self._cell).astype(int)
            first, last = np.maximum(first, 0), np.minimum(last, self._count - 1)
            for (west, south), (east, north) in zip(first.tolist(), last.tolist(), strict=True):
                for row in range(south, north + 1):
                    found.update(range(row * self._count + west, row * self._count + east + 1))
        return sorted(found)
