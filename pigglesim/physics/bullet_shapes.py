"""Collision shapes as Bullet takes them: a compound of convex parts, and the cup."""

import atexit
import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pigglesim.bodies.body import Body
from pigglesim.durable_io import make_folder, write_whole
from pigglesim.physics.bullet_client import Client
from pigglesim.physics.bullet_settings import UNIT
from pigglesim.physics.cup_shape import CupBox
from pigglesim.physics.frames import principal_frame


@cache
def _scratch() -> Path:
    """Return a folder for shape files, gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="pigglesim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def compound_file(body: Body) -> str:
    """Write a body's convex parts as one OBJ of many objects and return its path.

    A file is the only way in: shapes given by arrays keep 16 children at most, silently. There is
    one for each digest, whatever the body wears. Bullet takes a torn file as a smaller shape, so a
    file is compared with its text each time, and written again where it differs.

    Raises:
        OSError: If it cannot be written, or holds other bytes than were written.
    """
    path = _scratch() / f"{body.sha256}.obj"
    data = _compound_text(body)
    if not _holds(path, data):
        make_folder(path.parent)
        write_whole(path, data)
        if not _holds(path, data):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
    return str(path)


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


@cache
def _compound_text(body: Body) -> bytes:
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
    return ("\n".join(lines) + "\n").encode()


def cup_compound(p: Client, boxes: Sequence[CupBox]) -> dict[str, Any]:
    """Return the arguments of a compound of boxes, in the cup's frame."""
    return {
        "shapeTypes": [p.GEOM_BOX] * len(boxes),
        "halfExtents": [[half * UNIT for half in box.half_extents] for box in boxes],
        "collisionFramePositions": [[at * UNIT for at in box.centre] for box in boxes],
        "collisionFrameOrientations": [list(box.rotation) for box in boxes],
    }
