"""Throws by a person's hand, as a page would make them."""

from math import cos, pi, sin

import numpy as np

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


DRIVE = """
window.drive = (moves, frames) => {
  const { hand } = pigglesim;
  hand.onRelease = () => {};
  Object.assign(hand, { thrown: false, running: true, clock: 0 });
  hand.begin();
  let time = 0;
  for (; time <= 1000; time += 20) hand.moveTo(time);
  const [start, taken] = [time, hand.at.slice(0, 2)];
  hand.pointer = 1;
  const rests = { time, at: taken };
  Object.assign(hand, { from: null, target: taken, moves: [rests, rests] });
  for (const [seconds, at] of moves) {
    const now = start + 1000 * seconds;
    for (; time + 1000 / frames < now; time += 1000 / frames) hand.moveTo(time - hand.behind);
    hand.follows(at, now);
  }
  hand.moveTo(start + 1000 * moves.at(-1)[0]);
  const { swing, heading } = hand.throwing;
  hand.pointer = undefined;
  hand.letGo();
  hand.thrower.advance(Infinity, true);
  const { film, places, actors } = hand.thrower.result();
  const bytes = new Uint8Array(film.positions.buffer);
  const text = bytes.reduce((all, byte) => all + String.fromCharCode(byte), "");
  const points = actors.map((each) => each.points);
  return { start: hand.thrower.text, swing, heading, places, points, film: btoa(text) };
};
"""
"""Script of a page that moves its cup by the moves of a mouse, lets go, and returns the throw."""


def mouse_moves(rng, rate):
    """Return times [s] and places [m] of a mouse that takes the cup, shakes it and flicks it.

    It moves `rate` times per second, and is let go at the last.
    """
    x0, y0, _ = PARKED
    x1, y1 = rng.uniform(-0.03, 0.03), rng.uniform(-0.12, -0.09)
    tempo, size = rng.uniform(2.0, 4.0), rng.uniform(0.0, 0.03)
    speed, heading = rng.uniform(0.3, 1.5), rng.uniform(-0.4, 0.4)
    times = np.append(np.arange(rng.uniform(0.0, 1.0) / rate, 1.76, 1.0 / rate), 1.76)
    moves = []
    for time in times.tolist():
        way = min(time / 0.6, 1.0) ** 2 * (3.0 - 2.0 * min(time / 0.6, 1.0))
        shaken = size * sin(2.0 * pi * tempo * (time - 0.6)) if 0.6 < time < 1.6 else 0.0
        far = 0.5 * speed / 0.16 * max(time - 1.6, 0.0) ** 2
        at = (x0 + way * (x1 - x0) + shaken + far * sin(heading), y0 + way * (y1 - y0))
        moves.append((time, (at[0], at[1] + far * cos(heading))))
    return moves
