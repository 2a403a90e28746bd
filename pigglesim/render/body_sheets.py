"""Pictures of bodies without OpenGL: liveries, stable poses, and the tally sheet of a printed body.

The triangles of a skin are drawn from the farthest to the nearest, each in the colour of its light.
"""

import base64
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from pigglesim.bodies.body import Body, Skin, StablePose, class_shares
from pigglesim.bodies.livery import (
    NUMBER_PARTS,
    RUNE_PART,
    corner_normals,
    dress,
    worn_skin,
)
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
from pigglesim.rotations import Array, upright
from pigglesim.units import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


_LIFTS = {RUNE_PART: 1e-3, **dict.fromkeys(NUMBER_PARTS, 1.0)}
"""Distance towards the eye [m] by which parts on others are drawn later: large sides of dice would
cover their numbers."""
_QUARTERS = np.array(
    [[[0, 0], [0, 1], [0, 2]], [[0, 1], [1, 1], [1, 2]], [[0, 2], [1, 2], [2, 2]],
     [[0, 1], [1, 2], [0, 2]]]
)  # fmt: skip
"""The four similar triangles of a triangle; each corner is the mean of two of its corners."""


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


def draw_skin(
    skin: Skin, view: View, *, size: tuple[int, int], ground: Array, fine: int
) -> NDArray[np.uint8]:
    """Return an sRGB image of a skin on a ground in linear RGB, shape [height, width, 3].

    Each pixel is the mean of `fine` samples across and as many down.
    """
    screen = (fine * size[0], fine * size[1])
    seen = _on_screen(view.project(skin.vertices), view, screen)[skin.faces]
    (bx, by), (cx, cy) = ((seen[:, k, :2] - seen[:, 0, :2]).T for k in (1, 2))
    # Rows count downwards: faces towards the eye are clockwise here.
    toward = np.flatnonzero(bx * cy < by * cx)
    # Four small triangles for each face hide that each has only one colour.
    seen, places, normals = (
        corners[toward][:, _QUARTERS].mean(axis=3).reshape(-1, 3, 3)
        for corners in (seen, skin.vertices[skin.faces], corner_normals(skin))
    )
    names = skin.face_materials or ("",) * len(skin.faces)
    paint = np.array([skin.colours.get(names[face], UNPAINTED) for face in toward.tolist()])
    lit = _lit(places.mean(axis=1), normals.mean(axis=1), np.repeat(paint, 4, axis=0), view)
    lifts = [_LIFTS.get(skin.face_parts[face], 0.0) for face in toward.tolist()]
    order = np.argsort(seen[:, :, 2].mean(axis=1) + np.repeat(lifts, 4), kind="stable")
    light = 1 - _floor_shadow(skin, view, size=screen)
    image = Image.fromarray(_srgb(light[:, :, None] * ground))
    _draw_triangles(image, seen[order], map(tuple, _srgb(lit[order]).tolist()))
    return np.asarray(image.reduce(fine))


def _draw_triangles(image: Image.Image, corners: Array, colours: Iterable[Any]) -> None:
    """Draw triangles, shape [count, 3, 2 or more], the last in front."""
    draw = ImageDraw.Draw(image)
    flat = corners[:, :, :2].reshape(-1, 6).tolist()
    for triangle, colour in zip(flat, colours, strict=True):
        draw.polygon(triangle, fill=colour)


def _on_screen(points: Array, view: View, size: tuple[int, int]) -> Array:
    """Return points as column, row and nearness to the eye, the first two in pixels."""
    scale = size[0] / view.span
    offset = np.array([*view.middle, 0.0])
    middle = np.array([size[0] / 2, size[1] / 2, 0.0])
    on_screen: Array = (points - offset) * [scale, -scale, 1.0] + middle
    return on_screen


def _lit(places: Array, normals: Array, paint: Array, view: View) -> Array:
    """Return the linear RGB of painted places in the light of the stage, shape [count, 3] each."""
    halfway = (_LAMP + view.eye) / np.linalg.norm(_LAMP + view.eye)
    axes = np.array([_LAMP, [0.0, 0.0, 1.0], view.eye, halfway]) @ view.rotation
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    lamp, above, facing, mirrored = axes @ normals.T
    light = _SUN * np.clip((lamp + _WRAP) / (1 + _WRAP), 0, 1) + _SKY + _ABOVE * above
    light *= _RIM + (1 - _RIM) * np.clip(2 * facing, 0, 1)
    if view.floor is not None:
        height = np.maximum(places @ view.rotation[2] - view.floor, 0.0)
        light *= 1 - 0.35 * np.exp(-height / _SHADE_REACH)
    lit: Array = paint * light[:, None] + _GLOSS * np.clip(mirrored, 0, 1)[:, None] ** _SHINE
    return lit


def _floor_shadow(skin: Skin, view: View, *, size: tuple[int, int]) -> Array:
    """Return the share of light that a body blocks on the floor at each pixel, 0 to 1."""
    if view.floor is None:
        return np.zeros(size[::-1])
    from scipy.ndimage import gaussian_filter  # noqa: PLC0415  (slow to import)

    heights = skin.vertices @ view.rotation[2] - view.floor
    below = skin.vertices - heights[:, None] * view.rotation[2]
    flat = _on_screen(view.project(below), view, size)
    heights = heights[skin.faces].mean(axis=1)
    # From below, the lowest skin is the nearest.
    order = np.argsort(-heights, kind="stable")
    image = Image.new("F", size)
    dark = 0.25 + 0.75 * np.exp(-heights[order] / _SHADE_REACH)
    _draw_triangles(image, flat[skin.faces[order]], dark.tolist())
    # A circle on the floor is seen as an ellipse.
    blur = _SHADE_BLUR * size[0] / view.span * np.array([math.sin(view.elevation), 1.0])
    blocked = np.asarray(image)
    shadow = 0.55 * gaussian_filter(blocked, blur) + 0.35 * gaussian_filter(blocked, 4 * blur)
    # Shadows end before the edges of the picture.
    down, across = (np.minimum(k, k[::-1]) for k in map(np.arange, size[::-1]))
    fade = np.clip(down / (0.08 * size[0]), 0, 1)[:, None] * np.clip(
        across / (0.08 * size[0]), 0, 1
    )
    return np.clip(shadow * fade, 0.0, 0.9)


def _srgb(linear: Array) -> NDArray[np.uint8]:
    """Return linear RGB as display values in bytes (IEC 61966-2-1)."""
    linear = np.clip(linear, 0.0, 1.0)
    high = 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055
    curved = np.where(linear <= 0.0031308, 12.92 * linear, high)
    return np.round(curved * 255.0).astype(np.uint8)


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


def _draw_lineup(body: Body, *, view: View, pixels: int) -> NDArray[np.uint8]:
    """Return one image of all liveries of a Piggle: a row for each colour, a column for each rune.

    sRGB, shape [5 * pixels, 10 * pixels, 3].
    """
    return np.vstack(
        [
            np.hstack(
                [
                    draw_skin(
                        dress(body, Livery(colour=colour, rune=rune)).skin, view,
                        size=(pixels, pixels), ground=_LINEUP_GROUND, fine=_FINE,
                    )
                    for rune in _RUNES
                ]
            )
            for colour in Colour
        ]
    )  # fmt: skip


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


def standing(down: Array) -> Array:
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
    rotation = standing(down)
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
) -> NDArray[np.uint8]:
    """Return an sRGB image of a body in a pose, shape [height, width, 3].

    As `pose_view`; the size is in pixels, and the floor has a colour in linear RGB, shape [3].
    """
    view = pose_view(body, down, span=span)
    return draw_skin(worn_skin(body), view, size=size, ground=ground, fine=2)


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
        Image.fromarray(pixels).save(file, "PNG", optimize=True)
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
