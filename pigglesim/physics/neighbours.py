"""Who is near whom."""

import numpy as np

from pigglesim.shapes.body import Body
from pigglesim.spatial import Array
from pigglesim.throws.pour import reach

__all__ = ["Neighbours"]

_NEAR = 0.006
"""Bounding spheres with less than this between them are near [m]: what moves at 3 m/s covers it
in one step of 2 ms, so a sleeper is awake before it is struck."""


class Neighbours:
    """Distances between bounding spheres at the moment last looked at.

    Args:
        bodies: Every body of the world, by number.
    """

    def __init__(self, bodies: tuple[Body, ...]) -> None:
        self.radii: Array = np.array([reach(body) for body in bodies])
        self._sums = self.radii[:, None] + self.radii[None, :]
        np.fill_diagonal(self._sums, -1.0)
        # Lists: of so few numbers each is asked for faster than an array is set up.
        self._gaps = np.full_like(self._sums, np.inf).tolist()

    def look(self, positions: Array) -> None:
        """Take in centres of mass [m], shape [body_count, 3]."""
        apart = positions[:, None, :] - positions[None, :, :]
        self._gaps = (np.sqrt(np.einsum("ijk,ijk->ij", apart, apart)) - self._sums).tolist()

    def near(self, number: int) -> list[int]:
        """Return the bodies that could meet this one within a step."""
        return [n for n, gap in enumerate(self._gaps[number]) if gap < _NEAR and n != number]

    def gap(self, some: set[int], others: set[int]) -> float:
        """Return how far the nearest of some and others are from being near each other [m]."""
        gaps = self._gaps
        return min((gaps[n][m] for n in some for m in others), default=float("inf")) - _NEAR

    def within_reach(self, number: int) -> list[int]:
        """Return the bodies whose bounding spheres overlap this one's."""
        return [n for n, gap in enumerate(self._gaps[number]) if gap < 0.0 and n != number]

    def room(self, number: int) -> float:
        """Return how far this one may move before it could meet another [m]."""
        others = (gap for n, gap in enumerate(self._gaps[number]) if n != number)
        return min(others, default=float("inf"))
