"""The cup in a person's hand at the window: it follows the hand, and its path is the throw."""

from math import atan2, cos, hypot, pi, sin

import numpy as np

from pigglesim.cup_motion import Pose
from pigglesim.cup_path import centre_height, with_hold
from pigglesim.films.film import Film
from pigglesim.hand_throw import ANGLE_UNIT, LENGTH_UNIT, MAX_SAMPLES, RATE, Sample
from pigglesim.landing import (
    COMMON_CUP_HEIGHT,
    MAX_HEADING,
    MAX_SWING,
    MIN_CUP_HEIGHT,
    CupHold,
    Seat,
)
from pigglesim.render.lines import ColouredLine, arrow_lines, ring_line
from pigglesim.rotations import Array
from pigglesim.scene.scene import Scene

_BEYOND = 0.05
"""Distance beyond the own half at which a press still grabs the cup [m]."""
_EDGE = 0.005
"""Distance of the cup's centre from the edges of the own half [m]."""
_STIFF, _PULL, _SPEED = 28.0, 70.0, 2.8
"""How the cup follows the hand, as in `hand.js`: rate [1/s], acceleration [m/s2], speed [m/s]."""
_LEAN, _MOST_LEAN = 0.14, 0.3
"""Tilt of the cup into its motion [rad s/m], [rad]."""
_GENTLE, _SLOWEST, _HARDEST = 0.25, 0.15, 0.9
"""Speed below which a hand just tips the cup, and the slowest and hardest swing of others [m/s]."""
_TIP = 20
"""Samples of the tip."""
_STANDS = RATE // 2
"""Samples in which bodies come to rest in a cup that stands; alike, they add nothing to a text."""
_SWAY, _BEAT = 0.05, 4.0
"""How a key shakes the cup [m], [1/s]."""
_AHEAD, _FASTER = 0.05, 0.1
"""Length of the arrow in the direction of the throw [m], and more of it for each m/s [s]."""


class Aim:
    """The cup in a person's hand, filled with the bodies of a roll by a player."""

    def __init__(self, film: Film, scene: Scene) -> None:
        self.film = film
        """Roll whose bodies are in the cup."""
        self.seat = next(actor.owner for actor in film.actors if not actor.standing) or Seat.A
        hand = scene.hand
        self.height = hand.lip_height
        """Height of the lip at its lowest while the cup is tipped [m]."""
        self.heading, self.swing = 0.0, _SLOWEST
        """Direction [rad] and swing [m/s] of a throw by a hand that does not move."""
        self.samples: list[Sample] = []
        """Path of the cup since it is shaken; empty while it is held still."""
        self.sways = False
        """True while a key shakes the cup."""
        self._scene, self._sign = scene, 1.0 if self.seat is Seat.A else -1.0
        self._target = self._own_half(self._sign * hand.across, -self._sign * hand.start_back)
        self._pointed = self._target
        """Place over which the cup was to be at the end of the last tick."""
        self._at, self._velocity, self._due, self._beat = self._target, np.zeros(2), 0.0, 0.0

    def _own_half(self, x: float, y: float) -> Array:
        """Return the nearest place where the cup's centre may be (R9)."""
        within = self._scene.board.half - _EDGE
        y = -self._sign * min(max(-self._sign * y, _EDGE), within)
        return np.array([min(max(x, -within), within), y])

    def point_at(self, eye: Array, direction: Array) -> bool:
        """Hold the cup over the point where a ray meets the board, or as near as the rules allow.

        Returns:
            True if the ray meets the own half or its surroundings.
        """
        if direction[2] >= 0.0:
            return False
        x, y, _ = (eye - direction * (eye[2] / direction[2])).tolist()
        self._hold_over(self._own_half(x, y))
        return hypot(x - self._target[0], y - self._target[1]) < _BEYOND

    def shift(self, across: float, ahead: float) -> None:
        """Move the hand to its right and ahead, as seen from the seat [m]."""
        x, y = self._target + self._sign * np.array([across, ahead])
        self._hold_over(self._own_half(x, y))

    def _hold_over(self, target: Array) -> None:
        self._target = target
        if not self.samples:
            self._at = self._pointed = target

    def steer(self, turn: float = 0.0, harder: float = 0.0) -> None:
        """Turn the throw [rad] and swing it harder [m/s], as far as legal."""
        self.heading = min(max(self.heading + turn, -MAX_HEADING), MAX_HEADING)
        self.swing = min(max(self.swing + harder, 0.0), MAX_SWING)

    def lift(self, distance: float) -> None:
        """Raise a cup that is held still by a distance [m], within the rules and an arm."""
        if not self.samples:
            self.height = min(max(self.height + distance, MIN_CUP_HEIGHT), COMMON_CUP_HEIGHT)

    # The path.

    def begin(self, *, sways: bool = False) -> None:
        """Begin the path from where the cup is held still; by a key, it sways."""
        if not self.samples:
            self.samples = self.standing
            self._velocity, self._due, self._beat = np.zeros(2), 0.0, 0.0
        self.sways = sways

    @property
    def standing(self) -> list[Sample]:
        """Path of a cup that stands here until what is in it has come to rest."""
        return [self._sample(self._at, np.zeros(2))] * _STANDS

    @property
    def full(self) -> bool:
        """True if a path cannot be longer."""
        return len(self.samples) >= MAX_SAMPLES - _TIP

    def tick(self, elapsed: float) -> None:
        """Move the cup for some time [s], if it is shaken.

        In this time the pointer went evenly from one place to the next, however few are reported.
        """
        before, self._pointed = self._pointed, self._target
        self._due += elapsed if self.samples else 0.0
        while self._due >= 1.0 / RATE and not self.full:
            self._due -= 1.0 / RATE
            share = 1.0 - min(self._due / elapsed, 1.0) if elapsed else 1.0
            self._follow(1.0 / RATE, before + share * (self._target - before))
            self.samples.append(self._sample(self._at, self._tilt))

    def _follow(self, step: float, goal: Array) -> None:
        if self.sways:
            self._beat += step * _BEAT
            goal = self._own_half(goal[0] + _SWAY * sin(2.0 * pi * self._beat), goal[1])
        pull = _STIFF * _STIFF * (goal - self._at) - 2.0 * _STIFF * self._velocity
        wished = self._velocity + step * _limited(pull, _PULL)
        before, (x, y) = self._at, self._at + step * _limited(wished, _SPEED)
        self._at = self._own_half(x, y)
        self._velocity = (self._at - before) / step

    @property
    def _tilt(self) -> Array:
        vx, vy = self._velocity
        return _limited(_LEAN * np.array([-vy, vx]), _MOST_LEAN)

    def _sample(self, at: Array, tilt: Array) -> Sample:
        x, y, z = (round(float(value) / LENGTH_UNIT) for value in (*at, self._centre))
        return (x, y, z, *(round(float(value) / ANGLE_UNIT) for value in tilt))  # type: ignore[return-value]

    @property
    def _centre(self) -> float:
        """Height of the cup's centre [m]."""
        hold = CupHold(across=0.0, back=0.0, height=self.height)
        return centre_height(self._scene.cup, with_hold(self._scene.hand, hold))

    def _throwing(self) -> tuple[float, float]:
        """Return direction [rad] and swing [m/s] of a throw now: those of the hand if it moves."""
        across, ahead = self._sign * self._velocity
        speed = hypot(across, ahead)
        if self.sways or not self.samples or speed < _GENTLE or ahead <= 0.0:
            return self.heading, self.swing
        return min(max(atan2(across, ahead), -MAX_HEADING), MAX_HEADING), min(speed, _HARDEST)

    def thrown(self) -> tuple[Sample, ...]:
        """Return the path of a cup that is let go now: it tips while it slows down."""
        self.begin(sways=self.sways)
        heading, swing = self._throwing()
        ahead = self._sign * np.array([sin(heading), cos(heading)])
        tilt, at, samples = self._tilt, self._at, list(self.samples)
        for share in (np.arange(_TIP) + 1.0) / _TIP:
            way = share**3 * (10.0 - 15.0 * share + 6.0 * share * share)
            x, y = at + swing * (1.0 - share) ** 2 / RATE * ahead
            at = self._own_half(x, y)
            turn = self._scene.hand.tip_angle * way * np.array([-ahead[1], ahead[0]])
            samples.append(self._sample(at, (1.0 - way) * tilt + turn))
        return tuple(samples)

    # What is seen.

    @property
    def cup(self) -> Pose:
        """Current transform of the cup on screen."""
        tilt = self._tilt if self.samples else np.zeros(2)
        angle = float(np.linalg.norm(tilt))
        x, y = sin(angle / 2.0) * tilt / max(angle, 1e-9)
        return (float(self._at[0]), float(self._at[1]), self._centre), (x, y, 0.0, cos(angle / 2.0))

    def lines(self, colour: str) -> tuple[ColouredLine, ...]:
        """Return lines for the cup's position on the board and the direction of a throw now."""
        heading, swing = self._throwing()
        below = np.array([*self._at, 0.001])
        ahead = self._sign * np.array([sin(heading), cos(heading), 0.0])
        radius = self._scene.cup.outer_radius
        start = below + radius * ahead
        reach = _AHEAD + _FASTER * swing
        return (
            ring_line(below, radius, colour),
            *arrow_lines(start, start + reach * ahead, colour),
        )


def _limited(vector: Array, most: float) -> Array:
    """Return a vector, not longer than `most`."""
    limited: Array = vector * min(1.0, most / max(float(np.linalg.norm(vector)), 1e-9))
    return limited
