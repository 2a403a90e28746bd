"""The Piggle: a pig for the palm of a hand, put together from numbers in millimetres.

Body frame: origin at the belly's centre, +z the face, +y the crown, +x the pig's own left.
Each part is convex and known by name before the parts are joined, so that the collision
compound needs no decomposition. Looks (eyes, nostrils, mouth, dished ears, cloven soles) stay
inside the convex hull, so that they change no throw on a flat floor.
"""

import math
from dataclasses import dataclass

import numpy as np

from pigglesim.shapes.mesh import Mesh, Stump, convex_hull, ellipsoid, stump, tube
from pigglesim.shapes.solid import Piece
from pigglesim.spatial import Array

__all__ = ["COLOURS", "PiggleShape", "convex_pieces", "pieces"]

COLOURS: dict[str, tuple[float, float, float]] = {
    "skin": (0.86, 0.50, 0.48),
    "snout": (0.84, 0.33, 0.38),
    "hoof": (0.36, 0.12, 0.12),
    "tail": (0.84, 0.33, 0.38),
}
"""Linear RGB of each material."""

_Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggleShape:
    """Every number of the shape [mm]; points on the right are the mirror image of the left."""

    body: _Point = (10.5, 10.5, 6.3)
    """Half axes of the belly."""
    snout: _Point = (0.0, 4.3, 9.3)
    """Centre of the snout's disc."""
    snout_half_width: float = 4.3
    snout_half_height: float = 3.5
    snout_tilt_deg: float = 24.0
    """How far the snout looks up [degrees]."""
    snout_length: float = 6.5
    snout_taper: float = 1.15
    snout_rim: float = 0.5
    ear_tip: _Point = (9.6, 12.2, -3.2)
    ear_inner: _Point = (3.3, 8.5, -1.1)
    ear_outer: _Point = (7.9, 4.6, -1.1)
    ear_bulge: _Point = (9.35, 8.78, -2.15)
    ear_fullness: _Point = (5.9, 11.2, -2.2)
    """A second bulge, on the inner edge."""
    ear_tip_radius: float = 1.6
    """Roundness of the tip, seen from the front."""
    ear_radius: float = 1.6
    """Roundness elsewhere, and half the thickness."""
    foot: _Point = (5.4, -11.8, 5.0)
    foot_root: _Point = (4.0, -6.0, -0.4)
    foot_radius: float = 2.4
    arm: _Point = (6.4, -3.3, 6.0)
    arm_root: _Point = (5.25, -1.7, 0.5)
    arm_radius: float = 1.8
    limb_taper: float = 1.2
    foot_rim: float = 0.7
    arm_rim: float = 0.6
    limb_flare: float = 0.0
    """How much wider a limb and the snout grow where they join the belly."""
    tail: _Point = (0.0, -4.0, -6.22)
    """Centre of the curl."""
    tail_radius: float = 2.0
    tail_inner_radius: float = 0.9
    tail_turns: float = 1.6
    tail_wire: float = 0.62
    eye: tuple[float, float] = (5.3, 6.4)
    """Place of the left eye on the belly's surface, seen from the front."""
    eye_radius: float = 1.5
    eye_bulge: float = 0.6
    """How far the eye stands out of the belly."""


def pieces(shape: PiggleShape) -> tuple[Piece, ...]:
    """Return every solid of the pig [mm], those that cut included."""
    solid = [
        Piece(label=("body", "skin"), mesh=ellipsoid(np.array(shape.body), np.zeros(3), level=3)),
        Piece(label=("snout", "snout"), mesh=stump(_snout(shape))),
        Piece(label=("tail", "tail"), mesh=_tail(shape)),
    ]
    for side, name in ((1.0, "left"), (-1.0, "right")):
        solid += [
            Piece(label=(f"ear_{name}", "skin"), mesh=_mirrored(_ear(shape), side)),
            Piece(label=(f"foot_{name}", "hoof"), mesh=_mirrored(stump(_foot(shape)), side)),
            Piece(label=(f"arm_{name}", "hoof"), mesh=_mirrored(stump(_arm(shape)), side)),
        ]
    return tuple(solid)


def convex_pieces(shape: PiggleShape) -> dict[str, Array]:
    """Return the corners [mm] of the convex pieces of the collision compound, by part name."""
    return {
        piece.label[0]: convex_hull(piece.mesh.vertices).vertices
        for piece in pieces(shape)
        if not piece.cut and piece.label[0] not in {"eye_left", "eye_right"}
    }


def _mirrored(mesh: Mesh, side: float) -> Mesh:
    if side > 0:
        return mesh
    return Mesh(vertices=mesh.vertices * [-1.0, 1.0, 1.0], faces=mesh.faces[:, ::-1].copy())


def _snout(shape: PiggleShape) -> Stump:
    tilt = math.radians(shape.snout_tilt_deg)
    x, y, z = shape.snout
    return Stump(
        sole=shape.snout,
        root=(
            x,
            y - shape.snout_length * math.sin(tilt),
            z - shape.snout_length * math.cos(tilt),
        ),
        half_width=shape.snout_half_width,
        half_height=shape.snout_half_height,
        taper=shape.snout_taper,
        rim=shape.snout_rim,
        flare=shape.limb_flare,
        sides=32,
    )


def _ear(shape: PiggleShape) -> Mesh:
    radius = shape.ear_radius
    balls = [
        (shape.ear_tip, (shape.ear_tip_radius, shape.ear_tip_radius, radius)),
        (shape.ear_inner, (radius, radius, radius)),
        (shape.ear_outer, (radius, radius, radius)),
        (shape.ear_bulge, (radius, radius, radius)),
        (shape.ear_fullness, (radius, radius, radius)),
    ]
    points = [ellipsoid(np.array(axes), np.array(at), level=2).vertices for at, axes in balls]
    return convex_hull(np.vstack(points))


def _foot(shape: PiggleShape) -> Stump:
    return Stump(
        sole=shape.foot,
        root=shape.foot_root,
        half_width=shape.foot_radius,
        half_height=shape.foot_radius,
        taper=shape.limb_taper,
        rim=shape.foot_rim,
        flare=shape.limb_flare,
    )


def _arm(shape: PiggleShape) -> Stump:
    return Stump(
        sole=shape.arm,
        root=shape.arm_root,
        half_width=shape.arm_radius,
        half_height=shape.arm_radius,
        taper=shape.limb_taper,
        rim=shape.arm_rim,
        flare=shape.limb_flare,
        sides=20,
    )


def _tail(shape: PiggleShape) -> Mesh:
    turn = np.linspace(0.0, 2 * math.pi * shape.tail_turns, 17)
    radius = np.linspace(shape.tail_radius, shape.tail_inner_radius, len(turn))
    x, y, z = shape.tail
    path = np.column_stack(
        [x + radius * np.cos(turn), y + radius * np.sin(turn), np.full(len(turn), z)]
    )
    wire = np.full(len(turn), shape.tail_wire)
    return tube(path, wire, normal=np.array([0.0, 0.0, 1.0]))
