"""The pose of a resting body: total over every state it can rest in (R14, P12)."""

from functools import cache
from math import acos, radians

import numpy as np

from pigglesim.rolls import Orientation, RestPlace
from pigglesim.shapes.body import Body, StablePose
from pigglesim.shapes.poses import orientation_of, support_of
from pigglesim.shapes.support import SupportFunction
from pigglesim.spatial import Array, to_matrix

__all__ = ["HOME_ANGLE", "orientation_alone", "orientation_supported", "resting_pose", "tilt"]

HOME_ANGLE = radians(3.0)
"""Turned by less than this out of its stable pose, a body counts as lying in it [rad]."""


def _down(place: RestPlace) -> Array:
    """Return the direction of the floor in the body's own axes, shape [3]."""
    down: Array = -to_matrix(np.array(place.orientation))[2]
    return down


@cache
def _support(body: Body) -> SupportFunction:
    return support_of(body.hull, body.mass.centre)


def resting_pose(body: Body, place: RestPlace) -> StablePose:
    """Return the stable pose into whose basin a body would sink if left alone.

    The support function is descended from the body's own attitude; the poses of a body are those
    of its support function, in the same order.
    """
    return body.poses[_support(body).descend(_down(place))]


def tilt(body: Body, place: RestPlace) -> float:
    """Return the angle [rad] between a body and the stable pose whose basin it is in."""
    cosine = float(resting_pose(body, place).down @ _down(place))
    return acos(min(1.0, max(-1.0, cosine)))


def orientation_alone(body: Body, place: RestPlace) -> Orientation:
    """Return the class of the stable pose that a body would sink into if left alone."""
    pose = resting_pose(body, place)
    # A body that is no pig has poses without a class; its axes give one all the same.
    return pose.orientation or orientation_of(pose.down, frozenset(pose.parts))


def orientation_supported(
    body: Body, place: RestPlace, touching_parts: frozenset[str]
) -> Orientation:
    """Return the class of a body that leans on or lies upon another, by its axes (P12)."""
    return orientation_of(_down(place), touching_parts)
