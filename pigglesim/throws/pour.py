"""How one pour differs from the next: the distribution from which a `Throw` is drawn."""

from dataclasses import dataclass, replace
from math import cos, exp, pi, sin

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.rolls import CupHold, Seat
from pigglesim.scene.board import INCH
from pigglesim.scene.cup import Hand
from pigglesim.scene.scene import Scene
from pigglesim.shapes.body import Body
from pigglesim.spatial import Array, random_quaternion, rotate
from pigglesim.throws.cup_path import CupPath
from pigglesim.throws.throw import Throw

__all__ = ["LEAST_HEIGHT", "Pour", "free_hold", "held"]

LEAST_HEIGHT = 2.0 * INCH
"""Least height of the cup above the board [m] (R9)."""

_TOLERANCE = 1e-6
"""Slack of the legality test [m]: lengths typed in inches must not fail by rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pour:
    """A cup loaded at random, shaken and tipped from the thrower's own half (R8, R9, P13).

    Orientations in the cup are uniform over all rotations and places are shuffled, so that no
    Piggle and no landing is favoured before first contact.
    """

    scene: Scene
    seat: Seat
    hold: CupHold | None = None
    """Where the cup is held; None for the scene's own hold."""

    def sample(self, bodies: tuple[Body, ...], *, rng: np.random.Generator) -> Throw:
        """Return one throw of `bodies`, drawn from `rng` and nothing else.

        Raises:
            SpecError: If the cup cannot hold them, or the hold breaks R9.
        """
        if not 1 <= len(bodies) <= self.scene.capacity:
            raise SpecError(
                f"1 to {self.scene.capacity} Piggles in the cup",
                got=str(len(bodies)),
                remedy=f"load {self.scene.capacity} at most, and one at least",
            )
        path = self._path(rng)
        _refuse_illegal(path, half=self.scene.board.half)
        places = self._load(bodies, rng)
        position, orientation = path.pose(0.0)
        return Throw(
            path=path,
            positions=np.array(position) + rotate(np.array(orientation), places),
            orientations=np.array([random_quaternion(rng=rng) for _ in bodies]),
        )

    def _path(self, rng: np.random.Generator) -> CupPath:
        hand = held(self.scene.hand, self.hold)
        across, heading, tempo = rng.standard_normal(3)
        # A hand aims within two standard deviations: an unlimited tail would leave the board.
        across, heading, tempo = np.clip((across, heading, tempo), -2.0, 2.0)
        half = self.scene.board.half
        aim = hand.across + float(across) * hand.across_spread
        return CupPath(
            cup=self.scene.cup,
            hand=hand,
            seat=self.seat,
            # A hand that aims at the very edge does not wander past it.
            across=min(max(aim, -half), half),
            heading=float(heading) * hand.heading_spread,
            tempo=exp(float(tempo) * hand.tempo_spread),
            phase=float(rng.uniform(0.0, 2.0 * pi)),
        )

    def _load(self, bodies: tuple[Body, ...], rng: np.random.Generator) -> Array:
        """Return centres in the cup's frame [m], shape [count, 3]: layers that do not overlap."""
        cup = self.scene.cup
        radius = max(reach(body) for body in bodies)
        if radius >= cup.inner_radius:
            raise SpecError(
                f"Piggles that fit a cup of {cup.inner_radius * 1000:g} mm inner radius",
                got=f"one that reaches {radius * 1000:.1f} mm from its centre of mass",
                remedy="make inner_radius_mm larger",
            )
        layer_size = 2 if 2.0 * radius <= cup.inner_radius else 1
        off_axis = cup.inner_radius - radius if layer_size == 2 else 0.0
        places = np.zeros((len(bodies), 3))
        azimuth = 0.0
        for slot, index in enumerate(rng.permutation(len(bodies))):
            layer, side = divmod(slot, layer_size)
            azimuth = float(rng.uniform(0.0, 2.0 * pi)) if side == 0 else azimuth + pi
            places[index] = (
                off_axis * cos(azimuth),
                off_axis * sin(azimuth),
                -cup.depth / 2.0 + radius * (1.0 + 2.0 * layer),
            )
        return places


def free_hold(scene: Scene, hold: CupHold) -> CupHold:
    """Return the hold nearest to one asked for that R9 and P13 allow at a table.

    Args:
        scene: The table.
        hold: Any hold of finite numbers.
    """
    half = scene.board.half
    travel = scene.hand.start_back - scene.hand.end_back
    return CupHold(
        across=min(max(hold.across, -half), half),
        # Both where the cup is shaken and where it ends lie over the own half.
        back=min(max(hold.back, 0.0, -travel), half - max(travel, 0.0)),
        height=max(hold.height, LEAST_HEIGHT),
    )


def reach(body: Body) -> float:
    """Return the distance [m] from the centre of mass to the farthest point of the body."""
    return float(np.linalg.norm(body.hull.vertices - body.mass.centre, axis=1).max())


def held(hand: Hand, hold: CupHold | None) -> Hand:
    """Return a hand that holds the cup elsewhere; None for where it holds it already.

    Raises:
        SpecError: If the hold is no place in this world.
    """
    if hold is None:
        return hand
    for name, value in (("across", hold.across), ("back", hold.back), ("height", hold.height)):
        if not abs(value) < 10.0:
            raise SpecError(
                f"a finite hold ({name})", got=f"{value}", remedy="give it in inches, such as 4.5"
            )
    travel = hand.start_back - hand.end_back
    return replace(
        hand,
        across=hold.across,
        end_back=hold.back,
        start_back=hold.back + travel,
        lip_height=hold.height,
    )


def _refuse_illegal(path: CupPath, *, half: float) -> None:
    """Raise `SpecError` if the hold breaks R9 as ruled in P13, before anything is simulated."""
    hand = path.hand
    if hand.lip_height < LEAST_HEIGHT - _TOLERANCE:
        raise SpecError(
            "the cup at least 2 in above the board (R9)",
            got=f"{hand.lip_height / INCH:.2f} in",
            remedy="hold it higher: lip_height_in, or --height",
        )
    nearest = min(hand.start_back, hand.end_back)
    farthest = max(hand.start_back, hand.end_back)
    if nearest < -_TOLERANCE:
        raise SpecError(
            "the cup over the thrower's own half (R9)",
            got=f"its centre {-nearest / INCH:.2f} in past the centre line",
            remedy="hold it further back: end_back_in, or --back",
        )
    if farthest > half + _TOLERANCE or abs(hand.across) > half + _TOLERANCE:
        raise SpecError(
            "the cup's centre over the board (P13)",
            got=f"{farthest / INCH:.2f} in back, {hand.across / INCH:.2f} in across, where the "
            f"board ends at {half / INCH:.2f} in",
            remedy="hold it nearer to the middle",
        )
