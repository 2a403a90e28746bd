"""Convex hulls of a skin, and thinned hulls for the collision compound."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.shapes.body import Hull, Indices, Skin
from pigglesim.shapes.facets import merge_facets
from pigglesim.shapes.mesh import convex_hull, hull_planes
from pigglesim.spatial import Array

__all__ = ["hull_of", "owners", "thinned"]


def hull_of(skin: Skin) -> tuple[Hull, Indices]:
    """Return the skin's convex hull and, for each of its corners, the index in the skin."""
    mesh = convex_hull(skin.vertices)
    # Where something was cut out of a flat sole, its outline is no corner of the hull.
    facets = merge_facets(mesh.vertices - mesh.vertices.mean(axis=0), mesh.faces)
    mesh = convex_hull(mesh.vertices[[bool(spokes) for spokes in facets.spokes]])
    place = {tuple(point): index for index, point in enumerate(skin.vertices.tolist())}
    indices = np.array([place[tuple(point)] for point in mesh.vertices.tolist()], dtype=np.int64)
    names = owners(skin)
    hull = Hull(
        vertices=mesh.vertices,
        faces=mesh.faces,
        vertex_parts=tuple(names[index] for index in indices),
    )
    return hull, indices


def owners(skin: Skin) -> tuple[str, ...]:
    """Return the part of each vertex of the skin: where parts meet, the first by name."""
    names = [""] * len(skin.vertices)
    for face, part in zip(skin.faces.tolist(), skin.face_parts, strict=True):
        for corner in face:
            if not names[corner] or part < names[corner]:
                names[corner] = part
    return tuple(names)


def thinned(
    points: Array, *, keep: NDArray[np.integer[Any]], tolerance: float, limit: int
) -> Array:
    """Return few of `points` whose hull comes within `tolerance` of all of them.

    Starts from `keep` and the extremes along the axes, and then adds the point that lies
    farthest outside until none lies farther than `tolerance` or there are `limit`.

    Args:
        points: Shape [point_count, 3].
        keep: Indices of points that must stay.
        tolerance: Largest distance left outside, in the unit of `points`.
        limit: Largest number of points, unless `keep` alone is more.
    """
    chosen = {int(k) for k in keep}
    for extreme in (np.argmax, np.argmin):
        chosen |= {int(k) for k in extreme(points, axis=0)}
    if len(chosen) < 4:
        chosen |= set(range(min(4, len(points))))
    while len(chosen) < limit:
        normals, offsets = hull_planes(points[sorted(chosen)])
        outside = np.max(points @ normals.T - offsets, axis=1)
        worst = int(np.argmax(outside))
        if outside[worst] <= tolerance or worst in chosen:
            break
        chosen.add(worst)
    return convex_hull(points[sorted(chosen)]).vertices
