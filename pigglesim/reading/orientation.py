"""The pose or class of a resting body, whatever state it rests in (R14, P12); a die's face."""

from math import acos, radians

import numpy as np

from pigglesim.bodies.body import Body, StablePose
from pigglesim.bodies.poses import orientation_of, pose_at
from pigglesim.landing import Orientation, RestPlace
from pigglesim.rotations import Array, dot, to_matrix

HOME_ANGLE = radians(3.0)
"""Turned by less than this out of its stable pose, a body counts as lying in it [rad]."""


def _down(place: RestPlace) -> Array:
    """Return the direction of the floor in the body's own axes, shape [3]."""
    down: Array = -to_matrix(np.array(place.rotation))[2]
    return down


def tilt(body: Body, place: RestPlace) -> float:
    """Return the angle [rad] between a body and the stable pose whose basin it is in."""
    down = _down(place)
    cosine = dot(pose_at(body, down).down, down)
    return acos(min(1.0, max(-1.0, cosine)))


def face_up(die: Body, place: RestPlace) -> int:
    """Return the face that is nearest to upward: that opposite the one nearest to downward."""
    down = _down(place)
    pose = max(die.poses, key=lambda pose: dot(pose.down, down))
    return int(pose.name)


def pose_alone(body: Body, place: RestPlace) -> StablePose:
    """Return the stable pose that a body would sink into if left alone."""
    return pose_at(body, _down(place))


def orientation_alone(pig: Body, place: RestPlace) -> Orientation:
    """Return the class of the stable pose that a pig would sink into if left alone."""
    orientation = pose_alone(pig, place).orientation
    assert orientation is not None
    return orientation


def orientation_supported(
    pig: Body, place: RestPlace, touching_parts: frozenset[str]
) -> Orientation:
    """Return the class of a pig that leans on or lies upon another, by its axes (P12).

    The axes of a body whose file names its poses mean nothing: there the basin it is in decides.
    """
    if pig.classed:
        return orientation_alone(pig, place)
    return orientation_of(_down(place), touching_parts)
