"""The cup as bodies meet it: a round wall, a floor, a rim of straight pieces; compiled."""

from math import atan2, cos, sin, sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_gap import find_gap
from pigglesim.physics.impulse_pile_types import CUP, Pile, Shapes, Table
from pigglesim.physics.impulse_reach import fastest
from pigglesim.physics.impulse_solve import add_contact
from pigglesim.spatial import Array

__all__ = ["SLACK", "aim_cup", "keep_deepest", "meet_cup", "move_cup", "whole"]

SLACK = 0.1
"""How much of the way of a corner in half a piece others' impulses may add to its fall."""
_WALL = 0.008
"""What is deeper in the cup's wall has come from outside [m]."""
_CORNERS = 6
"""Contacts of a body with the cup's floor, and with its wall: the deepest."""


@compiled_as_numpy
def aim_cup(pile: Pile, way: Array, k: int, rate: float) -> None:
    """Put the cup where it is before a step, with the motion that takes it on to its next pose."""
    cup = pile.cup
    for j in range(7):
        cup[j] = way[k, j]
    for j in range(3):
        cup[7 + j] = (way[k + 1, j] - way[k, j]) * rate
    bx, by, bz, bw = way[k, 3], way[k, 4], way[k, 5], way[k, 6]
    ax, ay, az, aw = way[k + 1, 3], way[k + 1, 4], way[k + 1, 5], way[k + 1, 6]
    x = -aw * bx + ax * bw - ay * bz + az * by
    y = -aw * by + ax * bz + ay * bw - az * bx
    z = -aw * bz - ax * by + ay * bx + az * bw
    w = aw * bw + ax * bx + ay * by + az * bz
    sine = sqrt(x * x + y * y + z * z)
    # Below this the angle is the doubled sine to the last bit.
    angle = 2.0 * atan2(sine, abs(w)) / sine if sine > 1e-9 else 2.0
    angle = angle * rate if w >= 0.0 else -angle * rate
    cup[10], cup[11], cup[12] = x * angle, y * angle, z * angle


@compiled_as_numpy
def move_cup(pile: Pile, time: float) -> None:
    """Move the cup on along its way: place [3], quaternion [4], velocity [3], spin [3]."""
    row, cup = len(pile.lightness) - 1, pile.cup
    size = sqrt(cup[10] ** 2 + cup[11] ** 2 + cup[12] ** 2)
    for k in range(3):
        cup[k] += cup[7 + k] * time
    if size > 0.0:
        s, c = sin(0.5 * size * time), cos(0.5 * size * time)
        ax, ay, az = cup[10] / size * s, cup[11] / size * s, cup[12] / size * s
        x, y, z, w = cup[3], cup[4], cup[5], cup[6]
        cup[3] = c * x + ax * w + ay * z - az * y
        cup[4] = c * y - ax * z + ay * w + az * x
        cup[5] = c * z + ax * y - ay * x + az * w
        cup[6] = c * w - ax * x - ay * y - az * z
    x, y, z, w = cup[3], cup[4], cup[5], cup[6]
    out = pile.turns[row]
    out[0, 0], out[0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w)
    out[1, 0], out[1, 1] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z)
    out[2, 0], out[2, 1] = 2 * (x * z - y * w), 2 * (y * z + x * w)
    out[0, 2], out[1, 2] = 2 * (x * z + y * w), 2 * (y * z - x * w)
    out[2, 2] = 1 - 2 * (x * x + y * y)
    for k in range(3):
        pile.places[row, k] = cup[k]
        pile.velocities[row, k] = cup[7 + k]
        pile.spins[row, k] = cup[10 + k]


@compiled_as_numpy
def keep_deepest(
    deepest: Array, kept: int, most: int, gap: float, x: float, y: float, z: float
) -> int:
    """Keep a corner among the deepest; return how many are kept."""
    slot = kept
    if kept == most:
        slot = 0
        for k in range(1, most):
            if deepest[k, 0] > deepest[slot, 0]:
                slot = k
        if deepest[slot, 0] <= gap:
            return kept
    deepest[slot, 0], deepest[slot, 1], deepest[slot, 2], deepest[slot, 3] = gap, x, y, z
    return kept + 1 if slot == kept else kept


@compiled_as_numpy
def whole(shapes: Shapes, pile: Pile, body: int) -> int:
    """Return the shape of a body as one: thinned in the cup, where only jostling counts."""
    kind = pile.kinds[body]
    return int(shapes.thins[kind] if pile.forms[body] == 0 else shapes.hulls[kind])


@compiled_as_numpy
def _in_cup(pile: Pile, body: int, row: int, k: int) -> float:
    """Return one coordinate of a body's centre in the cup's frame [m]."""
    at = 0.0
    for j in range(3):
        at += pile.turns[row, j, k] * (pile.places[body, j] - pile.places[row, j])
    return at


@compiled_as_numpy
def _turned(pile: Pile, body: int, row: int, k: int, m: int) -> float:
    """Return an entry of the matrix from a body's principal axes to the cup's."""
    at = 0.0
    for j in range(3):
        at += pile.turns[row, j, k] * pile.turns[body, j, m]
    return at


@compiled_as_numpy
def meet_cup(shapes: Shapes, pile: Pile, table: Table, body: int, half: float) -> None:
    """Add contacts of a body with the cup's wall, floor and rim."""
    row = CUP
    reach = SLACK * half * fastest(pile, body)
    radius, depth = table.cup_radius, table.cup_half
    convex = whole(shapes, pile, body)
    # The body in the cup's frame; single numbers, for the sake of the loop below.
    tx, ty, tz = (
        _in_cup(pile, body, row, 0),
        _in_cup(pile, body, row, 1),
        _in_cup(pile, body, row, 2),
    )
    xa, xb, xc = (
        _turned(pile, body, row, 0, 0),
        _turned(pile, body, row, 0, 1),
        _turned(pile, body, row, 0, 2),
    )
    ya, yb, yc = (
        _turned(pile, body, row, 1, 0),
        _turned(pile, body, row, 1, 1),
        _turned(pile, body, row, 1, 2),
    )
    za, zb, zc = (
        _turned(pile, body, row, 2, 0),
        _turned(pile, body, row, 2, 1),
        _turned(pile, body, row, 2, 2),
    )
    walls = floors = 0
    lowest, highest = 1e9, -1e9
    wall, floor, corners = pile.walls, pile.deepest, shapes.corners
    inner, outer = (radius - reach) ** 2, (radius + _WALL) ** 2
    for i in range(shapes.first[convex], shapes.first[convex + 1]):
        a, b, c = corners[i, 0], corners[i, 1], corners[i, 2]
        x = tx + xa * a + xb * b + xc * c
        y = ty + ya * a + yb * b + yc * c
        z = tz + za * a + zb * b + zc * c
        lowest, highest = min(lowest, z), max(highest, z)
        far = x * x + y * y
        if far > outer or z > depth or z < -depth - _WALL:
            continue
        if far > inner:
            facing = table.cup_wall * round(atan2(y, x) / table.cup_wall)
            gap = radius - x * cos(facing) - y * sin(facing)
            if gap < reach:
                walls = keep_deepest(wall, walls, _CORNERS, gap, x, y, z)
        if z + depth < reach:
            floors = keep_deepest(floor, floors, _CORNERS, z + depth, x, y, z)
    for j in range(walls):
        x, y, z = wall[j, 1], wall[j, 2], wall[j, 3]
        facing = table.cup_wall * round(atan2(y, x) / table.cup_wall)
        _add_in_cup(pile, body, row, x, y, z, -cos(facing), -sin(facing), 0.0, wall[j, 0])
    for j in range(floors):
        x, y, z = floor[j, 1], floor[j, 2], floor[j, 3]
        _add_in_cup(pile, body, row, x, y, z, 0.0, 0.0, 1.0, floor[j, 0])
    if lowest < depth < highest:
        _meet_rim(shapes, pile, table, body, reach)


@compiled_as_numpy
def _add_in_cup(
    pile: Pile,
    body: int,
    row: int,
    x: float,
    y: float,
    z: float,
    nx: float,
    ny: float,
    nz: float,
    gap: float,
) -> None:
    """Add a contact given in the cup's frame."""
    q = pile.turns[row]
    for k in range(3):
        pile.normal[k] = q[k, 0] * nx + q[k, 1] * ny + q[k, 2] * nz
        pile.point[k] = pile.places[row, k] + q[k, 0] * x + q[k, 1] * y + q[k, 2] * z
    add_contact(pile, body, row, pile.point[0], pile.point[1], pile.point[2], gap)


@compiled_as_numpy
def _meet_rim(shapes: Shapes, pile: Pile, table: Table, body: int, reach: float) -> None:
    """Add contacts with the pieces of the cup's rim, each a straight line."""
    row = CUP
    q = pile.turns[row]
    convex = whole(shapes, pile, body)
    near = pile.radii[body] + reach
    for piece in range(shapes.rim, len(shapes.first) - 1):
        ball = shapes.balls[piece]
        far = 0.0
        for k in range(3):
            middle = q[k, 0] * ball[0] + q[k, 1] * ball[1] + q[k, 2] * ball[2]
            far += (pile.places[row, k] + middle - pile.places[body, k]) ** 2
        if far > (near + ball[3]) ** 2:
            continue
        # Where they overlap, the body is taken to have come from within and from above.
        size = sqrt(0.5 / (ball[0] ** 2 + ball[1] ** 2))
        for k in range(3):
            inwards = -size * (q[k, 0] * ball[0] + q[k, 1] * ball[1])
            pile.normal[k] = inwards + sqrt(0.5) * q[k, 2]
        gap = find_gap(shapes, pile, convex, body, piece, row, reach, 0.0)
        if gap < reach and gap > -_WALL:
            point = pile.point
            add_contact(pile, body, row, point[0], point[1], point[2], gap)
