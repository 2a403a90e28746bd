"""What the compiled code of engine `impulse` works on, and how it is compiled."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np
from numba import config, njit

from pigglesim.shapes.body import Indices
from pigglesim.spatial import Array

__all__ = ["STATE_SIZE", "Die", "Ground", "Work", "compiled", "work_space"]

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")

STATE_SIZE = 12
"""Of a state: height of the centre of mass, velocity [3], quaternion from principal to world axes
[4], angular momentum in principal axes [3], time since it last moved more than a little. All in
SI units."""
_CORNERS = 24
"""Contacts solved together: the deepest, where there are more."""
_NEAR = 64
"""Corners looked at for them: on the plane, or below it at the end of the step."""


def _cache_folder() -> str:
    """Return where compiled code is kept: a folder for each state of all these sources.

    The compiler itself looks only at the file that a function stands in, and would go on with
    what it calls in others as it was.
    """
    here = Path(__file__).parent
    sources = [*sorted(here.glob("impulse_*.py")), here.parent / "shapes" / "descent.py"]
    digest = sha256(b"".join(file.read_bytes() for file in sources))
    return str(here / "__pycache__" / f"impulse-{digest.hexdigest()[:16]}")


_FOLDER = _cache_folder()


def compiled(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile when first called, and keep the result for the next process where one can.

    It may take no number from any file but those: what is kept would not follow it.
    """
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    config.CACHE_DIR = before or _FOLDER  # type: ignore[attr-defined]
    made: Callable[_Args, _Result]
    try:
        made = njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # neither this folder nor the user's own can be written
        made = njit(error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]
    return made


class Die(NamedTuple):
    """What the kernel knows of a die, in its principal frame."""

    corners: Array
    """Of the hull, shape [corner_count, 3]."""
    links: Indices
    """Corners joined to each corner by an edge, one corner's after another's."""
    ends: Indices
    """Where in `links` those of each corner begin, shape [corner_count + 1]."""
    lightness: float
    """Inverse mass."""
    rates: Array
    """Inverse principal moments, shape [3]."""
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


class Work(NamedTuple):
    """Room for what a step computes, so that none need be made in it."""

    axes: Array
    """From principal to world axes, shape [3, 3]."""
    inverse: Array
    """Inverse inertia in world axes, shape [3, 3]."""
    velocity: Array
    spin: Array
    """In world axes."""
    near: Indices
    """Numbers of the corners near the plane."""
    at: Array
    """Contacts, from the centre of mass, world axes, shape [contact_count, 3]."""
    target: Array
    """Least normal velocity of each after the step."""
    push: Array
    """Impulse up at each, shape [contact_count]."""
    drag: Array
    """Impulse of friction at each, shape [contact_count, 2]."""
    gives: Array
    """Of each, the spin that a unit impulse along z, x and y gives, and two effective masses,
    shape [contact_count, 11]."""
    resist: Array
    """Impulse of turning against rolling, two components, and against spinning, shape [3]."""
    place: Array
    """One corner from the centre of mass, world axes, shape [3]."""
    seen: Indices
    """Mark of the last search that came by each corner."""
    marks: Indices
    """The mark used last; the lowest corner now, and the lowest at the end of the step."""
    ways: Array
    """Up now, and the direction along which corners are lowest first at the end of the step, in
    principal axes, shape [2, 3]."""


def work_space(corner_count: int) -> Work:
    """Return room for the steps of a die."""
    return Work(
        axes=np.zeros((3, 3)),
        inverse=np.zeros((3, 3)),
        velocity=np.zeros(3),
        spin=np.zeros(3),
        near=np.zeros(2 * min(corner_count, _NEAR), np.int64),
        at=np.zeros((_CORNERS, 3)),
        target=np.zeros(_CORNERS),
        push=np.zeros(_CORNERS),
        drag=np.zeros((_CORNERS, 2)),
        gives=np.zeros((_CORNERS, 11)),
        resist=np.zeros(3),
        place=np.zeros(3),
        seen=np.zeros(corner_count, np.int64),
        marks=np.zeros(3, np.int64),
        ways=np.zeros((2, 3)),
    )
