"""What the compiled code of engine `impulse` works on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array

__all__ = ["STATE_SIZE", "Die", "Ground", "Work", "work_room", "work_space"]

STATE_SIZE = 14
"""Of a state: height of the centre of mass, velocity [3], quaternion from principal to world axes
[4], angular momentum in principal axes [3], time since it last moved more than a little, place
along the plane [2]. All in SI units."""
_CORNERS = 24
"""Contacts solved together: the deepest, where there are more."""
_NEAR = 128
"""Corners looked at for them: on the plane, or below it at the end of the step."""


class Die(NamedTuple):
    """What the kernel knows of a die, in its principal frame."""

    corners: Array
    """Of the hull, shape [corner_count, 3]."""
    links: Indices
    """Corners joined to each corner by an edge, one corner's after another's."""
    ends: Indices
    """Where in `links` those of each corner begin, shape [corner_count + 1]."""
    seen: Indices
    """Mark of the last search that came by each corner; written in every step."""
    lightness: float
    """Inverse mass."""
    rates: tuple[float, float, float]
    """Inverse principal moments."""
    radius: float
    """Of the sphere about the centre of mass that holds all corners."""


class Ground(NamedTuple):
    """How die and plane act on each other."""

    friction: float
    restitution: float
    rolling: float
    """Lever against rolling."""
    spinning: float
    """Lever against spinning."""
    gravity: float
    no_bounce: float
    """Slower impacts do not rebound."""
    creep: float
    """What overlaps may add to the energy as a height, for each root of a metre of climb."""
    still: float
    """A die that could climb no higher is still."""
    rest: float
    """How long it must be still to be at rest."""


Work = np.record
"""Room for what a step computes: one record, which costs nothing to hand on, where every array
handed on would be counted in and out. Its fields:

* `axes`: from principal to world axes; `inverse`: inverse inertia in world axes;
* `velocity`, `spin`: in world axes;
* `near`: numbers of the corners near the plane;
* `at`: contacts, from the centre of mass, world axes; `target`: least normal velocity of each after
  the step; `push`, `drag`: impulse up and of friction; `gives`: the spin that a unit impulse along
  z, x and y gives, and two effective masses;
* `resist`: impulse of turning against rolling, two components, and against spinning;
* `place`: one corner from the centre of mass, world axes; `down`: points down, body axes;
* `marks`: the mark of the last search; the lowest corner now; the lowest at the end of the step;
* `ways`: up now, and the direction along which corners are lowest first at the end of the step, in
  principal axes.
"""
_FIELDS: list[tuple[str, type, tuple[int, ...]]] = [
    ("axes", np.float64, (3, 3)),
    ("inverse", np.float64, (3, 3)),
    ("velocity", np.float64, (3,)),
    ("spin", np.float64, (3,)),
    ("near", np.int64, (_NEAR,)),
    ("at", np.float64, (_CORNERS, 3)),
    ("target", np.float64, (_CORNERS,)),
    ("push", np.float64, (_CORNERS,)),
    ("drag", np.float64, (_CORNERS, 2)),
    ("gives", np.float64, (_CORNERS, 11)),
    ("resist", np.float64, (3,)),
    ("place", np.float64, (3,)),
    ("down", np.float64, (3,)),
    ("marks", np.int64, (3,)),
    ("ways", np.float64, (2, 3)),
]


def work_room() -> NDArray[np.void]:
    """Return room for the steps of a die, as an array of one record."""
    return np.zeros(1, _FIELDS)


def work_space() -> Work:
    """Return room for the steps of a die."""
    record: Work = work_room().view(np.recarray)[0]
    return record
