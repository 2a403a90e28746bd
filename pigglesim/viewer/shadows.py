"""The one lamp and the sky: where they are, how strong, and the frame that shadows are drawn in.

Light adds up in linear RGB. What faces the sky in the sun has all light there is: sky and sun add
up to one on a level surface, so that white is white there.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pigglesim.rotations import Array
from pigglesim.scene.board import Board
from pigglesim.viewer.light import SUN
from pigglesim.viewer.mesh_buffers import MeshSurface

_DEPTH = 0.6
"""How far above and below the board, along the light, anything is that casts a shadow [m]."""


def sun_matrix(reach: float) -> Array:
    """Return the matrix from the world to the lamp's clip space, shape [4, 4].

    Args:
        reach: How far from the middle of the board shadows are drawn, across the light [m].
    """
    right = np.cross([0.0, 0.0, 1.0], SUN)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[0, :3] = right / reach
    matrix[1, :3] = np.cross(SUN, right) / reach
    matrix[2, :3] = -SUN / _DEPTH
    return matrix


_ACROSS = 13
"""Cells along the board's side."""
_BEYOND = 6
"""Cells on each side of it, on the table."""
_LIFT = 0.0001
"""How far above what they darken the cells are drawn [m]."""


class ShadowGrid:
    """Square cells over the board's top, and over the table round it.

    Args:
        board: What they lie on.
    """

    def __init__(self, board: Board) -> None:
        self._cell = board.size / _ACROSS
        self._count = _ACROSS + 2 * _BEYOND
        self._board = board
        self._half = self._cell * self._count / 2.0

    @property
    def reach(self) -> float:
        """How far from the middle the grid goes, to its corners [m]."""
        return self._half * math.sqrt(2.0)

    def surface(self) -> MeshSurface:
        """Return all cells, two triangles each, row by row from the South-West."""
        lines = np.arange(self._count + 1) * self._cell - self._half
        low, high = lines[:-1], lines[1:]
        south, west = np.meshgrid(low, low, indexing="ij")
        north, east = np.meshgrid(high, high, indexing="ij")
        inside = np.arange(self._count) - _BEYOND
        on_board = (inside >= 0) & (inside < _ACROSS)
        height = np.where(on_board[:, None] & on_board, 0.0, -self._board.thickness) + _LIFT
        corners = [(west, south), (east, south), (east, north), (west, north)]
        points = np.stack([np.stack([x, y, height], axis=-1) for x, y in corners], axis=2)
        up = np.array([0.0, 0.0, 1.0])
        faces = self.faces(list(range(self._count**2)))
        return MeshSurface.of(points.reshape(-1, 3), up, np.zeros(3), faces)

    def faces(self, cells: list[int]) -> NDArray[np.uint32]:
        """Return the triangles of some cells, shape [2 times as many, 3]."""
        firsts = 4 * np.array(cells, dtype=np.uint32).reshape(-1, 1)
        corners = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32)
        return (firsts[:, None] + corners).reshape(-1, 3)

    def shaded(self, positions: Array, radii: Array) -> list[int]:
        """Return the numbers of the cells that the shadows of balls may touch, sorted.

        Args:
            positions: Middles of the balls [m], shape [count, 3].
            radii: [m], shape [count].
        """
        found: set[int] = set()
        # The shadow of a ball on a level floor is an ellipse, longest along the light.
        reach = radii / SUN[2]
        for floor in (0.0, -self._board.thickness):
            height = positions[:, 2:] - floor
            middles = positions[:, :2] - SUN[:2] / SUN[2] * height
            first = np.floor((middles - reach[:, None] + self._half) / self._cell).astype(int)
            last = np.floor((middles + reach[:, None] + self._half) / self._cell).astype(int)
            first, last = np.maximum(first, 0), np.minimum(last, self._count - 1)
            for (west, south), (east, north) in zip(first.tolist(), last.tolist(), strict=True):
                for row in range(south, north + 1):
                    found.update(range(row * self._count + west, row * self._count + east + 1))
        return sorted(found)
