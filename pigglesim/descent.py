"""Descent without momentum of a body on a plane: steepest descent of its support function.

With body direction n pointing down, the centre of mass is at the height h(n), the support function.
It is made of cells, one for each corner of the hull, in which the body rolls on that corner. All
functions are plain arithmetic on numbers, so that compiled code can use them too.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

Vector = tuple[float, float, float]
Placed = tuple[float, float, float, float, float, float, float]
"""A position x, y, z of the centre of mass [m] and a rotation qx, qy, qz, qw."""

STAY, OVER_EDGE, FROM_CORNER = 0, 1, 2
"""Exits from a facet: none, as it is stable; over an edge; into the cell of a corner."""


class Cells(NamedTuple):
    """A hull and its poses; each field is a list, or an array of the same shape."""

    corners: Sequence[Vector]
    """Offset of each corner from the centre of mass."""
    first: Sequence[int]
    """Start of each corner's list in `spokes`, and finally the number of spokes."""
    spokes: Sequence[int]
    """Edges at each corner, one corner after another."""
    sides: Sequence[Vector]
    """Vector from the edge's other end to the corner, for each spoke."""
    edges: Sequence[tuple[int, int, int, int]]
    """Two corners (the smaller first) and the two facets of each edge."""
    held: Sequence[bool]
    """True for each edge that has the foot of the perpendicular from the centre inside it."""
    feet: Sequence[Vector]
    """Foot of that perpendicular, or zeros."""
    normals: Sequence[Vector]
    """Outward unit normal of each facet."""
    grazing: float
    """Margin below which a path along an arc does not count as crossing it."""
    exits: Sequence[int]
    """Exit of each facet: STAY, OVER_EDGE or FROM_CORNER."""
    exit_to: Sequence[int]
    """Edge or corner of each exit."""
    pose_of_facet: Sequence[int]
    """Pose that descent from each facet ends in."""
    pose_down: Sequence[Vector]
    """Direction down of each pose."""
    pose_height: Sequence[float]
    """Height of each pose [m]."""
    pose_escape: Sequence[float]
    """Height of the lowest saddle around each pose, above it [m]; infinite where there is none."""


def fall(
    cells: Cells, corner: int, x: float, y: float, z: float, limit: int
) -> tuple[int, int, float, float, float]:
    """Follow steepest descent from a direction in the cell of a corner.

    Args:
        cells: The hull.
        corner: Lowest corner with the direction down.
        x: First component of the direction, which has length 1.
        y: Its second component.
        z: Its third component.
        limit: Maximum number of arcs to cross.

    Returns:
        The first facet that the path reaches, or -1 if it crossed `limit` arcs; then the corner
        and the direction at the path's end, which is on the last arc crossed.
    """
    for _ in range(limit):
        a, b, c = cells.corners[corner][0], cells.corners[corner][1], cells.corners[corner][2]
        along = a * x + b * y + c * z
        tx, ty, tz = along * x - a, along * y - b, along * z - c
        size = math.sqrt(tx * tx + ty * ty + tz * tz)
        if size < 1e-14 * (1.0 + abs(along)):
            # On a maximum of h: leave it along the body axis with the smallest component.
            if abs(x) <= abs(y) and abs(x) <= abs(z):
                tx, ty, tz = 0.0, z, -y
            elif abs(y) <= abs(z):
                tx, ty, tz = -z, 0.0, x
            else:
                tx, ty, tz = y, -x, 0.0
            size = math.sqrt(tx * tx + ty * ty + tz * tz)
        tx, ty, tz = tx / size, ty / size, tz / size
        # The nearest arc: the largest cosine of an angle from 0 to pi.
        cosine, sine, edge = -2.0, 0.0, -1
        for k in range(cells.first[corner], cells.first[corner + 1]):
            u, v, w = cells.sides[k][0], cells.sides[k][1], cells.sides[k][2]
            near, ahead = x * u + y * v + z * w, tx * u + ty * v + tz * w
            if ahead > cells.grazing:
                continue  # a path along an arc does not cross it
            near = max(near, 0.0)
            size = math.sqrt(near * near + ahead * ahead)
            if size > 0.0 and -ahead > cosine * size:
                cosine, sine, edge = -ahead / size, near / size, cells.spokes[k]
        x, y, z = cosine * x + sine * tx, cosine * y + sine * ty, cosine * z + sine * tz
        size = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / size, y / size, z / size
        ends = cells.edges[edge]
        if cells.held[edge]:
            # The path slides along the arc, away from the foot, to a facet at the arc's end.
            a, b, c = cells.feet[edge][0], cells.feet[edge][1], cells.feet[edge][2]
            along = a * x + b * y + c * z
            left, right = cells.normals[ends[2]], cells.normals[ends[3]]
            ahead = (
                (along * x - a) * (right[0] - left[0])
                + (along * y - b) * (right[1] - left[1])
                + (along * z - c) * (right[2] - left[2])
            )
            return (ends[3] if ahead > 0.0 else ends[2]), corner, x, y, z
        corner = ends[1] if corner == ends[0] else ends[0]
    return -1, corner, x, y, z


def lowest_corner(cells: Cells, x: float, y: float, z: float) -> int:
    """Return the lowest corner that has a cell, with the direction x, y, z down."""
    most, corner = -math.inf, 0
    for k in range(len(cells.corners)):
        at = cells.corners[k]
        depth = at[0] * x + at[1] * y + at[2] * z
        # A corner inside a facet or an edge has no cell.
        if depth > most and cells.first[k] < cells.first[k + 1]:
            most, corner = depth, k
    return corner


def height(cells: Cells, x: float, y: float, z: float) -> float:
    """Return the support function h [m] with the unit vector x, y, z down."""
    most = -math.inf
    for k in range(len(cells.corners)):
        at = cells.corners[k]
        most = max(most, at[0] * x + at[1] * y + at[2] * z)
    return most


def nearest_facet(cells: Cells, x: float, y: float, z: float) -> int:
    """Return the facet whose normal is closest to a direction."""
    most, facet = -math.inf, 0
    for k in range(len(cells.normals)):
        normal = cells.normals[k]
        cosine = normal[0] * x + normal[1] * y + normal[2] * z
        if cosine > most:
            most, facet = cosine, k
    return facet


def pose_below(cells: Cells, corner: int, x: float, y: float, z: float) -> int:
    """Return the pose that descent leads to.

    Args:
        cells: The hull.
        corner: Lowest corner with the direction down.
        x: First component of that direction, of any length but zero.
        y: Its second component.
        z: Its third component.
    """
    size = math.sqrt(x * x + y * y + z * z)
    facet, _, x, y, z = fall(cells, corner, x / size, y / size, z / size, 20 * len(cells.corners))
    # Rounding alone can make descent circle at a corner where many arcs meet: take its facet.
    return cells.pose_of_facet[facet if facet >= 0 else nearest_facet(cells, x, y, z)]


def direction_down(place: Placed) -> Vector:
    """Return the direction down in body axes."""
    _, _, _, x, y, z, w = place
    return -(2 * (x * z - y * w)), -(2 * (y * z + x * w)), -(1 - 2 * (x * x + y * y))


def rotated(place: Placed, x: float, y: float, z: float) -> Vector:
    """Return a vector of body axes in world axes."""
    _, _, _, a, b, c, d = place
    return (
        x * (1 - 2 * (b * b + c * c)) + y * (2 * (a * b - c * d)) + z * (2 * (a * c + b * d)),
        x * (2 * (a * b + c * d)) + y * (1 - 2 * (a * a + c * c)) + z * (2 * (b * c - a * d)),
        x * (2 * (a * c - b * d)) + y * (2 * (b * c + a * d)) + z * (1 - 2 * (a * a + b * b)),
    )


def rolled(cells: Cells, place: Placed, corner: int, x: float, y: float, z: float) -> Placed:
    """Return the place of a body that rolled on a corner until the direction x, y, z is down."""
    wx, wy, wz = rotated(place, x, y, z)
    sine = math.sqrt(wx * wx + wy * wy)
    if sine < 1e-12:
        return place
    # About the level axis that takes it straight down, by the half-angle formulas.
    cosine = -wz / math.sqrt(sine * sine + wz * wz)
    c = math.sqrt(max(0.0, 0.5 * (1.0 + cosine)))
    s = math.sqrt(max(0.0, 0.5 * (1.0 - cosine)))
    ax, ay = -wy / sine * s, wx / sine * s
    px, py, pz, qx, qy, qz, qw = place
    rx = c * qx + ax * qw + ay * qz
    ry = c * qy - ax * qz + ay * qw
    rz = c * qz + ax * qy - ay * qx
    rw = c * qw - ax * qx - ay * qy
    scale = 1.0 / math.sqrt(rx * rx + ry * ry + rz * rz + rw * rw)
    after = (px, py, pz, rx * scale, ry * scale, rz * scale, rw * scale)
    at = cells.corners[corner]
    ux, uy, uz = rotated(place, at[0], at[1], at[2])
    vx, vy, vz = rotated(after, at[0], at[1], at[2])
    return px + ux - vx, py + uy - vy, pz + uz - vz, after[3], after[4], after[5], after[6]


_LAST_ARC_STEPS = 8
"""Steps of the last rotation, out of an equilibrium too shallow to be a pose."""
_MOST_ARCS = 10_000


def rolled_down(cells: Cells, place: Placed) -> Placed:
    """Return the place of a body that rolled without slip into the pose of its basin."""
    x, y, z = direction_down(place)
    size = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    corner, facet = lowest_corner(cells, x, y, z), -1
    for _ in range(_MOST_ARCS):
        if facet < 0:
            pivot = corner
            facet, corner, x, y, z = fall(cells, corner, x, y, z, 1)
            place = rolled(cells, place, pivot, x, y, z)
            if facet < 0:
                continue
        else:
            to = cells.exit_to[facet]
            if cells.exits[facet] == OVER_EDGE:
                ends = cells.edges[to]
                pivot = ends[0]
                facet = ends[3] if ends[2] == facet else ends[2]
            elif cells.exits[facet] == FROM_CORNER:
                corner, facet = to, -1
                continue
            else:
                break
        normal = cells.normals[facet]
        x, y, z = normal[0], normal[1], normal[2]
        place = rolled(cells, place, pivot, x, y, z)
    if facet < 0:
        facet = nearest_facet(cells, x, y, z)
    target = cells.pose_down[cells.pose_of_facet[facet]]
    if x * target[0] + y * target[1] + z * target[2] < 1.0 - 1e-12:
        # Descent ended in a stand too shallow for a pose, which is over a tiny saddle.
        for k in range(1, _LAST_ARC_STEPS + 1):
            share = k / _LAST_ARC_STEPS
            u = x + share * (target[0] - x)
            v = y + share * (target[1] - y)
            w = z + share * (target[2] - z)
            size = math.sqrt(u * u + v * v + w * w)
            u, v, w = u / size, v / size, w / size
            dx, dy, dz = direction_down(place)
            place = rolled(cells, place, lowest_corner(cells, dx + u, dy + v, dz + w), u, v, w)
    return place


SETTLED_COSINE = 0.99995000041666528
"""Cosine of the rotation out of a stable pose below which a body has settled in it: 0.01 rad."""


def is_settled(cells: Cells, place: Placed) -> bool:
    """Return whether a body is rotated closely enough into one of its stable poses."""
    x, y, z = direction_down(place)
    for k in range(len(cells.pose_down)):
        down = cells.pose_down[k]
        if down[0] * x + down[1] * y + down[2] * z > SETTLED_COSINE:
            return True
    return False


_MAX_GAP, _MAX_OVERLAP = 2e-4, 2e-3
"""Distances that the centre of mass may be above and below the height given by the lowest vertex
[m]: the overlap from a late fall takes long to close."""


def plane_below(z: float, height: float, thickness: float) -> float:
    """Return the height of the plane on which a body stands [m]; infinite where it does not.

    Args:
        z: Height of its centre of mass over the board's top [m].
        height: That over the plane, if its lowest corner touches the plane [m].
        thickness: Height of the board's top over the table [m].
    """
    if -_MAX_OVERLAP < z - height < _MAX_GAP:
        return 0.0
    if -_MAX_OVERLAP < z + thickness - height < _MAX_GAP:
        return -thickness
    return math.inf


_ENERGY_MARGIN = 6e-5
"""Energy above that of the pose, as a height [m], too small to take a body to another pose."""


def will_settle(
    cells: Cells, place: Placed, corner: int, height: float, energy_height: float, thickness: float
) -> bool:
    """Return whether a body that rests alone must come to rest in the pose that it is near.

    Its energy is then hardly above that of the pose, and far below that of any saddle.

    Args:
        cells: The hull.
        place: Position and rotation.
        corner: Lowest corner.
        height: Height of the centre of mass if that corner touches the plane [m].
        energy_height: Upper bound on the kinetic energy as a height [m].
        thickness: Height of the board's top over the table [m].
    """
    if len(cells.pose_down) == 0 or plane_below(place[2], height, thickness) == math.inf:
        return False
    x, y, z = direction_down(place)
    pose = pose_below(cells, corner, x, y, z)
    excess = height + energy_height - cells.pose_height[pose]
    return excess < min(_ENERGY_MARGIN, cells.pose_escape[pose] / 2.0)


def final_place(
    cells: Cells, place: Placed, lowest: float, radius: float, half: float, thickness: float
) -> tuple[bool, Placed]:
    """Return whether a body that stopped alone can be placed at rest, and where.

    If it has settled in a stable pose, only the remaining overlap from its fall is closed. It
    cannot be placed without stable poses, off any flat surface, or where it would roll near the
    board's edge.

    Args:
        cells: The hull.
        place: Position and rotation.
        lowest: Height of the centre of mass if the lowest corner touches the plane [m]. It is not
            that of the pose, as the body may be rotated a little.
        radius: Distance from the centre of mass to the farthest corner [m].
        half: Half the side of the board [m].
        thickness: Height of the board's top over the table [m].
    """
    plane = plane_below(place[2], lowest, thickness)
    if len(cells.pose_down) == 0 or plane == math.inf:
        return False, place
    px, py, _, qx, qy, qz, qw = place
    place = (px, py, plane + lowest, qx, qy, qz, qw)
    if is_settled(cells, place):
        return True, place
    if abs(max(abs(px), abs(py)) - half) < 2.0 * radius:
        return False, place
    px, py, _, qx, qy, qz, qw = rolled_down(cells, place)
    x, y, z = direction_down((px, py, 0.0, qx, qy, qz, qw))
    return True, (px, py, plane + height(cells, x, y, z), qx, qy, qz, qw)


def unstick_axis(cells: Cells, place: Placed, corner: int) -> Vector:
    """Return the axis about which a body would descend into its pose; zeros if it has settled.

    It is a unit vector in world axes; `corner` is the lowest corner.
    """
    if len(cells.pose_down) == 0 or is_settled(cells, place):
        return 0.0, 0.0, 0.0
    x, y, z = direction_down(place)
    target = cells.pose_down[pose_below(cells, corner, x, y, z)]
    # The vector product of its direction and straight down.
    wx, wy, _ = rotated(place, target[0], target[1], target[2])
    size = math.sqrt(wx * wx + wy * wy)
    if size == 0.0:
        return 0.0, 0.0, 0.0
    return -wy / size, wx / size, 0.0
