"""A person's turn at the table: which Piggles go into the cup, and where it is held and shaken."""

from dataclasses import replace

import numpy as np

from pigglesim.rolls import CupHold, Seat
from pigglesim.scene.scene import Scene
from pigglesim.spatial import Array
from pigglesim.throws.pour import LEAST_HEIGHT, CupPath, Pose, free_hold, held
from pigglesim.viewer.marks import Line, arrow_lines, ring_line
from pigglesim.viewer.shows import Offer

__all__ = ["Aim"]

_HIGHEST = 0.25
"""Lowest height of the lip that a person can ask for at most [m]: about a forearm."""
_BEYOND = 0.05
"""So far beyond the own half a press still means the cup [m]."""
_FOR_EVER = 1e6
"""A shake that goes on until the hand ends it [s]."""
_AHEAD = 0.05
"""Length of the arrow that shows which way the cup will tip [m]."""


class Aim:
    """The state of one decision while it is being taken.

    Args:
        offer: What can be decided.
        scene: The table.
    """

    def __init__(self, offer: Offer, scene: Scene) -> None:
        self.offer = offer
        self.chosen: list[str] = []
        """What is in the cup, in the order in which it was put there."""
        self.marked = 0
        """Which entry of the list is marked."""
        self.hold = offer.hold
        self.shaken: float | None = None
        """How long the cup has been shaken [s]; None while it is held still."""
        self.decided = False
        """Whether it has been taken: what follows is being worked out."""
        self._scene = scene

    def pick(self, name: str) -> bool:
        """Put a Piggle into the cup or take it out; mark an entry about it; say whether either."""
        if name in self.offer.loadable:
            if name in self.chosen:
                self.chosen.remove(name)
            elif len(self.chosen) < self._scene.capacity:
                self.chosen.append(name)
            return True
        count = len(self.offer.choices)
        # One that is about it again: the next after the marked one.
        after = [(self.marked + step) % count for step in range(1, count + 1)]
        found = (k for k in after if name in self.offer.choices[k].about)
        number = next(found, None)
        if number is not None:
            self.marked = number
        return number is not None

    def pick_number(self, number: int) -> bool:
        """Do so for the Piggle, or mark the entry, of that number from 1; say whether it is."""
        if number <= len(self.offer.piggles):
            return self.pick(self.offer.piggles[number - 1])
        if number <= len(self.offer.choices):
            self.marked = number - 1
            return True
        return False

    def pick_all(self) -> None:
        """Put everything in, or out again if it is in."""
        most = self._scene.capacity
        full = len(self.chosen) == min(len(self.offer.loadable), most)
        self.chosen = [] if full else list(self.offer.loadable[:most])

    @property
    def pours(self) -> bool:
        """Whether there is a cup to be held."""
        return self.hold is not None

    def point_at(self, eye: Array, direction: Array) -> bool:
        """Hold the cup over the point of the board that is seen, as near as the rules allow.

        Args:
            eye: Where the line begins [m], shape [3].
            direction: Unit vector, shape [3].

        Returns:
            Whether the line goes to the own half or near it.
        """
        if self.hold is None or direction[2] >= 0.0 or self.shaken is not None:
            return False
        asked = eye - direction * (eye[2] / direction[2])
        side = 1.0 if self.offer.seat is Seat.A else -1.0
        hand = self._scene.hand
        # The cup is seen where it is shaken; the rules speak of where the tip ends.
        travel = hand.start_back - hand.end_back
        wish = replace(
            self.hold, across=float(side * asked[0]), back=float(-side * asked[1]) - travel
        )
        self.hold = free_hold(self._scene, wish)
        x, y, _ = self.pose(0.0)[0]
        return bool(np.hypot(asked[0] - x, asked[1] - y) < _BEYOND)

    def move(self, across: float, back: float) -> None:
        """Move the cup by so much to the thrower's right and backwards [m]."""
        if self.hold is not None and self.shaken is None:
            wish = replace(self.hold, across=self.hold.across + across, back=self.hold.back + back)
            self.hold = free_hold(self._scene, wish)

    def lift(self, by: float) -> None:
        """Hold the cup so much higher [m], within what the rules and an arm allow."""
        if self.hold is not None and self.shaken is None:
            height = min(max(self.hold.height + by, LEAST_HEIGHT), _HIGHEST)
            self.hold = replace(self.hold, height=height)

    def pose(self, time: float) -> Pose:
        """Return where the cup is after it was shaken for a time [s]; it must be held."""
        hand = held(self._scene.hand, self.hold)
        path = CupPath(
            cup=self._scene.cup,
            hand=replace(hand, shake_time=_FOR_EVER),
            seat=self.offer.seat,
            across=hand.across,
            heading=0.0,
            tempo=1.0,
            phase=0.0,
        )
        return path.pose(time)

    @property
    def cup(self) -> Pose | None:
        """Where the cup is seen now."""
        return None if self.hold is None else self.pose(self.shaken or 0.0)

    def lines(self, colour: str) -> tuple[Line, ...]:
        """Return the place of the cup on the board, and which way it will tip."""
        if self.hold is None:
            return ()
        (x, y, _), _ = self.pose(0.0)
        below = np.array([x, y, 0.001])
        ahead = np.array([0.0, 1.0 if self.offer.seat is Seat.A else -1.0, 0.0])
        radius = self._scene.cup.outer_radius
        start = below + radius * ahead
        return (
            ring_line(below, radius, colour),
            *arrow_lines(start, start + _AHEAD * ahead, colour),
        )

    @property
    def poured(self) -> CupHold | None:
        """The hold to roll from: None where it is the scene's own, so that nothing is recorded."""
        return None if self.hold == self.offer.hold else self.hold
