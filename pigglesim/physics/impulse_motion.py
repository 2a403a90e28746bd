"""Free motion of a die, and the search for its corners near the plane; compiled."""

from math import cos, sin, sqrt

from pigglesim.physics.impulse_types import Die, Work, compiled
from pigglesim.spatial import Array

__all__ = ["gather", "least", "normal_speed", "place", "turn", "write_axes"]


@compiled
def _turn_about(q: Array, momentum: Array, axis: int, angle: float) -> None:
    """Turn the die by an angle about one of its own axes; momentum stays what it is in space."""
    x = 0.5 * angle
    y = x * x
    if y < 0.25:
        s = x * (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110)))))
        c = 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90))))
    else:
        s, c = sin(x), cos(x)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    qi, qj, qk, qw = q[axis], q[j], q[k], q[3]
    q[axis] = qi * c + qw * s
    q[j] = qj * c + qk * s
    q[k] = qk * c - qj * s
    q[3] = qw * c - qi * s
    c2, s2 = c * c - s * s, 2.0 * s * c
    mj, mk = momentum[j], momentum[k]
    momentum[j] = mj * c2 + mk * s2
    momentum[k] = mk * c2 - mj * s2


@compiled
def turn(q: Array, momentum: Array, rates: Array, time: float) -> None:
    """Let the die turn freely; `rates` are the inverse principal moments."""
    _turn_about(q, momentum, 0, 0.5 * time * momentum[0] * rates[0])
    _turn_about(q, momentum, 1, 0.5 * time * momentum[1] * rates[1])
    _turn_about(q, momentum, 2, time * momentum[2] * rates[2])
    _turn_about(q, momentum, 1, 0.5 * time * momentum[1] * rates[1])
    _turn_about(q, momentum, 0, 0.5 * time * momentum[0] * rates[0])
    size = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(4):
        q[i] *= size


@compiled
def write_axes(q: Array, out: Array) -> None:
    """Write the matrix from principal to world axes."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - z * w),
        2 * (x * z + y * w),
    )
    out[1, 0], out[1, 1], out[1, 2] = (
        2 * (x * y + z * w),
        1 - 2 * (x * x + z * z),
        2 * (y * z - x * w),
    )
    out[2, 0], out[2, 1], out[2, 2] = (
        2 * (x * z - y * w),
        2 * (y * z + x * w),
        1 - 2 * (x * x + y * y),
    )


@compiled
def _along(die: Die, corner: int, way: Array) -> float:
    """Return how far a corner is from the centre of mass along a direction."""
    at = die.corners[corner]
    return float(at[0] * way[0] + at[1] * way[1] + at[2] * way[2])


@compiled
def least(die: Die, way: Array, start: int) -> int:
    """Walk along edges of the hull to the corner that is least far along a direction.

    A corner with none less far beside it is the one: the hull is convex.
    """
    best = start
    far = _along(die, best, way)
    while True:
        here = best
        for k in range(die.ends[here], die.ends[here + 1]):
            other = _along(die, die.links[k], way)
            if other < far:
                best, far = die.links[k], other
        if best == here:
            return best


@compiled
def gather(die: Die, work: Work, way: Array, first: int, level: float, count: int) -> int:
    """Add the corners not farther along a direction than a level to those near; return how many.

    They hang together along edges, from the least far on.
    """
    near, seen = work.near, work.seen
    if _along(die, first, way) > level:
        return count
    work.marks[0] += 1
    mark = work.marks[0]
    start, done = count, count
    seen[first] = mark
    near[count] = first
    count += 1
    while done < count:
        here = near[done]
        done += 1
        for k in range(die.ends[here], die.ends[here + 1]):
            i = die.links[k]
            if seen[i] != mark and count < near.shape[0]:
                seen[i] = mark
                if _along(die, i, way) <= level:
                    near[count] = i
                    count += 1
    # What an earlier search has found stands in the list already.
    kept = start
    for k in range(start, count):
        known = False
        for j in range(start):
            known = known or near[j] == near[k]
        if not known:
            near[kept] = near[k]
            kept += 1
    return kept


@compiled
def place(die: Die, corner: int, work: Work) -> None:
    """Write where a corner is from the centre of mass, in world axes."""
    at = die.corners[corner]
    for k in range(3):
        work.place[k] = at[0] * work.axes[k, 0] + at[1] * work.axes[k, 1] + at[2] * work.axes[k, 2]


@compiled
def normal_speed(work: Work) -> float:
    """Return the normal velocity of the corner placed last."""
    return float(work.velocity[2] + work.spin[0] * work.place[1] - work.spin[1] * work.place[0])
