"""Collision shapes as Bullet takes them: a compound of convex parts, and the cup."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pigglesim.physics.bullet_client import Client
from pigglesim.physics.bullet_settings import UNIT
from pigglesim.physics.frames import principal_frame
from pigglesim.scene.cup import Cup
from pigglesim.shapes.body import Body

__all__ = ["CUP_PARTS", "compound_file", "cup_boxes"]

_CUP_WALLS = 12
CUP_PARTS = _CUP_WALLS + 1
"""Walls, and one floor."""
_CUP_WALL_DEPTH = 0.008
"""Thickness of the cup's collision walls [m], outwards of what is seen: a Piggle never tunnels."""


@cache
def _scratch() -> Path:
    """Return a folder for shape files, gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="pigglesim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def compound_file(body: Body) -> str:
    """Write a body's convex parts as one OBJ of many objects and return its path.

    A file is the only way in: shapes given by arrays keep 16 children at most, silently.
    """
    frame = principal_frame(body)
    lines: list[str] = []
    offset = 1
    for part in body.parts:
        points = frame.to_principal(part.vertices) * UNIT
        lines.append(f"o {part.name}")
        lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
        # Bullet takes the hull of the points; the faces need only name every one of them.
        lines += [
            f"f {offset + i} {offset + i + 1} {offset + i + 2}" for i in range(len(points) - 2)
        ]
        offset += len(points)
    path = _scratch() / f"{body.sha256[:16]}-{body.model.replace('/', '_')}.obj"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def cup_boxes(p: Client, cup: Cup) -> dict[str, Any]:
    """Return the arguments of a compound of wall boxes and a floor, in the cup's frame."""
    half_wall = _CUP_WALL_DEPTH / 2.0
    radius = cup.inner_radius + half_wall
    # Boxes meet at the inside corners of a regular polygon drawn round the circle.
    half_width = (cup.inner_radius + _CUP_WALL_DEPTH) * np.tan(np.pi / _CUP_WALLS)
    half_depth = cup.depth / 2.0
    positions, orientations, extents = [], [], []
    for k in range(_CUP_WALLS):
        angle = 2.0 * np.pi * k / _CUP_WALLS
        positions.append([radius * np.cos(angle) * UNIT, radius * np.sin(angle) * UNIT, 0.0])
        orientations.append([0.0, 0.0, float(np.sin(angle / 2)), float(np.cos(angle / 2))])
        extents.append([half_wall * UNIT, half_width * UNIT, half_depth * UNIT])
    positions.append([0.0, 0.0, -(half_depth + half_wall) * UNIT])
    orientations.append([0.0, 0.0, 0.0, 1.0])
    wide = (cup.inner_radius + _CUP_WALL_DEPTH) * UNIT
    extents.append([wide, wide, half_wall * UNIT])
    return {
        "shapeTypes": [p.GEOM_BOX] * len(extents),
        "halfExtents": extents,
        "collisionFramePositions": positions,
        "collisionFrameOrientations": orientations,
    }
