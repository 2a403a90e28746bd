"""Free motion of a die, and the search for its corners near the plane; compiled."""

from math import cos, sin, sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.physics.impulse_types import Die, Work
from pigglesim.spatial import Array

__all__ = ["gather", "least", "normal_speed", "place", "turn", "write_axes"]


@compiled_as_numpy
def _turn_about(state: Array, axis: int, angle: float) -> None:
    """Turn the die by an angle about one of its own axes; momentum stays what it is in space."""
    x = 0.5 * angle
    y = x * x
    if y < 0.25:
        s = x * (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110)))))
        c = 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90))))
    else:
        s, c = sin(x), cos(x)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    qi, qj, qk, qw = state[4 + axis], state[4 + j], state[4 + k], state[7]
    state[4 + axis] = qi * c + qw * s
    state[4 + j] = qj * c + qk * s
    state[4 + k] = qk * c - qj * s
    state[7] = qw * c - qi * s
    c2, s2 = c * c - s * s, 2.0 * s * c
    mj, mk = state[8 + j], state[8 + k]
    state[8 + j] = mj * c2 + mk * s2
    state[8 + k] = mk * c2 - mj * s2


@compiled_as_numpy
def turn(state: Array, rates: tuple[float, float, float], time: float) -> None:
    """Let the die turn freely; `rates` are the inverse principal moments."""
    _turn_about(state, 0, 0.5 * time * state[8] * rates[0])
    _turn_about(state, 1, 0.5 * time * state[9] * rates[1])
    _turn_about(state, 2, time * state[10] * rates[2])
    _turn_about(state, 1, 0.5 * time * state[9] * rates[1])
    _turn_about(state, 0, 0.5 * time * state[8] * rates[0])
    size = 1.0 / sqrt(state[4] ** 2 + state[5] ** 2 + state[6] ** 2 + state[7] ** 2)
    for i in range(4, 8):
        state[i] *= size


@compiled_as_numpy
def write_axes(state: Array, work: Work) -> None:
    """Write the matrix from principal to world axes."""
    x, y, z, w = state[4], state[5], state[6], state[7]
    out = work.axes
    out[0, 0], out[0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w)
    out[1, 0], out[1, 1] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z)
    out[2, 0], out[2, 1] = 2 * (x * z - y * w), 2 * (y * z + x * w)
    out[0, 2], out[1, 2] = 2 * (x * z + y * w), 2 * (y * z - x * w)
    out[2, 2] = 1 - 2 * (x * x + y * y)


@compiled_as_numpy
def least(die: Die, way: Array, start: int) -> int:
    """Walk along edges of the hull to the corner that is least far along a direction.

    A corner with none less far beside it is the one: the hull is convex.
    """
    # Single numbers and no rows: a row of an array is counted in and out each time.
    x, y, z = way[0], way[1], way[2]
    corners, links, ends = die.corners, die.links, die.ends
    best = here = start
    far = corners[best, 0] * x + corners[best, 1] * y + corners[best, 2] * z
    while True:
        for k in range(ends[here], ends[here + 1]):
            i = links[k]
            other = corners[i, 0] * x + corners[i, 1] * y + corners[i, 2] * z
            if other < far:
                best, far = i, other
        if best == here:
            return int(best)
        here = best


@compiled_as_numpy
def gather(die: Die, work: Work, way: Array, first: int, level: float, count: int) -> int:
    """Add the corners not farther along a direction than a level to those near; return how many.

    They hang together along edges, from the least far on.
    """
    x, y, z = way[0], way[1], way[2]
    corners, links, ends = die.corners, die.links, die.ends
    near, seen, room = work.near, die.seen, len(work.near)
    if corners[first, 0] * x + corners[first, 1] * y + corners[first, 2] * z > level:
        return count
    work.marks[0] += 1
    mark = work.marks[0]
    start = done = count
    seen[first] = mark
    near[count] = first
    count += 1
    while done < count:
        here = near[done]
        done += 1
        for k in range(ends[here], ends[here + 1]):
            i = links[k]
            if seen[i] != mark and count < room:
                seen[i] = mark
                if corners[i, 0] * x + corners[i, 1] * y + corners[i, 2] * z <= level:
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


@compiled_as_numpy
def place(die: Die, corner: int, work: Work) -> None:
    """Write where a corner is from the centre of mass, in world axes."""
    x, y, z = die.corners[corner, 0], die.corners[corner, 1], die.corners[corner, 2]
    axes = work.axes
    for k in range(3):
        work.place[k] = x * axes[k, 0] + y * axes[k, 1] + z * axes[k, 2]


@compiled_as_numpy
def normal_speed(work: Work) -> float:
    """Return the normal velocity of the corner placed last."""
    return float(work.velocity[2] + work.spin[0] * work.place[1] - work.spin[1] * work.place[0])
