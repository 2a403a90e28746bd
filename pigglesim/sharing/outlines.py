"""Bodies as flat outlines: what one sees of them from straight above."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pigglesim.rolls import RestPlace
from pigglesim.shapes.body import Body, Indices
from pigglesim.shapes.pips import PIP_PART, worn_skin
from pigglesim.spatial import Array, rotate

__all__ = ["Outline", "outlines", "silhouette"]

_FINE = 1.2e-4
"""Corners that stand out from their loop by less than this [m] are left out."""
_LEAST = 2e-8
"""Loops around less than this [m2] are not seen."""
_PIP = 5e-7
"""Pips are not seen on a side so steep that less of each than this [m2] looks up: five degrees off
upright, where a die is cocked."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outline:
    """A piece of one material, seen from above; what lies within by the nonzero rule is filled."""

    part: str
    material: str
    height: float
    """Mean height of what is seen of it [m]: what is higher covers what is lower."""
    loops: tuple[Array, ...]
    """Corners of closed lines [m], shape [corner_count, 2] each."""


def silhouette(body: Body, place: RestPlace) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return the outline of a body's convex parts from above [m], as one geometry of shapely.

    Args:
        body: The body.
        place: How it lies.
    """
    from shapely import MultiPoint, union_all  # noqa: PLC0415 (slow to import)

    orientation = np.array(place.orientation)
    parts = [rotate(orientation, part.vertices - body.mass.centre) for part in body.parts]
    flat = [(part + place.position)[:, :2] for part in parts]
    return union_all([MultiPoint(part).convex_hull for part in flat]).simplify(_FINE)


def outlines(body: Body, place: RestPlace) -> list[Outline]:
    """Return what is seen of a body from above, the lowest first, pips over all they are on.

    The faces of a piece that look up all turn the same way when they are laid flat, so the edges
    that only one of them has go round every point they cover at least once: no face need be cut.

    Args:
        body: The body.
        place: How it lies.
    """
    skin = worn_skin(body)
    turned = rotate(np.array(place.orientation), skin.vertices - body.mass.centre)
    points = turned + np.array(place.position)
    a, b, c = (points[skin.faces[:, k]] for k in range(3))
    facing_up = (b - a)[:, 0] * (c - a)[:, 1] > (b - a)[:, 1] * (c - a)[:, 0]
    names = skin.face_materials or ("unpainted",) * len(skin.faces)
    kinds = list(zip(skin.face_parts, names, strict=True))
    number = {kind: k for k, kind in enumerate(dict.fromkeys(kinds))}
    numbers = np.array([number[kind] for kind in kinds])
    found = []
    for (part, material), k in number.items():
        faces = skin.faces[facing_up & (numbers == k)]
        drawn = (points[loop][:, :2] for loop in _loops(faces))
        # Of something small and round no corner can be spared.
        loops = _simpler(drawn, 0.0, _PIP) if part == PIP_PART else _simpler(drawn, _FINE, _LEAST)
        if loops:
            height = float(points[faces].mean(axis=(0, 1))[2])
            found.append(Outline(part=part, material=material, height=height, loops=loops))
    return sorted(found, key=lambda outline: (outline.part == PIP_PART, outline.height))


def _simpler(loops: Iterable[Array], fine: float, least: float) -> tuple[Array, ...]:
    """Return loops without corners that stand out by less [m], less those around less [m2]."""
    from shapely import LinearRing, Polygon, get_coordinates  # noqa: PLC0415 (slow to import)

    simple = [LinearRing(loop).simplify(fine) for loop in loops if len(loop) > 2]
    return tuple(
        get_coordinates(ring)[:-1]
        for ring in simple
        if len(ring.coords) > 3 and Polygon(ring).area > least
    )


def _loops(faces: Indices) -> Iterator[Indices]:
    """Yield the closed lines of edges that have a face on one side alone."""
    if not len(faces):
        return
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    many = int(faces.max()) + 1
    forth, back = edges @ [many, 1], edges @ [1, many]
    onward: dict[int, list[int]] = {}
    for start, end in edges[~np.isin(forth, back)].tolist():
        onward.setdefault(start, []).append(end)
    while onward:
        start = next(iter(onward))
        loop, at = [], start
        # Each corner has as many edges in as out: a walk can only end where it began.
        while at in onward:
            loop.append(at)
            ends = onward[at]
            following = ends.pop()
            if not ends:
                del onward[at]
            at = following
        yield np.array(loop, dtype=np.int64)
