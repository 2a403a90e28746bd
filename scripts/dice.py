"""Build the usual dice: a coin, and dice of 4, 6, 8, 10, 12 and 20 sides.

Run by `scripts/build_models`. A die is the hull of equal balls at the corners of a polyhedron. Ball
and polyhedron share the rotations that exchange the sides, so a die is fair by symmetry.

No standard sets the sizes. Makers name a set after its cube, mostly 16 mm. The other sizes and the
radii of edges are usual ones of such sets, not measurements of one make.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.livery import NUMERAL_PART
from pigglesim.bodies.load import FaceSpec, ModelSpec, body_from, derive, skin_from, toml_text
from pigglesim.bodies.mesh import convex_hull, hull_planes, icosphere
from pigglesim.bodies.mesh_files import DECIMALS, linear, read_obj, write_mtl, write_obj
from pigglesim.rotations import Array

PLASTIC = 1100.0
"""Rigid resin [kg/m3], between polystyrene (1,050) and acrylic (1,190)."""
_EURO = 7580.0
"""Density of a coin of one euro [kg/m3]: 7.5 g, 23.25 mm across, 2.33 mm thick."""
_GOLDEN = (1.0 + math.sqrt(5.0)) / 2.0
_OFF_SYMMETRY = np.array([0.11, 0.23, 1.0])
"""Direction that orders the sides: those opposite each other have opposite places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Die:
    """A die before its files are written."""

    model: str
    name: str
    points: Array
    """Points whose hull is the die [mm], shape [point_count, 3]."""
    ups: Array
    """Direction that is up when each number counts, shape [number_count, 3]."""
    numbers: tuple[int, ...]
    """Numbers in the order of `ups`."""
    colours: dict[str, tuple[float, float, float]]
    """Linear RGB by material; a numeral has one of its own, pips have none."""
    density: float = PLASTIC


def usual_dice() -> Iterator[Die]:
    """Yield the dice of a set, by the number of their sides."""
    ends = np.array([(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)])
    yield Die(
        model="d2", name="Coin", points=_coin(23.25, 2.33), ups=ends, numbers=(1, 2),
        colours=_inks("#c9a550", "#3a2606"), density=_EURO,
    )  # fmt: skip
    cube, octahedron = _permuted((1.0, 1.0, 1.0)), _ordered(_permuted((1.0, 0.0, 0.0)))
    icosahedron = _ordered(_permuted((0.0, 1.0, _GOLDEN)))
    dodecahedron = _ordered(np.vstack([cube, _permuted((0.0, _GOLDEN, 1.0 / _GOLDEN))]))
    # Every second corner of a cube; the number that counts is opposite the corner that is up.
    tetrahedron = cube[np.prod(cube, axis=1) > 0]
    yield Die(
        model="d4", name="Four-sided die",
        points=_rounded(tetrahedron, tetrahedron, across=17.0, rounding=1.0),
        ups=tetrahedron, numbers=(1, 2, 3, 4), colours=_inks("#1f7a5c", "#fff6df"),
    )  # fmt: skip
    yield Die(
        model="d6", name="Six-sided die", points=_rounded(cube, octahedron, 16.0, rounding=1.5),
        ups=np.array([(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, -1, 0), (-1, 0, 0), (0, 0, -1)]),
        numbers=(1, 2, 3, 4, 5, 6), colours={"ivory": (0.86, 0.80, 0.66)},
    )  # fmt: skip
    yield Die(
        model="d8", name="Eight-sided die",
        points=_rounded(octahedron, cube, across=15.0, rounding=0.8, ball=_ball(4)),
        ups=_ordered(cube), numbers=_opposed(8, 3, 5, 2, total=9),
        colours=_inks("#2458a8", "#fff6df"),
    )  # fmt: skip
    corners, sides = _trapezohedron()
    yield Die(
        model="d10", name="Ten-sided die",
        points=_rounded(corners, sides, across=16.0, rounding=0.8, ball=_ball(5)),
        # From the left to the right around the belt, with the even numbers above it.
        ups=sides, numbers=(0, 7, 4, 1, 6, 9, 2, 5, 8, 3), colours=_inks("#6d3a91", "#fff6df"),
    )  # fmt: skip
    yield Die(
        model="d12", name="Twelve-sided die",
        points=_rounded(dodecahedron, icosahedron, across=18.0, rounding=0.8, ball=_twisted()),
        ups=icosahedron, numbers=_opposed(12, 2, 9, 5, 7, 3, total=13),
        colours=_inks("#ab2a30", "#fff6df"),
    )  # fmt: skip
    yield Die(
        model="d20", name="Twenty-sided die",
        points=_rounded(icosahedron, dodecahedron, across=20.0, rounding=0.8),
        ups=dodecahedron, numbers=_opposed(20, 2, 8, 12, 10, 14, 18, 16, 4, 6, total=21),
        colours=_inks("#1d2540", "#f3cf7a"),
    )  # fmt: skip


def _inks(skin: str, numeral: str) -> dict[str, tuple[float, float, float]]:
    return {"skin": linear(skin), NUMERAL_PART: linear(numeral)}


def _coin(across: float, thick: float, sides: int = 64) -> Array:
    """Return a disc with a round rim, on which it cannot stand."""
    turns = np.arange(sides) * 2.0 * math.pi / sides
    slopes = np.radians(np.arange(-90.0, 91.0, 30.0))
    radii = (across - thick) / 2.0 + thick / 2.0 * np.cos(slopes)
    return _on_grid(
        np.stack(
            [
                np.outer(radii, np.cos(turns)),
                np.outer(radii, np.sin(turns)),
                np.repeat(thick / 2.0 * np.sin(slopes)[:, None], sides, axis=1),
            ],
            axis=2,
        )
    )


def _rounded(
    corners: Array, sides: Array, across: float, *, rounding: float, ball: Array | None = None
) -> Array:
    """Return balls at the corners of a polyhedron, so large that it measures `across` over them.

    Args:
        corners: Corners of the polyhedron in any unit.
        sides: Outward directions across which it is measured; the first counts.
        across: Distance from one side to the opposite one, or to the corner there [mm].
        rounding: Radius of the balls [mm].
        ball: Points of the unit ball; None for an icosphere along the axes.
    """
    ball = icosphere(2).vertices if ball is None else ball
    up = sides[0] / np.linalg.norm(sides[0])
    inner = (across - rounding * float(np.ptp(ball @ up))) / float(np.ptp(corners @ up))
    return _on_grid(corners[:, None] * inner + ball * rounding)


def _on_grid(points: Array) -> Array:
    """Return points on the grid of a mesh file: what is one plane must be one plane there."""
    grid: Array = np.round(points.reshape(-1, 3), DECIMALS) + 0.0
    return grid


def _permuted(point: tuple[float, float, float]) -> Array:
    """Return all points with these coordinates, of either sign, in cyclic order."""
    signs = itertools.product((-1.0, 1.0), repeat=3)
    return np.array(
        sorted(
            {
                tuple((np.roll(np.multiply(point, sign), turn) + 0.0).tolist())
                for sign, turn in itertools.product(signs, range(3))
            }
        )
    )


def _ordered(ways: Array) -> Array:
    """Return directions in the order of `_OFF_SYMMETRY`."""
    return ways[np.argsort(-(ways @ _OFF_SYMMETRY), kind="stable")]


def _opposed(*first: int, total: int) -> tuple[int, ...]:
    """Return the numbers of ordered sides, of which those opposite each other add up to `total`."""
    return (*first, *(total - number for number in reversed(first)))


def _trapezohedron() -> tuple[Array, Array]:
    """Return corners on the unit sphere, and sides, of ten kites (US patent 809,293, 1906)."""
    height = math.tan(math.pi / 10.0) ** 2
    turns, up = np.arange(10) * math.pi / 5.0, (-1.0) ** np.arange(10)
    belt = np.column_stack([np.sin(turns), -np.cos(turns)]) * math.sqrt(1.0 - height**2)
    corners = np.vstack(
        [np.column_stack([belt, -up * height]), [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]]
    )
    normals, _ = hull_planes(corners)
    # A kite that points up has its lower corner on the belt below.
    wanted = np.column_stack([belt, up * math.sqrt(0.8)])
    return corners, normals[np.argmax(wanted @ normals.T, axis=1)]


def _ball(fold: int) -> Array:
    """Return points of the unit ball with the rotations of a prism, and without mirror planes.

    In a mirror plane, descents from many directions would meet a saddle, and rounding would choose
    the side. The equator has a point in each two-fold axis, so that no edge is flat there.
    """
    points = [(0.0, 0.0, 1.0)]
    for ring in range(1, 7):
        slope = math.pi / 12.0 * ring
        count = 2 * fold * max(1, round(4.0 * math.sin(slope) * 3.0 / fold))
        twist = 0.0 if ring == 6 else _GOLDEN * ring % 1.0
        turns = (np.arange(count) + twist) * 2.0 * math.pi / count
        points += [
            (math.sin(slope) * math.cos(turn), math.sin(slope) * math.sin(turn), math.cos(slope))
            for turn in turns.tolist()
        ]
    upper = np.array(points)
    return np.vstack([upper, upper * [1.0, -1.0, -1.0]])


def _twisted() -> Array:
    """Return an icosphere with the rotations of a tetrahedron, but without mirror planes."""
    ball = icosphere(2).vertices
    ball = ball + 0.08 * np.roll(ball, 1, axis=1) * np.roll(ball, 2, axis=1)
    units: Array = ball / np.linalg.norm(ball, axis=1)[:, None]
    return units


def dice_files(bodies: dict[str, Body]) -> dict[str, str]:
    """Return the files of all dice, and add their bodies to `bodies`."""
    files = {}
    for die in usual_dice():
        hull, model = convex_hull(die.points), die.model
        skin_material = next(iter(die.colours))
        files[f"{model}.obj"] = mesh = write_obj(
            f"{die.name}, millimetres",
            [("body", skin_material, hull.vertices, hull.faces)],
            materials_file=f"{model}.mtl",
        )
        files[f"{model}.mtl"] = write_mtl("Colours of the die, sRGB", die.colours)
        spec = ModelSpec(
            id=model,
            name=die.name,
            mesh=f"{model}.obj",
            materials=f"{model}.mtl",
            density_kg_m3=die.density,
            numbers=tuple(
                FaceSpec(name=str(number), up=tuple((np.round(up, 9) + 0.0).tolist()))
                for number, up in sorted(
                    zip(die.numbers, die.ups, strict=True), key=lambda it: it[0]
                )
            ),
        )
        skin = skin_from(read_obj(mesh, name=spec.mesh), die.colours)
        whole = derive(spec, skin, mesh.encode(), b"")
        assert whole.derived is not None
        bodies[model] = body_from(whole, whole.derived, skin, ())
        files[f"{model}.toml"] = toml_text(whole)
    return files
