"""What all engines have in common: when impacts stop, what touches, what counts as still."""

from math import sqrt

from pigglesim.scene.scene import GRAVITY, Stepping

RESTITUTION_THRESHOLD = 0.05
"""Slower impacts do not rebound [m/s]: the bounce would be 0.1 mm, and below g * time step a body
at rest would rattle for ever."""
CONTACT_DISTANCE = 5e-5
"""Bodies this near to each other at rest touch [m], as nearly as overlaps are closed."""
FADE_DAMPING = 20.0
"""Damping while rolling resistance fades [1/s]: without it a body on a round rim would rock on."""
_OVERLAP_FACTOR = 2.0
"""The path of a vertex is at most about twice that of the same energy in pure flight."""


def sleep_energy_height(stepping: Stepping) -> float:
    """Return the kinetic energy as a height, E / (m g), below which a die counts as still [m]."""
    return stepping.rest_speed**2 / (2.0 * GRAVITY)


def energy_margin(overlap_time: float) -> float:
    """Return what overlaps may add to the energy as a height, per root of energy height [m^0.5].

    Args:
        overlap_time: A vertex is found below the floor by up to its motion in this time [s].
    """
    return _OVERLAP_FACTOR * overlap_time * sqrt(2.0 * GRAVITY)
