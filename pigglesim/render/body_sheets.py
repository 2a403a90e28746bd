"""Sheets of a body: every livery from both sides, and every stable pose."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.bodies.body import Body, StablePose
from pigglesim.bodies.livery import Livery, dress, worn_skin
from pigglesim.durable_io import check_target
from pigglesim.markings import Colour, Rune
from pigglesim.render.figure import (
    FIGURE_SUFFIXES,
    axes_at,
    colours_of,
    heading,
    hide_axes,
    house_style,
    new_figure,
    save_figure,
)
from pigglesim.render.palette import FAINT, INK
from pigglesim.render.rasterizer import Shading, View, floor_shadow, paint, shade, srgb
from pigglesim.rotations import Array, upright
from pigglesim.units import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FRONT = View.toward((0.22, -0.12, 1.0))
BACK = View.toward((-0.18, 0.16, -1.0))
"""Views a little from one side, which show that the body is round."""

_LINEUP_GROUND = np.array([0.921, 0.903, 0.861])
_LINEUP_PIXELS = 140
"""Width and height of a Piggle in the lineup [pixels]."""
"""Linear RGB of the paper."""
_RUNES: tuple[Rune | None, ...] = (None, *Rune)
_MARGIN, _HEAD = 0.9, 0.55
"""Space for the names of rows and of columns [in]."""
_DPI = 100
_FINE = 3
"""Samples across a pixel: the tiles are small."""


def draw_lineup(body: Body, *, view: View, pixels: int) -> Array:
    """Return one image of all liveries of a Piggle: a row for each colour, a column for each rune.

    sRGB in 0..1, shape [5 * pixels, 10 * pixels, 3].
    """
    shadings: dict[Rune | None, Shading] = {}
    rows = []
    for colour in Colour:
        tiles = []
        for rune in _RUNES:
            skin = dress(body, Livery(colour=colour, rune=rune)).skin
            # A colour moves no vertex: one shading per rune serves all colours.
            if rune not in shadings:
                shadings[rune] = shade(skin, view, size=(pixels, pixels), fine=_FINE)
            tiles.append(paint(shadings[rune], skin, ground=_LINEUP_GROUND))
        rows.append(np.concatenate(tiles, axis=1))
    return np.concatenate(rows, axis=0)


@house_style()
def save_lineup(body: Body, file: Path) -> None:
    """Save the sheet of all liveries of a Piggle as a picture.

    The sheet is `.png` or `.svg`.

    Raises:
        SpecError: If the file is of another kind or cannot be written.
    """
    # Fail before the work, not after it.
    check_target(file, *FIGURE_SUFFIXES)
    pixels = _LINEUP_PIXELS
    wide, high = len(_RUNES) * pixels / _DPI, len(Colour) * pixels / _DPI
    figure = new_figure(wide + _MARGIN, 2 * (high + _HEAD), paper=_hex(_LINEUP_GROUND))
    names = ["runeless" if rune is None else f"{rune.number} {rune.value}" for rune in _RUNES]
    for side, view, bottom in (("front", FRONT, high + _HEAD), ("back", BACK, 0.0)):
        axes = axes_at(figure, _MARGIN, bottom, wide, high)
        axes.imshow(draw_lineup(body, view=view, pixels=pixels), interpolation="nearest")
        axes.set_yticks(_middles(len(Colour), pixels), [colour.label for colour in Colour])
        axes.set_xticks(_middles(len(_RUNES), pixels), [f"{side}, {names[0]}", *names[1:]])
        axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False, labelsize=8)
        for spine in axes.spines.values():
            spine.set_visible(False)
    save_figure(figure, file)


def _middles(count: int, pixels: int) -> list[float]:
    return [(k + 0.5) * pixels - 0.5 for k in range(count)]


def _hex(linear: Array) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in srgb(linear).tolist())


_GROUND = np.array([0.90, 0.885, 0.86])
_PIXELS = (576, 448)
_ELEVATION = math.radians(34.0)
"""Elevation of the eye above the floor [rad]."""
_TURN = math.radians(32.0)
"""Angle between a face and the eye [rad]: a three-quarter view."""
_PANEL = (3.3, 3.15)
"""Width and height of a panel [in]."""


@house_style()
def draw_pose_sheet(
    body: Body, file: Path, *, title: str, subtitle: str, shares: Sequence[float]
) -> None:
    """Draw a body standing in each of its stable poses.

    Raises:
        SpecError: If the file is of another kind or cannot be written.
    """
    check_target(file, *FIGURE_SUFFIXES)
    count = len(body.poses)
    columns = min(count, 3 if count <= 9 else 4)
    wide, high = _PANEL
    width, height = max(columns * wide, 5.0), math.ceil(count / columns) * high + 0.85
    figure = new_figure(width, height, paper=_hex(_GROUND))
    heading(figure, title, subtitle)
    span = _span(body)
    for index, (pose, share) in enumerate(zip(body.poses, shares, strict=True)):
        row, column = divmod(index, columns)
        left = (width - columns * wide) / 2 + column * wide
        axes = axes_at(figure, left, height - 0.85 - (row + 1) * high, wide, high)
        _panel(axes, body, pose, share, span)
        if index == 0:
            _scale_bar(axes, span)
    save_figure(figure, file)


def standing(body: Body, down: Array) -> Array:
    """Return the rotation, shape [3, 3], of a standing body that turns its face to the eye.

    The side along +z, a Piggle's face, is turned towards the eye at -y; if it looks straight up or
    down, the crown, +y, points away from the eye. `down` is a unit vector of the body frame.
    """
    # A body on its left cheek shows its face to the other side than one on its right.
    hand = -1.0 if down[0] > 0.1 else 1.0
    c, s = math.cos(_TURN), hand * math.sin(_TURN)
    turned: Array = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ upright(down)
    return turned


def pose_view(body: Body, down: Array, *, span: float) -> View:
    """Return the view of a body on a floor, in the middle of an image that shows a width [m].

    `down` is the unit vector of the body frame that points to the floor, shape [3].
    """
    rotation = standing(body, down)
    vertices = body.skin.vertices
    plain = View(rotation=rotation, elevation=_ELEVATION, span=span)
    seen = plain.project(vertices)
    across, upward, _ = ((seen.min(axis=0) + seen.max(axis=0)) / 2).tolist()
    return replace(plain, middle=(across, upward), floor=float(np.min(vertices @ rotation[2])))


def screen_size(body: Body, down: Array) -> tuple[float, float]:
    """Return the width and height of a body in a pose on the picture [m]."""
    wide, high, _ = np.ptp(pose_view(body, down, span=1.0).project(body.skin.vertices), axis=0)
    return float(wide), float(high)


def pose_image(
    body: Body, down: Array, *, span: float, size: tuple[int, int], ground: Array
) -> Array:
    """Return an sRGB image of a body in a pose, shape [height, width, 3], values 0 to 1.

    As `pose_view`; the size is in pixels, and the floor has a colour in linear RGB, shape [3].
    """
    view = pose_view(body, down, span=span)
    shading = shade(worn_skin(body), view, size=size, fine=2)
    shadow = floor_shadow(worn_skin(body), view, size=size)
    return paint(shading, worn_skin(body), ground=ground * (1 - shadow)[:, :, None])


def _span(body: Body) -> float:
    """Return the width [m] of a panel in which every pose has room, all to one scale."""
    width, height = _PIXELS
    sizes = [screen_size(body, pose.down) for pose in body.poses]
    widest, highest = max(wide for wide, _ in sizes), max(high for _, high in sizes)
    return max(widest / 0.84, highest / 0.84 * width / height)


def _panel(axes: "Axes", body: Body, pose: StablePose, share: float, span: float) -> None:
    width, height = _PIXELS
    image = pose_image(body, pose.down, span=span, size=_PIXELS, ground=_GROUND)
    hide_axes(axes)
    high = _PANEL[1] / _PANEL[0]
    axes.set_xlim(0, 1)
    axes.set_ylim(0, high)
    axes.imshow(image, extent=(0.02, 0.98, high - 0.02 - 0.96 * height / width, high - 0.02))
    label = pose.label
    accent = colours_of([label])[label] if pose.orientation else INK
    axes.text(0.05, 0.125, label, fontsize=11.5, color=accent, weight="bold")
    axes.text(
        0.95, 0.125, percent(share, places=1), fontsize=13, color=INK, weight="bold", ha="right"
    )
    if pose.name != label:
        axes.text(0.05, 0.055, pose.name, fontsize=8.5, color=FAINT)
    lift = "" if math.isinf(pose.escape) else f" · tips at +{pose.escape * 1e3:.2f} mm"
    text = f"centre {pose.height * 1e3:.1f} mm{lift}"
    axes.text(0.95, 0.055, text, fontsize=8.5, color=FAINT, ha="right")


def _scale_bar(axes: "Axes", span: float) -> None:
    """Draw a bar of a round length in the corner of a panel."""
    length = next(mm for mm in (50, 20, 10, 5, 2, 1) if mm * 1e-3 < 0.4 * span)
    high = _PANEL[1] / _PANEL[0]
    share = 0.96 * length * 1e-3 / span
    axes.plot([0.06, 0.06 + share], [high - 0.08] * 2, color=FAINT, linewidth=1.5)
    axes.text(0.06 + share / 2, high - 0.065, f"{length} mm", fontsize=8, color=FAINT, ha="center")
