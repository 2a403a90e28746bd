"""Reading of a body at rest: what it touches, its orientation, its zone and its support.

All functions are plain arithmetic on numbers, so that compiled code can use them too: the compiled
throw reads its bodies with them, and `pigglesim.reading` those of other engines. Zones need no
library of polygons.
"""

from collections.abc import MutableSequence, Sequence
from math import cos, inf, radians, sqrt
from typing import NamedTuple, TypeAlias

from pigglesim.descent import (
    Cells,
    Placed,
    direction_down,
    lowest_corner,
    pose_below,
    rotated,
)
from pigglesim.landing import LineRule, Orientation, Zone

Points: TypeAlias = Sequence[MutableSequence[float]]
"""Points seen from above [m], or memory for them; a list of lists, or an array."""

ORIENTATIONS, ZONES, LINE_RULES = tuple(Orientation), tuple(Zone), tuple(LineRule)
"""Orientations, zones and rules by their numbers."""
OTHER, SNOUT, EAR = range(3)
"""Parts of a body that decide its orientation where it leans."""
LEANING, STACKED = 1, 2
"""Ways in which others support a body; 0 if they do not."""
HOME_ANGLE = radians(3.0)
"""Rotation out of a stable pose below which a body counts as resting in it [rad]."""

_UP = ORIENTATIONS.index(Orientation.SNOUT_UP)
_DOWN = ORIENTATIONS.index(Orientation.SNOUT_DOWN)
_HEAD = ORIENTATIONS.index(Orientation.ON_THEIR_HEAD)
_FIELD, _FIELD_LINE = ZONES.index(Zone.FIELD_NORTH), ZONES.index(Zone.LINE_NORTH)
_INNER, _OUTER = ZONES.index(Zone.PATH_INNER), ZONES.index(Zone.PATH_OUTER)
_WOODS, _WOODS_LINE = ZONES.index(Zone.WOODS), ZONES.index(Zone.LINE_PATH_WOODS)
_OFF = ZONES.index(Zone.OFF)
_CENTROID, _COM = LINE_RULES.index(LineRule.CONTACT_CENTROID), LINE_RULES.index(LineRule.COM)
_HOME_COSINE = cos(HOME_ANGLE)
_DIAGONAL = 2.0**-0.5


class BoardPrint(NamedTuple):
    """Lengths of a board and its print, and the house rules by which it is read."""

    half: float
    """Half the side of the board [m]."""
    thickness: float
    """Height of the board's top above the table [m]."""
    ring: float
    """Half the side of the square of all paths [m]."""
    inner: float
    """Half the side of the inner square [m]."""
    cut: float
    """Distance of a field's tip from the centre [m]."""
    half_line: float
    """Half the width of a line [m]."""
    tolerance: float
    """Greatest height of a corner that touches the board [m]."""
    line_rule: int
    """Part of a body that decides its zone: index in `LINE_RULES`."""


class ReadBody(NamedTuple):
    """A body as it is read."""

    cells: Cells
    """Its hull and its poses."""
    parts: Sequence[int]
    """Part of each corner of the hull: OTHER, SNOUT or EAR."""
    orientations: Sequence[int]
    """Orientation of each pose: index in `ORIENTATIONS`, or -1."""
    classed: bool
    """Whether its model names the classes of its poses."""


def _to_point(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the distance between a point and a segment from a to b [m]."""
    ux, uy, vx, vy = bx - ax, by - ay, px - ax, py - ay
    along = ux * ux + uy * uy
    share = min(max((vx * ux + vy * uy) / along, 0.0), 1.0) if along > 0.0 else 0.0
    dx, dy = vx - share * ux, vy - share * uy
    return sqrt(dx * dx + dy * dy)


def _side(ax: float, ay: float, bx: float, by: float, px: float, py: float) -> float:
    """Return a number above 0 if a point is to the left of the line from a to b."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


def _turned(quarters: int, x: float, y: float) -> tuple[float, float]:
    """Return a point after quarter turns counter-clockwise: the field of that number is North."""
    if quarters == 1:
        return -y, x
    if quarters == 2:
        return -x, -y
    return (y, -x) if quarters == 3 else (x, y)


def _outline(points: Points, count: int) -> int:
    """Move the corners of the convex hull of points to their front, counter-clockwise.

    By gift wrapping (Jarvis 1973): few of the points are corners.

    Returns:
        The number of corners.
    """
    first = 0
    for i in range(1, count):
        low, lowest = points[i], points[first]
        if low[0] < lowest[0] or (low[0] == lowest[0] and low[1] < lowest[1]):
            first = i
    corners = 0
    while corners < count:
        x, y = points[first][0], points[first][1]
        points[first][0], points[first][1] = points[corners][0], points[corners][1]
        points[corners][0], points[corners][1] = x, y
        corners += 1
        # The next corner has no point to its right; of those in line, it is the farthest.
        first, sx, sy = 0, points[0][0], points[0][1]
        for i in range(corners, count):
            px, py = points[i][0], points[i][1]
            side = _side(x, y, sx, sy, px, py)
            farther = (px - x) ** 2 + (py - y) ** 2 > (sx - x) ** 2 + (sy - y) ** 2
            if side < 0.0 or (side == 0.0 and farther):
                first, sx, sy = i, px, py
        if first == 0:
            return corners
    return corners


def _edge_gap(
    points: Points, count: int, quarters: int, ax: float, ay: float, bx: float, by: float
) -> float:
    """Return the distance of a turned convex outline from a segment from a to b [m]."""
    least, inside = inf, count > 2
    px, py = _turned(quarters, points[count - 1][0], points[count - 1][1])
    for i in range(count):
        qx, qy = px, py
        px, py = _turned(quarters, points[i][0], points[i][1])
        least = min(
            least,
            _to_point(px, py, ax, ay, bx, by),
            _to_point(ax, ay, qx, qy, px, py),
            _to_point(bx, by, qx, qy, px, py),
        )
        side_a, side_b = _side(qx, qy, px, py, ax, ay), _side(qx, qy, px, py, bx, by)
        apart = side_a * side_b
        if apart < 0.0 and _side(ax, ay, bx, by, px, py) * _side(ax, ay, bx, by, qx, qy) < 0.0:
            return 0.0
        inside = inside and side_a > 0.0
    return 0.0 if inside else least


def _border_gap(board: BoardPrint, points: Points, count: int, quarters: int) -> float:
    """Return the distance between a convex outline and the border of a field [m]."""
    cut, top = board.cut, board.inner
    side = top - cut
    left = _edge_gap(points, count, quarters, 0.0, cut, -side, top)
    right = _edge_gap(points, count, quarters, 0.0, cut, side, top)
    return min(left, right, _edge_gap(points, count, quarters, -side, top, side, top))


def _in_field(board: BoardPrint, quarters: int, x: float, y: float) -> tuple[float, float, float]:
    """Return how far inside each of a field's three sides a point is [m]."""
    x, y = _turned(quarters, x, y)
    return board.inner - y, (y - x - board.cut) * _DIAGONAL, (y + x - board.cut) * _DIAGONAL


def _meet_field(board: BoardPrint, points: Points, count: int, quarters: int) -> tuple[bool, bool]:
    """Return whether a convex outline touches a field, and whether its line."""
    half, inside = board.half_line, False
    most_a = most_b = most_c = -inf
    least = inf
    for i in range(count):
        a, b, c = _in_field(board, quarters, points[i][0], points[i][1])
        most_a, most_b, most_c = max(most_a, a), max(most_b, b), max(most_c, c)
        least = min(least, a, b, c)
        inside = inside or min(a, b, c) >= 0.0
    if min(most_a, most_b, most_c) < -half:
        return False, False
    if least > half:
        return True, False
    gap = _border_gap(board, points, count, quarters)
    return inside or gap == 0.0, gap <= half


def _past_ring(board: BoardPrint, points: Points, count: int) -> tuple[bool, bool]:
    """Return whether a convex outline is beyond the paths, and whether on their line."""
    ring, half = board.ring, board.half_line
    most = beyond = -inf
    for quarters in range(4):
        low, high = inf, -inf
        for i in range(count):
            _, y = _turned(quarters, points[i][0], points[i][1])
            low, high = min(low, y), max(high, y)
        most, beyond = max(most, high), max(beyond, low - ring)
    if most <= ring or beyond > half:
        return beyond > half, most <= ring and ring - most <= half
    gap = inf
    for quarters in range(4):
        gap = min(gap, _edge_gap(points, count, quarters, -ring, ring, ring, ring))
    return gap > half, gap <= half


def zone_of(board: BoardPrint, points: Points, count: int) -> int:
    """Return the zone of a footprint: the lowest-paying region that its hull touches counts (P10).

    A footprint that touches a printed line, or extends to both of its sides, is on that line.
    Inner and outer path pay the same and have no line between them: there the middle of the
    footprint decides. Of two fields that a footprint on a field/path line touches, the one nearer
    to its middle names the line (M6).

    Args:
        board: Lengths of the print.
        points: Points of the footprint, which are put into another order, and memory for one more.
        count: Number of points.
    """
    x = y = 0.0
    for i in range(count):
        x, y = x + points[i][0], y + points[i][1]
    x, y = x / count, y / count
    count = _outline(points, count)
    beyond, on_line = _past_ring(board, points, count)
    if beyond or on_line:
        return _WOODS_LINE if on_line else _WOODS
    field, least = -1, inf
    for quarters in range(4):
        touched, near = _meet_field(board, points, count, quarters)
        on_line = on_line or near
        if touched or near:
            a, b, c = _in_field(board, quarters, x, y)
            outside = min(a, b, c) < 0.0
            points[count][0], points[count][1] = x, y
            gap = _border_gap(board, points[count:], 1, quarters) if outside else 0.0
            if gap < least:
                field, least = quarters, gap
    if field >= 0:
        return (_FIELD_LINE if on_line else _FIELD) + field
    return _INNER if max(abs(x), abs(y)) <= board.inner else _OUTER


def _nearest_part(body: ReadBody, place: Placed, at: Sequence[float]) -> int:
    """Return the part of a body at the corner closest to a point in the world."""
    least, part = inf, OTHER
    for i in range(len(body.cells.corners)):
        corner = body.cells.corners[i]
        x, y, z = rotated(place, corner[0], corner[1], corner[2])
        x, y, z = place[0] + x - at[0], place[1] + y - at[1], place[2] + z - at[2]
        if x * x + y * y + z * z < least:
            least, part = x * x + y * y + z * z, body.parts[i]
    return part


def _stand_on(
    body: ReadBody, board: BoardPrint, place: Placed, points: Points
) -> tuple[int, bool, bool, bool]:
    """Write the points that touch the board into `points`.

    Returns:
        Their number; whether any point touches the table; whether the snout and an ear touch
        either.
    """
    feet, on_table, snout, ear = 0, False, False, False
    dx, dy, dz = direction_down(place)
    corners = body.cells.corners
    for i in range(len(corners)):
        corner = corners[i]
        depth = corner[0] * dx + corner[1] * dy + corner[2] * dz
        z = place[2] - depth
        if z > board.tolerance:
            continue
        x, y, _ = rotated(place, corner[0], corner[1], corner[2])
        x, y = place[0] + x, place[1] + y
        if abs(x) <= board.half and abs(y) <= board.half:
            points[feet][0], points[feet][1] = x, y
            feet += 1
        elif z <= board.tolerance - board.thickness:
            on_table = True
        else:
            continue
        snout = snout or body.parts[i] == SNOUT
        ear = ear or body.parts[i] == EAR
    return feet, on_table, snout, ear


def orientation_by_axes(
    snout: bool,  # noqa: FBT001 (compiled code takes no keywords)
    ear: bool,  # noqa: FBT001
    y: float,
    z: float,
) -> int:
    """Return the orientation of a pig (R14, P12): its number in `ORIENTATIONS`.

    Args:
        snout: Whether its snout touches anything.
        ear: Whether an ear does.
        y: Component of the direction down along its body's y axis, towards its crown.
        z: Component along z, towards its face.
    """
    if snout and ear and y > 0.0:
        return _HEAD
    return _UP if z <= 0.0 else _DOWN


def read_pose(
    body: ReadBody,
    board: BoardPrint,
    place: Placed,
    touches: Sequence[Sequence[float]],
    touch_count: int,
    points: Points,
) -> tuple[int, int, int, int]:
    """Return the orientation, the zone and the support of a body at rest.

    Every state has a reading. A body is off the board if the table carries any part of it (P11);
    there its orientation has no meaning in any rule. A pig that others support is read by its axes
    (P12), unless its model names the classes of its poses.

    Args:
        body: The body.
        board: Lengths of the board and its print.
        place: Where it rests.
        touches: Points where it touches others [m].
        touch_count: Number of these points.
        points: Memory for the points that decide the zone, one more than can be in use.

    Returns:
        Index in `ORIENTATIONS` or -1; index in `ZONES`; LEANING, STACKED or 0; the number of
        points that decided the zone, which are in `points`.
    """
    feet, on_table, snout, ear = _stand_on(body, board, place, points)
    off, held = on_table or place[2] < -board.thickness, feet
    if feet == 0:
        # Supported by others alone: its points of support, seen from above (P12).
        for i in range(min(touch_count, len(points) - 1)):
            points[i][0], points[i][1] = touches[i][0], touches[i][1]
            held = i + 1
        if held == 0:
            points[0][0], points[0][1] = place[0], place[1]
            held = 1
        for i in range(held):
            off = off or max(abs(points[i][0]), abs(points[i][1])) > board.half
    if board.line_rule == _CENTROID or board.line_rule == _COM:
        x, y = place[0], place[1]
        if board.line_rule == _CENTROID:
            x = y = 0.0
            for i in range(held):
                x, y = x + points[i][0], y + points[i][1]
            x, y = x / held, y / held
        points[0][0], points[0][1] = x, y
        held = 1
    cells, orientation, cosine = body.cells, -1, 1.0
    dx, dy, dz = direction_down(place)
    if len(cells.pose_down):
        pose = pose_below(cells, lowest_corner(cells, dx, dy, dz), dx, dy, dz)
        down = cells.pose_down[pose]
        cosine = down[0] * dx + down[1] * dy + down[2] * dz
        orientation = body.orientations[pose]
    grounded = feet > 0 or on_table
    supported = touch_count > 0 and (not grounded or cosine < _HOME_COSINE)
    if supported and orientation >= 0 and not body.classed:
        for i in range(touch_count):
            part = _nearest_part(body, place, touches[i])
            snout, ear = snout or part == SNOUT, ear or part == EAR
        orientation = orientation_by_axes(snout, ear, dy, dz)
    support = (LEANING if grounded else STACKED) if supported else 0
    if off:
        return -1, _OFF, support, held
    return orientation, zone_of(board, points, held), support, held
