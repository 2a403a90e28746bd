"""Whole drops in engine `impulse`, from the first meeting to the pose; compiled.

What is decided, and when, is what `decide.Decision` and `drop.Dropper` do one die at a time with
any engine: a test holds the two to the same answers, bit by bit.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_motion import least
from pigglesim.physics.impulse_steps import advance, stance
from pigglesim.physics.impulse_types import Die, Ground, Work
from pigglesim.shapes.body import Indices
from pigglesim.shapes.descent import Cells, fall
from pigglesim.spatial import Array

__all__ = ["DECIDED", "DESCENDED", "TIMED_OUT", "Deciding", "settle_all", "with_arrays"]

DECIDED, DESCENDED, TIMED_OUT = 0, 1, 2
"""How the pose of a die came to be known, in the order of `drop.Ending`."""
_ROUNDING = 1e-9
"""What sums of steps may miss [s]."""

_fall = compiled_as_numpy(fall)


class Deciding(NamedTuple):
    """What is needed to tell where a die comes to rest."""

    cells: Cells
    """Of the die's support function, in its body axes."""
    own: Array
    """From principal to body axes, shape [3, 3]."""
    pose_of_facet: Indices
    below: Array
    """Height of energy below which the class of each pose is certain [m]."""
    highest: float
    """The highest of them [m]."""
    span: float
    """How long a die is left alone that may have come to another basin [s]."""
    limit: float
    """When time is up [s]."""


def with_arrays(cells: Cells) -> Cells:
    """Return cells with arrays in place of lists, as compiled code wants them."""
    kinds: dict[str, type] = dict.fromkeys(("first", "spokes", "edges"), np.int64)
    kinds |= dict.fromkeys(("corners", "sides", "feet", "normals"), np.float64) | {"held": np.bool_}
    lists = cells._asdict()
    return Cells(**lists | {name: np.array(lists[name], kind) for name, kind in kinds.items()})


@compiled_as_numpy
def _pose(deciding: Deciding, down: Array, corner: int) -> int:
    """Return the pose that descent from a direction leads to."""
    cells = deciding.cells
    if cells.first[corner] == cells.first[corner + 1]:
        # A corner inside a facet or an edge has no cell of its own: the next best has.
        most = -1.0
        for k in range(len(cells.corners)):
            at = cells.corners[k]
            along = at[0] * down[0] + at[1] * down[1] + at[2] * down[2]
            if along > most and cells.first[k] < cells.first[k + 1]:
                most, corner = along, k
    size = 1.0 / sqrt(down[0] * down[0] + down[1] * down[1] + down[2] * down[2])
    found = _fall(
        cells, corner, down[0] * size, down[1] * size, down[2] * size, 20 * len(cells.corners)
    )
    facet = found[0]
    if facet < 0:
        best = -2.0
        for k in range(len(cells.normals)):
            n = cells.normals[k]
            along = n[0] * found[2] + n[1] * found[3] + n[2] * found[4]
            if along > best:
                best, facet = along, k
    return int(deciding.pose_of_facet[facet])


@compiled_as_numpy
def _settle(
    state: Array, die: Die, ground: Ground, work: Work, deciding: Deciding, step: float
) -> tuple[int, int, float]:
    """Step a die until its class is certain, it lies still, or time is up."""
    time, span, below = 0.0, deciding.limit, deciding.highest
    down = work.down
    while True:
        time += advance(state, die, ground, work, step, span, below)
        height, climb, x, y, z = stance(state, die, ground.gravity)
        for k in range(3):
            down[k] = -(deciding.own[k, 0] * x + deciding.own[k, 1] * y + deciding.own[k, 2] * z)
        energy = climb + ground.creep * sqrt(climb)
        up = work.ways[0]
        up[0], up[1], up[2] = x, y, z
        corner = least(die, up, work.marks[1])
        resting = state[11] >= ground.rest - _ROUNDING
        below = deciding.highest
        if height + energy < deciding.highest or resting:
            at = deciding.cells.corners[corner]
            stand = at[0] * down[0] + at[1] * down[1] + at[2] * down[2]
            lift = max(0.0, stand - height)
            below = deciding.highest - lift
            if height + lift + energy < deciding.highest or resting:
                pose = _pose(deciding, down, corner)
                below = deciding.below[pose] - lift
                if height + energy < below:
                    return pose, DECIDED, time
                if resting:
                    return pose, DESCENDED, time
        if time >= deciding.limit - _ROUNDING:
            return -1, TIMED_OUT, time
        span = min(deciding.span, deciding.limit - time)


@compiled_as_numpy
def settle_all(
    states: Array,
    die: Die,
    ground: Ground,
    work: Work,
    deciding: Deciding,
    step: float,
    poses: Indices,
    endings: Indices,
    times: Array,
) -> None:
    """Step each die to its end, and write its pose (-1 for none), how it ended and when."""
    for k in range(len(states)):
        work.marks[1] = work.marks[2] = 0
        poses[k], endings[k], times[k] = _settle(states[k], die, ground, work, deciding, step)
