"""Reading of bodies at rest; compiled.

It decides as `pigglesim.reading` does by the standard house rules. A browser runs this code where
there is no library of polygons, which the other reading uses; tests compare the two.
"""

from math import cos, inf, sqrt

from pigglesim.descent import (
    Cells,
    Placed,
    direction_down,
    lowest_corner,
    pose_below,
    rotated,
)
from pigglesim.jit import compiled_as_numpy, usable_when_compiled
from pigglesim.landing import Orientation, Zone
from pigglesim.physics.impulse.state import (
    BoardPrint,
    BodyTables,
    ThrowState,
    WorldState,
)
from pigglesim.physics.settling import CONTACT_DISTANCE
from pigglesim.rotations import Array

for _function in (direction_down, lowest_corner, pose_below, rotated):
    usable_when_compiled(_function)

ORIENTATIONS, ZONES = tuple(Orientation), tuple(Zone)
"""Orientations and zones by their numbers in `ThrowState`."""
OTHER, SNOUT, EAR = range(3)
"""Parts of a body that decide its orientation where it leans."""
LEANING, STACKED = 1, 2
"""Ways in which others support a body; 0 if they do not."""

_UP = ORIENTATIONS.index(Orientation.SNOUT_UP)
_DOWN = ORIENTATIONS.index(Orientation.SNOUT_DOWN)
_HEAD = ORIENTATIONS.index(Orientation.ON_THEIR_HEAD)
_FIELD, _FIELD_LINE = ZONES.index(Zone.FIELD_NORTH), ZONES.index(Zone.LINE_NORTH)
_INNER, _OUTER = ZONES.index(Zone.PATH_INNER), ZONES.index(Zone.PATH_OUTER)
_WOODS, _WOODS_LINE = ZONES.index(Zone.WOODS), ZONES.index(Zone.LINE_PATH_WOODS)
_OFF = ZONES.index(Zone.OFF)
_HOME_COSINE = cos(0.05235987755982989)
"""Cosine of `reading.HOME_ANGLE`."""
_DIAGONAL = 2.0**-0.5


@compiled_as_numpy
def _to_point(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the distance between a point and a segment from a to b [m]."""
    ux, uy, vx, vy = bx - ax, by - ay, px - ax, py - ay
    along = ux * ux + uy * uy
    share = min(max((vx * ux + vy * uy) / along, 0.0), 1.0) if along > 0.0 else 0.0
    dx, dy = vx - share * ux, vy - share * uy
    return sqrt(dx * dx + dy * dy)


@compiled_as_numpy
def _side(ax: float, ay: float, bx: float, by: float, px: float, py: float) -> float:
    """Return a number above 0 if a point lies to the left of the line from a to b."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@compiled_as_numpy
def _turned(quarters: int, x: float, y: float) -> tuple[float, float]:
    """Return a point after quarter turns counter-clockwise: the field of that number is North."""
    if quarters == 1:
        return -y, x
    if quarters == 2:
        return -x, -y
    return (y, -x) if quarters == 3 else (x, y)


@compiled_as_numpy
def _edge_gap(
    points: Array, count: int, quarters: int, ax: float, ay: float, bx: float, by: float
) -> float:
    """Return the distance of the convex hull of turned points from a segment from a to b [m]."""
    least = inf
    for i in range(count):
        px, py = _turned(quarters, points[i, 0], points[i, 1])
        least = min(least, _to_point(px, py, ax, ay, bx, by))
        # Every edge of the hull joins two of the points, and every chord is inside it.
        for j in range(i):
            qx, qy = _turned(quarters, points[j, 0], points[j, 1])
            least = min(least, _to_point(ax, ay, px, py, qx, qy))
            least = min(least, _to_point(bx, by, px, py, qx, qy))
            apart = _side(px, py, qx, qy, ax, ay) * _side(px, py, qx, qy, bx, by)
            if apart < 0.0 and _side(ax, ay, bx, by, px, py) * _side(ax, ay, bx, by, qx, qy) < 0.0:
                return 0.0
    return least


@compiled_as_numpy
def _border_gap(board: BoardPrint, points: Array, count: int, quarters: int) -> float:
    """Return the distance between the convex hull of points and the border of a field [m]."""
    cut, top = board.cut, board.inner
    side = top - cut
    left = _edge_gap(points, count, quarters, 0.0, cut, -side, top)
    right = _edge_gap(points, count, quarters, 0.0, cut, side, top)
    return min(left, right, _edge_gap(points, count, quarters, -side, top, side, top))


@compiled_as_numpy
def _in_field(board: BoardPrint, quarters: int, x: float, y: float) -> tuple[float, float, float]:
    """Return how far inside each of a field's three sides a point is [m]."""
    x, y = _turned(quarters, x, y)
    return board.inner - y, (y - x - board.cut) * _DIAGONAL, (y + x - board.cut) * _DIAGONAL


@compiled_as_numpy
def _meet_field(board: BoardPrint, points: Array, count: int, quarters: int) -> tuple[bool, bool]:
    """Return whether the convex hull of points touches a field, and whether its line."""
    half, inside = board.half_line, False
    most_a = most_b = most_c = -inf
    least = inf
    for i in range(count):
        a, b, c = _in_field(board, quarters, points[i, 0], points[i, 1])
        most_a, most_b, most_c = max(most_a, a), max(most_b, b), max(most_c, c)
        least = min(least, a, b, c)
        inside = inside or min(a, b, c) >= 0.0
    if min(most_a, most_b, most_c) < -half:
        return False, False
    if least > half:
        return True, False
    gap = _border_gap(board, points, count, quarters)
    return inside or gap == 0.0, gap <= half


@compiled_as_numpy
def _past_ring(board: BoardPrint, points: Array, count: int) -> tuple[bool, bool]:
    """Return whether the convex hull of points is beyond the paths, and whether on their line."""
    ring, half = board.ring, board.half_line
    most = beyond = -inf
    for quarters in range(4):
        low, high = inf, -inf
        for i in range(count):
            _, y = _turned(quarters, points[i, 0], points[i, 1])
            low, high = min(low, y), max(high, y)
        most, beyond = max(most, high), max(beyond, low - ring)
    if most <= ring or beyond > half:
        return beyond > half, most <= ring and ring - most <= half
    gap = inf
    for quarters in range(4):
        gap = min(gap, _edge_gap(points, count, quarters, -ring, ring, ring, ring))
    return gap > half, gap <= half


@compiled_as_numpy
def zone_of(board: BoardPrint, points: Array, count: int) -> int:
    """Return the zone of a footprint, as `reading.classify` does.

    Args:
        board: Lengths of the print.
        points: Corners of the footprint [m], shape [at least `count`, 2]. Its convex hull is
            smaller than a field.
        count: Number of corners.
    """
    beyond, on_line = _past_ring(board, points, count)
    if beyond or on_line:
        return _WOODS_LINE if on_line else _WOODS
    x = y = 0.0
    for i in range(count):
        x, y = x + points[i, 0], y + points[i, 1]
    x, y = x / count, y / count
    field, least = -1, inf
    for quarters in range(4):
        touched, near = _meet_field(board, points, count, quarters)
        on_line = on_line or near
        if touched or near:
            a, b, c = _in_field(board, quarters, x, y)
            outside = min(a, b, c) < 0.0
            points[count, 0], points[count, 1] = x, y
            gap = _border_gap(board, points[count:], 1, quarters) if outside else 0.0
            if gap < least:
                field, least = quarters, gap
    if field >= 0:
        return (_FIELD_LINE if on_line else _FIELD) + field
    return _INNER if max(abs(x), abs(y)) <= board.inner else _OUTER


@compiled_as_numpy
def touches(world: WorldState, contact: int, body: int, other: int) -> bool:
    """Return whether a contact is one of two bodies that touch."""
    a, b = world.body_a[contact], world.body_b[contact]
    if not ((a == body and b == other) or (a == other and b == body)):
        return False
    near = world.separation[contact] < CONTACT_DISTANCE
    return bool(near or world.normal_impulse[contact] > 0.0)


@compiled_as_numpy
def _nearest_part(
    tables: BodyTables, cells: Cells, place: Placed, first: int, u: float, v: float, w: float
) -> int:
    """Return the part of a body at the corner closest to a point in the world."""
    least, part = inf, OTHER
    for i in range(len(cells.corners)):
        corner = cells.corners[i]
        x, y, z = rotated(place, corner[0], corner[1], corner[2])
        x, y, z = place[0] + x - u, place[1] + y - v, place[2] + z - w
        if x * x + y * y + z * z < least:
            least, part = x * x + y * y + z * z, tables.corner_part[first + i]
    return part


@compiled_as_numpy
def read_body(
    world: WorldState,
    throw: ThrowState,
    tables: BodyTables,
    board: BoardPrint,
    cells: Cells,
    place: Placed,
    body: int,
    count: int,
) -> None:
    """Store the orientation, the zone and the support of a body in `throw.landed`.

    Args:
        world: All bodies and the contacts of the last step.
        throw: The throw, with the distances between bodies.
        tables: Every kind of body.
        board: Lengths of the board and its print.
        cells: Cells of the body.
        place: Where it rests.
        body: Its number.
        count: Number of bodies.
    """
    points, kind = tables.footprint, world.body_kind[body]
    first, tolerance = tables.corner_start[kind], board.tolerance
    carried = on_table = snout = ear = False
    feet = 0
    for i in range(len(cells.corners)):
        corner = cells.corners[i]
        x, y, z = rotated(place, corner[0], corner[1], corner[2])
        x, y, z = place[0] + x, place[1] + y, place[2] + z
        on_board = abs(x) <= board.half and abs(y) <= board.half
        if z > (tolerance if on_board else tolerance - board.thickness):
            continue
        if on_board:
            points[feet, 0], points[feet, 1] = x, y
            feet += 1
        on_table = on_table or not on_board
        snout = snout or tables.corner_part[first + i] == SNOUT
        ear = ear or tables.corner_part[first + i] == EAR
    off = on_table or place[2] < -board.thickness
    held = feet
    for other in range(count):
        if other == body or throw.gap[body, other] >= 0.0:
            continue
        found = False
        for i in range(world.contact_count + 1):
            if i < world.contact_count:
                if not touches(world, i, body, other):
                    continue
                found, at = True, world.contact_point[i]
                u, v, w = at[0], at[1], at[2]
            elif found or not (world.touched[body, other] or world.touched[other, body]):
                continue
            else:  # the impact is over: they have separated again
                one, two = (body, other) if world.touched[body, other] else (other, body)
                touch = world.touch_point[one, two]
                u, v, w = touch[0], touch[1], touch[2]
            carried = True
            part = _nearest_part(tables, cells, place, first, u, v, w)
            snout, ear = snout or part == SNOUT, ear or part == EAR
            if feet == 0 and held < len(points) - 1:
                points[held, 0], points[held, 1] = u, v
                held += 1
                off = off or max(abs(u), abs(v)) > board.half
    if held == 0:
        points[0, 0], points[0, 1] = place[0], place[1]
        held = 1
        off = off or max(abs(place[0]), abs(place[1])) > board.half
    x, y, z = direction_down(place)
    orientation, home = -1, 1.0
    if len(cells.pose_down):
        pose = pose_below(cells, lowest_corner(cells, x, y, z), x, y, z)
        target = cells.pose_down[pose]
        home = target[0] * x + target[1] * y + target[2] * z
        orientation = tables.pose_orientation[tables.pose_start[kind] + pose]
    grounded = feet > 0 or on_table
    supported = carried and (not grounded or home < _HOME_COSINE)
    if supported and orientation >= 0 and not tables.classed[kind]:
        orientation = _HEAD if snout and ear and y > 0.0 else _UP if z <= 0.0 else _DOWN
    throw.landed[body, 0] = -1 if off else orientation
    throw.landed[body, 1] = _OFF if off else zone_of(board, points, held)
    throw.landed[body, 2] = (LEANING if grounded else STACKED) if supported else 0
