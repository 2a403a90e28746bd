"""What makes the Piggle a face to love: solids inside its hull that change no throw."""

import math

import numpy as np

from pigglesim.shapes.mesh import Mesh, convex_hull, ellipsoid, icosphere, mirrored, tube
from pigglesim.shapes.piggle_shape import PiggleShape, snout_root
from pigglesim.shapes.solid import Piece
from pigglesim.spatial import Array

__all__ = ["COLOURS", "looks"]

COLOURS: dict[str, tuple[float, float, float]] = {
    "skin": (0.90, 0.50, 0.47),
    "snout": (0.86, 0.32, 0.36),
    "nostril": (0.28, 0.05, 0.08),
    "inner_ear": (0.86, 0.30, 0.35),
    "blush": (0.88, 0.33, 0.35),
    "hoof": (0.30, 0.10, 0.10),
    "cleft": (0.12, 0.03, 0.035),
    "tail": (0.86, 0.32, 0.36),
    "eye": (0.012, 0.008, 0.010),
    "glint": (1.0, 1.0, 1.0),
    "mouth": (0.30, 0.05, 0.08),
}
"""Linear RGB of each material."""


def looks(shape: PiggleShape) -> tuple[Piece, ...]:
    """Return eyes and blush, which add, and what is cut: nostrils, smile, ears, soles."""
    found = [Piece(label=("smile", "mouth"), mesh=_smile(shape), cut=True)]
    for side, name in ((1.0, "left"), (-1.0, "right")):
        found += [
            Piece(label=(f"eye_{name}", "eye"), mesh=mirrored(_eye(shape), side)),
            Piece(label=(f"cheek_{name}", "blush"), mesh=mirrored(_cheek(shape), side)),
            Piece(label=("snout", "nostril"), mesh=mirrored(_nostril(shape), side), cut=True),
            Piece(label=(f"ear_{name}", "inner_ear"), mesh=mirrored(_dish(shape), side), cut=True),
        ]
        # The light comes from one side, so the glints are no mirror images.
        found += [Piece(label=(f"eye_{name}", "glint"), mesh=mesh) for mesh in _glints(shape, side)]
        for part in ("foot", "arm"):
            mesh = mirrored(_cleft(shape, part), side)
            found.append(Piece(label=(f"{part}_{name}", "cleft"), mesh=mesh, cut=True))
    return tuple(found)


def _on_belly(shape: PiggleShape, x: float, y: float) -> tuple[Array, Array]:
    """Return the point of the belly's front at (x, y), shape [3], and axes there, shape [3, 3].

    The rows of the axes are: across, upward, outward.
    """
    a, b, c = shape.body
    z = c * math.sqrt(max(0.0, 1 - (x / a) ** 2 - (y / b) ** 2))
    outward = np.array([x / a**2, y / b**2, z / c**2])
    outward /= np.linalg.norm(outward)
    across = np.cross([0.0, 1.0, 0.0], outward)
    across /= np.linalg.norm(across)
    return np.array([x, y, z]), np.stack([across, np.cross(outward, across), outward])


def _cap(point: Array, axes: Array, half_axes: tuple[float, float, float], level: int) -> Mesh:
    unit = icosphere(level)
    return Mesh(vertices=(unit.vertices * half_axes) @ axes + point, faces=unit.faces)


def _eye(shape: PiggleShape) -> Mesh:
    point, axes = _on_belly(shape, *shape.eye)
    radius = shape.eye_radius
    return _cap(point, axes, (0.94 * radius, 1.08 * radius, shape.eye_bulge), 3)


def _glints(shape: PiggleShape, side: float) -> list[Mesh]:
    """Return two white spots on an eye, where a lamp above and to the right would be."""
    x, y = shape.eye
    point, axes = _on_belly(shape, side * x, y)
    radius, bulge = shape.eye_radius, shape.eye_bulge
    found = []
    for across, upward, size in ((0.30, 0.42, 0.36), (-0.36, -0.40, 0.17)):
        height = bulge * math.sqrt(1 - (across / 0.94) ** 2 - (upward / 1.08) ** 2)
        place = point + axes.T @ np.array([across * radius, upward * radius, height])
        tilted = np.array([across / bulge * 0.6, upward / bulge * 0.6, 1.0]) @ axes
        outward = tilted / np.linalg.norm(tilted)
        right = np.cross([0.0, 1.0, 0.0], outward)
        right /= np.linalg.norm(right)
        frame = np.stack([right, np.cross(outward, right), outward])
        found.append(_cap(place, frame, (size * radius, size * radius, 0.14), 2))
    return found


def _cheek(shape: PiggleShape) -> Mesh:
    point, axes = _on_belly(shape, *shape.cheek)
    return _cap(point - axes[2] * 0.25, axes, (1.7, 1.2, 0.4), 3)


def _nostril(shape: PiggleShape) -> Mesh:
    disc = np.array(shape.snout)
    outward = disc - np.array(snout_root(shape))
    outward /= np.linalg.norm(outward)
    across = np.array([1.0, 0.0, 0.0])
    axes = np.stack([across, np.cross(outward, across), outward])
    place = disc + axes.T @ np.array([0.36 * shape.snout_half_width, 0.0, 0.0])
    return _cap(place, axes, (0.72, 1.15, 0.8), 2)


def _smile(shape: PiggleShape) -> Mesh:
    x = np.linspace(-2.3, 2.3, 17)
    y = -3.55 + 1.0 * (x / 2.3) ** 2
    points = np.array([_on_belly(shape, a, b)[0] for a, b in zip(x, y, strict=True)])
    wire = 0.36 * np.sqrt(np.clip(1 - (x / 2.75) ** 2, 0.05, 1))
    return tube(points, wire, sides=10, normal=np.array([0.0, 0.25, 0.97]))


def _dish(shape: PiggleShape) -> Mesh:
    """Return the hull of flat balls that hollows the left ear's front."""
    corners = np.array([shape.ear_tip, shape.ear_inner, shape.ear_outer, shape.ear_bulge])
    corners = np.vstack([corners, shape.ear_fullness])
    middle = corners.mean(axis=0)
    front = shape.ear_radius + 0.9 - shape.ear_dish
    axes = np.array([1.9, 1.9, 0.9])
    points = [
        ellipsoid(axes, middle + 0.56 * (corner - middle) + [0.0, 0.0, front], level=2).vertices
        for corner in corners
    ]
    return convex_hull(np.vstack(points))


def _cleft(shape: PiggleShape, part: str) -> Mesh:
    """Return the slot in the front half of a sole."""
    sole = np.array(shape.foot if part == "foot" else shape.arm)
    root = np.array(shape.foot_root if part == "foot" else shape.arm_root)
    radius = shape.foot_radius if part == "foot" else shape.arm_radius
    outward = (sole - root) / np.linalg.norm(sole - root)
    across = np.array([1.0, 0.0, 0.0]) - outward * outward[0]
    across /= np.linalg.norm(across)
    upward = np.cross(outward, across)
    corners = [
        sole
        + across * (0.11 * radius * wide)
        + upward * (radius * high)
        + outward * (radius * deep)
        for wide, high in ((-1, -0.15), (1, -0.15), (-1, 0.60), (1, 0.60))
        for deep in (-0.3, 0.2)
    ]
    return convex_hull(np.array(corners))
