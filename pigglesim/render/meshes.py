"""Triangle meshes for the graphics card, and the frame in which shadows are drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body
from pigglesim.render.palette import SUN
from pigglesim.render.stage import Solid, body_solids
from pigglesim.rotations import Array, Indices

Floats = NDArray[np.float32]
"""Array of single precision; docstrings of its uses give shape and unit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshSurface:
    """A mesh with a material and a normal at each vertex."""

    rows: Floats
    """Position [m], number of the material and unit normal of each vertex, shape [count, 7]."""
    faces: NDArray[np.uint32]
    """Vertex indices, counter-clockwise from outside, shape [face_count, 3]."""
    palette: tuple[tuple[float, float, float, float], ...]
    """Paint of each material."""

    @property
    def positions(self) -> Floats:
        """Vertex positions [m], shape [vertex_count, 3]."""
        return self.rows[:, :3]

    @property
    def normals(self) -> Floats:
        """Vertex normals, unit vectors, shape [vertex_count, 3]."""
        return self.rows[:, 4:]


def _joined(surfaces: Sequence[MeshSurface]) -> MeshSurface:
    rows, faces, start = [], [], 0
    palette: list[tuple[float, float, float, float]] = []
    for surface in surfaces:
        rows.append(surface.rows + np.float32(len(palette)) * (np.arange(7) == _MATERIAL))
        faces.append(surface.faces + np.uint32(start))
        palette += surface.palette
        start += len(surface.rows)
    return MeshSurface(
        rows=np.vstack(rows).astype(np.float32), faces=np.vstack(faces), palette=tuple(palette)
    )


_MATERIAL = 3
"""Column of the number of a vertex's material."""
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
    """Return a solid with its materials."""
    columns = [solid.vertices, solid.vertex_materials, solid.normals]
    return MeshSurface(
        rows=np.column_stack(columns).astype(np.float32),
        faces=solid.faces.astype(np.uint32),
        palette=tuple(material.paint for material in solid.materials),
    )


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

    Vertices get new numbers in the order of their use; the second array has the old ones.
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


_DEPTH = 0.6
"""Reach of shadow casters above and below the board, along the light [m]."""


def sun_matrix(reach: float) -> Array:
    """Return the matrix from the world to the lamp's clip space, shape [4, 4].

    It covers shadows up to a radius [m] around the board's middle, across the light.
    """
    sun = np.array(SUN)
    right = np.cross([0.0, 0.0, 1.0], sun)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[0, :3] = right / reach
    matrix[1, :3] = np.cross(sun, right) / reach
    matrix[2, :3] = -sun / _DEPTH
    return matrix
