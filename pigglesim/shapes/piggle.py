"""The Piggle: a pig for the palm of a hand, put together from numbers in millimetres.

Body frame: origin at the belly's centre, +z the face, +y the crown, +x the pig's own left.
Each part is convex and known by name before the parts are joined, so that the collision
compound needs no decomposition. Looks (eyes, nostrils, smile, dished ears, cloven soles, see
`looks`) stay inside the convex hull, so that they change no throw on a flat floor.
"""

import math
from typing import Any

import numpy as np

from pigglesim.shapes.looks import looks
from pigglesim.shapes.mesh import Mesh, Stump, convex_hull, ellipsoid, mirrored, stump, tube
from pigglesim.shapes.piggle_shape import PiggleShape, Point, snout_root
from pigglesim.shapes.solid import Piece
from pigglesim.spatial import Array

__all__ = ["convex_pieces", "pieces"]


def pieces(shape: PiggleShape) -> tuple[Piece, ...]:
    """Return every solid of the pig [mm], looks and cuts included."""
    return (*_solids(shape), *looks(shape))


def convex_pieces(shape: PiggleShape) -> dict[str, Array]:
    """Return the corners [mm] of the convex pieces of the collision compound, by part name."""
    corners: dict[str, list[Array]] = {}
    for piece in _solids(shape):
        corners.setdefault(piece.label[0], []).append(piece.mesh.vertices)
    return {name: convex_hull(np.vstack(points)).vertices for name, points in corners.items()}


def _solids(shape: PiggleShape) -> tuple[Piece, ...]:
    """Return what the floor and other dice can touch."""
    solids = [
        Piece(label=("body", "skin"), mesh=ellipsoid(np.array(shape.body), np.zeros(3), level=3)),
        Piece(label=("snout", "snout"), mesh=stump(_snout(shape))),
        Piece(label=("tail", "tail"), mesh=_tail(shape)),
    ]
    foot = (shape.foot, shape.foot_root, shape.foot_radius, shape.foot_rim)
    arm = (shape.arm, shape.arm_root, shape.arm_radius, shape.arm_rim)
    for side, name in ((1.0, "left"), (-1.0, "right")):
        ear = mirrored(_ear(shape), side)
        solids.append(Piece(label=(f"ear_{name}", "skin"), mesh=ear))
        for part, (sole, root, radius, rim) in (("foot", foot), ("arm", arm)):
            for material, limb in _limb(shape, sole, root, radius, rim):
                mesh = mirrored(stump(limb), side)
                solids.append(Piece(label=(f"{part}_{name}", material), mesh=mesh))
    return tuple(solids)


def _snout(shape: PiggleShape) -> Stump:
    return Stump(
        sole=shape.snout,
        root=snout_root(shape),
        half_width=shape.snout_half_width,
        half_height=shape.snout_half_height,
        taper=shape.snout_taper,
        rim=shape.snout_rim,
        flare=shape.limb_flare,
        sides=shape.snout_sides,
    )


def _limb(
    shape: PiggleShape, sole: Point, root: Point, radius: float, rim: float
) -> list[tuple[str, Stump]]:
    """Return a limb and the hoof over its end, a little wider than the limb."""
    start, end = np.array(sole), np.array(root)
    length = float(np.linalg.norm(end - start))
    step = shape.hoof_step
    inner = start + (end - start) * (shape.hoof_height / length)
    before = start + (end - start) * (0.3 / length)
    share = shape.hoof_height / length
    hoof = Stump(
        sole=sole,
        root=(float(inner[0]), float(inner[1]), float(inner[2])),
        half_width=radius,
        half_height=radius,
        taper=1 + (shape.limb_taper - 1) * share,
        rim=rim,
        sides=shape.limb_sides,
        rings=2,
    )
    limb = Stump(
        sole=(float(before[0]), float(before[1]), float(before[2])),
        root=root,
        half_width=radius - step,
        half_height=radius - step,
        taper=(radius * shape.limb_taper - step) / (radius - step),
        rim=rim,
        flare=shape.limb_flare,
        sides=shape.limb_sides,
    )
    return [("hoof", hoof), ("skin", limb)]


def _ear(shape: PiggleShape) -> Mesh:
    flat = shape.ear_radius
    ball, lens = (flat, flat, flat), (shape.ear_tip_radius, shape.ear_tip_radius, flat)
    round_ends = (shape.ear_tip, shape.ear_bulge, shape.ear_fullness)
    middle = np.mean([*round_ends, shape.ear_inner, shape.ear_outer], axis=0)
    puff = flat + shape.ear_puff
    balls: list[tuple[Any, Point]] = [(point, lens) for point in round_ends]
    balls += [
        (shape.ear_inner, ball),
        (shape.ear_outer, ball),
        (middle, (1.9 * puff, 1.9 * puff, puff)),
    ]
    points = [ellipsoid(np.array(axes), np.array(at), level=2).vertices for at, axes in balls]
    return convex_hull(np.vstack(points))


def _tail(shape: PiggleShape) -> Mesh:
    turn = np.linspace(0.0, 2 * math.pi * shape.tail_turns, 21)
    radius = np.linspace(shape.tail_radius, shape.tail_inner_radius, len(turn))
    x, y, z = shape.tail
    path = np.column_stack(
        [x + radius * np.cos(turn), y + radius * np.sin(turn), np.full(len(turn), z)]
    )
    wire = np.full(len(turn), shape.tail_wire)
    return tube(path, wire, sides=8, normal=np.array([0.0, 0.0, 1.0]))
