"""Sphere of all directions of a body on two discs, with the pose into which each pixel rolls.

Two discs show the sphere as seen from outside: the body's back, -z, and its face, +z, with the
crown, +y, up in both. The map is Lambert's equal-area projection: a tenth of the area of both discs
is a tenth of all directions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.bodies.body import Body, support_for
from pigglesim.bodies.support import SupportFunction
from pigglesim.landing import Orientation
from pigglesim.render.figure import (
    axes_at,
    colours_of,
    display_name,
    draw_legend,
    heading,
    hide_axes,
    house_style,
    lighten,
    new_figure,
)
from pigglesim.render.palette import FAINT, INK, PAPER
from pigglesim.render.svg import box_about, label_spots
from pigglesim.rotations import Array, Indices
from pigglesim.units import MINUS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


RIM = math.sqrt(2.0)
"""Radius of a disc, on the unit sphere."""

_PIXELS = 240
"""Width of the image of a disc [pixels]; a pixel is smaller than the printed borders."""
_STEP = math.radians(1.5)
"""Length of the line segments that form an arc [rad]."""
_GRAIN = 3
"""Side of the squares that are sampled first [pixels]."""


def on_disc(directions: Array) -> tuple[Indices, Array]:
    """Return the disc, 0 or 1, and the place on it, [count, 2], of unit vectors, [count, 3]."""
    x, y, z = np.asarray(directions, dtype=float).T
    stretch = np.sqrt(2.0 / (1.0 + np.abs(z)))
    # From outside, the body's left, +x, is on the right of its face and on the left of its back.
    side = (z >= 0.0).astype(np.int64)
    return side, np.stack([np.where(side == 1, x, -x) * stretch, y * stretch], axis=1)


def from_disc(side: Indices, place: Array) -> Array:
    """Return the unit vectors, [count, 3], of places on the discs; the inverse of `on_disc`."""
    squared = np.minimum(np.sum(place**2, axis=1), 2.0)
    shrink = np.sqrt(1.0 - squared / 4.0)
    hand = np.where(side == 1, 1.0, -1.0)
    return np.stack(
        [hand * place[:, 0] * shrink, place[:, 1] * shrink, hand * (1.0 - squared / 2.0)], axis=1
    )


def pieces_on_disc(line: Array, side: int) -> list[Array]:
    """Return the parts on one disc of a line of great circles through unit vectors, [count, 3]."""
    points = [line[:1]]
    for start, end in pairwise(line):
        angle = math.acos(max(-1.0, min(1.0, float(start @ end))))
        share = np.linspace(0.0, 1.0, max(2, math.ceil(angle / _STEP) + 1))[1:, None]
        chord = start + share * (end - start)
        points.append(chord / np.linalg.norm(chord, axis=1, keepdims=True))
    sphere = np.concatenate(points)
    sides, places = on_disc(sphere)
    on_side = np.flatnonzero(sides == side)
    breaks = np.flatnonzero(np.diff(on_side) > 1) + 1
    return [places[run] for run in np.split(on_side, breaks) if len(run) > 1]


@lru_cache(maxsize=16)
def basin_image(support: SupportFunction, side: int, *, pixels: int = _PIXELS) -> Indices:
    """Return the pose whose basin each pixel of a disc lies in, -1 beyond the rim.

    Returns:
        Indices of poses, shape [pixels, pixels], the lowest row first; cached, so do not modify
        them.
    """
    from scipy.ndimage import maximum_filter, minimum_filter  # noqa: PLC0415 (slow to import)

    middles = ((np.arange(pixels) + 0.5) / pixels * 2.0 - 1.0) * RIM
    x, y = np.meshgrid(middles, middles)
    inside = x**2 + y**2 <= RIM**2
    places = np.stack([x, y], axis=-1)

    def poses(points: Array) -> list[int]:
        return list(map(support.descend, from_disc(np.full(len(points), side), points)))

    # One pixel of each square first, then all pixels near which squares differ.
    middle = slice(_GRAIN // 2, None, _GRAIN)
    sampled = places[middle, middle]
    coarse = np.array(poses(sampled.reshape(-1, 2)), dtype=np.int64).reshape(sampled.shape[:2])
    nearest = np.minimum(np.arange(pixels) // _GRAIN, len(coarse) - 1)
    image: Indices = coarse[np.ix_(nearest, nearest)]
    around = 2 * _GRAIN + 1
    mixed = inside & (maximum_filter(image, around) != minimum_filter(image, around))
    image[mixed] = poses(places[mixed])
    image[~inside] = -1
    image.setflags(write=False)
    return image


_SQUARE = 0.05
"""Side of the squares on a disc in which directions are counted: three degrees at the middle."""
_SMALLEST, _LARGEST = 0.013, 0.17
"""Radius of a circle, on the disc."""
_COVERED = 0.4
"""Share of both discs that circles may cover."""
_WIDTH, _HEIGHT, _DISC, _REACH = 8.6, 5.35, 3.95, 1.13
"""Size of the picture and of a disc's axes [in], and their reach in radii of the disc."""
_POINTS = 72.0 * _DISC / (2.0 * _REACH * RIM)
"""Length of the sphere's radius [points]."""
_MANY = 1500
"""Number of circles above which they are drawn as pixels even in a vector picture."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Directions:
    """Number of dice by direction of the body that finally pointed down, in small squares."""

    side: Indices
    """Disc: 0 for the back (down_z < 0), 1 for the face, shape [count]."""
    place: Array
    """Mean place of those in the square on its disc, shape [count, 2]."""
    orientation: tuple[str | None, ...]
    """Orientation as read."""
    dice: Indices
    """Number of dice, shape [count]."""


def down_directions(connection: "DuckDBPyConnection", *, model: str) -> Directions:
    """Return the directions that finally pointed down, of all cells, counted in the database.

    Dice that stood before a throw are left out.
    """
    rows = connection.execute(
        "WITH stretched AS (SELECT down_z >= 0 AS face, orientation, "
        "down_x * sqrt(2 / (1 + abs(down_z))) * (CASE WHEN down_z >= 0 THEN 1 ELSE -1 END) AS x, "
        "down_y * sqrt(2 / (1 + abs(down_z))) AS y "
        "FROM throws WHERE NOT standing AND model = ? "
        "AND down_x IS NOT NULL AND down_y IS NOT NULL AND down_z IS NOT NULL) "
        "SELECT face::INTEGER, orientation, count(*), avg(x), avg(y) FROM stretched "
        f"GROUP BY face, orientation, floor(x / {_SQUARE}), floor(y / {_SQUARE}) "
        f"ORDER BY count(*) DESC, face, orientation, floor(x / {_SQUARE}), floor(y / {_SQUARE})",
        [model],
    ).fetchall()
    # Rounded, as sums of floats depend on their order in the last digits.
    places = [(round(x, 6), round(y, 6)) for *_, x, y in rows]
    return Directions(
        side=np.array([row[0] for row in rows], dtype=np.int64),
        place=np.array(places, dtype=float).reshape(-1, 2),
        orientation=tuple(row[1] for row in rows),
        dice=np.array([row[2] for row in rows], dtype=np.int64),
    )


@house_style()
def draw_pose_sphere(body: Body, directions: Directions, *, title: str) -> "Figure":
    """Draw basins, poses and final directions of a body on the sphere of its directions."""
    figure = new_figure(_WIDTH, _HEIGHT)
    support = support_for(body)
    classes = [pose.label for pose in body.poses]
    colours = colours_of(_in_order(classes))
    dice = int(directions.dice.sum())
    note = f"{dice:,} dice, circles by their number, coloured as read" if dice else "no throws"
    heading(
        figure,
        display_name(title, longest=80),
        f"Direction of the body that points down at the end: {note}.\n"
        "Tinted: pose to which it rolls without momentum; equal areas are equal shares of all "
        "directions.",
    )
    pig = body.pig
    for side in (0, 1):
        left = _WIDTH / 2 * side + (_WIDTH / 2 - _DISC) / 2
        axes = axes_at(figure, left, 0.3, _DISC, _DISC)
        _disc(axes, body, support, side, colours)
        _circles(axes, directions, side, colours)
        _name_poses(axes, body, side)
        _name_rim(axes, side, pig=pig)
    words = [(f"● {display_name(name)}", colour) for name, colour in colours.items()]
    draw_legend(figure, words, down=_HEIGHT - 0.25)
    return figure


def _in_order(classes: Sequence[str]) -> list[str]:
    """Return each class once, in the order of the rules or in numeric order."""
    rules = [pose.label for pose in Orientation]
    return sorted(
        {*classes}, key=lambda c: (rules.index(c) if c in rules else len(rules), len(c), c)
    )


def _disc(
    axes: "Axes", body: Body, support: SupportFunction, side: int, colours: dict[str, str]
) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415 (slow to import)
    from matplotlib.colors import to_rgb  # noqa: PLC0415
    from matplotlib.patches import Circle  # noqa: PLC0415

    hide_axes(axes)
    axes.set_aspect("equal")
    classes = [pose.label for pose in body.poses]
    tints = np.array([to_rgb(lighten(colours[name], 0.25)) for name in classes] + [to_rgb(PAPER)])
    rim = Circle((0, 0), RIM, facecolor="none", edgecolor=FAINT, linewidth=1.0, zorder=4)
    image = axes.imshow(
        tints[basin_image(support, side)], origin="lower", extent=(-RIM, RIM, -RIM, RIM),
        interpolation="nearest",
    )  # fmt: skip
    axes.add_patch(rim)
    image.set_clip_path(rim)
    for same, width in ((True, 0.6), (False, 1.2)):
        lines = [
            piece
            for line, first, second in support.borders()
            if (classes[first] == classes[second]) is same
            for piece in pieces_on_disc(line, side)
        ]
        style = "dotted" if same else "solid"
        axes.add_collection(
            LineCollection(lines, colors=FAINT, linewidths=width, linestyles=style, zorder=2)
        )
    axes.set_xlim(-_REACH * RIM, _REACH * RIM)
    axes.set_ylim(-_REACH * RIM, _REACH * RIM)


def _circles(axes: "Axes", directions: Directions, side: int, colours: dict[str, str]) -> None:
    """Draw a circle for each square; its area shows the number of dice in it."""
    on_side = np.flatnonzero(directions.side == side)
    if not len(on_side):
        return
    # A single die must be visible, and a million must not cover the disc.
    unit = _LARGEST / math.sqrt(int(directions.dice.max()))
    unit = min(0.022, unit, math.sqrt(_COVERED * 4.0 / int(directions.dice.sum())))
    crowded = len(directions.dice) > _MANY
    radii = np.maximum(unit * np.sqrt(directions.dice), _SMALLEST / (3.0 if crowded else 1.0))
    # Few sizes, as a vector picture stores each circle once.
    radii = np.exp(np.round(np.log(radii) * 8) / 8)
    by_look: dict[tuple[float, str], list[int]] = {}
    for k in on_side.tolist():
        paint = colours.get(directions.orientation[k] or "", FAINT)
        by_look.setdefault((float(radii[k]), paint), []).append(k)
    for (radius, paint), chosen in sorted(by_look.items(), reverse=True):
        x, y = directions.place[chosen].T
        axes.plot(
            x, y, linestyle="none", marker="o", markersize=2 * radius * _POINTS, color=paint,
            markeredgecolor=PAPER, markeredgewidth=0.3, alpha=0.75, zorder=3, rasterized=crowded,
        )  # fmt: skip


def _name_poses(axes: "Axes", body: Body, side: int) -> None:
    """Mark the stable poses of a disc, with their names beside the marks, none on another."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 (slow to import)

    poses = body.distinct_poses
    sides, places = on_disc(np.array([pose.down for pose in poses]))
    on_side = np.flatnonzero(sides == side).tolist()
    names = [display_name(poses[k].name) for k in on_side]
    # In hundredths of the radius.
    marks = [box_about(100 * x, -100 * y, 12.0, 12.0) for x, y in places[on_side].tolist()]
    widths = [5.8 * len(name) for name in names]
    labels = label_spots(marks, widths, height=12.0, limit=100.0 * RIM)
    for (x, y), name, label in zip(places[on_side].tolist(), names, labels, strict=True):
        at_x, at_y = (label[:2] + label[2:]) / 2
        axes.plot(
            x, y, marker="o", markersize=5, markerfacecolor="white",
            markeredgecolor=INK, markeredgewidth=1.2, zorder=5,
        )  # fmt: skip
        axes.text(
            at_x / 100, -at_y / 100, name, fontsize=8, ha="center", va="center", color=INK,
            zorder=6, path_effects=[withStroke(linewidth=2.2, foreground=PAPER)],
        )  # fmt: skip


def _name_rim(axes: "Axes", side: int, *, pig: bool) -> None:
    """Write the side of a disc beside it, and the axes of the body at its rim."""

    def axis_label(name: str) -> str:
        """Return a name of an axis; a body that is not a pig has no face."""
        return (name if pig else name.split(", ")[1]).replace("-", MINUS)

    title = axis_label("face, +z" if side == 1 else "back, -z")
    axes.text(0.03, 0.97, title, transform=axes.transAxes, va="top", fontsize=9.5, weight="bold")
    sides = ["left, +x", "right, -x"] if side == 0 else ["right, -x", "left, +x"]
    for name, (x, y), turn in (
        ("crown, +y", (0.0, 1.07), 0),
        ("chin, -y", (0.0, -1.07), 0),
        (sides[0], (-1.07, 0.0), 90),
        (sides[1], (1.07, 0.0), 270),
    ):
        axes.text(
            x * RIM, y * RIM, axis_label(name), rotation=turn, ha="center", va="center",
            fontsize=7.5, color=FAINT,
        )  # fmt: skip
