"""The course of a throw: its phases, its progress, and the decisions by which it proceeds.

Two drivers step a throw by these decisions: `pour` with any engine, and `impulse.pour`, compiled.
All functions are plain arithmetic on numbers and on the progress of a throw, so that compiled code
can use them too.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import ceil, copysign, inf, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pigglesim.cup_motion import CupMotion, cup_pose
from pigglesim.descent import Cells, Placed, final_place, is_settled, unstick_axis, will_settle
from pigglesim.rotations import Array, Indices

EMPTYING, ROLLING, FADING, SETTLING, OVER = range(5)
"""Phases of a throw: bodies are in the cup; move; rolling resistance fades; bodies settle again
without it; the end."""

CONTACT_DISTANCE = 5e-5
"""Distance within which bodies at rest touch [m]; overlaps are closed to the same precision."""
SLOW_ENERGY_HEIGHT = 2e-5
"""Kinetic energy, as a height, below which a body is slow [m]: before it rests, it slides at most
some hundredths of a millimetre."""
SLOW_SPIN = 1.0
"""Angular speed below which a body is slow [rad/s]: less than half of that energy in a Piggle."""
FADE_STAGES = 10
"""Number of equal steps in which rolling resistance fades."""
FADE_DAMPING = 20.0
"""Damping while rolling resistance fades [1/s]: without it a body on a round rim keeps rocking."""
_STEPS_PER_SETTLE_CHECK = 4
"""Steps between two checks for bodies that are still."""
_STEPS_PER_CUP_CHECK = 2
"""Steps between two checks for bodies that are clear of the cup."""
MAX_SPEED = 3.0
"""Upper bound on the speed of bodies that have left the cup [m/s]."""
_MAX_BLIND_STEPS = 8
"""Maximum steps between two checks of distances, however large they are."""
_UNSTICK_SPIN = 1.5
"""Angular speed that pushes a body out of a shallow equilibrium [rad/s]: 10 micrometres of height.
"""
MAX_PUSHES = 12
"""Maximum number of such pushes of a body."""
NEAR = 0.006
"""Gap below which bounding spheres are near [m]. A body at 3 m/s covers it in one step of 2 ms, so
a sleeping body is awake before it is struck."""
_ROUNDING = 1e-9
"""Rounding of a sum of steps [s]."""
WITHDRAW_TIME = 0.3
"""Time for which the empty cup stays in the world [s]."""
_WITHDRAW_SPEED = 1.0
"""Speed at which the empty cup is withdrawn [m/s]."""


def withdrawn_pose(motion: CupMotion, emptied_at: float, time: float) -> Placed:
    """Return the pose of the empty cup, on its way up and back over the thrower's half.

    `emptied_at` is the time at which the last body had left it [s].
    """
    x, y, z, qx, qy, qz, qw = cup_pose(motion, emptied_at)
    since = time - emptied_at
    # From rest to full speed within the time, so that the hand does not jerk.
    way = _WITHDRAW_SPEED * since * since / (2.0 * WITHDRAW_TIME)
    return x, y + copysign(way, y), z + way, qx, qy, qz, qw


Stepping: TypeAlias = Any
"""Criteria of rest: those of a scene, or `ThrowParams` in compiled code."""


@dataclass(slots=True, kw_only=True)
class ThrowState:
    """Progress of a throw; lists have one entry for each body, the thrown ones first.

    Compiled code has the same fields in a record.
    """

    steps: int = 0
    """Steps since the first motion of the cup."""
    time: float = 0.0
    """The same [s]."""
    phase: int
    """EMPTYING to OVER."""
    timed_out: int = 0
    """Whether the time limit ended it."""
    emptied_at: float = 0.0
    """Time at which the last body had left the cup [s]."""
    steps_to_mouth: float = 0.0
    """Steps before any body in the cup can be clear of it."""
    blind_steps: int = 0
    """Steps before the next check of distances."""
    since: float = 0.0
    """Time at which bodies could first count as still [s]."""
    fade_start: float = 0.0
    """Time at which rolling resistance began to fade [s]."""
    fade_stage: int = 0
    """Stage of the fading, up to FADE_STAGES."""
    in_cup: list[int]
    """Whether a body is in the cup."""
    asleep: list[int]
    """Whether it is frozen."""
    restless: list[int]
    """Whether it may wake others."""
    quiet: list[int]
    """Whether it was still for long enough, at the last check."""
    slow: list[int]
    """Of the others, whether it was too slow to go far."""
    moved_at: list[float]
    """Time at which it last moved [s]."""
    striker: list[int]
    """Thrown or pushed body whose chain of contact reached it, or -1."""
    pushes: list[int]
    """Number of pushes after it stopped between two poses."""
    gap: Array
    """Distances between bounding spheres at the last check [m], shape [body_count, body_count]."""


def throw_start(count: int, rolled: int, *, pushed: Collection[int] = ()) -> ThrowState:
    """Return the start of a throw of `count` bodies, of which `rolled` are in the cup.

    The others rest on the board; each that is pushed is the start of its own chain of contact.
    """
    awake = [int(body < rolled or body in pushed) for body in range(count)]
    return ThrowState(
        phase=EMPTYING if rolled else ROLLING,
        in_cup=[int(body < rolled) for body in range(count)],
        asleep=[1 - moves for moves in awake],
        restless=awake,
        quiet=[0] * count,
        slow=[0] * count,
        moved_at=[0.0] * count,
        striker=[body if body in pushed else -1 for body in range(count)],
        pushes=[0] * count,
        gap=np.full((count, count), inf),
    )


class Trajectory(NamedTuple):
    """State of the throw before the first step and after each, one row each; without rows, none."""

    places: Array
    """Position [m] and rotation of each body, body axes, shape [row_count, body_count, 7]."""
    cup: Array
    """The same of the cup, shape [row_count, 7]."""
    has_cup: Indices
    """Whether there was a cup, shape [row_count]."""
    strikers: Indices
    """Thrown body whose chain of contact had reached each body, or -1, shape [row_count,
    body_count]."""


def gap_to_sleepers(throw: ThrowState, count: int) -> float:
    """Return the distance by which the closest sleeping and restless bodies are not near [m]."""
    least = inf
    for body in range(count):
        if throw.asleep[body]:
            for other in range(count):
                if throw.restless[other]:
                    least = min(least, throw.gap[body, other])
    return least - NEAR


def blind_steps_ahead(throw: ThrowState, rolled: int, count: int, time_step: float) -> int:
    """Return the number of steps before any sleeping body could be touched."""
    woken, unstruck = False, False
    for body in range(rolled, count):
        woken = woken or not throw.asleep[body]
        unstruck = unstruck or throw.striker[body] < 0
    if woken and unstruck:
        # The chain of contact may continue in any step.
        return 1
    return int(
        min(gap_to_sleepers(throw, count) / (MAX_SPEED * time_step), float(_MAX_BLIND_STEPS))
    )


def steps_to_cup_check(throw: ThrowState, stepping: Stepping, motion: CupMotion) -> int:
    """Return the number of steps before a body can be clear of the cup, or time is up."""
    unseen = 1.0
    # A page steps along a hand that still moves: its path is not known far ahead.
    if len(motion.samples) == 0:
        # No body leaves a cup that has not begun to tip.
        shaken = (motion.tip_start - throw.time) / stepping.time_step
        unseen = max(shaken, throw.steps_to_mouth, 1.0)
    until = _STEPS_PER_CUP_CHECK * ceil((throw.steps + unseen) / _STEPS_PER_CUP_CHECK - 1e-6)
    last = ceil((stepping.time_limit - throw.time) / stepping.time_step - 1e-6)
    return min(int(until) - int(throw.steps), int(last))


def steps_to_settle_check(throw: ThrowState, stepping: Stepping) -> int:
    """Return the number of steps before the next check for bodies that are still."""
    left = ceil((stepping.time_limit - throw.time) / stepping.time_step - 1e-6)
    return max(1, min(_STEPS_PER_SETTLE_CHECK, int(left)))


def begin_check(throw: ThrowState, stepping: Stepping, count: int) -> bool:
    """Begin a check for bodies that are still; return whether resistance fades by a stage now.

    A body is still when its speed and angular speed have stayed below their bounds, with something
    touching it, for `rest_time`. Once all are, rolling resistance fades out over `ease_time`: a
    body that resistance holds halfway over an edge (a lever is a crude model of it at rest)
    descends into the pose of its basin. Then all must be still again. Sleeping bodies do not
    count.
    """
    awake = False
    for body in range(count):
        throw.quiet[body] = throw.slow[body] = 0
        awake = awake or not throw.asleep[body]
    if throw.time >= stepping.time_limit:
        throw.timed_out, throw.phase = 1, OVER
    elif not awake:
        throw.phase = OVER
    if throw.phase != FADING:
        return False
    share = (throw.time - throw.fade_start) / stepping.ease_time
    stage = min(int(share * FADE_STAGES) + 1, FADE_STAGES)
    fades = bool(stage != throw.fade_stage)
    throw.fade_stage = stage
    if share >= 1.0:
        throw.phase, throw.since = SETTLING, throw.time
    return fades


def note_motion(
    throw: ThrowState,
    stepping: Stepping,
    body: int,
    speed: float,
    spin: float,
    slow: bool,  # noqa: FBT001 (compiled code takes no keywords)
) -> None:
    """Note whether a body with a speed [m/s] and an angular speed [rad/s] is still, or slow."""
    if not (slow and speed < stepping.rest_speed and spin < stepping.rest_spin):
        throw.moved_at[body] = throw.time
    still_for = throw.time - max(throw.moved_at[body], throw.since)
    throw.quiet[body] = still_for >= stepping.rest_time - _ROUNDING
    throw.slow[body] = slow and not throw.quiet[body]


def end_check(throw: ThrowState, stepping: Stepping, count: int) -> None:
    """Go on to the next phase if all bodies that are awake are still."""
    for body in range(count):
        if not throw.asleep[body] and not throw.quiet[body]:
            return
    if throw.phase == ROLLING and stepping.ease_time > 0.0:
        throw.phase, throw.fade_start = FADING, throw.time
    elif throw.phase != FADING:
        throw.phase = OVER


def settle_again(throw: ThrowState, stepping: Stepping) -> None:
    """Wait until all bodies are still again, because one was pushed."""
    if not throw.timed_out and stepping.ease_time > 0.0:
        throw.phase, throw.since = SETTLING, throw.time


def rest_place(
    cells: Cells,
    place: Placed,
    corner: int,
    lowest: float,
    slow: bool,  # noqa: FBT001
    room: float,
    radius: float,
    half: float,
    thickness: float,
) -> tuple[bool, Placed]:
    """Return whether a body that touches no other can be frozen, and its place after descent.

    Args:
        cells: Its hull.
        place: Its position and rotation.
        corner: Its lowest corner.
        lowest: Height of the centre of mass if that corner touches the plane [m].
        slow: Whether it may still move, so that it must be certain to end in its pose.
        room: Distance that it may move before it could touch another [m].
        radius: Distance from the centre of mass to the farthest corner [m].
        half: Half the side of the board [m].
        thickness: Height of the board's top over the table [m].
    """
    if slow and not will_settle(cells, place, corner, lowest, SLOW_ENERGY_HEIGHT, thickness):
        return False, place
    # Without room to descend, only a body that has settled may sleep.
    if room <= 0.0 and not is_settled(cells, place):
        return False, place
    found, rest = final_place(cells, place, lowest, radius, half, thickness)
    x, y = place[0] - rest[0], place[1] - rest[1]
    return found and sqrt(x * x + y * y) <= max(room, 0.0), rest


def unstick_motion(
    cells: Cells, place: Placed, corner: int, thickness: float
) -> tuple[float, float, float, float]:
    """Return the push of a body that stopped alone between two poses; zeros if it has settled.

    A mesh has vertices where a real body is round. On some of the small faces between them a body
    can rest in an equilibrium micrometres deep, far from any pose. A push towards the pose of its
    basin is just large enough to leave it.

    Returns:
        Velocity [m/s] and angular velocity [rad/s] along x and y; those along z are zero.
    """
    ax, ay, _ = unstick_axis(cells, place, corner)
    wx, wy = _UNSTICK_SPIN * ax, _UNSTICK_SPIN * ay
    # It rolls about the vertex on which it rests, so its centre moves too.
    up = place[2] if place[2] > 0.0 else place[2] + thickness
    return wy * up, -wx * up, wx, wy
