"""Where convex bodies meet along a known normal: at a point, or face on face; compiled."""

from math import atan2, sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_pile_types import Pile, Shapes
from pigglesim.physics.impulse_solve import add_contact

__all__ = ["meet"]

_FLAT = 1e-4
"""Corners this near to the one farthest along the normal belong to the face that meets [m]."""


@compiled_as_numpy
def _face(shapes: Shapes, pile: Pile, side: int, convex: int, body: int, tilt: float) -> None:
    """List the corners of the face that meets; it hangs together along edges.

    Args:
        shapes: All shapes.
        pile: The bodies.
        side: 0 for the first body, whose corners are least far along the normal; 1 for the other.
        convex: The shape.
        body: Its body.
        tilt: 1 for the first body, -1 for the other.
    """
    first = shapes.first[convex]
    corners, links, ends = shapes.corners, shapes.links, shapes.ends
    r, n = pile.turns[body], pile.normal
    x = tilt * (r[0, 0] * n[0] + r[1, 0] * n[1] + r[2, 0] * n[2])
    y = tilt * (r[0, 1] * n[0] + r[1, 1] * n[1] + r[2, 1] * n[2])
    z = tilt * (r[0, 2] * n[0] + r[1, 2] * n[1] + r[2, 2] * n[2])
    found = pile.corner_list[side]
    best = pile.walked[side]
    far = corners[first + best, 0] * x + corners[first + best, 1] * y + corners[first + best, 2] * z
    better = True
    while better:
        better = False
        here = best
        for k in range(ends[first + here], ends[first + here + 1]):
            at = first + links[k]
            other = corners[at, 0] * x + corners[at, 1] * y + corners[at, 2] * z
            if other < far:
                best, far, better = links[k], other, True
    found[0] = best
    count, done = 1, 0
    while done < count:
        here = found[done]
        done += 1
        for k in range(ends[first + here], ends[first + here + 1]):
            i = links[k]
            at = first + i
            over = corners[at, 0] * x + corners[at, 1] * y + corners[at, 2] * z - far
            known = over > _FLAT or count == len(found)
            for j in range(count):
                known = known or found[j] == i
            if not known:
                found[count] = i
                count += 1
    pile.face_sizes[side] = count
    for j in range(count):
        at = first + found[j]
        a, b, c = corners[at, 0], corners[at, 1], corners[at, 2]
        for k in range(3):
            pile.faces[side, j, k] = pile.places[body, k] + r[k, 0] * a + r[k, 1] * b + r[k, 2] * c
        pile.faces[side, j, 3] = a * x + b * y + c * z - far


@compiled_as_numpy
def _flatten(pile: Pile, side: int, ux: float, uy: float, uz: float) -> None:
    """Put the corners of a face in order round their middle, as seen along the normal."""
    face, count, n = pile.faces[side], pile.face_sizes[side], pile.normal
    vx, vy, vz = n[1] * uz - n[2] * uy, n[2] * ux - n[0] * uz, n[0] * uy - n[1] * ux
    mx = my = 0.0
    for j in range(count):
        x, y, z = face[j, 0], face[j, 1], face[j, 2]
        face[j, 0], face[j, 1] = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
        face[j, 2] = 0.0
        mx += face[j, 0] / count
        my += face[j, 1] / count
    if count < 3:
        return
    for j in range(count):
        face[j, 2] = atan2(face[j, 1] - my, face[j, 0] - mx)
    for j in range(1, count):
        i = j
        while i > 0 and face[i - 1, 2] > face[i, 2]:
            for k in range(4):
                face[i - 1, k], face[i, k] = face[i, k], face[i - 1, k]
            i -= 1


@compiled_as_numpy
def _inside(pile: Pile, side: int, x: float, y: float) -> bool:
    """Whether a point lies in a face of three corners or more."""
    face, count = pile.faces[side], pile.face_sizes[side]
    for j in range(count):
        i = j + 1 if j + 1 < count else 0
        ex, ey = face[i, 0] - face[j, 0], face[i, 1] - face[j, 1]
        if ex * (y - face[j, 1]) - ey * (x - face[j, 0]) < 0.0:
            return False
    return True


@compiled_as_numpy
def meet(
    shapes: Shapes, pile: Pile, convex: int, body: int, other: int, other_body: int, gap: float
) -> None:
    """Add contacts between two shapes whose gap, normal and nearest point were just found."""
    _face(shapes, pile, 0, convex, body, 1.0)
    _face(shapes, pile, 1, other, other_body, -1.0)
    n, point = pile.normal, pile.point
    if pile.face_sizes[0] == 1 or pile.face_sizes[1] == 1:
        add_contact(pile, body, other_body, point[0], point[1], point[2], gap)
        return
    # Any way across the normal.
    if abs(n[0]) < 0.6:
        ux, uy, uz = 0.0, n[2], -n[1]
    else:
        ux, uy, uz = -n[2], 0.0, n[0]
    size = sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / size, uy / size, uz / size
    vx, vy, vz = n[1] * uz - n[2] * uy, n[2] * ux - n[0] * uz, n[0] * uy - n[1] * ux
    level = point[0] * n[0] + point[1] * n[1] + point[2] * n[2]
    _flatten(pile, 0, ux, uy, uz)
    _flatten(pile, 1, ux, uy, uz)
    before = pile.count[0]
    for side in range(2):
        if pile.face_sizes[1 - side] < 3:
            continue
        for j in range(pile.face_sizes[side]):
            x, y, over = pile.faces[side, j, 0], pile.faces[side, j, 1], pile.faces[side, j, 3]
            if _inside(pile, 1 - side, x, y):
                add_contact(
                    pile,
                    body,
                    other_body,
                    x * ux + y * vx + level * n[0],
                    x * uy + y * vy + level * n[1],
                    x * uz + y * vz + level * n[2],
                    gap + over,
                )
    _cross(pile, body, other_body, gap, level, ux, uy, uz)
    if pile.count[0] == before:
        add_contact(pile, body, other_body, point[0], point[1], point[2], gap)


@compiled_as_numpy
def _cross(
    pile: Pile,
    body: int,
    other_body: int,
    gap: float,
    level: float,
    ux: float,
    uy: float,
    uz: float,
) -> None:
    """Add a contact where an edge of one face crosses one of the other."""
    n = pile.normal
    vx, vy, vz = n[1] * uz - n[2] * uy, n[2] * ux - n[0] * uz, n[0] * uy - n[1] * ux
    one, two = pile.faces[0], pile.faces[1]
    ones, twos = pile.face_sizes[0], pile.face_sizes[1]
    for j in range(ones if ones > 2 else 1):
        i = j + 1 if j + 1 < ones else 0
        ax, ay = one[i, 0] - one[j, 0], one[i, 1] - one[j, 1]
        for m in range(twos if twos > 2 else 1):
            k = m + 1 if m + 1 < twos else 0
            bx, by = two[k, 0] - two[m, 0], two[k, 1] - two[m, 1]
            turned = ax * by - ay * bx
            if turned == 0.0:
                continue
            cx, cy = two[m, 0] - one[j, 0], two[m, 1] - one[j, 1]
            s, t = (cx * by - cy * bx) / turned, (cx * ay - cy * ax) / turned
            if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
                x, y = one[j, 0] + s * ax, one[j, 1] + s * ay
                over = one[j, 3] + s * (one[i, 3] - one[j, 3])
                over += two[m, 3] + t * (two[k, 3] - two[m, 3])
                add_contact(
                    pile,
                    body,
                    other_body,
                    x * ux + y * vx + level * n[0],
                    x * uy + y * vy + level * n[1],
                    x * uz + y * vz + level * n[2],
                    gap + over,
                )
