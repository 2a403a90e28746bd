"""Who may meet whom in a step, and so how each body is stepped; compiled."""

from math import sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_gap import find_gap, gap_along
from pigglesim.physics.impulse_pile_types import Pile, Shapes, Table

__all__ = [
    "ALONE",
    "IN_CUP",
    "STANDING",
    "TOGETHER",
    "fastest",
    "guess",
    "near_cup",
    "near_edge",
    "pair_up",
    "remember",
]

STANDING = 2
"""The form of a body that does not move."""
ALONE, TOGETHER, IN_CUP = 0, 1, 2
"""How a body is stepped: as one die on its plane; in short pieces; with the cup, in whole steps."""
_APART = 2e-4
"""Bodies that come no nearer to each other are not stepped together [m]."""


@compiled_as_numpy
def fastest(pile: Pile, body: int) -> float:
    """Return a speed that no point of a body has more than [m/s]."""
    state, rates = pile.states[body], pile.rates[body]
    moving = turning = 0.0
    for k in range(3):
        moving += state[1 + k] ** 2
        turning += (state[8 + k] * rates[k]) ** 2
    return float(sqrt(moving) + pile.radii[body] * sqrt(turning))


@compiled_as_numpy
def near_edge(pile: Pile, table: Table, body: int, way: float) -> bool:
    """Whether a body may meet the board's edge, or lies partly over it."""
    state, reach = pile.states[body], pile.radii[body] + way
    x, y = abs(state[12]) - table.half, abs(state[13]) - table.half
    return bool(state[0] < reach and max(x, y) > -reach and x < reach and y < reach)


@compiled_as_numpy
def near_cup(pile: Pile, table: Table, body: int, way: float) -> bool:
    """Whether a body is in the cup, or may meet its rim."""
    state, reach = pile.states[body], pile.radii[body] + way
    cup = pile.cup
    far = (state[12] - cup[0]) ** 2 + (state[13] - cup[1]) ** 2 + (state[0] - cup[2]) ** 2
    most = reach + sqrt(table.cup_radius**2 + table.cup_half**2)
    return bool(far < most * most)


@compiled_as_numpy
def pair_up(shapes: Shapes, pile: Pile, table: Table, bodies: int, time: float) -> float:
    """Find who may meet whom in a step, and so is stepped with others.

    Returns the speed that no point of those has more than, but for what is in the cup [m/s].
    """
    pile.pair_count[0] = 0
    for body in range(bodies):
        pile.joint[body] = ALONE
        if pile.forms[body] != STANDING:
            way = fastest(pile, body) * time
            if pile.has_cup[0] and near_cup(pile, table, body, way):
                pile.joint[body] = IN_CUP
            elif near_edge(pile, table, body, way):
                pile.joint[body] = TOGETHER
    for body in range(bodies):
        for other in range(body):
            loose = pile.forms[body] != STANDING, pile.forms[other] != STANDING
            if not (loose[0] or loose[1]):
                continue
            speed = 0.0
            if loose[0]:
                speed += fastest(pile, body)
            if loose[1]:
                speed += fastest(pile, other)
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
            if loose[0] and pile.joint[body] == ALONE:
                pile.joint[body] = TOGETHER
            if loose[1] and pile.joint[other] == ALONE:
                pile.joint[other] = TOGETHER
    top = 0.0
    for body in range(bodies):
        if pile.joint[body] == TOGETHER:
            top = max(top, fastest(pile, body))
    return top


@compiled_as_numpy
def guess(pile: Pile, body: int, other: int) -> None:
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


@compiled_as_numpy
def _may_meet(shapes: Shapes, pile: Pile, body: int, other: int, way: float) -> bool:
    """Whether the hulls of two bodies are less apart than a way."""
    one, two = shapes.hulls[pile.kinds[body]], shapes.hulls[pile.kinds[other]]
    guess(pile, body, other)
    if gap_along(shapes, pile, one, body, two, other) > way:
        return False
    gap = find_gap(shapes, pile, one, body, two, other, way, 0.0)
    remember(pile, body, other, gap)
    return gap < way


@compiled_as_numpy
def remember(pile: Pile, body: int, other: int, gap: float) -> None:
    """Keep the normal and the gap of two whole bodies, to begin with next time."""
    for k in range(3):
        pile.axes[body, other, k] = pile.normal[k]
    pile.axes[body, other, 3] = gap
