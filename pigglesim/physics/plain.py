"""Baselines to compare with: Bullet as one writes it first, with right settings.

`plain` is Bullet with the full hull of every body everywhere, a cup of 16 boxes, rolling friction
in flight too, 50 iterations, and every body stepped until all are at rest. Its rebounds are those
of the scene in the cup too: with the error reduction that `bullet` needs there against leaks, a
restitution of 0.3 gives 0.39, at any step.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

from pigglesim.bodies.body import Body
from pigglesim.landing import RestPlace
from pigglesim.physics.bullet import EDGE, ERP_FLIGHT, BulletFloor, BulletWorld
from pigglesim.physics.engine import Mode
from pigglesim.physics.general import CupBox, cup_boxes
from pigglesim.rotations import Array
from pigglesim.scene.scene import Scene, Stepping, Surface

_ITERATIONS = 50
_WALLS = 15


class PlainEngine:
    """Makes worlds of PyBullet as one writes them first."""

    name = "plain"

    @property
    def version(self) -> str:
        """Version of the pybullet package."""
        return version("pybullet")

    def world(self, scene: Scene) -> "_PlainWorld":
        """Return a fresh world."""
        stepping = replace(scene.stepping, iterations=_ITERATIONS, ease_time=0.0)
        return _PlainWorld(replace(scene, stepping=stepping))

    def floor(self, body: Body, surface: Surface, stepping: Stepping) -> BulletFloor:
        """Return an endless floor for one kind of die."""
        return BulletFloor(body, surface, stepping)


class _PlainWorld(BulletWorld):
    """A world of which nothing is ever thinned, swapped or left out."""

    _cup_reduction = ERP_FLIGHT

    def _cup_boxes(self) -> tuple[CupBox, ...]:
        return cup_boxes(self._scene.cup, walls=_WALLS)

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        """Add a body at rest, free to move, and return its number."""
        return super().add_body(replace(body, parts=()), place, Mode.FREE)

    def set_mode(self, number: int, mode: Mode) -> None:
        """Leave a body as it is."""

    def freeze(self, number: int, place: RestPlace) -> bool:
        """Go on stepping a body."""
        return False

    def _ground_for(self, mode: Mode, position: Sequence[float] | Array) -> int:
        return EDGE
