"""Triangles to pixels with a depth buffer, in numpy alone.

All triangles are cut into rows of pixels at once, and all rows into pixels: no loop runs over
triangles. An edge is cut the same way from both of its sides, so that no gap opens along it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pigglesim.bodies.body import Indices, Skin
from pigglesim.bodies.livery import corner_normals
from pigglesim.rotations import Array

_ROWS, _PIXELS = 2**18, 2**20
"""At most so many rows, and pixels, are worked on at once: some 100 MB."""
_THIN = 1e-9
"""Twice the area [pixels] below which a triangle is an edge, seen from its side."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coverage:
    """What is seen at each pixel."""

    face: Indices
    """Row of the face in front, -1 where there is none, shape [height, width]."""
    depth: Array
    """Nearness to the eye; minus infinity where nothing is, shape [height, width]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Spans:
    """Rows of pixels that triangles cover, each array of shape [span_count]."""

    owner: Indices
    row: Indices
    first: Indices
    """First column."""
    count: Indices
    """How many columns."""
    near: Array
    """Nearness at the middle of the first pixel."""
    slope: Array
    """Nearness gained per column."""


def rasterize(
    points: Array,
    faces: Indices,
    *,
    width: int,
    height: int,
    only: Indices | None = None,
    known: Coverage | None = None,
) -> Coverage:
    """Return what is seen of triangles whose corners are given in pixels.

    Of faces equally near, the one of the lowest row is seen.

    Args:
        points: Column, row and nearness to the eye, shape [point_count, 3]; pixel (0, 0) has its
            middle at column .5 and row .5.
        faces: Triangles; those without area on the picture are left out.
        width: Of the picture [pixels].
        height: Of the picture [pixels].
        only: The rows of the faces to enter, ascending; all if absent.
        known: What was seen before; what is nearer covers it.
    """
    face = np.full(width * height, -1, dtype=np.int64)
    depth = np.full(width * height, -np.inf)
    if known is not None:
        face, depth = known.face.ravel().copy(), known.depth.ravel().copy()
    chosen = np.arange(len(faces)) if only is None else only
    corners = points[faces[chosen]]
    low = np.ceil(corners[:, :, :2].min(axis=1) - 0.5)
    high = np.floor(corners[:, :, :2].max(axis=1) - 0.5)
    low, high = np.maximum(low, 0), np.minimum(high, [width - 1, height - 1])
    seen = (np.abs(_areas(corners)) > _THIN) & np.all(low <= high, axis=1)
    chosen, corners = chosen[seen], corners[seen]
    top = low[seen, 1].astype(np.int64)
    rows = high[seen, 1].astype(np.int64) - top + 1
    for part in _portions(rows, _ROWS):
        spans = _cut(corners[part], top[part], rows[part], width)
        for some in _portions(spans.count, _PIXELS):
            _enter(spans, some, chosen[part], width, face, depth)
    return Coverage(face=face.reshape(height, width), depth=depth.reshape(height, width))


def corner_weights(cover: Coverage, points: Array, faces: Indices) -> Array:
    """Return how much each corner of the face in front counts, where there is one.

    Args:
        cover: What is seen of these faces.
        points: As they were rasterized, shape [point_count, 3].
        faces: Triangles, shape [face_count, 3].

    Returns:
        Weights of 0 to 1 in the order of the pixels that show a face, shape [shown_count, 3].
    """
    row, column = np.nonzero(cover.face >= 0)
    face = cover.face[row, column]
    corners = points[faces][:, :, :2]
    ax, ay = corners[:, 0].T
    area = _areas(corners)
    scale = 1.0 / np.where(np.abs(area) > _THIN, area, np.inf)
    # Two sides of each face, in pixels over twice its area.
    (bx, by), (cx, cy) = ((corners[:, k] - corners[:, 0]).T * scale for k in (1, 2))
    x, y = column + 0.5 - ax[face], row + 0.5 - ay[face]
    second = np.clip(x * cy[face] - y * cx[face], 0.0, 1.0)
    third = np.clip(bx[face] * y - by[face] * x, 0.0, 1.0 - second)
    return np.stack([1.0 - second - third, second, third], axis=1)


def _areas(corners: Array) -> Array:
    """Return twice the area of triangles on the picture, signed; corners [count, 3, 2 or 3]."""
    across, down = (corners[:, k, :2] - corners[:, 0, :2] for k in (1, 2))
    found: Array = across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0]
    return found


def _portions(counts: Indices, limit: int) -> Iterator[slice]:
    """Yield slices of items that together count `limit` or less, or are one item."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(ends):
        done = ends[start] - counts[start]
        stop = max(start + 1, int(np.searchsorted(ends, done + limit, side="right")))
        yield slice(start, stop)
        start = stop


def _unrolled(counts: Indices) -> tuple[Indices, Indices]:
    """Return for each of many things the item it belongs to, and its number there."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def _cut(corners: Array, top: Indices, rows: Indices, width: int) -> _Spans:
    """Return the rows of pixels whose middles lie in triangles, shape [count, 3, 3]."""
    owner, number = _unrolled(rows)
    row = top[owner] + number
    y = row + 0.5
    columns, nears = np.full((2, 3, len(owner)), np.nan)
    for k in range(3):
        a, b = corners[:, k], corners[:, (k + 1) % 3]
        # From top to bottom, whichever way round the triangle goes: so two neighbours agree.
        swap = (a[:, 1] > b[:, 1])[:, None]
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        tall = b[:, 1] - a[:, 1]
        slope = (b - a)[:, [0, 2]] / np.where(tall > 0, tall, 1.0)[:, None]
        below = y - a[owner, 1]
        meets = (below >= 0) & (y <= b[owner, 1]) & (tall[owner] > 0)
        columns[k] = np.where(meets, a[owner, 0] + below * slope[owner, 0], np.nan)
        nears[k] = a[owner, 2] + below * slope[owner, 1]
    left, right = np.fmin.reduce(columns), np.fmax.reduce(columns)
    first = np.maximum(np.ceil(left - 0.5), 0)
    last = np.minimum(np.floor(right - 0.5), width - 1)
    kept = np.flatnonzero(last >= first)
    owner, row, first, last, left, right = (
        each[kept] for each in (owner, row, first, last, left, right)
    )
    columns, nears = columns[:, kept], nears[:, kept]
    at = np.arange(len(kept))
    near_left = nears[np.nanargmin(columns, axis=0), at] if len(kept) else left
    near_right = nears[np.nanargmax(columns, axis=0), at] if len(kept) else right
    slope = (near_right - near_left) / np.where(right > left, right - left, np.inf)
    return _Spans(
        owner=owner,
        row=row,
        first=first.astype(np.int64),
        count=(last - first).astype(np.int64) + 1,
        near=near_left + (first + 0.5 - left) * slope,
        slope=slope,
    )


def _enter(
    spans: _Spans, some: slice, chosen: Indices, width: int, face: Indices, depth: Array
) -> None:
    """Enter the pixels of some spans, wherever they are nearer than what was entered before."""
    span, number = _unrolled(spans.count[some])
    pixel = (spans.row[some] * width + spans.first[some])[span] + number
    near = spans.near[some][span] + number * spans.slope[some][span]
    ahead = np.flatnonzero(near > depth[pixel])
    pixel, near = pixel[ahead], near[ahead]
    np.maximum.at(depth, pixel, near)
    wins = np.flatnonzero(near == depth[pixel])[::-1]
    # Of equals the last assignment holds, which is the first face.
    face[pixel[wins]] = chosen[spans.owner[some][span[ahead[wins]]]]


_LAMP = np.array([-0.45, -0.75, 0.62]) / np.linalg.norm([-0.45, -0.75, 0.62])
"""Direction to the lamp on the stage: above, to the left, behind the looker."""
_SUN, _WRAP = 0.72, 0.20
"""Strength of the lamp, and how far it reaches round the edge, as a window does."""
_SKY, _ABOVE = 0.36, 0.10
"""Light from everywhere, and how much more of it comes from above."""
_RIM = 0.72
"""Share of the light at the outline, so that a body stands out from a ground of its colour."""
_GLOSS, _SHINE = 0.11, 40.0
"""Strength and sharpness of the lamp's reflection: satin plastic."""
_UNPAINTED = (0.72, 0.62, 0.52)
"""Linear RGB of a body that nobody has painted."""
_SHADE_REACH = 2.5e-3
"""Height above the floor [m] at which a contact shadow has faded to a third."""
_SHADE_BLUR = 0.7e-3
"""Softness of the shadow's edge [m]."""
_SHADE_CELL = 2.5e-4
"""Of the grid on the floor that shadows are found on [m]: a third of the blur."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A body on a stage, z up, and an eye in front of it at -y; parallel rays, no perspective."""

    turn: Array
    """Turn from the body frame to the stage, shape [3, 3]."""
    elevation: float
    """Of the eye above the horizon [rad]."""
    span: float
    """Width of what is seen [m]."""
    middle: tuple[float, float] = (0.0, 0.0)
    """How far right and up of the body's origin the middle of the image lies [m]."""
    floor: float | None = None
    """Height of the floor over the body's origin [m]; None for a body in the air."""

    @classmethod
    def toward(
        cls,
        eye: tuple[float, float, float],
        *,
        up: tuple[float, float, float] = (0.0, 1.0, 0.0),
        span: float = 0.031,
    ) -> "View":
        """Return the view of a body in the air, its origin in the middle.

        Args:
            eye: Direction from the body to the eye, body frame; any length but zero.
            up: What is up in the image, body frame; not along `eye`.
            span: Width of what is seen [m].
        """
        top = np.array(up) / np.linalg.norm(up)
        right = np.cross(top, eye)
        right /= np.linalg.norm(right)
        return cls(
            turn=np.array([right, np.cross(top, right), top]),
            elevation=math.asin(float(top @ eye) / math.hypot(*eye)),
            span=span,
        )

    @property
    def eye(self) -> Array:
        """Return the direction to the eye on the stage, shape [3]."""
        return np.array([0.0, -math.cos(self.elevation), math.sin(self.elevation)])

    def seen(self, points: Array) -> Array:
        """Return how far right, how far up and how near the eye points of the body lie [m]."""
        x, y, z = (points @ self.turn.T).T
        c, s = math.cos(self.elevation), math.sin(self.elevation)
        return np.column_stack([x, z * c + y * s, z * s - y * c])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shading:
    """What an image shows, before it is coloured: one look serves many liveries."""

    size: tuple[int, int]
    """Width and height of the image [pixels]."""
    cover: Coverage
    """What each sample shows; there are several in a pixel."""
    normals: Array
    """Normal at each corner of each face, body frame, shape [face_count, 3, 3]."""
    pixel: Indices
    """Pixel of each sample that shows a face, shape [shown_count]."""
    face: Indices
    """Its face."""
    light: Array
    """Share of its paint's colour that it sends to the eye."""
    gloss: Array
    """Light that it mirrors."""
    opacity: Array
    """Share of each pixel that the body covers, shape [height, width]."""


def look_at(
    skin: Skin, view: View, *, size: tuple[int, int], fine: int, known: Shading | None = None
) -> Shading:
    """Return what is seen of a skin.

    Args:
        skin: The surface.
        view: Where it stands and where the eye is.
        size: Width and height of the image that will be painted [pixels].
        fine: Samples across a pixel, so that edges are smooth.
        known: A look from the same view, in the same size, at a skin that lacks the last faces
            of this one: those alone are then looked at.
    """
    width, height = size
    first = len(known.normals) if known else 0
    added = replace(
        skin,
        faces=skin.faces[first:],
        face_parts=skin.face_parts[first:],
        face_materials=skin.face_materials[first:],
    )
    normals = corner_normals(added)
    if known:
        normals = np.concatenate([known.normals, normals])
    right, up, near = view.seen(skin.vertices).T
    scale = fine * width / view.span
    columns = (right - view.middle[0]) * scale + fine * width / 2
    rows = (view.middle[1] - up) * scale + fine * height / 2
    screen = np.column_stack([columns, rows, near])
    across, down = (screen[added.faces[:, k]] - screen[added.faces[:, 0]] for k in (1, 2))
    # Rows count downwards: what turns towards the eye is clockwise here.
    toward = first + np.flatnonzero(across[:, 0] * down[:, 1] < across[:, 1] * down[:, 0])
    cover = rasterize(
        screen,
        skin.faces,
        width=fine * width,
        height=fine * height,
        only=toward,
        known=known.cover if known else None,
    )
    row, column = np.nonzero(cover.face >= 0)
    face = cover.face[row, column]
    weights = corner_weights(cover, screen, skin.faces)
    light, gloss = _lit(_mean(normals, face, weights), view)
    if view.floor is not None:
        heights = (skin.vertices @ view.turn[2] - view.floor)[skin.faces][:, :, None]
        light *= _near_floor(_mean(heights, face, weights)[:, 0])
    pixel = row // fine * width + column // fine
    covered = np.bincount(pixel, minlength=width * height) / fine**2
    return Shading(
        size=size,
        cover=cover,
        normals=normals,
        pixel=pixel,
        face=face,
        light=light,
        gloss=gloss,
        opacity=covered.reshape(height, width),
    )


def _mean(values: Array, face: Indices, weights: Array) -> Array:
    """Return the weighted mean of values at corners, shape [face_count, 3, many], per sample."""
    first, second, third = (weights[:, k, None] * values[:, k][face] for k in range(3))
    found: Array = first + second + third
    return found


def _lit(normals: Array, view: View) -> tuple[Array, Array]:
    """Return how much colour and how much gloss is seen of normals, body frame, of any length."""
    halfway = (_LAMP + view.eye) / np.linalg.norm(_LAMP + view.eye)
    axes = np.array([_LAMP, [0.0, 0.0, 1.0], view.eye, halfway]) @ view.turn
    x, y, z = normals.T / np.maximum(np.sqrt(np.einsum("ij,ij->i", normals, normals)), 1e-30)
    # Spelt out: threads of a matrix product cost more than it does.
    lamp, above, facing, mirrored = (a * x + b * y + c * z for a, b, c in axes.tolist())
    light = _SUN * np.clip((lamp + _WRAP) / (1 + _WRAP), 0, 1) + _SKY + _ABOVE * above
    light *= _RIM + (1 - _RIM) * np.clip(2 * facing, 0, 1)
    return light, _GLOSS * np.clip(mirrored, 0, 1) ** _SHINE


def _near_floor(height: Array) -> Array:
    """Return the share of the light that a body has this high above the floor [m]."""
    return 1 - 0.35 * np.exp(-np.maximum(height, 0.0) / _SHADE_REACH)


def painted(look: Shading, skin: Skin, *, ground: Array) -> Array:
    """Return the image of a skin, sRGB in 0..1, shape [height, width, 3].

    Args:
        look: A look at this skin, or at one of the same vertices and faces in other colours.
        skin: Gives the colours.
        ground: Linear RGB of what lies behind, shape [3] or [height, width, 3].
    """
    width, height = look.size
    materials = skin.face_materials or ("",) * len(skin.faces)
    number = {name: k for k, name in enumerate(dict.fromkeys(materials))}
    table = np.array([skin.colours.get(name, _UNPAINTED) for name in number])
    kinds = np.array([number[name] for name in materials])[look.face]
    samples = look.cover.face.size // (width * height)
    image = (1 - look.opacity)[:, :, None] * ground
    for channel in range(3):
        colour = np.minimum(table[kinds, channel] * look.light + look.gloss, 1.0)
        sums = np.bincount(look.pixel, weights=colour, minlength=width * height)
        image[:, :, channel] += sums.reshape(height, width) / samples
    return srgb(image)


def floor_shadow(skin: Skin, view: View, *, size: tuple[int, int]) -> Array:
    """Return how much light a body takes from the floor at each pixel, 0 to 1.

    Args:
        skin: The surface of the body.
        view: Where it stands, with a floor, and where the eye is, above it.
        size: Width and height of the image [pixels].
    """
    from scipy.ndimage import gaussian_filter, map_coordinates  # noqa: PLC0415  (slow to import)

    assert view.floor is not None
    width, height = size
    points = skin.vertices @ view.turn.T
    low = points[:, :2].min(axis=0) - 6 * _SHADE_BLUR
    count = np.ceil((points[:, :2].max(axis=0) + 6 * _SHADE_BLUR - low) / _SHADE_CELL).astype(int)
    # From below, the lowest skin is the nearest.
    over = np.column_stack([(points[:, :2] - low) / _SHADE_CELL, view.floor - points[:, 2]])
    below = rasterize(over, skin.faces, width=int(count[0]), height=int(count[1])).depth
    dark = np.where(np.isfinite(below), 0.25 + 0.75 * np.exp(below / _SHADE_REACH), 0.0)
    soft = 0.55 * gaussian_filter(dark, _SHADE_BLUR / _SHADE_CELL)
    soft += 0.35 * gaussian_filter(dark, 4 * _SHADE_BLUR / _SHADE_CELL)
    scale = view.span / width
    across = view.middle[0] + (np.arange(width) + 0.5 - width / 2) * scale
    upward = view.middle[1] - (np.arange(height) + 0.5 - height / 2) * scale
    c, s = math.cos(view.elevation), math.sin(view.elevation)
    at = [(across - low[0]) / _SHADE_CELL - 0.5]
    at.append(((upward - view.floor * c) / s - low[1]) / _SHADE_CELL - 0.5)
    columns, rows = np.meshgrid(*at)
    found: Array = map_coordinates(soft, [rows, columns], order=1, mode="constant")
    # No shadow is cut off where the picture ends.
    ends = [np.minimum(k, k[::-1]) / (0.08 * width) for k in map(np.arange, (height, width))]
    fade = np.clip(ends[0], 0, 1)[:, None] * np.clip(ends[1], 0, 1)
    return np.clip(found * fade, 0.0, 0.9)


def srgb(linear: Array) -> Array:
    """Return linear RGB as screens want it (IEC 61966-2-1), in steps of a byte, 0..1.

    Whole steps, for what rounds them later need not round all alike.
    """
    high = 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055
    curved = np.where(linear <= 0.0031308, 12.92 * linear, high)
    found: Array = np.round(np.clip(curved, 0.0, 1.0) * 255.0) / 255.0
    return found
