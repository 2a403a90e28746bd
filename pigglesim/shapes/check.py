"""Whether a mesh can be a die at all, and whether its ballast lies inside."""

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.shapes.body import Indices
from pigglesim.shapes.mass import Ballast, BallastForm
from pigglesim.shapes.mesh import icosphere
from pigglesim.spatial import Array

__all__ = ["LARGEST", "SMALLEST", "check_ballast", "check_mesh", "check_poses", "winding"]

SMALLEST, LARGEST = 2e-3, 0.2
"""Sizes [m] between which a thing can be a die: a seed and a melon."""
_MOST_POSES = 200
"""Nobody names more. A Piggle has six; a ball cut into triangles has one on each."""


def check_mesh(vertices: Array, faces: Indices, *, name: str) -> None:
    """Raise unless the surface is closed, right side out and of a die's size.

    Args:
        vertices: [m], shape [vertex_count, 3].
        faces: Triangles.
        name: The file's name, for errors.

    Raises:
        SpecError: With what is wrong and how to mend it.
    """
    size = float(np.max(np.ptp(vertices[faces.reshape(-1)], axis=0)))
    if not SMALLEST <= size <= LARGEST:
        raise SpecError(
            f"a die of {SMALLEST * 1e3:g} to {LARGEST * 1e3:g} mm in {name}",
            got=f"{size * 1e3:.4g} mm",
            remedy="the unit is probably wrong: export the mesh in millimetres",
        )
    open_edges = _unpaired(faces)
    if open_edges:
        raise SpecError(
            f"a watertight mesh in {name}",
            got=f"{open_edges} edges without exactly one partner",
            remedy="close the holes and turn all faces one way, then export it again",
        )
    corners = vertices[faces]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    if abs(volume) < 1e-6 * size**3:
        raise SpecError(
            f"a solid in {name}",
            got="a mesh of zero volume",
            remedy="give it thickness: flat things cannot be dice",
        )
    if volume < 0:
        raise SpecError(
            f"faces counter-clockwise from outside in {name}",
            got="a mesh that is inside out",
            remedy="flip its normals and export it again",
        )


def _unpaired(faces: Indices) -> int:
    """Return how many edges lack their one partner of the other direction."""
    ways = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    span = int(faces.max()) + 1
    there, count = np.unique(ways[:, 0] * span + ways[:, 1], return_counts=True)
    back = ways[:, 1] * span + ways[:, 0]
    return int(np.sum(count != 1) + np.sum(~np.isin(there, back)))


def check_poses(count: int, *, name: str, fewest: int = 2) -> None:
    """Raise where a body rests in too many ways, or too few, to be a die.

    Args:
        count: Its stable poses.
        name: Of its mesh, for the message.
        fewest: Poses that it needs.
    """
    if count > _MOST_POSES:
        raise SpecError(
            f"at most {_MOST_POSES} stable poses of {name}",
            got=f"{count:,}: a ball has no poses to tell apart",
            remedy="give it flat or hollow sides to rest on",
        )
    if count < fewest:
        raise SpecError(
            f"{fewest} stable poses or more of {name}",
            got=f"{count}: it comes to rest in one way alone, or rolls like a ball",
            remedy="give it flat or hollow sides to rest on",
        )


def check_ballast(vertices: Array, faces: Indices, ballast: Ballast, *, name: str) -> None:
    """Raise unless the whole surface of the ballast lies inside the skin.

    Raises:
        SpecError: If some of it lies outside.
    """
    outside = winding(vertices, faces, _surface(ballast)) < 0.5
    if np.any(outside):
        raise SpecError(
            f"a ballast inside the skin in {name}",
            got=f"{np.mean(outside):.0%} of its surface outside",
            remedy="make the ballast smaller or move its centre_mm inwards",
        )


def _surface(ballast: Ballast) -> Array:
    """Return points all over the ballast's surface [m], shape [point_count, 3]."""
    if ballast.form is BallastForm.BALL:
        return icosphere(2).vertices * ballast.radius + ballast.centre
    axis = np.array(ballast.axis) / np.linalg.norm(ballast.axis)
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = np.cross(axis, helper)
    across /= np.linalg.norm(across)
    upward = np.cross(axis, across)
    turn = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
    ring = np.outer(np.cos(turn), across) + np.outer(np.sin(turn), upward)
    rims = [
        ballast.radius * scale * ring + axis * (ballast.length * end)
        for end, scale in ((-0.5, 0.5), (-0.5, 1.0), (0.0, 1.0), (0.5, 1.0), (0.5, 0.5))
    ]
    return np.vstack(rims) + ballast.centre


def winding(vertices: Array, faces: Indices, points: Array) -> Array:
    """Return how often the surface winds about each point: 1 inside, 0 outside.

    The solid angles of all faces are summed (van Oosterom and Strackee 1983).
    """
    result = np.zeros(len(points))
    for index, point in enumerate(points):
        a, b, c = np.moveaxis(vertices[faces] - point, 1, 0)
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        flat = (
            la * lb * lc
            + np.einsum("ij,ij->i", a, b) * lc
            + np.einsum("ij,ij->i", b, c) * la
            + np.einsum("ij,ij->i", c, a) * lb
        )
        result[index] = np.sum(np.arctan2(volume, flat)) / (2 * np.pi)
    return result
