"""One body standing on a floor, seen from the front and above: an image with a soft shadow."""

import math

import numpy as np

from pigglesim.pictures.raster import rasterize
from pigglesim.shapes.body import Body, Skin
from pigglesim.shapes.shading import corner_normals
from pigglesim.spatial import Array

__all__ = ["pose_image", "screen_size", "srgb", "standing"]

_ELEVATION = math.radians(34.0)
"""Of the eye above the floor [rad]."""
_TURN = math.radians(32.0)
"""How far a face is turned aside from the eye [rad]: a three-quarter view."""
_LIGHT = np.array([-0.45, -0.55, 0.80]) / np.linalg.norm([-0.45, -0.55, 0.80])
_SKY, _SUN = 0.36, 0.72
"""Light from everywhere, and from the lamp."""
_PLAIN = (0.72, 0.62, 0.52)
"""Linear RGB of a body that nobody has painted."""
_SHADE_REACH = 2.5e-3
"""Height above the floor [m] at which a contact shadow has faded to a third."""
_SHADE_BLUR = 0.7e-3
"""Softness of the shadow's edge [m]."""


def standing(body: Body, down: Array) -> Array:
    """Return the turn, shape [3, 3], that stands a body on a floor and shows its better side.

    What looks along +z of the body, a Piggle's face, is turned towards the eye at -y; where it
    looks straight up or down, the crown, +y, points away from the eye.

    Args:
        body: The body; its axes decide.
        down: Unit vector of the body frame that points to the floor, shape [3].
    """
    up = -np.asarray(down, dtype=float)
    face = np.array([0.0, 0.0, 1.0])
    ahead = face - up * float(up @ face)
    if np.linalg.norm(ahead) > 0.4:
        ahead /= np.linalg.norm(ahead)
    else:
        crown = np.array([0.0, 1.0, 0.0])
        ahead = -(crown - up * float(up @ crown))
        ahead /= np.linalg.norm(ahead)
    side = np.cross(up, ahead)
    # A body on its left cheek shows its face to the other side than one on its right.
    hand = -1.0 if down[0] > 0.1 else 1.0
    # Rows: where world x, y and z lie in the body; ahead goes to -y, a little to the right.
    plain = np.array([side, -ahead, up])
    c, s = math.cos(_TURN), hand * math.sin(_TURN)
    turned: Array = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ plain
    return turned


def screen_size(body: Body, down: Array) -> tuple[float, float]:
    """Return how wide and how high a body in a pose is on the picture [m]."""
    across, upward, _ = _seen(body.skin.vertices @ standing(body, down).T)
    return float(np.ptp(across)), float(np.ptp(upward))


def pose_image(
    body: Body, down: Array, *, span: float, width: int, height: int, ground: Array
) -> Array:
    """Return an sRGB image of a body in a pose, shape [height, width, 3], values 0 to 1.

    Args:
        body: The body.
        down: Unit vector of the body frame that points to the floor, shape [3].
        span: Width of what is shown [m].
        width: Of the image [pixels].
        height: Of the image [pixels].
        ground: Linear RGB of the floor, shape [3].
    """
    fine = 2  # samples a pixel and way, for smooth outlines
    turn = standing(body, down)
    skin = body.skin
    points = (skin.vertices - body.mass.centre) @ turn.T
    points[:, 2] -= points[:, 2].min()
    normals = corner_normals(skin) @ turn.T
    scale = fine * width / span
    rows, columns = fine * height, fine * width
    across, upward, near = _seen(points)
    middle = (across.max() + across.min()) / 2
    # The body in the middle; `base` is the row of the floor below its centre of mass.
    base = rows / 2 + (upward.max() + upward.min()) / 2 * scale
    screen = np.column_stack([(across - middle) * scale + columns / 2, base - upward * scale, near])
    view = np.array([0.0, -math.cos(_ELEVATION), math.sin(_ELEVATION)])
    corners = points[skin.faces]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    toward = np.flatnonzero(flat @ view > 0)
    cover = rasterize(screen, skin.faces[toward], width=columns, height=rows)
    image = np.ones((rows, columns, 3)) * ground
    image *= (1 - _shadow(points, skin, middle, base, scale, (rows, columns)))[:, :, None]
    hit = cover.face >= 0
    face, weights = toward[cover.face[hit]], cover.weights[hit]
    normal = np.einsum("ij,ijk->ik", weights, normals[face])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-12)[:, None]
    height_above = np.einsum("ij,ij->i", weights, points[skin.faces[face], 2])
    image[hit] = _lit(_paint(skin)[face], normal, height_above, view)
    small = image.reshape(height, fine, width, fine, 3).mean(axis=(1, 3))
    return srgb(small)


def _seen(points: Array) -> tuple[Array, Array, Array]:
    """Return how far right, how far up and how near the eye each point lies [m]."""
    x, y, z = points.T
    c, s = math.cos(_ELEVATION), math.sin(_ELEVATION)
    return x, z * c + y * s, z * s - y * c


def _paint(skin: Skin) -> Array:
    """Return the linear RGB of each face, shape [face_count, 3]."""
    materials = skin.face_materials or ("",) * len(skin.faces)
    kinds = {name: k for k, name in enumerate(dict.fromkeys(materials))}
    table = np.array([skin.colours.get(name, _PLAIN) for name in kinds])
    found: Array = table[[kinds[name] for name in materials]]
    return found


def _lit(paint: Array, normal: Array, above: Array, view: Array) -> Array:
    """Return linear RGB under sky and lamp, with a gloss, and darker close to the floor."""
    lamp = np.maximum(0.0, normal @ _LIGHT)
    sky = 0.5 + 0.5 * normal[:, 2]
    near_floor = 1 - 0.55 * np.exp(-above / _SHADE_REACH) * (0.5 - 0.5 * normal[:, 2])
    half = (_LIGHT + view) / np.linalg.norm(_LIGHT + view)
    gloss = 0.10 * np.maximum(0.0, normal @ half) ** 40
    light = (_SKY * (0.45 + 0.55 * sky) * near_floor + _SUN * lamp)[:, None]
    found: Array = paint * light + gloss[:, None]
    return found


def _shadow(
    points: Array, skin: Skin, middle: float, base: float, scale: float, shape: tuple[int, int]
) -> Array:
    """Return how much light the body takes from the floor at each pixel, 0 to 1."""
    from scipy.ndimage import gaussian_filter, map_coordinates  # noqa: PLC0415  (slow to import)

    rows, columns = shape
    cell = 2.5e-4  # of the floor's grid [m]: a third of the blur
    reach = float(np.max(np.abs(points[:, :2] - [middle, 0.0]))) + 6 * _SHADE_BLUR
    size = 2 * math.ceil(reach / cell)
    grid = (points[:, :2] - [middle, 0.0]) / cell + size / 2
    # From below, the lowest skin is the nearest.
    below = rasterize(
        np.column_stack([grid, -points[:, 2]]), skin.faces, width=size, height=size
    ).depth
    dark = np.where(np.isfinite(below), 0.25 + 0.75 * np.exp(below / _SHADE_REACH), 0.0)
    soft = 0.55 * gaussian_filter(dark, _SHADE_BLUR / cell)
    soft += 0.35 * gaussian_filter(dark, 4 * _SHADE_BLUR / cell)
    x = (np.arange(columns) + 0.5 - columns / 2) / scale
    y = (base - (np.arange(rows) + 0.5)) / (scale * math.sin(_ELEVATION))
    at_x, at_y = np.meshgrid(x / cell + size / 2 - 0.5, y / cell + size / 2 - 0.5)
    found: Array = map_coordinates(soft, [at_y, at_x], order=1, mode="constant")
    # No shadow is cut off where the picture ends.
    fade = [np.clip(np.minimum(k, k[::-1]) / (0.08 * columns), 0, 1) for k in map(np.arange, shape)]
    return np.clip(found * fade[0][:, None] * fade[1], 0.0, 0.9)


def srgb(linear: Array) -> Array:
    """Return linear RGB as screens want it (IEC 61966-2-1)."""
    held = np.clip(linear, 0.0, 1.0)
    found: Array = np.where(
        held <= 0.0031308, 12.92 * held, 1.055 * np.maximum(held, 1e-9) ** (1 / 2.4) - 0.055
    )
    return found
