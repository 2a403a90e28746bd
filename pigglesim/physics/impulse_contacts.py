"""Impulses at the contacts of a die with the plane; compiled."""

from math import sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_resist import resist_rolling, resist_spinning, within
from pigglesim.physics.impulse_types import Die, Ground, Work

__all__ = ["keep_contact", "solve"]

_SWEEPS = 50
"""Of all contacts, at most."""
_ENOUGH = 3e-4
"""A sweep that changes no corner's velocity by more ends them [m/s]."""


@compiled_as_numpy
def keep_contact(work: Work, count: int, aim: float) -> int:
    """Add a contact at the corner placed last; where all are taken, instead of the highest."""
    at, place, slot = work.at, work.place, count
    if count == at.shape[0]:
        slot = 0
        for k in range(1, count):
            if at[k, 2] > at[slot, 2]:
                slot = k
        if at[slot, 2] <= place[2]:
            return count
    at[slot, 0], at[slot, 1], at[slot, 2] = place[0], place[1], place[2]
    work.target[slot] = aim
    return count + 1 if slot == count else count


@compiled_as_numpy
def solve(die: Die, ground: Ground, work: Work, count: int) -> None:
    """Change velocity and spin by impulses at contacts, swept one by one until little changes.

    Afterwards no contact's normal velocity is below its target, and none pulls; friction keeps to
    its cone, and what resists turning to its levers.
    """
    _prepare(die.lightness, work, count)
    inverse, spin, resist = work.inverse, work.spin, work.resist
    for _ in range(_SWEEPS):
        change, total = _sweep(die.lightness, ground.friction, work, count)
        if ground.rolling > 0.0:
            most = ground.rolling * total
            change = max(change, resist_rolling(most, die.radius, inverse, spin, resist))
        if ground.spinning > 0.0:
            most = ground.spinning * total
            change = max(change, resist_spinning(most, die.radius, inverse, spin, resist))
        if change < _ENOUGH:
            break


@compiled_as_numpy
def _prepare(lightness: float, work: Work, count: int) -> None:
    """Write what unit impulses at each contact do, and set all impulses to none."""
    inverse = work.inverse
    a, b, c = inverse[0, 0], inverse[1, 1], inverse[2, 2]
    d, e, f = inverse[0, 1], inverse[0, 2], inverse[1, 2]
    work.resist[:] = 0.0
    for i in range(count):
        work.push[i] = work.drag[i, 0] = work.drag[i, 1] = 0.0
        x, y, z = work.at[i, 0], work.at[i, 1], work.at[i, 2]
        g = work.gives[i]
        g[0], g[1], g[2] = a * y - d * x, d * y - b * x, e * y - f * x
        g[3], g[4], g[5] = d * z - e * y, b * z - f * y, f * z - c * y
        g[6], g[7], g[8] = e * x - a * z, f * x - d * z, c * x - e * z
        g[9] = 1.0 / (lightness + y * g[0] - x * g[1])
        xx = lightness + z * g[4] - y * g[5]
        yy = lightness - z * g[6] + x * g[8]
        xy = z * g[7] - y * g[8]
        # The larger eigenvalue: with it sweeps converge to friction against the way of sliding.
        g[10] = 1.0 / (0.5 * (xx + yy) + sqrt(0.25 * (xx - yy) ** 2 + xy * xy))


@compiled_as_numpy
def _sweep(lightness: float, friction: float, work: Work, count: int) -> tuple[float, float]:
    """Go once over all contacts; return the largest change [m/s] and the sum of normal impulses."""
    push, drag = work.push, work.drag
    vx, vy, vz = work.velocity[0], work.velocity[1], work.velocity[2]
    wx, wy, wz = work.spin[0], work.spin[1], work.spin[2]
    change, total = 0.0, 0.0
    for i in range(count):
        x, y, z = work.at[i, 0], work.at[i, 1], work.at[i, 2]
        g = work.gives[i]
        was = push[i]
        now = max(0.0, was + (work.target[i] - (vz + wx * y - wy * x)) * g[9])
        if now == 0.0 and was == 0.0:
            continue
        p = now - was
        push[i] = now
        total += now
        vz += p * lightness
        wx += g[0] * p
        wy += g[1] * p
        wz += g[2] * p
        px = drag[i, 0] - (vx + wy * z - wz * y) * g[10]
        py = drag[i, 1] - (vy + wz * x - wx * z) * g[10]
        px, py = within(px, py, friction * now)
        dx, dy = px - drag[i, 0], py - drag[i, 1]
        drag[i, 0], drag[i, 1] = px, py
        vx += dx * lightness
        vy += dy * lightness
        wx += g[3] * dx + g[6] * dy
        wy += g[4] * dx + g[7] * dy
        wz += g[5] * dx + g[8] * dy
        change = max(change, max(abs(p), max(abs(dx), abs(dy))))
    work.velocity[0], work.velocity[1], work.velocity[2] = vx, vy, vz
    work.spin[0], work.spin[1], work.spin[2] = wx, wy, wz
    return change * lightness, total
