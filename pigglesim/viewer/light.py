"""The one lamp, and the frame in which its shadows are drawn."""

import math

import numpy as np

from pigglesim.spatial import Array

__all__ = ["SUN", "sun_matrix"]


def _towards(azimuth: float, elevation: float) -> Array:
    """Return the unit vector to a place in the sky, shape [3], from compass degrees."""
    side, rise = math.radians(azimuth), math.radians(elevation)
    return np.array(
        [math.cos(rise) * math.sin(side), math.cos(rise) * math.cos(side), math.sin(rise)]
    )


SUN = _towards(258.0, 54.0)
"""Where the light comes from: over the left shoulder of one who sits in the South, shape [3]."""
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
