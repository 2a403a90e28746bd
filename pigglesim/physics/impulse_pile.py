"""Steps of many bodies: alone, as drops are, or together where they may meet; compiled.

A body that meets nothing but the board's top, or the table, is stepped by `impulse_steps.advance`,
on its plane, with every impact in its own time. The others are stepped together by Moreau's midpoint
rule (1988), in pieces so short that nothing goes far.
"""

from math import atan2, ceil, cos, sin, sqrt

from pigglesim.physics.impulse_faces import meet
from pigglesim.physics.impulse_gap import find_gap, gap_along
from pigglesim.physics.impulse_motion import gather, least, turn, write_axes
from pigglesim.physics.impulse_pile_types import Pile, Room, Shapes, Table
from pigglesim.physics.impulse_solve import add_contact, aim, lift, solve
from pigglesim.physics.impulse_steps import advance
from pigglesim.physics.impulse_types import Die, Ground, Work, compiled
from pigglesim.spatial import Array

__all__ = ["advance_all"]

_STANDING = 2
_ALONE, _TOGETHER, _IN_CUP = 0, 1, 2
"""How a body is stepped: as one die on its plane; in short pieces; with the cup, in whole steps."""
_SLACK = 0.1
"""How much of the way of a corner in half a piece others' impulses may add to its fall."""
_WAY = 2e-3
"""Nothing goes farther in a piece of a step, towards what it may meet [m]."""
_PIECES = 8
"""Of a step, at most."""
_TOUCH = 1e-4
"""A body whose lowest corner is this near to its plane is held by it [m]."""
_APART = 2e-4
"""Bodies that come no nearer to each other are not stepped together [m]."""
_OVERLAP = 1e-4
"""Bodies nearer than this were all but in each other when last looked at [m]."""
_WALL = 0.008
"""What is deeper in the cup's wall has come from outside [m]."""
_FLOOR_CORNERS, _WALL_CORNERS = 6, 6
"""Contacts of a body with the board or the cup's floor, and with the wall: the deepest."""


@compiled
def _die(shapes: Shapes, pile: Pile, body: int) -> Die:
    """Return a body as the code for one die knows it."""
    convex = shapes.hulls[pile.kinds[body]]
    first, last = shapes.first[convex], shapes.first[convex + 1]
    rates = pile.rates[body]
    return Die(
        corners=shapes.corners[first:last],
        links=shapes.links,
        ends=shapes.ends[first : last + 1],
        lightness=pile.lightness[body],
        seen=shapes.seen[first:last],
        rates=(rates[0], rates[1], rates[2]),
        radius=pile.radii[body],
    )


@compiled
def _look(pile: Pile, work: Work, body: int) -> None:
    """Write a body's place, turn, motion and inverse inertia in world axes from its state."""
    state, rates = pile.states[body], pile.rates[body]
    pile.places[body, 0], pile.places[body, 1] = state[12], state[13]
    pile.places[body, 2] = state[0]
    write_axes(state, work)
    axes, inverse = work.axes, pile.inverses[body]
    for i in range(3):
        pile.velocities[body, i] = state[1 + i]
        pile.spins[body, i] = 0.0
        for k in range(3):
            pile.turns[body, i, k] = axes[i, k]
            pile.spins[body, i] += axes[i, k] * state[8 + k] * rates[k]
        for j in range(3):
            inverse[i, j] = (
                axes[i, 0] * axes[j, 0] * rates[0]
                + axes[i, 1] * axes[j, 1] * rates[1]
                + axes[i, 2] * axes[j, 2] * rates[2]
            )


@compiled
def _store(pile: Pile, body: int) -> None:
    """Write a body's motion back into its state."""
    state = pile.states[body]
    for k in range(3):
        state[1 + k] = pile.velocities[body, k]
        own = 0.0
        for i in range(3):
            own += pile.turns[body, i, k] * pile.spins[body, i]
        state[8 + k] = own / pile.rates[body, k]
    state[11] = 0.0


@compiled
def _drift(pile: Pile, body: int, time: float) -> None:
    state, rates = pile.states[body], pile.rates[body]
    state[0] += state[3] * time
    state[12] += state[1] * time
    state[13] += state[2] * time
    turn(state, (rates[0], rates[1], rates[2]), time)


@compiled
def _fastest(pile: Pile, body: int) -> float:
    """Return a speed that no point of a body has more than [m/s]."""
    state, rates = pile.states[body], pile.rates[body]
    moving = turning = 0.0
    for k in range(3):
        moving += state[1 + k] ** 2
        turning += (state[8 + k] * rates[k]) ** 2
    return float(sqrt(moving) + pile.radii[body] * sqrt(turning))


@compiled
def _near_edge(pile: Pile, table: Table, body: int, way: float) -> bool:
    """Whether a body may meet the board's edge, or lies partly over it."""
    state, reach = pile.states[body], pile.radii[body] + way
    x, y = abs(state[12]) - table.half, abs(state[13]) - table.half
    return bool(state[0] < reach and max(x, y) > -reach and x < reach and y < reach)


@compiled
def _near_cup(pile: Pile, table: Table, body: int, way: float) -> bool:
    """Whether a body is in the cup, or may meet its rim."""
    state, reach = pile.states[body], pile.radii[body] + way
    cup = pile.cup
    far = (state[12] - cup[0]) ** 2 + (state[13] - cup[1]) ** 2 + (state[0] - cup[2]) ** 2
    most = reach + sqrt(table.cup_radius**2 + table.cup_half**2)
    return bool(far < most * most)


@compiled
def _pair_up(
    shapes: Shapes, pile: Pile, table: Table, has_cup: bool, bodies: int, time: float
) -> float:
    """Find who may meet whom in a step, and so is stepped with others.

    Returns the speed that no point of those has more than, but for what is in the cup [m/s].
    """
    pile.pair_count[0] = 0
    for body in range(bodies):
        pile.joint[body] = _ALONE
        if pile.forms[body] != _STANDING:
            way = _fastest(pile, body) * time
            if has_cup and _near_cup(pile, table, body, way):
                pile.joint[body] = _IN_CUP
            elif _near_edge(pile, table, body, way):
                pile.joint[body] = _TOGETHER
    for body in range(bodies):
        for other in range(body):
            loose = pile.forms[body] != _STANDING, pile.forms[other] != _STANDING
            if not (loose[0] or loose[1]):
                continue
            speed = 0.0
            if loose[0]:
                speed += _fastest(pile, body)
            if loose[1]:
                speed += _fastest(pile, other)
            way = speed * time + _APART
            far = 0.0
            for k in range(3):
                far += (pile.places[body, k] - pile.places[other, k]) ** 2
            reach = pile.radii[body] + pile.radii[other] + way
            if far >= reach * reach:
                continue
            # Those stepped with others anyway are looked at more closely in every piece.
            both = (pile.joint[body] or not loose[0]) and (pile.joint[other] or not loose[1])
            if not both and not _may_meet(shapes, pile, body, other, way):
                continue
            at = pile.pair_count[0]
            pile.pair_count[0] = at + 1
            pile.pairs[at, 0], pile.pairs[at, 1] = body, other
            if loose[0] and pile.joint[body] == _ALONE:
                pile.joint[body] = _TOGETHER
            if loose[1] and pile.joint[other] == _ALONE:
                pile.joint[other] = _TOGETHER
    top = 0.0
    for body in range(bodies):
        if pile.joint[body] == _TOGETHER:
            top = max(top, _fastest(pile, body))
    return top


@compiled
def _guess(pile: Pile, body: int, other: int) -> None:
    """Begin the search for a normal with the last one of two bodies, or the way between them."""
    size = 0.0
    for k in range(3):
        pile.normal[k] = pile.axes[body, other, k]
        size += pile.normal[k] ** 2
    if size < 0.5:
        size = 0.0
        for k in range(3):
            pile.normal[k] = pile.places[body, k] - pile.places[other, k]
            size += pile.normal[k] ** 2
        for k in range(3):
            pile.normal[k] /= sqrt(size)


@compiled
def _may_meet(shapes: Shapes, pile: Pile, body: int, other: int, way: float) -> bool:
    """Whether the hulls of two bodies are less apart than a way."""
    one, two = shapes.hulls[pile.kinds[body]], shapes.hulls[pile.kinds[other]]
    _guess(pile, body, other)
    if gap_along(shapes, pile, one, body, two, other) > way:
        return False
    gap = find_gap(shapes, pile, one, body, two, other, way, False)
    _remember(pile, body, other, gap)
    return gap < way


@compiled
def _remember(pile: Pile, body: int, other: int, gap: float) -> None:
    """Keep the normal and the gap of two whole bodies, to begin with next time."""
    for k in range(3):
        pile.axes[body, other, k] = pile.normal[k]
    pile.axes[body, other, 3] = gap


@compiled
def _meet_board(
    shapes: Shapes, pile: Pile, work: Work, table: Table, body: int, half: float
) -> None:
    """Add contacts of a body with the board's top or, beside it, with its edges and the table."""
    state = pile.states[body]
    reach = _SLACK * half * _fastest(pile, body)
    if state[0] > pile.radii[body] + reach:
        return
    edge = _near_edge(pile, table, body, 0.0)
    beside = edge or max(abs(state[12]), abs(state[13])) > table.half
    floor = -table.thickness if beside else 0.0
    if edge:
        box, convex = shapes.box, shapes.hulls[pile.kinds[body]]
        row = len(pile.lightness) - 2
        _guess_up(pile)
        gap = find_gap(shapes, pile, convex, body, box, row, reach, False)
        if gap < reach:
            meet(shapes, pile, convex, body, box, row, gap)
    die = _die(shapes, pile, body)
    up = work.ways[0]
    for k in range(3):
        up[k] = pile.turns[body, 2, k]
    pile.marks[body, 0] = least(die, up, pile.marks[body, 0])
    height = state[0] - floor
    level = reach - height
    count = gather(die, work, up, pile.marks[body, 0], level + _SLACK * half, 0)
    _guess_up(pile)
    _add_deepest(pile, die, work, body, count, height, floor)


@compiled
def _guess_up(pile: Pile) -> None:
    pile.normal[0] = pile.normal[1] = 0.0
    pile.normal[2] = 1.0


@compiled
def _add_deepest(
    pile: Pile, die: Die, work: Work, body: int, count: int, height: float, floor: float
) -> None:
    """Add contacts with a level plane at the lowest of the corners listed in `work.near`."""
    deepest, kept = pile.deepest, 0
    turns = pile.turns[body]
    for j in range(count):
        i = work.near[j]
        a, b, c = die.corners[i, 0], die.corners[i, 1], die.corners[i, 2]
        gap = height + a * turns[2, 0] + b * turns[2, 1] + c * turns[2, 2]
        kept = _keep(
            deepest,
            kept,
            _FLOOR_CORNERS,
            gap,
            a * turns[0, 0] + b * turns[0, 1] + c * turns[0, 2],
            a * turns[1, 0] + b * turns[1, 1] + c * turns[1, 2],
            0.0,
        )
    for j in range(kept):
        x = pile.places[body, 0] + deepest[j, 1]
        y = pile.places[body, 1] + deepest[j, 2]
        add_contact(pile, body, len(pile.lightness) - 2, x, y, floor, deepest[j, 0])


@compiled
def _keep(
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


@compiled
def _meet_cup(shapes: Shapes, pile: Pile, table: Table, body: int, half: float) -> None:
    """Add contacts of a body with the cup's wall, floor and rim."""
    row = len(pile.lightness) - 1
    reach = _SLACK * half * _fastest(pile, body)
    radius, depth = table.cup_radius, table.cup_half
    convex = _whole(shapes, pile, body)
    # The body in the cup's frame; single numbers, for the sake of the loop below.
    tx, ty, tz = _in_cup(pile, body, row, 0), _in_cup(pile, body, row, 1), _in_cup(pile, body, row, 2)
    xa, xb, xc = _turned(pile, body, row, 0, 0), _turned(pile, body, row, 0, 1), _turned(pile, body, row, 0, 2)
    ya, yb, yc = _turned(pile, body, row, 1, 0), _turned(pile, body, row, 1, 1), _turned(pile, body, row, 1, 2)
    za, zb, zc = _turned(pile, body, row, 2, 0), _turned(pile, body, row, 2, 1), _turned(pile, body, row, 2, 2)
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
            walls = _keep(wall, walls, _WALL_CORNERS, radius - sqrt(far), x, y, z)
        if z + depth < reach:
            floors = _keep(floor, floors, _FLOOR_CORNERS, z + depth, x, y, z)
    for j in range(walls):
        x, y, z = wall[j, 1], wall[j, 2], wall[j, 3]
        far = 1.0 / sqrt(x * x + y * y)
        _add_in_cup(pile, body, row, x, y, z, -x * far, -y * far, 0.0, wall[j, 0])
    for j in range(floors):
        x, y, z = floor[j, 1], floor[j, 2], floor[j, 3]
        _add_in_cup(pile, body, row, x, y, z, 0.0, 0.0, 1.0, floor[j, 0])
    if lowest < depth < highest:
        _meet_rim(shapes, pile, table, body, reach)


@compiled
def _whole(shapes: Shapes, pile: Pile, body: int) -> int:
    """Return the shape of a body as one: thinned in the cup, where only jostling counts."""
    kind = pile.kinds[body]
    return int(shapes.thins[kind] if pile.forms[body] == 0 else shapes.hulls[kind])


@compiled
def _in_cup(pile: Pile, body: int, row: int, k: int) -> float:
    """Return one coordinate of a body's centre in the cup's frame [m]."""
    at = 0.0
    for j in range(3):
        at += pile.turns[row, j, k] * (pile.places[body, j] - pile.places[row, j])
    return at


@compiled
def _turned(pile: Pile, body: int, row: int, k: int, m: int) -> float:
    """Return an entry of the matrix from a body's principal axes to the cup's."""
    at = 0.0
    for j in range(3):
        at += pile.turns[row, j, k] * pile.turns[body, j, m]
    return at


@compiled
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


@compiled
def _meet_rim(shapes: Shapes, pile: Pile, table: Table, body: int, reach: float) -> None:
    """Add contacts with the pieces of the cup's rim, each a straight line."""
    row = len(pile.lightness) - 1
    q = pile.turns[row]
    convex = _whole(shapes, pile, body)
    near = pile.radii[body] + reach
    for piece in range(shapes.rim, len(shapes.first) - 1):
        ball = shapes.balls[piece]
        far = 0.0
        for k in range(3):
            middle = q[k, 0] * ball[0] + q[k, 1] * ball[1] + q[k, 2] * ball[2]
            far += (pile.places[row, k] + middle - pile.places[body, k]) ** 2
        if far > (near + ball[3]) ** 2:
            continue
        size = sqrt(ball[0] ** 2 + ball[1] ** 2)
        for k in range(3):
            pile.normal[k] = -(q[k, 0] * ball[0] + q[k, 1] * ball[1]) / size
        gap = find_gap(shapes, pile, convex, body, piece, row, reach, True)
        if gap < reach and gap > -_WALL:
            point = pile.point
            add_contact(pile, body, row, point[0], point[1], point[2], gap)


@compiled
def _meet_each_other(
    shapes: Shapes, pile: Pile, body: int, other: int, half: float
) -> None:
    """Add contacts between two bodies: whole in the cup, part by part outside it."""
    reach = _SLACK * half * (_fastest(pile, body) + _fastest(pile, other))
    one, two = pile.kinds[body], pile.kinds[other]
    # In the cup bodies are whole: only jostling counts there.
    a, b = shapes.parts[one, 0], shapes.parts[one, 1]
    c, d = shapes.parts[two, 0], shapes.parts[two, 1]
    if pile.forms[body] == 0 or a == b:
        a = _whole(shapes, pile, body)
        b = a + 1
    if pile.forms[other] == 0 or c == d:
        c = _whole(shapes, pile, other)
        d = c + 1
    single = b == a + 1 and d == c + 1
    r, q = pile.turns[body], pile.turns[other]
    for i in range(a, b):
        for j in range(c, d):
            drawn = False
            if single:
                _guess(pile, body, other)
                drawn = pile.axes[body, other, 3] < _OVERLAP
                if not drawn and gap_along(shapes, pile, i, body, j, other) > reach:
                    continue
            else:
                far = 0.0
                for k in range(3):
                    way = pile.places[body, k] - pile.places[other, k]
                    for m in range(3):
                        way += r[k, m] * shapes.balls[i, m] - q[k, m] * shapes.balls[j, m]
                    pile.normal[k] = way
                    far += way * way
                most = shapes.balls[i, 3] + shapes.balls[j, 3] + reach
                if far > most * most:
                    continue
                for k in range(3):
                    pile.normal[k] /= sqrt(far)
            gap = find_gap(shapes, pile, i, body, j, other, reach, drawn)
            if single:
                _remember(pile, body, other, gap)
            if gap < reach:
                meet(shapes, pile, i, body, j, other, gap)


@compiled
def _collect(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
    has_cup: bool,
    bodies: int,
    half: float,
) -> None:
    """Find all contacts of bodies stepped together, and what each aims at."""
    pile.count[0] = 0
    for body in range(bodies):
        if pile.joint[body]:
            _meet_board(shapes, pile, work, table, body, half)
    _name(pile, 0, 0)
    aim(pile, ground.restitution, ground.no_bounce, half, 0)
    start = pile.count[0]
    for at in range(pile.pair_count[0]):
        _meet_each_other(shapes, pile, pile.pairs[at, 0], pile.pairs[at, 1], half)
    _name(pile, start, 1)
    aim(pile, table.piggle_restitution, ground.no_bounce, half, start)
    start = pile.count[0]
    if has_cup:
        for body in range(bodies):
            if pile.joint[body] and _near_cup(pile, table, body, 0.0):
                _meet_cup(shapes, pile, table, body, half)
    _name(pile, start, 2)
    aim(pile, table.cup_restitution, ground.no_bounce, half, start)


@compiled
def _name(pile: Pile, start: int, kind: int) -> None:
    for i in range(start, pile.count[0]):
        pile.kind[i] = kind


@compiled
def _aim_cup(pile: Pile, way: Array, k: int, rate: float) -> None:
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


@compiled
def _move_cup(pile: Pile, time: float) -> None:
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


@compiled
def _piece(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
    damping: float,
    has_cup: bool,
    bodies: int,
    time: float,
) -> None:
    """Step all bodies that are stepped together by a piece of a step."""
    half = 0.5 * time
    for body in range(bodies):
        if pile.joint[body]:
            _drift(pile, body, half)
            pile.states[body, 3] -= ground.gravity * time
            for k in range(6):
                at = 1 + k if k < 3 else 5 + k
                pile.states[body, at] *= max(0.0, 1.0 - damping * time)
            _look(pile, work, body)
    if has_cup:
        _move_cup(pile, half)
    _collect(shapes, pile, work, ground, table, has_cup, bodies, half)
    for row in range(len(pile.lightness)):
        for k in range(3):
            pile.pushes[row, k] = 0.0
    solve(pile, ground, table, bodies)
    lift(pile)
    for body in range(bodies):
        if pile.joint[body]:
            _store(pile, body)
            _drift(pile, body, half)
            pile.states[body, 12] += pile.pushes[body, 0]
            pile.states[body, 13] += pile.pushes[body, 1]
            pile.states[body, 0] += pile.pushes[body, 2]
    if has_cup:
        _move_cup(pile, half)


@compiled
def _step_alone(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
    damping: float,
    body: int,
    time: float,
) -> None:
    """Step a body that meets nothing but a plane."""
    state = pile.states[body]
    floor = -table.thickness if max(abs(state[12]), abs(state[13])) > table.half else 0.0
    die = _die(shapes, pile, body)
    state[0] -= floor
    work.marks[1] = work.marks[2] = pile.marks[body, 0]
    if damping > 0.0:
        for k in range(6):
            at = 1 + k if k < 3 else 5 + k
            state[at] *= max(0.0, 1.0 - damping * time)
    advance(state, die, ground, work, time, time, 0.0)
    up = work.ways[0]
    write_axes(state, work)
    for k in range(3):
        up[k] = work.axes[2, k]
    low = pile.marks[body, 0] = least(die, up, pile.marks[body, 0])
    at = die.corners[low, 0] * up[0] + die.corners[low, 1] * up[1] + die.corners[low, 2] * up[2]
    pile.held[body] = state[0] + at < _TOUCH
    state[0] += floor


@compiled
def advance_all(
    shapes: Shapes,
    room: Room,
    ground: Ground,
    table: Table,
    damping: float,
    way: Array,
    count: int,
    bodies: int,
    time: float,
) -> None:
    """Advance all bodies of a world by some steps.

    Args:
        shapes: What they look like.
        room: The bodies, changed in place.
        ground: How bodies and board act on each other, resistance as it is now.
        table: What else there is.
        damping: Rate at which motion dies [1/s].
        way: Places and quaternions of the cup before the first step and after each, shape
            [count + 1, 7]; without a cup [0, 7].
        count: How many steps.
        bodies: How many bodies there are.
        time: Of a step [s].
    """
    pile, work = room.pile[0], room.work[0]
    for k in range(count):
        has_cup = len(way) > 0
        if has_cup:
            _aim_cup(pile, way, k, 1.0 / time)
        _step(shapes, pile, work, ground, table, damping, has_cup, bodies, time)


@compiled
def _step(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
    damping: float,
    has_cup: bool,
    bodies: int,
    time: float,
) -> None:
    """Advance all bodies of a world by a step."""
    top = _pair_up(shapes, pile, table, has_cup, bodies, time)
    together = False
    for body in range(bodies):
        if pile.joint[body]:
            together = True
        elif pile.forms[body] != _STANDING:
            _step_alone(shapes, pile, work, ground, table, damping, body, time)
            _look(pile, work, body)
    pile.count[0] = 0
    if not together:
        return
    pieces = min(_PIECES, max(1, ceil(top * time / _WAY)))
    for _ in range(pieces):
        _piece(
            shapes,
            pile,
            work,
            ground,
            table,
            damping,
            has_cup,
            bodies,
            time / pieces,
        )
    for body in range(bodies):
        if pile.joint[body]:
            pile.held[body] = 0
            _look(pile, work, body)
    for i in range(pile.count[0]):
        pile.held[pile.first[i]] = 1
        if pile.second[i] < bodies:
            pile.held[pile.second[i]] = 1
