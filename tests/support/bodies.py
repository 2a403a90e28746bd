"""Bodies whose mechanics are known in closed form."""

import hashlib

import numpy as np
from scipy.spatial import ConvexHull

from pigglesim.bodies.body import Body, ConvexPart, Hull, MassProperties, Skin, stable_poses

DENSITY = 1100.0


def convex_body(points, *, mass, inertia, name="convex", parts=True, poses=True) -> Body:
    """A convex body about the origin with the mass properties given."""
    points = np.asarray(points, dtype=float)
    hull = ConvexHull(points)
    order = np.empty(len(points), dtype=int)
    order[hull.vertices] = np.arange(len(hull.vertices))
    a, b, c = np.moveaxis(points[hull.simplices], 1, 0)
    outwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) > 0
    faces = order[np.where(outwards[:, None], hull.simplices, hull.simplices[:, [0, 2, 1]])]
    corners = points[hull.vertices]
    shape = Hull(vertices=corners, faces=faces, vertex_parts=("body",) * len(corners))
    centre = np.zeros(3)
    return Body(
        model=name,
        skin=Skin(vertices=corners, faces=faces, face_parts=("body",) * len(faces)),
        hull=shape,
        parts=(ConvexPart(name="body", vertices=corners),) if parts else (),
        mass=MassProperties(mass=mass, centre=centre, inertia=np.diag(inertia)),
        poses=stable_poses(shape, centre) if poses else (),
        sha256=hashlib.sha256(corners.tobytes() + name.encode()).hexdigest(),
    )


def box_body(x=0.02, y=0.02, z=0.02, *, parts=True) -> Body:
    """A solid box of sides x, y, z [m]."""
    corners = np.array([[a, b, c] for a in (-x, x) for b in (-y, y) for c in (-z, z)]) / 2
    mass = DENSITY * x * y * z
    inertia = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    return convex_body(corners, mass=mass, inertia=inertia, name=f"box-{x}-{y}-{z}", parts=parts)


def octahedron_body(reach=0.012, *, parts=True) -> Body:
    """A solid regular octahedron: dropped on a corner it meets the floor in one point."""
    corners = reach * np.vstack([np.eye(3), -np.eye(3)])
    mass = DENSITY * 4 / 3 * reach**3
    inertia = np.full(3, mass * reach**2 / 5)
    return convex_body(corners, mass=mass, inertia=inertia, name="octahedron", parts=parts)


def ball_body(radius=0.01, count=2000) -> Body:
    """A ball: points of a Fibonacci lattice, fine enough to roll."""
    i = np.arange(count) + 0.5
    polar, azimuth = np.arccos(1 - 2 * i / count), np.pi * (1 + 5**0.5) * i
    points = radius * np.column_stack(
        [np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)]
    )
    mass = DENSITY * 4 / 3 * np.pi * radius**3
    return convex_body(
        points,
        mass=mass,
        inertia=np.full(3, 0.4 * mass * radius**2),
        name="ball",
        parts=False,
        poses=False,
    )


def prism_body(sides=5, radius=0.01, length=0.03) -> Body:
    """A solid right prism of a regular polygon, along z."""
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    corners = np.array([[x, y, z] for x, y in ring for z in (-length / 2, length / 2)])
    area = sides / 2 * radius**2 * np.sin(2 * np.pi / sides)
    mass = DENSITY * area * length
    along = mass * radius**2 / 6 * (2 + np.cos(2 * np.pi / sides))
    across = along / 2 + mass * length**2 / 12
    return convex_body(
        corners,
        mass=mass,
        inertia=np.array([across, across, along]),
        name=f"prism-{sides}-{radius}-{length}",
        parts=False,
    )
