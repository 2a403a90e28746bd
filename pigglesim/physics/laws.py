"""What every engine is asked to do alike: when impacts stop, what counts as a touch."""

from pigglesim.scene.scene import GRAVITY, Stepping

__all__ = ["EASE_DAMPING", "NO_BOUNCE", "TOUCH", "still_climb"]

NO_BOUNCE = 0.05
"""Impacts slower than this do not rebound [m/s]: the bounce would be 0.1 mm, and below g * time
step a body at rest would rattle for ever."""
TOUCH = 5e-5
"""Bodies this near to each other at rest touch [m], as nearly as overlaps are closed."""
EASE_DAMPING = 20.0
"""Rate at which motion dies while bodies sink into place [1/s]: without it a round rim rocks on."""


def still_climb(stepping: Stepping) -> float:
    """Return how far a die that counts as still could lift itself at most [m]."""
    return stepping.rest_speed**2 / (2.0 * GRAVITY)
