"""A body as an image: what is nearest to the eye at each pixel, lit by a lamp and a sky."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pigglesim.shapes.body import Indices, Skin
from pigglesim.shapes.shading import corner_normals
from pigglesim.spatial import Array

__all__ = ["Seen", "View", "look_at", "painted"]

_FINE = 3
"""Samples across a pixel, so that edges are smooth."""
_LAMP = (-0.45, 0.65, 0.75)
"""Direction to the lamp in the eye's frame: above, to the left, behind the looker."""
_GLOSS, _SHINE = 0.16, 40.0
"""Strength and sharpness of the lamp's reflection: satin plastic."""
_UNPAINTED = (0.6, 0.6, 0.6)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where the eye is; parallel rays, no perspective."""

    toward: tuple[float, float, float]
    """Direction from the body to the eye, body frame; any length but zero."""
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """What is up in the image, body frame; not along `toward`."""
    width: float = 0.031
    """Width and height of what is seen, about the body's origin [m]."""

    @property
    def axes(self) -> Array:
        """Return unit vectors to the image's right, to its top and to the eye, shape [3, 3]."""
        eye = np.array(self.toward) / np.linalg.norm(self.toward)
        right = np.cross(self.up, eye)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(eye, right), eye])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What each sample of an image shows; colours come later, so that one look serves many."""

    face: Indices
    """Index of the face, or -1 for nothing, shape [height, width]."""
    depth: Array
    """How far towards the eye it lies [m], -inf for nothing, shape [height, width]."""
    normal: Array
    """Normal in the eye's frame, of about unit length, shape [height, width, 3]."""
    face_count: int
    """How many faces the skin had."""


def look_at(skin: Skin, view: View, *, pixels: int, known: Seen | None = None) -> Seen:
    """Return what is seen of a skin in a square image about the body's origin.

    Args:
        skin: The surface.
        view: Where the eye is.
        pixels: Width and height of the image that will be painted.
        known: A look from the same view, in the same size, at a skin that lacks the last faces
            of this one: those alone are then looked at.
    """
    size = pixels * _FINE
    if known is None:
        known = Seen(
            face=np.full((size, size), -1, dtype=np.int64),
            depth=np.full((size, size), -np.inf),
            normal=np.zeros((size, size, 3)),
            face_count=0,
        )
    face, depth, normal = known.face.copy(), known.depth.copy(), known.normal.copy()
    first = known.face_count
    axes = view.axes
    places = skin.vertices @ axes.T
    columns = (places[:, 0] / view.width + 0.5) * size - 0.5
    rows = (0.5 - places[:, 1] / view.width) * size - 0.5
    corners = np.stack([columns, rows, places[:, 2]], axis=1)[skin.faces[first:]]
    added = replace(
        skin,
        faces=skin.faces[first:],
        face_parts=skin.face_parts[first:],
        face_materials=skin.face_materials[first:],
    )
    normals = corner_normals(added) @ axes.T
    across, down = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    # Rows count downwards: what turns towards the eye is clockwise here.
    areas = across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0]
    for index in np.flatnonzero(areas < -1e-9).tolist():
        _fill(first + index, corners[index], normals[index], face, depth, normal)
    return Seen(face=face, depth=depth, normal=normal, face_count=len(skin.faces))


def _fill(
    index: int, corners: Array, normals: Array, face: Indices, depth: Array, normal: Array
) -> None:
    """Enter one triangle wherever it is nearer than what was entered before."""
    size = len(face)
    low = np.maximum(np.ceil(corners[:, :2].min(axis=0)), 0).astype(int)
    high = np.minimum(np.floor(corners[:, :2].max(axis=0)), size - 1).astype(int)
    if np.any(high < low):
        return
    x = np.arange(low[0], high[0] + 1)[None, :]
    y = np.arange(low[1], high[1] + 1)[:, None]
    (ax, ay, _), (bx, by, _), (cx, cy, _) = corners.tolist()
    whole = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    first = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / whole
    second = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / whole
    third = 1.0 - first - second
    shares = np.stack([first, second, third], axis=2)
    near = shares @ corners[:, 2]
    window = (slice(low[1], high[1] + 1), slice(low[0], high[0] + 1))
    wins = np.all(shares >= -1e-9, axis=2) & (near > depth[window])
    depth[window][wins] = near[wins]
    face[window][wins] = index
    normal[window][wins] = shares[wins] @ normals


def painted(seen: Seen, skin: Skin) -> NDArray[np.float64]:
    """Return the image of a skin, sRGB and opacity in 0..1, shape [pixels, pixels, 4].

    Args:
        seen: A look at this skin, or at one of the same vertices and faces in other colours.
        skin: Gives the colours.
    """
    materials = skin.face_materials or ("",) * len(skin.faces)
    names = list(dict.fromkeys(materials))
    number = {name: k for k, name in enumerate(names)}
    table = np.array([skin.colours.get(name, _UNPAINTED) for name in names])
    kinds = np.array([number[name] for name in materials])
    shown = seen.face >= 0
    normal = seen.normal[shown]
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    lamp = np.array(_LAMP) / np.linalg.norm(_LAMP)
    halfway = lamp + np.array([0.0, 0.0, 1.0])
    halfway /= np.linalg.norm(halfway)
    # A lamp that wraps a little round the edge, as a window does, and a sky brighter above.
    light = 0.62 * np.clip((normal @ lamp + 0.25) / 1.25, 0, 1) + 0.40 + 0.12 * normal[:, 1]
    rim = 0.72 + 0.28 * np.clip(normal[:, 2] / 0.5, 0, 1)
    gloss = _GLOSS * np.clip(normal @ halfway, 0, 1) ** _SHINE
    image = np.zeros((*seen.face.shape, 4))
    colour = table[kinds[seen.face[shown]]]
    image[shown, :3] = np.clip(colour * (light * rim)[:, None] + gloss[:, None], 0, 1)
    image[shown, 3] = 1.0
    pixels = len(image) // _FINE
    coarse: NDArray[np.float64] = image.reshape(pixels, _FINE, pixels, _FINE, 4).mean(axis=(1, 3))
    opacity = coarse[:, :, 3:]
    coarse[:, :, :3] /= np.maximum(opacity, 1e-9)
    coarse[:, :, :3] = _srgb(np.clip(coarse[:, :, :3], 0, 1))
    return coarse


def _srgb(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """IEC 61966-2-1, for arrays."""
    high = 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055
    return np.where(linear <= 0.0031308, 12.92 * linear, high)
