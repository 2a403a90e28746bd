"""The sphere of all directions of a body on two discs, and the pose that each pixel rolls into.

Two discs show the sphere as seen from outside: the body's back, -z, and its face, +z, with the
crown, +y, up in both. The map is Lambert's, of equal areas: what fills a tenth of both discs is a
tenth of all directions.
"""

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pigglesim.shapes.body import Indices
from pigglesim.shapes.support import SupportFunction
from pigglesim.spatial import Array

__all__ = ["RIM", "basin_image", "from_disc", "on_disc", "pieces_on_disc"]

RIM = math.sqrt(2.0)
"""Radius of a disc, on the unit sphere."""

_PIXELS = 240
"""Across the image of a disc: finer than its printed borders are wide."""
_STEP = math.radians(1.5)
"""Length of the straight pieces that arcs are drawn in."""
_BESIDE = 0.035
"""How far from a border pixels are looked at one by one, on the disc: more than a straight piece
of it is long there."""
_PROBES = 12
"""Pixels that are looked at of a field between borders: should these not close, they tell."""


def on_disc(directions: Array) -> tuple[Indices, Array]:
    """Return the disc, 0 or 1, and the place on it of directions, shapes [count], [count, 2].

    Args:
        directions: Unit vectors of the body frame, shape [count, 3].
    """
    x, y, z = np.asarray(directions, dtype=float).T
    stretch = np.sqrt(2.0 / (1.0 + np.abs(z)))
    # From outside, the body's left, +x, is on the right of its face and on the left of its back.
    side = (z >= 0.0).astype(np.int64)
    return side, np.stack([np.where(side == 1, x, -x) * stretch, y * stretch], axis=1)


def from_disc(side: Indices, place: Array) -> Array:
    """Return the unit vectors, shape [count, 3], of places on the discs; the inverse of `on_disc`.

    Args:
        side: 0 or 1, shape [count].
        place: Within the rim, shape [count, 2].
    """
    squared = np.minimum(np.sum(place**2, axis=1), 2.0)
    shrink = np.sqrt(1.0 - squared / 4.0)
    hand = np.where(side == 1, 1.0, -1.0)
    return np.stack(
        [hand * place[:, 0] * shrink, place[:, 1] * shrink, hand * (1.0 - squared / 2.0)], axis=1
    )


def pieces_on_disc(line: Array, side: int) -> list[Array]:
    """Return the parts of a line of great circles that lie on one disc, as places on it.

    Args:
        line: Its turning points, unit vectors, shape [point_count, 3].
        side: 0 or 1.
    """
    points = [line[:1]]
    for start, end in pairwise(line):
        angle = math.acos(max(-1.0, min(1.0, float(start @ end))))
        share = np.linspace(0.0, 1.0, max(2, math.ceil(angle / _STEP) + 1))[1:, None]
        chord = start + share * (end - start)
        points.append(chord / np.linalg.norm(chord, axis=1, keepdims=True))
    sphere = np.concatenate(points)
    sides, places = on_disc(sphere)
    here = np.flatnonzero(sides == side)
    breaks = np.flatnonzero(np.diff(here) > 1) + 1
    return [places[run] for run in np.split(here, breaks) if len(run) > 1]


@lru_cache(maxsize=16)
def basin_image(support: SupportFunction, side: int, *, pixels: int = _PIXELS) -> Indices:
    """Return the pose whose basin each pixel of a disc lies in, -1 beyond the rim.

    Args:
        support: Of the body.
        side: 0 for the disc of the back, 1 for that of the face.
        pixels: Across the disc.

    Returns:
        Indices of poses, shape [pixels, pixels], the lowest row first; kept, and not to be
        written to.
    """
    from scipy.ndimage import find_objects, label  # noqa: PLC0415 (slow to import)

    middles = ((np.arange(pixels) + 0.5) / pixels * 2.0 - 1.0) * RIM
    x, y = np.meshgrid(middles, middles)
    inside = x**2 + y**2 <= RIM**2
    places = np.stack([x, y], axis=-1)

    def poses(there: NDArray[np.bool_]) -> list[int]:
        directions = from_disc(np.full(np.count_nonzero(there), side), places[there])
        return [support.descend(direction) for direction in directions]

    found = np.full((pixels, pixels), -1, dtype=np.int64)
    beside = _beside_borders(support, side, pixels) & inside
    found[beside] = poses(beside)
    # What borders part is of one basin each.
    fields, count = label(inside & ~beside)
    for number, window in enumerate(find_objects(fields, count), start=1):
        field = np.zeros_like(inside)
        field[window] = fields[window] == number
        probes = np.zeros_like(inside)
        rows, columns = np.nonzero(field)
        spread = np.linspace(0, len(rows) - 1, _PROBES).astype(int)
        probes[rows[spread], columns[spread]] = True
        seen = {*poses(probes)}
        found[field] = seen.pop() if len(seen) == 1 else poses(field)
    found.setflags(write=False)
    return found


def _beside_borders(support: SupportFunction, side: int, pixels: int) -> NDArray[np.bool_]:
    """Return which pixels of a disc a border runs through or beside, shape [pixels, pixels]."""
    near = np.zeros((pixels, pixels), dtype=bool)
    reach = math.ceil(_BESIDE * pixels / (2.0 * RIM))
    for line, *_ in support.borders():
        for piece in pieces_on_disc(line, side):
            columns, rows = np.floor((piece.T / RIM + 1.0) / 2.0 * pixels).astype(int)
            for up in range(-reach, reach + 1):
                for across in range(-reach, reach + 1):
                    near[
                        np.clip(rows + up, 0, pixels - 1), np.clip(columns + across, 0, pixels - 1)
                    ] = True
    return near
