"""Where bodies that are stepped together touch the board, each other and the cup; compiled."""

from math import sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_cup import SLACK, keep_deepest, meet_cup, whole
from pigglesim.physics.impulse_faces import meet
from pigglesim.physics.impulse_gap import DRAWN, find_gap, gap_along
from pigglesim.physics.impulse_motion import gather, least
from pigglesim.physics.impulse_pile_types import BOARD, Pile, Shapes, Table
from pigglesim.physics.impulse_reach import (
    fastest,
    guess,
    near_cup,
    near_edge,
    remember,
)
from pigglesim.physics.impulse_solve import add_contact, aim
from pigglesim.physics.impulse_types import Die, Ground, Work

__all__ = ["collect", "die_of"]

_OVERLAP = 1e-4
"""Bodies nearer than this were all but in each other when last looked at [m]."""
_CORNERS = 6
"""Contacts of a body with the board's top or the table: the deepest."""


@compiled_as_numpy
def die_of(shapes: Shapes, pile: Pile, body: int) -> Die:
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


@compiled_as_numpy
def _guess_up(pile: Pile) -> None:
    pile.normal[0] = pile.normal[1] = 0.0
    pile.normal[2] = 1.0


@compiled_as_numpy
def _meet_board(
    shapes: Shapes, pile: Pile, work: Work, table: Table, body: int, half: float
) -> None:
    """Add contacts of a body with the board's top or, beside it, with its edges and the table."""
    state = pile.states[body]
    reach = SLACK * half * fastest(pile, body)
    if state[0] > pile.radii[body] + reach:
        return
    edge = near_edge(pile, table, body, 0.0)
    beside = edge or max(abs(state[12]), abs(state[13])) > table.half
    floor = -table.thickness if beside else 0.0
    if edge:
        box, convex = shapes.box, shapes.hulls[pile.kinds[body]]
        row = BOARD
        _guess_up(pile)
        gap = find_gap(shapes, pile, convex, body, box, row, reach, 0.0)
        if gap < reach:
            meet(shapes, pile, convex, body, box, row, gap)
    die = die_of(shapes, pile, body)
    up = work.ways[0]
    for k in range(3):
        up[k] = pile.turns[body, 2, k]
    pile.marks[body, 0] = least(die, up, pile.marks[body, 0])
    height = state[0] - floor
    level = reach - height
    count = gather(die, work, up, pile.marks[body, 0], level + SLACK * half, 0)
    _guess_up(pile)
    _add_deepest(pile, die, work, body, count, height, floor)


@compiled_as_numpy
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
        kept = keep_deepest(
            deepest,
            kept,
            _CORNERS,
            gap,
            a * turns[0, 0] + b * turns[0, 1] + c * turns[0, 2],
            a * turns[1, 0] + b * turns[1, 1] + c * turns[1, 2],
            0.0,
        )
    for j in range(kept):
        x = pile.places[body, 0] + deepest[j, 1]
        y = pile.places[body, 1] + deepest[j, 2]
        add_contact(pile, body, BOARD, x, y, floor, deepest[j, 0])


@compiled_as_numpy
def _meet_each_other(shapes: Shapes, pile: Pile, body: int, other: int, half: float) -> None:
    """Add contacts between two bodies: whole in the cup, part by part outside it."""
    reach = SLACK * half * (fastest(pile, body) + fastest(pile, other))
    one, two = pile.kinds[body], pile.kinds[other]
    # In the cup bodies are whole: only jostling counts there.
    a, b = shapes.parts[one, 0], shapes.parts[one, 1]
    c, d = shapes.parts[two, 0], shapes.parts[two, 1]
    if pile.forms[body] == 0 or a == b:
        a = whole(shapes, pile, body)
        b = a + 1
    if pile.forms[other] == 0 or c == d:
        c = whole(shapes, pile, other)
        d = c + 1
    single = b == a + 1 and d == c + 1
    r, q = pile.turns[body], pile.turns[other]
    for i in range(a, b):
        for j in range(c, d):
            by = 0.0
            if single:
                guess(pile, body, other)
                by = DRAWN if pile.axes[body, other, 3] < _OVERLAP else 0.0
                if by == 0.0 and gap_along(shapes, pile, i, body, j, other) > reach:
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
            gap = find_gap(shapes, pile, i, body, j, other, reach, by)
            if single:
                remember(pile, body, other, gap)
            if gap < reach:
                meet(shapes, pile, i, body, j, other, gap)


@compiled_as_numpy
def collect(
    shapes: Shapes,
    pile: Pile,
    work: Work,
    ground: Ground,
    table: Table,
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
    if pile.has_cup[0]:
        for body in range(bodies):
            if pile.joint[body] and near_cup(pile, table, body, 0.0):
                meet_cup(shapes, pile, table, body, half)
    _name(pile, start, 2)
    aim(pile, table.cup_restitution, ground.no_bounce, half, start)


@compiled_as_numpy
def _name(pile: Pile, start: int, kind: int) -> None:
    for i in range(start, pile.count[0]):
        pile.kind[i] = kind
