"""Which pose each direction of a body rolls into, and which directions pointed down at the end."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.pictures.disc_map import RIM, basin_image, on_disc, pieces_on_disc
from pigglesim.pictures.style import (
    FAINT,
    INK,
    PAPER,
    bare,
    blank,
    colours_of,
    heading,
    house_style,
    light,
    shown,
)
from pigglesim.rolls import Orientation
from pigglesim.shapes.body import Body, Indices
from pigglesim.shapes.poses import support_for
from pigglesim.shapes.support import SupportFunction
from pigglesim.spatial import Array
from pigglesim.studies.numerals import MINUS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Directions",
    "class_shares",
    "down_directions",
    "draw_pose_sphere",
]

_SQUARE = 0.05
"""Side of the squares on a disc in which directions are counted: three degrees at the middle."""
_SMALLEST, _LARGEST = 0.013, 0.17
"""Radius of a circle, on the disc."""
_COVERED = 0.4
"""Share of both discs that circles may cover."""
_WIDTH, _HEIGHT, _DISC, _REACH = 8.6, 5.35, 3.95, 1.13
"""Inches of the picture and of a disc's axes, and how far those reach, by the disc's radius."""
_POINTS = 72.0 * _DISC / (2.0 * _REACH * RIM)
"""Points for a radius of the sphere."""
_MANY = 1500
"""Circles that are drawn as pixels even in a vector picture."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Directions:
    """How often each direction of the body pointed down at the end, in small squares."""

    side: Indices
    """0 on the disc of the back (down_z < 0), 1 on that of the face, shape [count]."""
    place: Array
    """Mean place of those in the square on its disc, shape [count, 2]."""
    orientation: tuple[str | None, ...]
    """As it was read."""
    dice: Indices
    """How many, shape [count]."""


def class_shares(body: Body) -> dict[str, float]:
    """Return the exact share of directions that roll without momentum into each class."""
    found: dict[str, float] = {}
    shares = support_for(body).shares()
    for pose, share in zip(body.poses, shares, strict=True):
        found[pose.label] = found.get(pose.label, 0.0) + share
    return found


def down_directions(
    connection: "DuckDBPyConnection", *, model: str, cell: int | None = None
) -> Directions:
    """Return which directions pointed down at the end, counted in the database.

    Args:
        connection: Holds the view `throws`.
        model: Of the dice; those that stood before a throw are left out.
        cell: The combination of factor levels; all together if absent.
    """
    rows = connection.execute(
        "WITH stretched AS (SELECT down_z >= 0 AS face, orientation, "
        "down_x * sqrt(2 / (1 + abs(down_z))) * (CASE WHEN down_z >= 0 THEN 1 ELSE -1 END) AS x, "
        "down_y * sqrt(2 / (1 + abs(down_z))) AS y "
        "FROM throws WHERE NOT standing AND model = ? AND (?::INTEGER IS NULL OR cell = ?) "
        "AND down_x IS NOT NULL AND down_y IS NOT NULL AND down_z IS NOT NULL) "
        "SELECT face::INTEGER, orientation, count(*), avg(x), avg(y) FROM stretched "
        f"GROUP BY face, orientation, floor(x / {_SQUARE}), floor(y / {_SQUARE}) "
        f"ORDER BY count(*) DESC, face, orientation, floor(x / {_SQUARE}), floor(y / {_SQUARE})",
        [model, cell, cell],
    ).fetchall()
    # Sums of floats come in any order: the last digits are let go.
    places = [(round(x, 6), round(y, 6)) for *_, x, y in rows]
    return Directions(
        side=np.array([row[0] for row in rows], dtype=np.int64),
        place=np.array(places, dtype=float).reshape(-1, 2),
        orientation=tuple(row[1] for row in rows),
        dice=np.array([row[2] for row in rows], dtype=np.int64),
    )


def draw_pose_sphere(body: Body, directions: Directions, *, title: str) -> "Figure":
    """Draw basins, poses and final directions of a body on the sphere of its directions.

    Args:
        body: The body, with stable poses.
        directions: Which of its directions pointed down at the end.
        title: First line.
    """
    with house_style():
        figure = blank(_WIDTH, _HEIGHT)
        support = support_for(body)
        classes = [pose.label for pose in body.poses]
        colours = colours_of(_in_order(classes))
        dice = int(directions.dice.sum())
        note = f"{dice:,} dice, circles by their number, coloured as read" if dice else "no throws"
        heading(
            figure,
            shown(title, longest=80),
            f"What of the body points down at the end: {note}.\n"
            "Tinted: where it rolls to without momentum; equal areas are equal shares of all "
            "directions.",
        )
        pig = body.pig
        for side in (0, 1):
            left = _WIDTH / 2 * side + (_WIDTH / 2 - _DISC) / 2
            size = (_DISC / _WIDTH, _DISC / _HEIGHT)
            axes = figure.add_axes((left / _WIDTH, 0.3 / _HEIGHT, *size))
            _disc(axes, body, support, side, colours)
            _circles(axes, directions, side, colours)
            _name_poses(axes, body, side, colours)
            _name_rim(axes, side, pig=pig)
        _key(figure, colours)
        return figure


def _in_order(classes: Sequence[str]) -> list[str]:
    """Return each class once, in the order of the rules, or of numbers."""
    known = [pose.label for pose in Orientation]
    return sorted(
        {*classes}, key=lambda c: (known.index(c) if c in known else len(known), len(c), c)
    )


def _disc(
    axes: "Axes", body: Body, support: SupportFunction, side: int, colours: dict[str, str]
) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415 (slow to import)
    from matplotlib.colors import to_rgb  # noqa: PLC0415
    from matplotlib.patches import Circle  # noqa: PLC0415

    bare(axes)
    axes.set_aspect("equal")
    classes = [pose.label for pose in body.poses]
    tints = np.array([to_rgb(light(colours[name], 0.25)) for name in classes] + [to_rgb(PAPER)])
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
    """Draw a circle for each square, its area by the number of dice in it."""
    here = np.flatnonzero(directions.side == side)
    if not len(here):
        return
    # A single die shall be seen, and a million not cover all.
    unit = _LARGEST / math.sqrt(int(directions.dice.max()))
    unit = min(0.022, unit, math.sqrt(_COVERED * 4.0 / int(directions.dice.sum())))
    many = len(directions.dice) > _MANY
    radii = np.maximum(unit * np.sqrt(directions.dice), _SMALLEST / (3.0 if many else 1.0))
    # Few sizes: a vector picture then holds each circle once.
    radii = np.exp(np.round(np.log(radii) * 8) / 8)
    looks: dict[tuple[float, str], list[int]] = {}
    for k in here.tolist():
        paint = colours.get(directions.orientation[k] or "", FAINT)
        looks.setdefault((float(radii[k]), paint), []).append(k)
    for (radius, paint), chosen in sorted(looks.items(), reverse=True):
        x, y = directions.place[chosen].T
        axes.plot(
            x, y, linestyle="none", marker="o", markersize=2 * radius * _POINTS, color=paint,
            markeredgecolor=PAPER, markeredgewidth=0.3, alpha=0.75, zorder=3, rasterized=many,
        )  # fmt: skip


def _name_poses(axes: "Axes", body: Body, side: int, colours: dict[str, str]) -> None:
    """Mark the stable poses of a disc, and name them beside the mark with no name on another."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 (slow to import)

    sides, places = on_disc(np.array([pose.down for pose in body.poses]))
    taken: list[tuple[float, float, float, float]] = []
    for k in np.flatnonzero(sides == side).tolist():
        x, y = places[k].tolist()
        axes.plot(
            x, y, marker="o", markersize=5, markerfacecolor="white", markeredgecolor=INK,
            markeredgewidth=1.2, zorder=5,
        )  # fmt: skip
        name = shown(body.poses[k].name)
        x, y = _free_place(x, y, name, taken)
        axes.text(
            x, y, name, fontsize=8, ha="center", va="center", color=INK, zorder=6,
            path_effects=[withStroke(linewidth=2.2, foreground=PAPER)],
        )  # fmt: skip


def _free_place(
    x: float, y: float, name: str, taken: list[tuple[float, float, float, float]]
) -> tuple[float, float]:
    """Return the middle of a name beside a mark that covers no other name; it is then taken."""
    half, tall = 0.029 * len(name), 0.06
    ways = [(0.0, 0.13), (0.0, -0.13), (half + 0.09, 0.0), (-half - 0.09, 0.0)]
    ways += [(0.0, 0.13 + 0.12 * k) for k in range(1, 6)]
    for across, up in ways:
        box = (x + across - half, y + up - tall, x + across + half, y + up + tall)
        inside = max(math.hypot(bx, box[1] if up < 0 else box[3]) for bx in (box[0], box[2])) < 1.5
        free = all(
            box[2] < other[0] or other[2] < box[0] or box[3] < other[1] or other[3] < box[1]
            for other in taken
        )
        if free and inside:
            break
    taken.append(box)
    return x + across, y + up


def _name_rim(axes: "Axes", side: int, *, pig: bool) -> None:
    """Write beside a disc what it shows, and at its rim where the axes of the body are."""

    def word(name: str) -> str:
        """Return a name of an axis; a body that is no pig has no face."""
        return (name if pig else name.split(", ")[1]).replace("-", MINUS)

    here = word("face, +z" if side == 1 else "back, -z")
    axes.text(0.03, 0.97, here, transform=axes.transAxes, va="top", fontsize=9.5, weight="bold")
    sides = ["left, +x", "right, -x"] if side == 0 else ["right, -x", "left, +x"]
    for name, (x, y), turn in (
        ("crown, +y", (0.0, 1.07), 0),
        ("chin, -y", (0.0, -1.07), 0),
        (sides[0], (-1.07, 0.0), 90),
        (sides[1], (1.07, 0.0), 270),
    ):
        axes.text(
            x * RIM, y * RIM, word(name), rotation=turn, ha="center", va="center", fontsize=7.5,
            color=FAINT,
        )  # fmt: skip


def _key(figure: "Figure", colours: dict[str, str]) -> None:
    """Write the names of the classes in their colours, in one line at the foot."""
    width = float(figure.get_size_inches()[0])
    at = 0.18
    for name, colour in colours.items():
        word = f"● {shown(name)}"
        figure.text(at / width, 0.022, word, color=colour, fontsize=8.5, weight="bold")
        at += 0.085 * len(word) + 0.18
