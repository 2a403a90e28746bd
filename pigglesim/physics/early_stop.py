"""Certainty of a drop: the class of a die's pose is certain as soon as its energy is low enough.

On a passive floor energy only falls. With body direction n pointing down, a die's centre of mass
is at least as high as its support function h(n). So the die can only reach directions with h below
its energy as a height, E / (m g). Once that is below every saddle of h that leads out of its basin
to another class, the class is certain, even if the die still rocks. The saddles come from
`bodies.support`. All functions are plain arithmetic on numbers, so that compiled code can use them
too.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from pigglesim.descent import Cells, lowest_corner, pose_below

DECIDED, DESCENDED, TIMED_OUT = range(3)
"""Reasons why a drop ended, in the order of `drop.DropEnding`."""
TIME_TOLERANCE = 1e-9
"""Rounding of a sum of steps [s]."""


class StopCriteria(NamedTuple):
    """Conditions that end a drop of one die."""

    cells: Cells
    """Cells of the die's support function, body frame; for compiled code as arrays."""
    certain_below: Sequence[float]
    """Energy as a height below which the class of each pose is certain [m], shape [pose_count]."""
    highest_certain: float
    """Maximum of `certain_below`: above it no class is certain [m]."""
    energy_margin: float
    """Possible gain of energy height from overlaps, per root of energy height [m^0.5]."""
    recheck_interval: float
    """Time between two checks of a die that may have moved to another basin [s]."""
    time_limit: float
    """Time limit of a drop [s]."""


def descend(criteria: StopCriteria, down: Sequence[float], vertex: int) -> int:
    """Return the pose to which steepest descent of the support function leads from a direction."""
    cells, x, y, z = criteria.cells, down[0], down[1], down[2]
    # A vertex inside a facet or an edge has no cell of its own.
    if cells.first[vertex] == cells.first[vertex + 1]:
        vertex = lowest_corner(cells, x, y, z)
    return int(pose_below(cells, vertex, x, y, z))


def certain_pose(
    criteria: StopCriteria,
    height: float,
    energy_height: float,
    down: Sequence[float],
    vertex: int,
) -> tuple[int, float]:
    """Return a pose of the class that is certain now, and the energy at which to check again.

    The class is certain; the pose within it may still change.

    Args:
        criteria: Energies below which classes are certain.
        height: Height of the centre of mass [m].
        energy_height: Kinetic energy as a height [m].
        down: Unit vector down, body axes, shape [3].
        vertex: Lowest vertex of the hull.

    Returns:
        The pose, or -1, and the energy as a height below which a class may be certain [m]. It may
        be certain earlier if the die moves to another basin.
    """
    energy = energy_height + criteria.energy_margin * sqrt(energy_height)
    highest = criteria.highest_certain
    if height + energy >= highest:
        return -1, highest
    # A die that overlaps the floor will be lifted out of it.
    at = criteria.cells.corners[vertex]
    lift = max(0.0, at[0] * down[0] + at[1] * down[1] + at[2] * down[2] - height)
    if height + lift + energy >= highest:
        return -1, highest - lift
    pose = descend(criteria, down, vertex)
    below = criteria.certain_below[pose] - lift
    return (pose if height + energy < below else -1), below
