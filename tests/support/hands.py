"""Throws by a person's hand, as a page would make them."""

from math import cos, pi, sin

from pigglesim.hand_throw import ANGLE_UNIT, LENGTH_UNIT, RATE
from pigglesim.landing import Seat
from pigglesim.throws import Pour

PARKED = (0.25, -0.12, 0.036)
"""Where the cup stands beside the board [m], for seat A."""
HELD = (0.02, -0.11, 0.18)
"""Where it is shaken [m]."""
_TIP = 2.27


def rounded(rows):
    """Return rows of metres and radians as samples."""
    return tuple(
        tuple(round(value / (LENGTH_UNIT if k < 3 else ANGLE_UNIT)) for k, value in enumerate(row))
        for row in rows
    )


def shaken(rng, *, sign=1.0, rest=20, parked=PARKED):
    """Return samples: taken from beside the board, shaken, tipped with a flick."""
    (x0, y0, z0), tempo, size = parked, rng.uniform(3.0, 6.0), rng.uniform(0.0, 0.025)
    rows = [(*parked, 0.0, 0.0)] * rest
    for k in range(int(rng.uniform(0.6, 1.4) * RATE)):
        lift, turn = min(1.0, k / 16), 2.0 * pi * tempo * k / RATE
        way = max(0.0, min(1.0, (k - 16) / 24))
        way = way * way * (3.0 - 2.0 * way)
        x, y = x0 + way * (HELD[0] - x0), y0 + way * (HELD[1] - y0)
        rows.append((
            x + way * size * sin(turn), y + way * size * (cos(turn) - 1.0),
            z0 + lift * (HELD[2] - z0), 0.0, 0.0,
        ))  # fmt: skip
    x, y, z = rows[-1][:3]
    turn, far = rng.uniform(-0.6, 0.6), rng.uniform(0.0, 0.06)
    for k in range(1, 25):
        way = (k / 24) ** 2 * (3.0 - k / 12)
        rows.append((
            x + far * way * sin(turn), y + far * way * cos(turn), z,
            -_TIP * way * cos(turn), _TIP * way * sin(turn),
        ))  # fmt: skip
    return rounded([(sign * a, sign * b, c, sign * d, sign * e) for a, b, c, d, e in rows])


def hand_throw(scene, bodies, samples, *, rng, seat=Seat.A):
    """Return a throw along samples, from places drawn as for any pour."""
    return Pour(scene=scene, seat=seat).held(bodies, samples, rng=rng)
