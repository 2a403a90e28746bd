"""Light, triangle meshes for the graphics card, and the frame in which shadows are drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh_files import linear, srgb, to_srgb
from pigglesim.render.palette import HAZE, TABLE
from pigglesim.render.stage import Solid, bands, board_solid, body_solids
from pigglesim.rotations import Array, Indices
from pigglesim.scene.scene import Board

_SIDE, _RISE = math.radians(255.0), math.radians(62.0)
SUN = np.array(
    [math.cos(_RISE) * math.sin(_SIDE), math.cos(_RISE) * math.cos(_SIDE), math.sin(_RISE)]
)
"""Unit vector to the lamp: over the left shoulder of the South player, shape [3]."""
SKY = np.array([0.520, 0.545, 0.580])
"""Sky light on surfaces that face upwards, linear RGB, shape [3]."""
SUNLIGHT = 1.0 - SKY
"""Light of the lamp on level surfaces, linear RGB, shape [3]."""
GROUND = np.array([0.300, 0.262, 0.225])
"""Light reflected by the table on surfaces that face it, linear RGB, shape [3]."""

_GAMMA = 2.2


def encoded(light: Array) -> Array:
    """Return linear light, shape [..., 3], as display values in 0..1."""
    display: Array = np.clip(light, 0.0, 1.0) ** (1.0 / _GAMMA)
    return display


def level_light(normal: Array) -> Array:
    """Return the light on an unshadowed surface with a unit normal, linear RGB, shape [3]."""
    around = GROUND + (SKY - GROUND) * (0.5 + 0.5 * normal[2])
    light: Array = around + SUNLIGHT * max(0.0, float(normal @ SUN) / SUN[2])
    return light


Floats = NDArray[np.float32]
"""Array of single precision; docstrings of its uses give shape and unit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshSurface:
    """A mesh with a normal and a colour at each vertex."""

    rows: Floats
    """Position [m], unit normal and linear RGB in 0..1 of each vertex, shape [vertex_count, 9]."""
    faces: NDArray[np.uint32]
    """Vertex indices, counter-clockwise from outside, shape [face_count, 3]."""

    @classmethod
    def of(
        cls, positions: Array, normals: Array, colours: Array, faces: NDArray[np.integer[Any]]
    ) -> "MeshSurface":
        """Return the surface of some arrays; a single normal or colour applies to all."""
        parts = (np.broadcast_to(array, positions.shape) for array in (positions, normals, colours))
        return cls(rows=np.hstack(list(parts)).astype(np.float32), faces=faces.astype(np.uint32))

    @property
    def positions(self) -> Floats:
        """Vertex positions [m], shape [vertex_count, 3]."""
        return self.rows[:, :3]

    @property
    def normals(self) -> Floats:
        """Vertex normals, unit vectors, shape [vertex_count, 3]."""
        return self.rows[:, 3:6]

    @property
    def colours(self) -> Floats:
        """Vertex colours, linear RGB in 0..1, shape [vertex_count, 3]."""
        return self.rows[:, 6:]


def _joined(surfaces: Sequence[MeshSurface]) -> MeshSurface:
    starts = np.cumsum([0, *(len(surface.rows) for surface in surfaces)]).astype(np.uint32)
    faces = [surface.faces + start for surface, start in zip(surfaces, starts, strict=False)]
    rows = np.vstack([surface.rows for surface in surfaces])
    return MeshSurface(rows=rows, faces=np.vstack(faces))


_FAR, _SHADOW = 0.7e-3, 1.2e-3
"""Grid cell sizes for merging vertices, in distant views and in shadows [m]."""
_COARSE = 1.0e-3
"""Grid cell size for merging vertices in pages, while bodies move [m]."""
COARSE_REACH = _COARSE * math.sqrt(3.0)
"""Greatest distance between a body's triangles and its coarse triangles [m]."""
_FEW = 2000
"""Maximum triangles of a mesh that is not simplified, as it is flat."""
_LIFT = np.float32(0.25e-3)
"""Lift of a mark above the simplified skin, which deviates slightly from the skin [m]."""


def surface_of(solid: Solid) -> MeshSurface:
    """Return a solid in the linear colours of its materials."""
    paint = np.array([material.colour for material in solid.materials])
    colours = paint[solid.vertex_materials]
    return MeshSurface.of(solid.vertices, solid.normals, colours, solid.faces)


def body_surface(body: Body) -> MeshSurface:
    """Return a body's skin about its centre of mass, in its own axes: smooth where it is round."""
    return _joined([surface_of(solid) for solid in body_solids(body)])


def far_surface(body: Body) -> MeshSurface:
    """Return a body's skin with a third of the triangles, for a scale of 1 mm per pixel."""
    skin, *overlay = body_solids(body)
    marks = [surface_of(solid) for solid in overlay]
    for mark in marks:
        mark.positions[:] += _LIFT * mark.normals
    return _joined([_thinned(skin, _FAR), *marks])


def shadow_surface(body: Body) -> MeshSurface:
    """Return a body's skin with only the triangles that its shadow needs."""
    return _thinned(body_solids(body)[0], _SHADOW)


def _thinned(solid: Solid, cell: float) -> MeshSurface:
    faces = coarse_faces(solid, cell)
    faces = faces if len(faces) else solid.faces
    return replace(surface_of(solid), faces=faces.astype(np.uint32))


def coarse_faces(solid: Solid, cell: float = _COARSE) -> Indices:
    """Return fewer triangles between the same vertices, shape [face_count, 3]; none of a flat mesh.

    Vertices of one grid cell [m] become one, so that no point moves farther than its diagonal.
    Materials are kept: neighbours share a vertex on their border if the cell has one.
    """
    if len(solid.faces) < _FEW:
        return solid.faces[:0]
    # From a corner, and rounded: the same for models that differ in their centre of mass alone.
    points = np.round(solid.vertices - solid.vertices.min(axis=0), 9)
    materials = solid.vertex_materials
    _, cells = np.unique(np.floor(points / cell), axis=0, return_inverse=True)
    _, spots = np.unique(points, axis=0, return_inverse=True)
    _, firsts = np.unique(np.column_stack([spots, materials]), axis=0, return_index=True)
    borders = np.bincount(spots[firsts])[spots]
    sums = np.column_stack([np.bincount(cells, column) for column in points.T])
    means = sums / np.bincount(cells)[:, None]
    off_mean = np.round(np.linalg.norm(points - means[cells], axis=1), 8)
    middles = _first_of(cells, off_mean, -borders)
    off_middle = np.round(np.linalg.norm(points - points[middles], axis=1), 8)
    _, owners = np.unique(np.column_stack([cells, materials]), axis=0, return_inverse=True)
    a, b, c = cells[solid.faces].T
    kept = (a != b) & (b != c) & (c != a)
    chosen: Indices = _first_of(owners, off_middle)[solid.faces[kept]]
    return chosen


def in_strips(faces: Indices) -> tuple[Indices, Indices]:
    """Return faces in an order in which most share an edge with the last, for short descriptions.

    Vertices are numbered anew, as they occur; the second array has the old number of each.
    """
    corners = faces.tolist()
    across = {
        edge: number
        for number, (a, b, c) in enumerate(corners)
        for edge in ((a, b), (b, c), (c, a))
    }
    done, ordered = [False] * len(corners), []
    for first in range(len(corners)):
        waiting = [(first, corners[first][0])]
        while waiting:
            number, start = waiting.pop()
            if done[number]:
                continue
            done[number] = True
            turn = corners[number].index(start)
            a, b, c = corners[number][turn:] + corners[number][:turn]
            ordered += [a, b, c]
            for edge, begin in (((a, c), a), ((c, b), c)):
                if edge in across:
                    waiting.append((across[edge], begin))
    flat = np.array(ordered, dtype=np.int64)
    _, firsts, numbers = np.unique(flat, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    renumbered: Indices = np.argsort(order)[numbers].reshape(-1, 3)
    return renumbered, flat[firsts[order]]


def _first_of(groups: Indices, *costs: Array | Indices) -> Indices:
    """Return the point of least cost, by the last first, in each point's group, shape [count]."""
    order = np.lexsort((*costs, groups))
    _, starts = np.unique(groups[order], return_index=True)
    return order[starts][groups]


_UP = np.array([0.0, 0.0, 1.0])
_ALONG = 24
"""Points along a side of the table's square rings."""
_SKIRT = (0.0, 0.002, 0.004, 0.006, 0.008, 0.010, 0.013, 0.018, 0.026, 0.040)
"""Distances of rings around the board, on which its shadow is drawn [m]."""
_PENUMBRA = 0.004
"""Width of the soft edge of the board's shadow [m]."""
_RADII = tuple(0.30 * 1.1**k for k in range(18))
"""Radii of the outer rings [m]: so dense that no ring is visible."""
_FADE = (0.30, 1.35)
"""Range of distances over which the table fades to haze [m]."""


def board_surface(board: Board) -> MeshSurface:
    """Return the board in the world frame, with baked light, darker towards the table.

    Its top is divided by the printed areas, so that no two faces share a plane.
    """
    solid = board_solid(board)
    paint = np.array([material.colour for material in solid.materials])[solid.vertex_materials]
    sides = solid.normals[:, 2] < 0.5
    colours = np.vectorize(to_srgb)(paint)
    light = np.array([level_light(normal) for normal in solid.normals[sides]])
    openness = np.where(solid.vertices[sides, 2:] < 0.0, 0.6, 1.0)
    colours[sides] = encoded(paint[sides] * light * openness)
    return MeshSurface.of(solid.vertices, solid.normals, colours, solid.faces)


def table_surface(board: Board) -> MeshSurface:
    """Return the table around the board: darker along its sides, fading to haze far off."""
    outline = _outline(board.half)
    far = np.linalg.norm(outline, axis=1)[:, None]
    rings = [outline * (1.0 + step / board.half) for step in _SKIRT]
    # The round rings are all outside the square ones.
    wider = max(1.0, math.sqrt(2.0) * (board.half + _SKIRT[-1]) / _RADII[0])
    rings += [outline * (wider * radius / far) for radius in _RADII]
    points = np.vstack(rings)
    shown = encoded(np.array(linear(TABLE)) * (1.0 - _darkness(board, points))[:, None])
    near, gone = _FADE
    away = np.clip((np.linalg.norm(points, axis=1) - near) / (gone - near), 0.0, 1.0)[:, None]
    colours = shown + away * away * (3.0 - 2.0 * away) * (srgb(HAZE) - shown)
    flat = np.column_stack([points, np.full(len(points), -board.thickness)])
    return MeshSurface.of(flat, _UP, colours, bands(len(outline), len(rings)))


def _outline(half: float) -> Array:
    """Return points around a square, counter-clockwise from its lower left, shape [count, 2]."""
    run = np.linspace(-half, half, _ALONG, endpoint=False)
    edge = np.full(_ALONG, half)
    sides = [(run, -edge), (edge, run), (-run, edge), (-edge, -run)]
    return np.vstack([np.column_stack(side) for side in sides])


def _darkness(board: Board, points: Array) -> Array:
    """Return the share of light that the board blocks at points of the table, shape [count]."""

    def outside(moved: Array) -> Array:
        distance: Array = np.linalg.norm(np.maximum(np.abs(moved) - board.half, 0.0), axis=1)
        return distance

    # The board's shadow is the board itself, shifted away from the lamp.
    shadow = outside(points + SUN[:2] / SUN[2] * board.thickness)
    cast = 0.45 * np.clip(1.0 - shadow / _PENUMBRA, 0.0, 1.0)
    near = 0.45 * np.exp(-outside(points) / board.thickness)
    dark: Array = 1.0 - (1.0 - cast) * (1.0 - near)
    return dark


_DEPTH = 0.6
"""Reach of shadow casters above and below the board, along the light [m]."""


def sun_matrix(reach: float) -> Array:
    """Return the matrix from the world to the lamp's clip space, shape [4, 4].

    It covers shadows up to a radius [m] around the board's middle, across the light.
    """
    right = np.cross([0.0, 0.0, 1.0], SUN)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[0, :3] = right / reach
    matrix[1, :3] = np.cross(SUN, right) / reach
    matrix[2, :3] = -SUN / _DEPTH
    return matrix


_ACROSS = 13
"""Number of cells along the board's side."""
_BEYOND = 6
"""Number of cells on each side of it, on the table."""
_CELL_LIFT = 0.0001
"""Height of the cells above the surface that they darken [m]."""


class ShadowGrid:
    """Square cells over the board's top, and over the table around it."""

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
        """Return the sorted numbers of the cells that shadows of spheres may touch.

        Spheres have centres [m], shape [count, 3], and radii [m], shape [count].
        """
        cells: set[int] = set()
        # The shadow of a sphere on a level floor is an ellipse, longest along the light.
        reach = radii / SUN[2]
        for floor in (0.0, -self._board.thickness):
            height = positions[:, 2:] - floor
            middles = positions[:, :2] - SUN[:2] / SUN[2] * height
            first = np.floor((middles - reach[:, None] + self._half) / self._cell).astype(int)
            last = np.floor((middles + reach[:, None] + self._half) / self._cell).astype(int)
            first, last = np.maximum(first, 0), np.minimum(last, self._count - 1)
            for (west, south), (east, north) in zip(first.tolist(), last.tolist(), strict=True):
                for row in range(south, north + 1):
                    cells.update(range(row * self._count + west, row * self._count + east + 1))
        return sorted(cells)
