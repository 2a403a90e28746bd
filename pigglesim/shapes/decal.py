"""Flat outlines laid onto a surface, so that they follow its faces."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pigglesim.shapes.body import Indices, Skin
from pigglesim.spatial import Array

__all__ = ["Decal", "Spot", "lay_on"]

_LIFT = 5e-5
"""How far a decal lies above the skin [m]: a coat of paint, enough for depth buffers to tell."""
_FACING = 0.5
"""Least cosine between a face and the spot's outward direction: no mark runs round a bend."""
_GRID = 1e-8
"""Corners nearer than this [m] are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place for a mark: a plane near the surface, from which outlines are projected."""

    centre: tuple[float, float, float]
    """[m], body frame."""
    outward: tuple[float, float, float]
    """Direction to whoever looks at the mark; any length but zero, not along +-y."""
    half_size: float
    """Half the side of the square that the mark fills [m]."""

    @property
    def axes(self) -> Array:
        """Return unit vectors across (to the looker's right), upward and outward, shape [3, 3]."""
        outward = np.array(self.outward) / np.linalg.norm(self.outward)
        across = np.cross([0.0, 1.0, 0.0], outward)
        across /= np.linalg.norm(across)
        return np.stack([across, np.cross(outward, across), outward])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decal:
    """Triangles just above a surface."""

    vertices: Array
    """[m], shape [vertex_count, 3]."""
    faces: Indices


def lay_on(skin: Skin, outline: Any, spot: Spot, *, part: str) -> Decal:  # noqa: ANN401 (shapely)
    """Return an outline laid onto the faces of one part of a skin; what lies beside it is lost.

    Each face that looks outward is seen as a flat triangle from the spot's outward direction;
    the outline is cut along these triangles and every piece lifted onto its face.

    Args:
        skin: The surface.
        outline: Polygons in the spot's square of side 2.
        spot: Where to lay it.
        part: Name of the part that takes it.
    """
    from shapely import Polygon, STRtree, affinity  # noqa: PLC0415 (slow to import)

    axes = spot.axes
    owned = np.flatnonzero(np.array(skin.face_parts) == part)
    corners = (skin.vertices[skin.faces[owned]] - np.array(spot.centre)) @ axes.T
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    # Far behind the spot lie other things: the far side, or what parts enclose between them.
    seen = (normals[:, 2] > _FACING * sizes) & (corners[:, :, 2].min(axis=1) > -spot.half_size)
    corners, normals = corners[seen], normals[seen]
    mark = affinity.scale(outline, spot.half_size, spot.half_size, origin=(0.0, 0.0))
    cells = [Polygon(cell) for cell in corners[:, :, :2]]
    pieces = []
    for index in sorted(STRtree(cells).query(mark, predicate="intersects").tolist()):
        flat = _triangles(mark.intersection(cells[index]))
        slope = normals[index]
        depth = corners[index, 0, 2] - (flat - corners[index, 0, :2]) @ slope[:2] / slope[2]
        pieces.append(np.concatenate([flat, depth[:, :, None]], axis=2))
    found = np.concatenate(pieces) if pieces else np.zeros((0, 3, 3))
    return _joined(found + np.array([0.0, 0.0, _LIFT]), axes, spot)


def _triangles(area: Any) -> Array:  # noqa: ANN401 (shapely carries no types)
    """Return the triangles of a plane area, counter-clockwise, shape [triangle_count, 3, 2]."""
    from shapely import constrained_delaunay_triangles, get_coordinates  # noqa: PLC0415 (slow)

    points = get_coordinates(constrained_delaunay_triangles(area))
    # Each ring gives its first corner again at its end.
    cells: Array = points.reshape(-1, 4, 2)[:, :3]
    first, second = cells[:, 1] - cells[:, 0], cells[:, 2] - cells[:, 0]
    clockwise = first[:, 0] * second[:, 1] < first[:, 1] * second[:, 0]
    cells[clockwise] = cells[clockwise][:, ::-1]
    return cells


def _joined(triangles: Array, axes: Array, spot: Spot) -> Decal:
    """Return triangles in the spot's frame as one mesh in the body's; slivers are dropped."""
    points = np.round(triangles.reshape(-1, 3) / _GRID) * _GRID
    unique, inverse = np.unique(points, axis=0, return_inverse=True)
    faces = inverse.reshape(-1, 3).astype(np.int64)
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    return Decal(vertices=unique @ axes + np.array(spot.centre), faces=faces)
