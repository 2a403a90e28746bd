"""The sheet of paper on which the throws of a printed body are tallied."""

import base64
import io
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from pigglesim.bodies.body import Body, StablePose, class_shares
from pigglesim.render.body_sheets import pose_image, screen_size
from pigglesim.render.page import rendered

_PIXELS = (360, 264)
_GROUND = np.array([0.955, 0.945, 0.925])
"""Linear RGB of the floor."""
_COLUMNS, _MOST_ROWS = 9, 6
"""Boxes beside each other, and rows of one class: 270 throws fit on paper."""


class TallyRow(NamedTuple):
    """One class of a body, with its picture."""

    label: str
    image: str
    """PNG as a data URI."""


def tally_sheet(
    body: Body,
    *,
    title: str,
    labels: Sequence[str],
    facts: Sequence[tuple[str, str]],
    steps: Sequence[str],
    throws: int,
    seal: str,
) -> str:
    """Return the page of a tally sheet, to be printed on one sheet of paper.

    Args:
        body: Printed body.
        title: Its name.
        labels: Its classes, in the order of the tally.
        facts: Names and values of what is printed and thrown.
        steps: What to do, in order.
        throws: Number of throws that it has room for.
        seal: SHA-256 of the prediction.
    """
    first: dict[str, StablePose] = {}
    for pose in body.poses:
        first.setdefault(pose.label, pose)
    sizes = [screen_size(body, pose.down) for pose in first.values()]
    across = max(wide for wide, _ in sizes) / 0.84
    span = max(across, max(high for _, high in sizes) / 0.84 * _PIXELS[0] / _PIXELS[1])
    rows = []
    for label in labels:
        pixels = pose_image(body, first[label].down, span=span, size=_PIXELS, ground=_GROUND)
        file = io.BytesIO()
        Image.fromarray(np.round(pixels * 255).astype(np.uint8)).save(file, "PNG", optimize=True)
        image = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
        rows.append(TallyRow(label=label, image=image))
    # The same room for each class, so that the paper gives no hint of the prediction.
    likeliest = max(class_shares(body).values())
    boxes = _COLUMNS * min(math.ceil(1.5 * likeliest * throws / 5 / _COLUMNS), _MOST_ROWS)
    return rendered(
        "tally.html",
        title=title,
        rows=rows,
        boxes=boxes,
        facts=facts,
        steps=steps,
        throws=throws,
        seal=seal,
    )
