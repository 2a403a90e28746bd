"""Closed triangle meshes of simple solids, in any unit of length."""

import math
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import (
    Body,
    Hull,
    MassProperties,
    Skin,
    class_shares,
    support_for,
)
from pigglesim.bodies.mesh_error import HullFacets
from pigglesim.bodies.support import SupportFunction, merge_facets
from pigglesim.errors import SpecError
from pigglesim.rotations import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mesh:
    """A closed surface."""

    vertices: Array
    """Vertices, shape [vertex_count, 3]."""
    faces: Indices


def icosphere(level: int) -> Mesh:
    """Return the unit sphere as an icosahedron whose edges were halved `level` times.

    It is symmetric about all three planes, so a pig built from it is symmetric but for its tail.
    """
    phi = (1 + math.sqrt(5)) / 2
    points: list[Any] = [(0, a, b * phi) for a in (-1, 1) for b in (-1, 1)]
    points += [(a, b * phi, 0) for a in (-1, 1) for b in (-1, 1)]
    points += [(b * phi, 0, a) for a in (-1, 1) for b in (-1, 1)]
    vertices = np.array(points, dtype=float) / math.hypot(1, phi)
    faces = convex_hull(vertices).faces
    for _ in range(level):
        vertices, faces = _halved(vertices, faces)
        vertices = vertices / np.linalg.norm(vertices, axis=1)[:, None]
    return Mesh(vertices=vertices, faces=faces)


def _halved(vertices: Array, faces: Indices) -> tuple[Array, Indices]:
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    unique, inverse = np.unique(edges, axis=0, return_inverse=True)
    middle = (vertices[unique[:, 0]] + vertices[unique[:, 1]]) / 2
    ab, bc, ca = (inverse.reshape(-1, 3) + len(vertices)).T
    a, b, c = faces.T
    quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.vstack([vertices, middle]), np.vstack([np.column_stack(q) for q in quarters])


def convex_hull(points: Array) -> Mesh:
    """Return the convex hull; its vertices are in the order of `points`.

    Raises:
        SpecError: If the points are in one plane, or so close to one that there is no hull.
    """
    # Slow to import, and needed to build only.
    from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415

    try:
        hull = ConvexHull(points)
    except QhullError:
        raise SpecError(
            f"{len(points)} points are in one plane, or nearly so", fix="give the body thickness"
        ) from None
    faces = np.asarray(hull.simplices, dtype=np.int64)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", normals, np.asarray(hull.equations)[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    # Start each face at its lowest corner and sort: Qhull's own order is arbitrary.
    turn = np.argmin(faces, axis=1)
    rows = np.arange(len(faces))
    faces = np.stack([faces[rows, (turn + k) % 3] for k in range(3)], axis=1)
    faces = faces[np.lexsort(faces.T[::-1])]
    used, flat = np.unique(faces, return_inverse=True)
    return Mesh(vertices=points[used], faces=flat.reshape(-1, 3).astype(np.int64))


def hull_planes(points: Array) -> tuple[Array, Array]:
    """Return outward normals, shape [face_count, 3], and offsets of the planes of a hull.

    A point p is outside by max(normals @ p - offsets). Qhull's own planes are used, because the
    normal of a sliver among coplanar triangles is meaningless.
    """
    from scipy.spatial import ConvexHull  # noqa: PLC0415  (slow to import, needed to build only)

    equations = np.asarray(ConvexHull(points).equations)
    return equations[:, :3], -equations[:, 3]


def outside_hull(corners: Array, points: Array) -> Array:
    """Return the distance of each point outside the hull of some corners; negative inside."""
    normals, offsets = hull_planes(corners)
    distances: Array = np.max(points @ normals.T - offsets, axis=1)
    return distances


@unique
class BallastForm(StrEnum):
    """The kinds of ballast."""

    BALL = "ball"
    CYLINDER = "cylinder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballast:
    """A homogeneous ball or cylinder inside the body, in place of the plastic."""

    form: BallastForm
    density: float
    """Density [kg/m3]."""
    centre: tuple[float, float, float]
    """Centre [m], body frame."""
    radius: float
    """Radius [m]."""
    length: float = 0.0
    """Length of a cylinder along its axis [m]."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Axis of a cylinder, body frame; any length but zero."""

    @property
    def volume(self) -> float:
        """Volume [m3]."""
        if self.form is BallastForm.BALL:
            return 4 / 3 * np.pi * self.radius**3
        return float(np.pi * self.radius**2 * self.length)

    def inertia(self, mass: float) -> Array:
        """Return the inertia [kg m2], shape [3, 3], about its own centre, for a `mass` [kg]."""
        if self.form is BallastForm.BALL:
            return np.eye(3) * (0.4 * mass * self.radius**2)
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        along = mass * self.radius**2 / 2
        across = mass * (3 * self.radius**2 + self.length**2) / 12
        return across * np.eye(3) + (along - across) * np.outer(axis, axis)


def signed_volume(vertices: Array, faces: Indices) -> float:
    """Return the volume of a closed surface; it is negative if the surface is inside out."""
    a, b, c = np.moveaxis(vertices[faces] - vertices.mean(axis=0), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def mass_of(
    vertices: Array, faces: Indices, *, density: float, ballast: Ballast | None = None
) -> MassProperties:
    """Return mass properties of a closed surface [m] of a `density` [kg/m3], with its ballast."""
    from trimesh import Trimesh  # noqa: PLC0415  (slow to import, needed to build only)

    # In millimetres the numbers are near one, and Trimesh's own tolerances do no harm.
    mesh = Trimesh(vertices=vertices * 1e3, faces=faces, process=False)
    plain = MassProperties(
        mass=float(mesh.volume) * 1e-9 * density,
        centre=np.array(mesh.center_mass) * 1e-3,
        inertia=np.array(mesh.moment_inertia) * 1e-15 * density,
    )
    if ballast is None:
        return plain
    added_mass = ballast.volume * (ballast.density - density)
    mass = plain.mass + added_mass
    position = np.array(ballast.centre)
    centre = (plain.mass * plain.centre + added_mass * position) / mass
    inertia = (
        plain.inertia
        + shifted_inertia(plain.mass, plain.centre - centre)
        + ballast.inertia(added_mass)
        + shifted_inertia(added_mass, position - centre)
    )
    return MassProperties(mass=mass, centre=centre, inertia=inertia)


def shifted_inertia(mass: float, arm: Array) -> Array:
    """Return the inertia [kg m2] added by the parallel-axis theorem for an `arm` [m]."""
    return mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))


def hull_of(skin: Skin) -> tuple[Hull, Indices]:
    """Return the skin's convex hull and, for each of its corners, the index in the skin."""
    mesh = convex_hull(skin.vertices)
    # The outline of a cut in a flat sole adds no corners to the hull.
    facets = merge_facets(mesh.vertices - mesh.vertices.mean(axis=0), mesh.faces)
    mesh = convex_hull(mesh.vertices[[bool(spokes) for spokes in facets.spokes]])
    index_of = {tuple(point): index for index, point in enumerate(skin.vertices.tolist())}
    indices = np.array([index_of[tuple(point)] for point in mesh.vertices.tolist()], dtype=np.int64)
    names = owners(skin)
    parts = tuple(names[index] for index in indices)
    return Hull(vertices=mesh.vertices, faces=mesh.faces, vertex_parts=parts), indices


def owners(skin: Skin) -> tuple[str, ...]:
    """Return the part of each vertex of the skin; on a border of parts, the first by name."""
    names = [""] * len(skin.vertices)
    for face, part in zip(skin.faces.tolist(), skin.face_parts, strict=True):
        for corner in face:
            if not names[corner] or part < names[corner]:
                names[corner] = part
    return tuple(names)


def thinned(
    points: Array, *, keep: NDArray[np.integer[Any]], tolerance: float, limit: int
) -> Array:
    """Return a few of `points` whose hull is within `tolerance` of all of them.

    Start from `keep` and the extremes along the axes, and then add the point farthest outside
    until none is farther than `tolerance` or there are `limit`.

    Args:
        points: Points, shape [point_count, 3].
        keep: Indices of points that must remain.
        tolerance: Maximum distance of points outside, in the unit of `points`.
        limit: Maximum number of points, unless `keep` alone has more.
    """
    chosen = {int(k) for k in keep}
    for extreme in (np.argmax, np.argmin):
        chosen |= {int(k) for k in extreme(points, axis=0)}
    if len(chosen) < 4:
        chosen |= set(range(min(4, len(points))))
    while len(chosen) < limit:
        outside = outside_hull(points[sorted(chosen)], points)
        worst = int(np.argmax(outside))
        if outside[worst] <= tolerance or worst in chosen:
            break
        chosen.add(worst)
    return convex_hull(points[sorted(chosen)]).vertices


def triangles_of(area: Any) -> Array:  # noqa: ANN401 (shapely carries no types)
    """Return the triangles of an area, counter-clockwise, shape [triangle_count, 3, 2]."""
    from shapely import constrained_delaunay_triangles, get_coordinates  # noqa: PLC0415 (slow)

    points = get_coordinates(constrained_delaunay_triangles(area))
    # Each ring repeats its first corner at its end.
    corners: Array = points.reshape(-1, 4, 2)[:, :3]
    ahead, back = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    clockwise = ahead[:, 0] * back[:, 1] < ahead[:, 1] * back[:, 0]
    corners[clockwise] = corners[clockwise][:, ::-1]
    return corners


@lru_cache(maxsize=32)
def mesh_errors(body: Body) -> dict[str, float]:
    """Return the error of the share of each class from the facets of the mesh; 0 for flat faces.

    It is that of the share without momentum, which is exact for any mesh. Points of the smooth body
    between the corners halve the facets, so that the error is a quarter: it is four thirds of the
    change (Richardson 1911).
    """
    support, coarse = support_for(body), class_shares(body)
    centre = body.mass.centre
    bulges = HullFacets(support, body.skin.vertices - centre, body.skin.faces).bulges()
    if not len(bulges):
        return dict.fromkeys(coarse, 0.0)
    finer = convex_hull(np.vstack([np.array(support.cells.corners), bulges]))
    smooth = SupportFunction(finer.vertices, finer.faces, np.zeros(3))
    change = {label: -share for label, share in coarse.items()}
    for rest, share in zip(smooth.poses, smooth.shares(), strict=True):
        change[body.poses[support.descend(np.array(rest.down))].label] += share
    return {label: 4.0 / 3.0 * abs(moved) for label, moved in change.items()}
