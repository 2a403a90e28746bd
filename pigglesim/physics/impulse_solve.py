"""Impulses at the contacts of many bodies; compiled.

As `impulse_contacts` does for one die on a plane, with two bodies at each contact and any normal.
"""

from math import sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_pile_types import Pile, Table
from pigglesim.physics.impulse_resist import resist_rolling, resist_spinning, within
from pigglesim.physics.impulse_types import Ground

__all__ = ["add_contact", "aim", "lift", "solve"]

_ENOUGH = 3e-4
"""A sweep that changes no contact's velocity by more ends them [m/s]."""
_AT_REST = 5
"""How many times as many sweeps there may be once the cup is gone."""
_LIFT = 0.2
"""Share of an overlap that a step takes away, without giving bodies speed."""


@compiled_as_numpy
def add_contact(
    pile: Pile, body: int, other: int, x: float, y: float, z: float, gap: float
) -> None:
    """Add a contact at a point, along the normal last found; where there is no room, none."""
    i = pile.count[0]
    if i == len(pile.gap):
        return
    pile.count[0] = i + 1
    pile.first[i], pile.second[i] = body, other
    pile.at[i, 0], pile.at[i, 1], pile.at[i, 2] = x, y, z
    pile.gap[i] = gap
    n, ways = pile.normal, pile.ways[i]
    if abs(n[0]) < 0.6:
        ux, uy, uz = 0.0, n[2], -n[1]
    else:
        ux, uy, uz = -n[2], 0.0, n[0]
    size = 1.0 / sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux * size, uy * size, uz * size
    ways[0, 0], ways[0, 1], ways[0, 2] = n[0], n[1], n[2]
    ways[1, 0], ways[1, 1], ways[1, 2] = ux, uy, uz
    ways[2, 0] = n[1] * uz - n[2] * uy
    ways[2, 1] = n[2] * ux - n[0] * uz
    ways[2, 2] = n[0] * uy - n[1] * ux


@compiled_as_numpy
def _prepare(pile: Pile, i: int) -> None:
    """Write what unit impulses at a contact do, and set its impulses to none."""
    pile.push[i] = pile.drag[i, 0] = pile.drag[i, 1] = 0.0
    weight = pile.lightness[pile.first[i]] + pile.lightness[pile.second[i]]
    kxx = kyy = kzz = kyz = 0.0
    for side in range(2):
        body = pile.first[i] if side == 0 else pile.second[i]
        inverse = pile.inverses[body]
        x = pile.at[i, 0] - pile.places[body, 0]
        y = pile.at[i, 1] - pile.places[body, 1]
        z = pile.at[i, 2] - pile.places[body, 2]
        for w in range(3):
            a, b, c = pile.ways[i, w, 0], pile.ways[i, w, 1], pile.ways[i, w, 2]
            tx, ty, tz = y * c - z * b, z * a - x * c, x * b - y * a
            turning, gives = pile.turning[i, side, w], pile.gives[i, side, w]
            turning[0], turning[1], turning[2] = tx, ty, tz
            for k in range(3):
                gives[k] = inverse[k, 0] * tx + inverse[k, 1] * ty + inverse[k, 2] * tz
        t, g = pile.turning[i, side], pile.gives[i, side]
        kxx += t[0, 0] * g[0, 0] + t[0, 1] * g[0, 1] + t[0, 2] * g[0, 2]
        kyy += t[1, 0] * g[1, 0] + t[1, 1] * g[1, 1] + t[1, 2] * g[1, 2]
        kzz += t[2, 0] * g[2, 0] + t[2, 1] * g[2, 1] + t[2, 2] * g[2, 2]
        kyz += t[1, 0] * g[2, 0] + t[1, 1] * g[2, 1] + t[1, 2] * g[2, 2]
    pile.eases[i, 0] = 1.0 / (weight + kxx)
    yy, zz = weight + kyy, weight + kzz
    # The larger eigenvalue: with it sweeps converge to friction against the way of sliding.
    pile.eases[i, 1] = 1.0 / (0.5 * (yy + zz) + sqrt(0.25 * (yy - zz) ** 2 + kyz * kyz))


@compiled_as_numpy
def _speed(pile: Pile, i: int, w: int) -> float:
    """Return the velocity of the first body from the second at a contact, along a way [m/s]."""
    a, b = pile.first[i], pile.second[i]
    v, u, s, q = pile.velocities[a], pile.velocities[b], pile.spins[a], pile.spins[b]
    way, one, two = pile.ways[i, w], pile.turning[i, 0, w], pile.turning[i, 1, w]
    return float(
        way[0] * (v[0] - u[0])
        + way[1] * (v[1] - u[1])
        + way[2] * (v[2] - u[2])
        + one[0] * s[0]
        + one[1] * s[1]
        + one[2] * s[2]
        - two[0] * q[0]
        - two[1] * q[1]
        - two[2] * q[2]
    )


@compiled_as_numpy
def _push(pile: Pile, i: int, w: int, impulse: float) -> None:
    """Push both bodies of a contact along a way."""
    a, b = pile.first[i], pile.second[i]
    way = pile.ways[i, w]
    pa, pb = impulse * pile.lightness[a], impulse * pile.lightness[b]
    for k in range(3):
        pile.velocities[a, k] += pa * way[k]
        pile.spins[a, k] += impulse * pile.gives[i, 0, w, k]
    if pb != 0.0:
        for k in range(3):
            pile.velocities[b, k] -= pb * way[k]
            pile.spins[b, k] -= impulse * pile.gives[i, 1, w, k]


@compiled_as_numpy
def aim(pile: Pile, restitution: float, no_bounce: float, half: float, start: int) -> None:
    """Set the least normal velocity after the step of every contact from `start` on."""
    for i in range(start, pile.count[0]):
        _prepare(pile, i)
        speed = _speed(pile, i, 0)
        gap = pile.gap[i]
        if speed < -no_bounce and gap + speed * half < 0.0:
            pile.aim[i] = -restitution * speed
        else:
            pile.aim[i] = -max(gap, 0.0) / half


@compiled_as_numpy
def _sweep(pile: Pile, ground: Ground, table: Table) -> float:
    """Go once over all contacts; return the largest change of velocity [m/s]."""
    change = 0.0
    for i in range(pile.count[0]):
        ease, across = pile.eases[i, 0], pile.eases[i, 1]
        was = pile.push[i]
        now = max(0.0, was + (pile.aim[i] - _speed(pile, i, 0)) * ease)
        if now == 0.0 and was == 0.0:
            continue
        a, b = pile.first[i], pile.second[i]
        weight = pile.lightness[a] + pile.lightness[b]
        if now != was:
            pile.push[i] = now
            _push(pile, i, 0, now - was)
            change = max(change, abs(now - was) * weight)
        if pile.kind[i] == 0:
            friction = ground.friction
            pile.weights_on[a] += now - was
        elif pile.kind[i] == 1:
            friction = table.piggle_friction
        else:
            friction = table.cup_friction
        px = pile.drag[i, 0] - _speed(pile, i, 1) * across
        py = pile.drag[i, 1] - _speed(pile, i, 2) * across
        px, py = within(px, py, friction * now)
        dx, dy = px - pile.drag[i, 0], py - pile.drag[i, 1]
        pile.drag[i, 0], pile.drag[i, 1] = px, py
        _push(pile, i, 1, dx)
        _push(pile, i, 2, dy)
        change = max(change, max(abs(dx), abs(dy)) * weight)
    return change


@compiled_as_numpy
def _resist(pile: Pile, ground: Ground, body: int) -> float:
    """Resist a body's rolling and spinning on the board; return the change of velocity [m/s]."""
    inverse, spin, resist = pile.inverses[body], pile.spins[body], pile.resist[body]
    radius, total, change = pile.radii[body], pile.weights_on[body], 0.0
    if ground.rolling > 0.0:
        change = resist_rolling(ground.rolling * total, radius, inverse, spin, resist)
    if ground.spinning > 0.0:
        most = ground.spinning * total
        change = max(change, resist_spinning(most, radius, inverse, spin, resist))
    return float(change)


@compiled_as_numpy
def solve(pile: Pile, ground: Ground, table: Table, bodies: int) -> None:
    """Change velocities and spins by impulses at all contacts, swept until little changes."""
    for body in range(bodies):
        pile.weights_on[body] = 0.0
        for k in range(3):
            pile.resist[body, k] = 0.0
    # In the cup all is jostling, and the next blow is near; on the board bodies come to rest.
    sweeps = table.iterations if pile.has_cup[0] else _AT_REST * table.iterations
    for _ in range(sweeps):
        change = _sweep(pile, ground, table)
        for body in range(bodies):
            if pile.weights_on[body] > 0.0:
                change = max(change, _resist(pile, ground, body))
        if change < _ENOUGH:
            break


@compiled_as_numpy
def lift(pile: Pile) -> None:
    """Move bodies that overlap apart, by a share of it and without speed."""
    for i in range(pile.count[0]):
        a, b = pile.first[i], pile.second[i]
        n = pile.ways[i, 0]
        gap = pile.gap[i]
        for k in range(3):
            gap += n[k] * (pile.pushes[a, k] - pile.pushes[b, k])
        if gap < 0.0:
            one, two = pile.lightness[a], pile.lightness[b]
            by = -_LIFT * gap / (one + two)
            for k in range(3):
                pile.pushes[a, k] += by * one * n[k]
                pile.pushes[b, k] -= by * two * n[k]
