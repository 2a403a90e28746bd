"""The one lamp and the sky: where they are, how strong, and the frame that shadows are drawn in.

Light adds up in linear RGB. What faces the sky in the sun has all light there is: sky and sun add
up to one on a level surface, so that white is white there.
"""

import math

import numpy as np

from pigglesim.rotations import Array


def _towards(azimuth: float, elevation: float) -> Array:
    """Return the unit vector to a place in the sky, shape [3], from compass degrees."""
    side, rise = math.radians(azimuth), math.radians(elevation)
    return np.array(
        [math.cos(rise) * math.sin(side), math.cos(rise) * math.cos(side), math.sin(rise)]
    )


SUN = _towards(255.0, 62.0)
"""Where the light comes from: over the left shoulder of one who sits in the South, shape [3]."""

SKY = np.array([0.520, 0.545, 0.580])
"""Light of the sky on what faces it, linear RGB, shape [3]."""

SUNLIGHT = 1.0 - SKY
"""Light of the lamp on what lies level, linear RGB, shape [3]."""

GROUND = np.array([0.300, 0.262, 0.225])
"""Light that the table throws back at what faces it, linear RGB, shape [3]."""

_GAMMA = 2.2


def encoded(light: Array) -> Array:
    """Return linear light, shape [..., 3], as it is shown, in 0..1."""
    shown: Array = np.clip(light, 0.0, 1.0) ** (1.0 / _GAMMA)
    return shown


def level_light(normal: Array) -> Array:
    """Return the light on a flat surface out of every shadow, linear RGB, shape [3].

    Args:
        normal: Unit vector, shape [3].
    """
    around = GROUND + (SKY - GROUND) * (0.5 + 0.5 * normal[2])
    light: Array = around + SUNLIGHT * max(0.0, float(normal @ SUN) / SUN[2])
    return light
