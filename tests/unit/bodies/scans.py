"""Meshes [mm] as scanners and modellers leave them, good and bad."""

import numpy as np

from pigglesim.bodies.mesh import Mesh, convex_hull, icosphere


def ball(radius=10.0, level=3, centre=(0.0, 0.0, 0.0)):
    unit = icosphere(level)
    return Mesh(vertices=unit.vertices * radius + np.array(centre), faces=unit.faces)


def egg():
    """A ball drawn out and weighted to no side: rests on its belly all around."""
    mesh = ball()
    return Mesh(vertices=mesh.vertices * [1.0, 1.2, 0.8], faces=mesh.faces)


def brick(sides=(12.0, 16.0, 20.0)):
    corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return convex_hull(np.array(corners) * np.array(sides) / 2)


def joined(*meshes):
    counts = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes])
    return Mesh(
        vertices=np.vstack([mesh.vertices for mesh in meshes]),
        faces=np.vstack([mesh.faces + n for mesh, n in zip(meshes, counts, strict=False)]),
    )


def open_ball():
    """The upper half is missing."""
    mesh = ball()
    return Mesh(
        vertices=mesh.vertices, faces=mesh.faces[mesh.vertices[mesh.faces][:, :, 2].max(1) < 1]
    )


def pierced_ball():
    """The north pole is pushed out through the south: one closed shell that crosses itself."""
    mesh = ball()
    vertices = mesh.vertices.copy()
    vertices[vertices[:, 2] > 9.0, 2] -= 25.0
    return Mesh(vertices=vertices, faces=mesh.faces)


def flat_sheet():
    """Closed, both sides, and as thin as nothing."""
    mesh = ball()
    return Mesh(vertices=mesh.vertices * [1.0, 1.0, 0.0], faces=mesh.faces)


def moebius(count=24):
    """A strip with a half turn: it has one side."""
    turn = 2 * np.pi * np.arange(count) / count
    out = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    tilt = np.cos(turn / 2)[:, None] * out + np.sin(turn / 2)[:, None] * [0, 0, 1]
    vertices = np.vstack([10 * out + 3 * tilt, 10 * out - 3 * tilt])
    faces = []
    for k in range(count):
        a, b = k, k + count
        c, d = (k + 1, k + 1 + count) if k + 1 < count else (count, 0)
        faces += [[a, c, b], [b, c, d]]
    return Mesh(vertices=vertices, faces=np.array(faces))


def write(mesh, path):
    """Write by the library's own exporter, in whatever format the name ends in."""
    from trimesh import Trimesh

    Trimesh(mesh.vertices, mesh.faces, process=False).export(path)
    return path
