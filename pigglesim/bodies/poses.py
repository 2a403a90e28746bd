"""Stable poses of a body on its facets, and their classes."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from pigglesim.bodies.body import Body, Hull, StablePose
from pigglesim.bodies.support import Rest, SupportFunction, Vector
from pigglesim.landing import Orientation
from pigglesim.rotations import Array

_TOUCH = 1e-5
"""Distance from the floor [m] within which parts support the body."""


def support_of(hull: Hull, centre: Array) -> SupportFunction:
    """Return the cached support function of a hull about its centre of mass [m], shape [3]."""
    x, y, z = centre.tolist()
    return _support(hull, (x, y, z))


def support_for(body: Body) -> SupportFunction:
    """Return the cached support function of a body."""
    return support_of(body.hull, body.mass.centre)


@lru_cache(maxsize=32)
def _support(hull: Hull, centre: Vector) -> SupportFunction:
    # By hull and centre, not by body: all liveries of a model share them.
    return SupportFunction(hull.vertices, hull.faces, np.array(centre))


def class_shares(body: Body) -> dict[str, float]:
    """Return the exact share of directions that roll without momentum into each class.

    Classes are those of the rules, of the body's file, or numbers; the largest comes first.
    """
    found: dict[str, float] = {}
    for pose, share in zip(body.poses, support_for(body).shares(), strict=True):
        found[pose.label] = found.get(pose.label, 0.0) + share
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def pose_at(body: Body, down: Array) -> StablePose:
    """Return the stable pose that a body would descend into if left alone.

    The poses of a body are those of its support function, in the same order.

    Args:
        body: A body with stable poses.
        down: Unit vector towards the floor, body frame, shape [3].
    """
    return body.poses[support_for(body).descend(down)]


def orientation_of(down: Array, parts: frozenset[str]) -> Orientation:
    """Return the class of a pose (R14, P12).

    Args:
        down: Unit vector towards the floor, body frame, shape [3].
        parts: Parts that touch the floor.
    """
    on_head = "snout" in parts and any(part.startswith("ear") for part in parts)
    if on_head and down[1] > 0:
        return Orientation.ON_THEIR_HEAD
    return Orientation.SNOUT_UP if down[2] <= 0 else Orientation.SNOUT_DOWN


def stable_poses(
    hull: Hull,
    centre: Array,
    *,
    faces_up: Mapping[str, Array] | None = None,
    classes: Sequence[tuple[Array, Orientation | str]] | None = None,
) -> tuple[StablePose, ...]:
    """Return all stable poses of a body, lowest first.

    Args:
        hull: Its convex hull.
        centre: Centre of mass [m], shape [3].
        faces_up: Body direction that is up when each number of a die is shown; None for a pig.
        classes: Directions down, shape [3] each, with the class of the pose that each leads to:
            one of the rules, or a name. Empty before classes are given; None for a Piggle, whose
            parts and axes decide.
    """
    support = support_of(hull, centre)
    told = None if classes is None else _told(support, classes)
    poses: list[StablePose] = []
    taken: dict[str, int] = {}
    for number, rest in enumerate(support.poses):
        down = np.array(rest.down)
        parts = _touching(hull, centre, rest)
        orientation: Orientation | None = None
        face: str | None = None
        if faces_up:
            name = _shown(down, faces_up)
        elif told is not None:
            found = told[number]
            if isinstance(found, Orientation):
                orientation, name = found, found.label.lower()
            else:
                face, name = found, found or f"pose-{number + 1}"
        else:
            orientation = orientation_of(down, parts)
            name = _name(down, parts, orientation)
        taken[name] = taken.get(name, 0) + 1
        poses.append(
            StablePose(
                name=name if taken[name] == 1 else f"{name}-{taken[name]}",
                orientation=orientation,
                face=face,
                down=down,
                height=rest.height,
                escape=rest.escape,
                parts=tuple(sorted(parts)),
            )
        )
    return tuple(poses)


def _told(
    support: SupportFunction, classes: Sequence[tuple[Array, Orientation | str]]
) -> list[Orientation | str | None]:
    """Return the class of each pose: of the closest entry in its basin, else of the closest."""
    if not classes:
        return [None] * len(support.poses)
    units = np.array([np.asarray(down) / np.linalg.norm(down) for down, _ in classes])
    basins = np.array([support.descend(unit) for unit in units])
    near = np.array([rest.down for rest in support.poses]) @ units.T
    # An entry in the basin always precedes a closer one outside it.
    near[basins, np.arange(len(units))] += 4.0
    return [classes[int(best)][1] for best in np.argmax(near, axis=1)]


def _touching(hull: Hull, centre: Array, rest: Rest) -> frozenset[str]:
    heights = rest.height - (hull.vertices - centre) @ np.array(rest.down)
    near = {*rest.vertices, *np.flatnonzero(heights < _TOUCH).tolist()}
    return frozenset(hull.vertex_parts[vertex] for vertex in near)


def _shown(down: Array, faces_up: Mapping[str, Array]) -> str:
    return min(faces_up, key=lambda name: float(faces_up[name] @ down))


def _name(down: Array, parts: frozenset[str], orientation: Orientation | None) -> str:
    """Return a short name for a pig's pose."""
    if orientation is Orientation.ON_THEIR_HEAD:
        return "on-their-head"
    if orientation is Orientation.SNOUT_UP:
        return "snout-up"
    if abs(down[0]) > 0.3:
        return "cheek-left" if down[0] > 0 else "cheek-right"
    if any(part.startswith("foot") for part in parts):
        return "nose-dive"
    return "snout-stand"
