"""3D lines over the table, each a polyline with a colour.

They depend only on a film and a time: velocities, contacts with the board, footprints of
Piggles, and trails of knocked ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh_files import srgb
from pigglesim.films.film import Film, Still
from pigglesim.landing import RestPlace
from pigglesim.landing_reading import ground_contact
from pigglesim.rotations import Array
from pigglesim.scene.scene import Board

_ABOVE = 0.0008
"""Height of lines above the board, so that they are fully visible [m]."""
_NEAR_GROUND = 0.0005
"""Distance from the board below which a body touches it [m] (P10)."""
_SECONDS = 0.05
"""Duration of the motion that a velocity arrow covers [s]."""
_AROUND = 0.01
"""Time before and after a moment from whose motion a velocity is taken [s]."""
_LONGEST = 0.12
"""Maximum length of a velocity arrow [m]."""
_SKIN = 0.012
"""Distance from a body's centre at which its arrow begins [m]."""
_SLOW = 0.02
"""Speed below which a body has no arrow [m/s]."""
_PIN = 0.03
"""Height of the arrow that points down at a contact [m]."""
_UP = np.array([0.0, 0.0, 1.0])
_CORNERS = 40
"""Number of corners of a circle."""

VELOCITY, CONTACT, FOOTPRINT = "#1f8a70", "#c8502d", "#3b2f2a"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColouredLine:
    """A polyline with a colour."""

    points: Array
    """Points of the line [m], shape [count, 3]."""
    colour: str
    """Colour as `#rrggbb`."""
    width: float = 2.0
    """Width [pixels]."""


def velocities_at(film: Film, time: float) -> Array:
    """Return the velocity of each body [m/s], shape [k, 3], from its motion around a time [s]."""
    first, last = max(time - _AROUND, film.start), min(time + _AROUND, film.end)
    if last <= first:
        return np.zeros((len(film.actors), 3))
    displacement: Array = film.at(last).positions - film.at(first).positions
    return displacement / (last - first)


def velocity_lines(film: Film, time: float) -> tuple[ColouredLine, ...]:
    """Return an arrow for each moving body."""
    still, velocities = film.at(time), velocities_at(film, time)
    lines: list[ColouredLine] = []
    for position, velocity in zip(still.positions, velocities, strict=True):
        speed = float(np.linalg.norm(velocity))
        if speed > _SLOW:
            arrow = velocity * min(_SECONDS, _LONGEST / speed)
            # Start at the skin, as the part inside the body is hidden.
            start = position + velocity * (_SKIN / speed)
            lines += arrow_lines(start, start + arrow, VELOCITY)
    return tuple(lines)


def arrow_lines(start: Array, tip: Array, colour: str) -> list[ColouredLine]:
    """Return a shaft and two barbs from a start to a tip [m], shape [3] each."""
    shaft = tip - start
    length = float(np.linalg.norm(shaft))
    ahead = shaft / length
    side = np.cross(ahead, [0.0, 0.0, 1.0])
    norm = float(np.linalg.norm(side))
    # For a vertical arrow, any side direction works.
    side = side / norm if norm > 1e-6 else np.array([1.0, 0.0, 0.0])
    barb = min(0.008, 0.4 * length)
    left, right = (tip - barb * ahead + s * 0.5 * barb * side for s in (-1.0, 1.0))
    return [
        ColouredLine(points=np.array([start, tip]), colour=colour, width=3.0),
        ColouredLine(points=np.array([left, tip, right]), colour=colour, width=3.0),
    ]


def contact_lines(bodies: Sequence[Body], still: Still, board: Board) -> tuple[ColouredLine, ...]:
    """Return an arrow down at the middle of each body's contact, and the contact's outline."""
    lines: list[ColouredLine] = []
    for number, body in enumerate(bodies):
        points = _contact_points(body, still.place(number), board)
        if len(points):
            foot = np.array([*points.mean(axis=0), _ABOVE])
            lines += arrow_lines(foot + _PIN * _UP, foot, CONTACT)
            if len(points) > 1:
                lines.append(_outline(points, CONTACT))
    return tuple(lines)


def _contact_points(body: Body, place: RestPlace, board: Board) -> Array:
    return ground_contact(body, place, board, tolerance=_NEAR_GROUND).board


def footprint_line(body: Body, place: RestPlace, board: Board) -> ColouredLine | None:
    """Return the outline that decides the zone (P10): the hull of all contact points."""
    points = _contact_points(body, place, board)
    return _outline(points, FOOTPRINT) if len(points) else None


def _outline(points: Array, colour: str) -> ColouredLine:
    """Return the convex outline of points on the board [m], shape [count, 2]."""
    from shapely import MultiPoint, get_coordinates  # noqa: PLC0415 (slow to import)

    hull = MultiPoint(points).convex_hull
    around = get_coordinates(hull if hull.geom_type != "Point" else hull.buffer(0.001))
    lifted = np.column_stack([around, np.full(len(around), _ABOVE)])
    return ColouredLine(points=lifted, colour=colour, width=2.5)


def trail_lines(film: Film, time: float, colours: Sequence[str]) -> tuple[ColouredLine, ...]:
    """Return the trail of each knocked body from its first contact to a time, with a start ring."""
    lines = []
    names = [actor.name for actor in film.actors]
    knocked = {knock.struck for knock in film.knocks} | {hit.struck for hit in film.impacts}
    contact_times = {hit.struck: hit.time for hit in reversed(film.impacts)}
    frames = film.frames
    for name in sorted(knocked & set(names)):
        number = names.index(name)
        since = contact_times.get(name, film.start)
        shown = (frames.times >= since) & (frames.times <= time)
        if shown.sum() > 1:
            path = frames.positions[shown, number]
            lines.append(ColouredLine(points=path, colour=colours[number], width=3.0))
            lines.append(ring_line(path[0], 0.008, colours[number]))
    return tuple(lines)


def ring_line(centre: Array, radius: float, colour: str, *, width: float = 2.0) -> ColouredLine:
    """Return a circle flat on the board, of a radius [m], below or around a point [m]."""
    turn = np.linspace(0.0, 2.0 * np.pi, _CORNERS + 1)
    circle = np.column_stack([np.cos(turn), np.sin(turn)]) * radius + centre[:2]
    points = np.column_stack([circle, np.full(len(turn), _ABOVE)])
    return ColouredLine(points=points, colour=colour, width=width)


_NEAR = 1e-3
"""Minimum depth in front of the eye of a point that is drawn."""
_TOWARDS = 2e-4
"""Share of the depth by which a line is nearer than the surface under it."""


def line_triangles(lines: Sequence[ColouredLine], matrix: Array, size: tuple[int, int]) -> Array:
    """Return lines as triangles; `matrix` maps the world to clip space, shape [4, 4].

    Returns:
        Clip-space position and colour of each corner, shape [corner_count, 7]; three corners are
        a triangle.
    """
    rows = [_strip(line, matrix, np.array(size, dtype=float)) for line in lines]
    return np.vstack(rows) if rows else np.zeros((0, 7))


def _strip(line: ColouredLine, matrix: Array, size: Array) -> Array:
    points = np.column_stack([line.points, np.ones(len(line.points))]) @ matrix.T
    starts, ends = points[:-1], points[1:]
    visible = (starts[:, 3] > _NEAR) & (ends[:, 3] > _NEAR)
    starts, ends = starts[visible], ends[visible]
    # Computed in pixels, so that the width is constant.
    first, last = (vertices[:, :2] / vertices[:, 3:] * size / 2.0 for vertices in (starts, ends))
    direction = last - first
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    direction = np.divide(direction, length, out=np.zeros_like(direction), where=length > 1e-9)
    side = np.column_stack([-direction[:, 1], direction[:, 0]]) * line.width
    # Half a width longer at both ends, so that corners close.
    beyond = direction * line.width / 2.0
    corners = [
        _moved(at, sign * side + onward, size)
        for at, onward in ((starts, -beyond), (ends, beyond))
        for sign in (-0.5, 0.5)
    ]
    order = [corners[k] for k in (0, 1, 2, 2, 1, 3)]
    places = np.stack(order, axis=1).reshape(-1, 4)
    return np.hstack([places, np.broadcast_to(srgb(line.colour), (len(places), 3))])


def _moved(points: Array, pixels: Array, size: Array) -> Array:
    """Return points of clip space moved by pixels of the picture, and slightly nearer."""
    moved = np.array(points)
    moved[:, :2] += pixels / size * 2.0 * points[:, 3:]
    moved[:, 2] -= _TOWARDS * points[:, 3]
    return moved
