"""The initial conditions of one roll: where each Piggle is in the cup, and the cup's path."""

from dataclasses import dataclass

from pigglesim.spatial import Array
from pigglesim.throws.cup_path import CupPath

__all__ = ["Throw"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Throw:
    """Everything that one pour starts from; what follows is physics alone."""

    path: CupPath
    positions: Array
    """Centres of mass at time 0 [m], shape [count, 3], world frame."""
    orientations: Array
    """Quaternions (x, y, z, w) at time 0, shape [count, 4]."""
