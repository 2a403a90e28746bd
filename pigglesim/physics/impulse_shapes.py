"""Bodies, board and cup as the convex shapes that compiled code knows."""

from functools import lru_cache
from itertools import chain, permutations

import numpy as np

from pigglesim.physics.frames import principal_frame, thin_hull
from pigglesim.physics.impulse_pile_types import Shapes
from pigglesim.scene.board import Board
from pigglesim.scene.cup import Cup
from pigglesim.shapes.body import Body, Indices
from pigglesim.shapes.mesh import convex_hull
from pigglesim.spatial import Array

__all__ = ["shapes_of"]

_RIM_PIECES = 36
"""Straight pieces of the cup's rim."""


def _links(faces: Indices, count: int) -> list[list[int]]:
    """Return the neighbours of every corner along the edges of triangles."""
    joined: list[set[int]] = [set() for _ in range(count)]
    for face in faces.tolist():
        for first, second in permutations(face, 2):
            joined[first].add(second)
    return [sorted(each) for each in joined]


def _hulled(points: Array) -> tuple[Array, list[list[int]]]:
    mesh = convex_hull(points)
    return mesh.vertices, _links(mesh.faces, len(mesh.vertices))


@lru_cache(maxsize=16)
def shapes_of(bodies: tuple[Body, ...], board: Board, cup: Cup) -> Shapes:
    """Return the shapes of every kind of body, of the board and of the cup's rim."""
    made: list[tuple[Array, list[list[int]]]] = []
    hulls, thins, parts = [], [], []
    for body in bodies:
        frame = principal_frame(body)
        hulls.append(len(made))
        corners = frame.to_principal(body.hull.vertices)
        made.append((corners, _links(body.hull.faces, len(corners))))
        thins.append(len(made))
        made.append(_hulled(frame.to_principal(thin_hull(body))))
        first = len(made)
        made += [_hulled(frame.to_principal(part.vertices)) for part in body.parts]
        parts.append((first, len(made)))
    box = len(made)
    half, deep = board.half, board.thickness / 2.0
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    made.append(_hulled(signs * [half, half, deep]))
    rim = len(made)
    made += _rim(cup)
    balls = []
    for corners, _ in made:
        centre = (corners.min(axis=0) + corners.max(axis=0)) / 2.0
        balls.append([*centre, np.sqrt(((corners - centre) ** 2).sum(axis=1).max())])
    neighbours = list(chain.from_iterable(links for _, links in made))
    corners = np.ascontiguousarray(np.concatenate([corners for corners, _ in made]))
    return Shapes(
        corners=corners,
        links=np.array(list(chain.from_iterable(neighbours)), np.int64),
        ends=np.cumsum([0, *map(len, neighbours)]),
        seen=np.zeros(len(corners), np.int64),
        first=np.cumsum([0, *(len(corners) for corners, _ in made)]),
        balls=np.array(balls),
        hulls=np.array(hulls, np.int64),
        thins=np.array(thins, np.int64),
        parts=np.array(parts, np.int64).reshape(-1, 2),
        box=box,
        rim=rim,
    )


def _rim(cup: Cup) -> list[tuple[Array, list[list[int]]]]:
    """Return the inner rim of the cup as straight pieces, in the cup's frame."""
    angles = 2.0 * np.pi * np.arange(_RIM_PIECES + 1) / _RIM_PIECES
    ring = np.column_stack(
        [np.cos(angles), np.sin(angles), np.full(len(angles), cup.depth / 2.0 / cup.inner_radius)]
    )
    ring *= cup.inner_radius
    return [(ring[k : k + 2].copy(), [[1], [0]]) for k in range(_RIM_PIECES)]
