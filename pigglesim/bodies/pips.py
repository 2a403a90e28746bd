"""The numbers of a die: pips just above the sides that its poses are named for, for eyes only."""

import math
from dataclasses import replace
from functools import cache

import numpy as np

from pigglesim.bodies.body import Body, Skin, StablePose
from pigglesim.rotations import Array

PIP_PART = "pip"
"""Name of the part, and of the material, of the faces of pips."""

_PIPS = {
    "1": ((0, 0),),
    "2": ((-1, -1), (1, 1)),
    "3": ((-1, -1), (0, 0), (1, 1)),
    "4": ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    "5": ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    "6": ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Where pips are on a side, in steps."""
_STEP, _RADIUS = 0.48, 0.17
"""Between pips, and of one, in distances of the side from the middle."""
_LIFT = 0.00006
"""How far above the side they are drawn [m]."""
_CORNERS = 24
_DARK = (0.02, 0.018, 0.02)
"""Linear RGB."""


@cache
def worn_skin(body: Body) -> Skin:
    """Return what is seen of a body: its skin, and the pips of a die."""
    return with_pips(body).skin


def is_numbered(body: Body) -> bool:
    """Return whether a body is a die: whether all its poses are named 1 to 6."""
    return bool(body.poses) and all(pose.name in _PIPS for pose in body.poses)


def with_pips(body: Body) -> Body:
    """Return a die with pips on its skin: the same hull, mass, poses and digest.

    A body that is no die is returned as it is.
    """
    if not is_numbered(body):
        return body
    skin = body.skin
    discs = np.vstack([_side(body, pose) for pose in body.poses]) + body.mass.centre
    # Each disc is its corners and then its middle.
    here = np.arange(_CORNERS)
    fan = np.column_stack([np.full(_CORNERS, _CORNERS), here, (here + 1) % _CORNERS])
    starts = len(skin.vertices) + (_CORNERS + 1) * np.arange(len(discs))
    faces = (fan[None] + starts[:, None, None]).reshape(-1, 3)
    vertices = np.vstack([skin.vertices, discs.reshape(-1, 3)])
    whole = np.vstack([skin.faces, faces])
    for array in (vertices, whole):
        array.setflags(write=False)
    materials = skin.face_materials or ("unpainted",) * len(skin.faces)
    pips = (PIP_PART,) * len(faces)
    return replace(
        body,
        skin=replace(
            skin,
            vertices=vertices,
            faces=whole,
            face_parts=(*skin.face_parts, *pips),
            face_materials=(*materials, *pips),
            colours={**skin.colours, PIP_PART: _DARK},
        ),
    )


def _side(body: Body, pose: StablePose) -> Array:
    """Return the discs of the side that is up in a pose [m], about the centre of mass.

    Shape [pip_count, corner_count + 1, 3].
    """
    up: Array = -pose.down
    # The same axes for a side and its opposite, so that pips do not depend on a choice.
    across = np.roll(np.abs(up), 1)
    across = across - up * float(across @ up)
    across /= np.linalg.norm(across)
    ahead = np.cross(up, across)
    away = float(np.max((body.hull.vertices - body.mass.centre) @ up))
    turns = 2.0 * math.pi * np.arange(_CORNERS) / _CORNERS
    rim = _RADIUS * away * (np.outer(np.cos(turns), across) + np.outer(np.sin(turns), ahead))
    disc = np.vstack([rim, np.zeros(3)])
    middles = [
        (away + _LIFT) * up + _STEP * away * (x * across + y * ahead) for x, y in _PIPS[pose.name]
    ]
    return np.array(middles)[:, None, :] + disc
