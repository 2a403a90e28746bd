"""Bodies as surfaces: all of the skin for a close look, fewer triangles for one from afar."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pigglesim.films.film import Actor
from pigglesim.shapes.body import Body
from pigglesim.shapes.livery import RUNE_PART
from pigglesim.shapes.load import load_model
from pigglesim.shapes.pips import PIP_PART, worn_skin
from pigglesim.shapes.shading import corner_normals
from pigglesim.spatial import Array
from pigglesim.viewer.surface import Floats, Surface, joined

__all__ = ["bodies_of", "body_surface", "far_surface", "shadow_surface"]

_UNPAINTED = (0.8, 0.8, 0.8)
_LAID = frozenset({RUNE_PART, PIP_PART})
"""Parts of a skin that lie just above the rest of it."""
_NORMAL_STEPS = 180.0
"""Corners whose normals differ by less than a third of a degree are one."""
_FAR, _SHADOW = 0.7e-3, 1.2e-3
"""Side of the cells whose points become one, seen from afar and in shadows [m]."""
_FEW = 2000
"""Triangles that are too few to be thinned: what they show is flat."""
_LIFT = 0.25e-3
"""How far a mark stands off the thinned skin, which is not quite where the skin is [m]."""


def bodies_of(actors: Sequence[Actor]) -> tuple[Body, ...]:
    """Return the body of each actor, in what it wears.

    Raises:
        SpecError: If a model, a colour or a rune is unknown.
    """
    names = [
        "+".join(part for part in (actor.model, actor.color, actor.rune) if part)
        for actor in actors
    ]
    loaded = {name: load_model(name) for name in dict.fromkeys(names)}
    return tuple(loaded[name] for name in names)


def body_surface(body: Body) -> Surface:
    """Return a body's skin about its centre of mass, in its own axes: smooth where it is round."""
    return joined([_skin(body), *_marks(body)])


def far_surface(body: Body) -> Surface:
    """Return a body's skin in a third of the triangles, as good where a millimetre is a pixel."""
    lifted = [
        Surface.of(mark.positions + _LIFT * mark.normals, mark.normals, mark.colours, mark.faces)
        for mark in _marks(body)
    ]
    return joined([_thinned(_skin(body), _FAR), *lifted])


def shadow_surface(body: Body) -> Surface:
    """Return a body's skin without colours, in as few triangles as its shadow needs."""
    skin = _skin(body)
    plain = Surface.of(skin.positions, skin.normals, np.zeros(3), skin.faces)
    return _thinned(plain, _SHADOW)


def _skin(body: Body) -> Surface:
    """Return a body's skin without what is laid on it."""
    return _surface(body, np.array([part not in _LAID for part in worn_skin(body).face_parts]))


def _marks(body: Body) -> list[Surface]:
    """Return what is laid on a body's skin: a rune, or a die's pips."""
    laid = np.array([part in _LAID for part in worn_skin(body).face_parts])
    return [_surface(body, laid)] if laid.any() else []


def _surface(body: Body, chosen: NDArray[np.bool_]) -> Surface:
    """Return some faces of a body's skin."""
    skin = worn_skin(body)
    normals = corner_normals(skin)[chosen].reshape(-1, 3)
    materials = skin.face_materials or ("",) * len(skin.faces)
    names = {name: k for k, name in enumerate(dict.fromkeys(materials))}
    paint = np.array([skin.colours.get(name, _UNPAINTED) for name in names])
    kinds = np.repeat(np.array([names[name] for name in materials])[chosen], 3)
    owners = skin.faces[chosen].reshape(-1)
    # Corners alike in place, paint and normal are one vertex.
    steps = np.round((normals + 1.0) * _NORMAL_STEPS).astype(np.int64)
    key = _packed([owners, kinds, *steps.T])
    _, first, faces = np.unique(key, return_index=True, return_inverse=True)
    points = skin.vertices - body.mass.centre
    return Surface.of(
        points[owners[first]], normals[first], paint[kinds[first]], faces.reshape(-1, 3)
    )


def _thinned(surface: Surface, cell: float) -> Surface:
    """Return a surface whose points of one colour in one cell of a grid are their mean.

    Args:
        surface: What to draw with fewer triangles.
        cell: Side of a cell [m].
    """
    if len(surface.faces) < _FEW:
        return surface
    steps = np.round(surface.positions / cell).astype(np.int64)
    shades = np.round(surface.colours * 255.0).astype(np.int64)
    key = _packed([*(steps - steps.min(axis=0)).T, *shades.T])
    _, owners, sizes = np.unique(key, return_inverse=True, return_counts=True)

    def means(values: Floats) -> Array:
        columns = [np.bincount(owners, column) for column in values.T]
        return np.column_stack(columns) / sizes[:, None]

    normals = means(surface.normals)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-9)[:, None]
    corners = owners[surface.faces.astype(np.int64)]
    a, b, c = corners.T
    kept = corners[(a != b) & (b != c) & (c != a)]
    return Surface.of(means(surface.positions), normals, means(surface.colours), kept)


def _packed(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return one number for each row of small counts, another for each other row."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        key = key * (int(column.max(initial=0)) + 1) + column
    return key
