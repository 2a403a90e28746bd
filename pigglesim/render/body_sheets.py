"""Pictures of bodies without OpenGL: liveries, stable poses, and the tally sheet of a printed body.

The rasterizer has a depth buffer in numpy alone. The pixels of all triangles' bounding boxes are
tested at once, without a loop over triangles. Pixels on an edge belong to both of its sides, so
that no gap opens along it.
"""

import base64
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from pigglesim.bodies.body import Body, Skin, StablePose, class_shares
from pigglesim.bodies.livery import corner_normals, dress, worn_skin
from pigglesim.bodies.mesh_files import hex_colour
from pigglesim.durable_io import FIGURES, check_target
from pigglesim.markings import Colour, Livery, Rune
from pigglesim.render.figure import (
    axes_at,
    colours_of,
    heading,
    hide_axes,
    house_style,
    new_figure,
    save_figure,
)
from pigglesim.render.page import rendered
from pigglesim.render.palette import FAINT, INK, UNPAINTED
from pigglesim.rotations import Array, Indices, upright
from pigglesim.units import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BATCH = 2**19
"""Number of pixels of bounding boxes that are tested at once: about 50 MB."""
_THIN = 1e-9
"""Twice the area [pixels] below which a triangle is seen edge-on."""
_EDGE = 1e-9
"""Tolerance of barycentric weights below zero for a pixel inside the triangle."""


def rasterize(
    points: Array, faces: Indices, *, width: int, height: int
) -> tuple[Indices, Array, Array]:
    """Return the visible triangles per pixel, given corners in pixels.

    Of faces at equal depth, the one of the lowest row is visible.

    Args:
        points: Column, row and nearness to the eye, shape [point_count, 3]; pixel (0, 0) has its
            centre at column .5 and row .5.
        faces: Triangles; those without area in the picture are skipped.
        width: Width of the picture [pixels].
        height: Height of the picture [pixels].

    Returns:
        Row of the face in front, -1 if there is none, shape [height, width]; its nearness,
        minus infinity if there is none, shape [height, width]; its barycentric weights, shape
        [height, width, 3].
    """
    face = np.full(width * height, -1, dtype=np.int64)
    depth = np.full(width * height, -np.inf)
    weights = np.zeros((3, width * height))
    corners = points[faces]
    low = np.maximum(np.ceil(corners[:, :, :2].min(axis=1) - 0.5), 0).astype(np.int64)
    high = np.floor(corners[:, :, :2].max(axis=1) - 0.5)
    sides = np.minimum(high, [width - 1, height - 1]).astype(np.int64) - low + 1
    # Two sides of each face, and twice its area.
    (bx, by), (cx, cy) = ((corners[:, k, :2] - corners[:, 0, :2]).T for k in (1, 2))
    area = bx * cy - by * cx
    chosen = np.flatnonzero((np.abs(area) > _THIN) & np.all(sides > 0, axis=1))
    ends = np.cumsum(sides[chosen].prod(axis=1))
    # Weights of the second and the third corner per column and per row.
    scale = 1.0 / np.where(np.abs(area) > _THIN, area, np.inf)
    slopes = np.stack([cy, -cx, -by, bx], axis=1) * scale[:, None]
    start = 0
    while start < len(chosen):
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + _BATCH, side="right")))
        batch, counts = chosen[start:stop], np.diff(ends[start:stop], prepend=done)
        owner = np.repeat(batch, counts)
        number = np.arange(len(owner)) - np.repeat(ends[start:stop] - counts - done, counts)
        row, column = np.divmod(number, np.repeat(sides[batch, 0], counts))
        x = column + np.repeat(low[batch, 0] + 0.5 - corners[batch, 0, 0], counts)
        y = row + np.repeat(low[batch, 1] + 0.5 - corners[batch, 0, 1], counts)
        second, third = (
            x * np.repeat(slopes[batch, k], counts) + y * np.repeat(slopes[batch, k + 1], counts)
            for k in (0, 2)
        )
        inside = (second >= -_EDGE) & (third >= -_EDGE) & (second + third <= 1.0 + _EDGE)
        owner, row, column = owner[inside], row[inside], column[inside]
        pixel = (row + low[owner, 1]) * width + column + low[owner, 0]
        parts = np.stack([1.0 - second[inside] - third[inside], second[inside], third[inside]])
        near = np.einsum("ij,ji->j", parts, corners[owner, :, 2])
        ahead = near > depth[pixel]
        np.maximum.at(depth, pixel[ahead], near[ahead])
        # Of equals the last assignment persists, which is the first face.
        wins = np.flatnonzero(ahead & (near == depth[pixel]))[::-1]
        face[pixel[wins]], weights[:, pixel[wins]] = owner[wins], parts[:, wins]
        start = stop
    shape = (height, width)
    return face.reshape(shape), depth.reshape(shape), weights.reshape(3, *shape)


_LAMP = np.array([-0.45, -0.75, 0.62]) / np.linalg.norm([-0.45, -0.75, 0.62])
"""Direction to the lamp on the stage: above, to the left, behind the viewer."""
_SUN, _WRAP = 0.72, 0.20
"""Strength of the lamp, and its wrap-around beyond the terminator, as of a window."""
_SKY, _ABOVE = 0.36, 0.10
"""Ambient light, and its increase towards the zenith."""
_RIM = 0.72
"""Share of the light at the outline, so that a body stands out from a similar background."""
_GLOSS, _SHINE = 0.11, 40.0
"""Strength and sharpness of the lamp's reflection: satin plastic."""
_SHADE_REACH = 2.5e-3
"""Height above the floor [m] at which a contact shadow has faded to a third."""
_SHADE_BLUR = 0.7e-3
"""Width of the shadow's soft edge [m]."""
_SHADE_CELL = 2.5e-4
"""Grid cell size on the floor for shadows [m]: a third of the blur."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A body on a stage, z up, and an eye in front of it at -y; orthographic projection."""

    rotation: Array
    """Rotation matrix from the body frame to the stage, shape [3, 3]."""
    elevation: float
    """Elevation of the eye above the horizon [rad]."""
    span: float
    """Width of the visible area [m]."""
    middle: tuple[float, float] = (0.0, 0.0)
    """Offset of the middle of the image, right and up of the body's origin [m]."""
    floor: float | None = None
    """Height of the floor over the body's origin [m]; None for a body in the air."""

    @classmethod
    def toward(cls, eye: tuple[float, float, float], *, span: float = 0.031) -> "View":
        """Return the view of a body in the air, with its origin in the middle and +y upwards.

        `eye` is the direction from the body to the eye, body frame, not along y; `span` is the
        width of the visible area [m].
        """
        top = np.array([0.0, 1.0, 0.0])
        right = np.cross(top, eye)
        right /= np.linalg.norm(right)
        return cls(
            rotation=np.array([right, np.cross(top, right), top]),
            elevation=math.asin(float(top @ eye) / math.hypot(*eye)),
            span=span,
        )

    @property
    def eye(self) -> Array:
        """Unit vector to the eye on the stage, shape [3]."""
        return np.array([0.0, -math.cos(self.elevation), math.sin(self.elevation)])

    def project(self, points: Array) -> Array:
        """Return points of the body as right, up and towards the eye [m]."""
        x, y, z = (points @ self.rotation.T).T
        c, s = math.cos(self.elevation), math.sin(self.elevation)
        return np.column_stack([x, z * c + y * s, z * s - y * c])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shading:
    """Visible faces and their light before colouring: one shading serves many liveries."""

    size: tuple[int, int]
    """Width and height of the image [pixels]."""
    samples: int
    """Number of samples per pixel."""
    pixel: Indices
    """Pixel of each sample that shows a face, shape [shown_count]."""
    face: Indices
    """Face that each sample shows."""
    light: Array
    """Share of its material's colour that each sample sends to the eye."""
    gloss: Array
    """Specular light of each sample."""
    opacity: Array
    """Share of each pixel that the body covers, shape [height, width]."""


def shade(skin: Skin, view: View, *, size: tuple[int, int], fine: int) -> Shading:
    """Return the visible faces of a skin, with `fine` samples across each pixel."""
    width, height = size
    right, up, near = view.project(skin.vertices).T
    scale = fine * width / view.span
    columns = (right - view.middle[0]) * scale + fine * width / 2
    rows = (view.middle[1] - up) * scale + fine * height / 2
    screen = np.column_stack([columns, rows, near])
    across, down = (screen[skin.faces[:, k]] - screen[skin.faces[:, 0]] for k in (1, 2))
    # Rows count downwards: faces towards the eye are clockwise here.
    toward = np.flatnonzero(across[:, 0] * down[:, 1] < across[:, 1] * down[:, 0])
    seen, _, weights = rasterize(
        screen, skin.faces[toward], width=fine * width, height=fine * height
    )
    row, column = np.nonzero(seen >= 0)
    face, weights = toward[seen[row, column]], weights[:, row, column]
    light, gloss = _lit(np.einsum("ji,ijk->ik", weights, corner_normals(skin)[face]), view)
    if view.floor is not None:
        heights = (skin.vertices @ view.rotation[2] - view.floor)[skin.faces[face]]
        height_over = np.maximum(np.einsum("ji,ij->i", weights, heights), 0.0)
        light *= 1 - 0.35 * np.exp(-height_over / _SHADE_REACH)
    pixel = row // fine * width + column // fine
    covered = np.bincount(pixel, minlength=width * height) / fine**2
    return Shading(
        size=size,
        samples=fine**2,
        pixel=pixel,
        face=face,
        light=light,
        gloss=gloss,
        opacity=covered.reshape(height, width),
    )


def _lit(normals: Array, view: View) -> tuple[Array, Array]:
    """Return the diffuse and specular light on normals, body frame, of any length."""
    halfway = (_LAMP + view.eye) / np.linalg.norm(_LAMP + view.eye)
    axes = np.array([_LAMP, [0.0, 0.0, 1.0], view.eye, halfway]) @ view.rotation
    x, y, z = normals.T / np.maximum(np.sqrt(np.einsum("ij,ij->i", normals, normals)), 1e-30)
    # Written out, as starting threads for a matrix product costs more.
    lamp, above, facing, mirrored = (a * x + b * y + c * z for a, b, c in axes.tolist())
    light = _SUN * np.clip((lamp + _WRAP) / (1 + _WRAP), 0, 1) + _SKY + _ABOVE * above
    light *= _RIM + (1 - _RIM) * np.clip(2 * facing, 0, 1)
    return light, _GLOSS * np.clip(mirrored, 0, 1) ** _SHINE


def paint(shading: Shading, skin: Skin, *, ground: Array) -> Array:
    """Return the image of a skin on a ground in linear RGB, sRGB in 0..1, shape [height, width, 3].

    The shading is of this skin, or of one with the same vertices and faces in other colours.
    """
    width, height = shading.size
    materials = skin.face_materials or ("",) * len(skin.faces)
    number = {name: k for k, name in enumerate(dict.fromkeys(materials))}
    table = np.array([skin.colours.get(name, UNPAINTED) for name in number])
    kinds = np.array([number[name] for name in materials])[shading.face]
    image = (1 - shading.opacity)[:, :, None] * ground
    for channel in range(3):
        colour = np.minimum(table[kinds, channel] * shading.light + shading.gloss, 1.0)
        sums = np.bincount(shading.pixel, weights=colour, minlength=width * height)
        image[:, :, channel] += sums.reshape(height, width) / shading.samples
    return srgb(image)


def floor_shadow(skin: Skin, view: View, *, size: tuple[int, int]) -> Array:
    """Return the share of light that a body blocks on the floor at each pixel, 0 to 1.

    The view needs a floor, and an eye above it.
    """
    from scipy.ndimage import gaussian_filter, map_coordinates  # noqa: PLC0415  (slow to import)

    assert view.floor is not None
    width, height = size
    points = skin.vertices @ view.rotation.T
    low = points[:, :2].min(axis=0) - 6 * _SHADE_BLUR
    count = np.ceil((points[:, :2].max(axis=0) + 6 * _SHADE_BLUR - low) / _SHADE_CELL).astype(int)
    # From below, the lowest skin is the nearest.
    over = np.column_stack([(points[:, :2] - low) / _SHADE_CELL, view.floor - points[:, 2]])
    below = rasterize(over, skin.faces, width=int(count[0]), height=int(count[1]))[1]
    dark = np.where(np.isfinite(below), 0.25 + 0.75 * np.exp(below / _SHADE_REACH), 0.0)
    soft = 0.55 * gaussian_filter(dark, _SHADE_BLUR / _SHADE_CELL)
    soft += 0.35 * gaussian_filter(dark, 4 * _SHADE_BLUR / _SHADE_CELL)
    scale = view.span / width
    across = view.middle[0] + (np.arange(width) + 0.5 - width / 2) * scale
    upward = view.middle[1] - (np.arange(height) + 0.5 - height / 2) * scale
    c, s = math.cos(view.elevation), math.sin(view.elevation)
    at = [(across - low[0]) / _SHADE_CELL - 0.5]
    at.append(((upward - view.floor * c) / s - low[1]) / _SHADE_CELL - 0.5)
    columns, rows = np.meshgrid(*at)
    shadow: Array = map_coordinates(soft, [rows, columns], order=1, mode="constant")
    # Shadows continue beyond the edges of the picture.
    ends = [np.minimum(k, k[::-1]) / (0.08 * width) for k in map(np.arange, (height, width))]
    fade = np.clip(ends[0], 0, 1)[:, None] * np.clip(ends[1], 0, 1)
    return np.clip(shadow * fade, 0.0, 0.9)


def srgb(linear: Array) -> Array:
    """Return linear RGB as display values (IEC 61966-2-1), in steps of a byte, 0..1.

    Exact steps keep the result independent of later rounding.
    """
    high = 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055
    curved = np.where(linear <= 0.0031308, 12.92 * linear, high)
    rounded: Array = np.round(np.clip(curved, 0.0, 1.0) * 255.0) / 255.0
    return rounded


FRONT = View.toward((0.22, -0.12, 1.0))
BACK = View.toward((-0.18, 0.16, -1.0))
"""Views a little from one side, which show that the body is round."""

_LINEUP_GROUND = np.array([0.921, 0.903, 0.861])
"""Linear RGB of the paper."""
_LINEUP_PIXELS = 140
"""Width and height of a Piggle in the lineup [pixels]."""
_RUNES: tuple[Rune | None, ...] = (None, *Rune)
_MARGIN, _HEAD = 0.9, 0.55
"""Space for the names of rows and of columns [in]."""
_DPI = 100
_FINE = 3
"""Samples across a pixel: the tiles are small."""


def _draw_lineup(body: Body, *, view: View, pixels: int) -> Array:
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
    check_target(file, *FIGURES)
    pixels = _LINEUP_PIXELS
    wide, high = len(_RUNES) * pixels / _DPI, len(Colour) * pixels / _DPI
    figure = new_figure(wide + _MARGIN, 2 * (high + _HEAD), paper=hex_colour(_LINEUP_GROUND))
    names = ["runeless" if rune is None else f"{rune.number} {rune.value}" for rune in _RUNES]
    for side, view, bottom in (("front", FRONT, high + _HEAD), ("back", BACK, 0.0)):
        axes = axes_at(figure, _MARGIN, bottom, wide, high)
        axes.imshow(_draw_lineup(body, view=view, pixels=pixels), interpolation="nearest")
        axes.set_yticks(_middles(len(Colour), pixels), [colour.label for colour in Colour])
        axes.set_xticks(_middles(len(_RUNES), pixels), [f"{side}, {names[0]}", *names[1:]])
        axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False, labelsize=8)
        for spine in axes.spines.values():
            spine.set_visible(False)
    save_figure(figure, file)


def _middles(count: int, pixels: int) -> list[float]:
    return [(k + 0.5) * pixels - 0.5 for k in range(count)]


_POSE_GROUND = np.array([0.90, 0.885, 0.86])
_POSE_PIXELS = (576, 448)
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
    check_target(file, *FIGURES)
    count = len(body.distinct_poses)
    columns = min(count, 3 if count <= 9 else 4)
    wide, high = _PANEL
    width, height = max(columns * wide, 5.0), math.ceil(count / columns) * high + 0.85
    figure = new_figure(width, height, paper=hex_colour(_POSE_GROUND))
    heading(figure, title, subtitle)
    span = _common_span(body, body.distinct_poses, _POSE_PIXELS)
    for index, (pose, share) in enumerate(zip(body.distinct_poses, shares, strict=True)):
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


def _common_span(body: Body, poses: Iterable[StablePose], size: tuple[int, int]) -> float:
    """Return the width [m] of an image of a size in which each pose has room, all to one scale."""
    sizes = [screen_size(body, pose.down) for pose in poses]
    widest, highest = max(wide for wide, _ in sizes), max(high for _, high in sizes)
    return max(widest / 0.84, highest / 0.84 * size[0] / size[1])


def _panel(axes: "Axes", body: Body, pose: StablePose, share: float, span: float) -> None:
    width, height = _POSE_PIXELS
    image = pose_image(body, pose.down, span=span, size=_POSE_PIXELS, ground=_POSE_GROUND)
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


_TALLY_PIXELS = (360, 264)
_TALLY_GROUND = np.array([0.955, 0.945, 0.925])
"""Linear RGB of the floor."""
_BOX_COLUMNS, _MOST_BOX_ROWS = 9, 6
"""Boxes beside each other, and rows of one class: 270 throws fit on paper."""


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
    span = _common_span(body, first.values(), _TALLY_PIXELS)
    rows = []
    for label in labels:
        pixels = pose_image(
            body, first[label].down, span=span, size=_TALLY_PIXELS, ground=_TALLY_GROUND
        )
        file = io.BytesIO()
        Image.fromarray(np.round(pixels * 255).astype(np.uint8)).save(file, "PNG", optimize=True)
        image = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
        rows.append({"label": label, "image": image})
    # The same room for each class, so that the paper gives no hint of the prediction.
    likeliest = max(class_shares(body).values())
    rows_of_boxes = math.ceil(1.5 * likeliest * throws / 5 / _BOX_COLUMNS)
    boxes = _BOX_COLUMNS * min(rows_of_boxes, _MOST_BOX_ROWS)
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
