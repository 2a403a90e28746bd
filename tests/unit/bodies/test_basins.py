"""Exact shares of the sphere: closed forms, symmetric solids, random descents, another library."""

import itertools
import math

import numpy as np
import pytest

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull
from pigglesim.bodies.support import SupportFunction, spilled
from scripts.verification.descents import counted_shares, farthest_off

PHI = (1 + math.sqrt(5)) / 2
CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
SOLIDS = {
    "tetrahedron": CUBE[[0, 3, 5, 6]],
    "cube": CUBE,
    "octahedron": np.vstack([np.eye(3), -np.eye(3)]),
    "icosahedron": np.array(
        [np.roll([0, a, b], k) for a in (-1, 1) for b in (-PHI, PHI) for k in range(3)]
    ),
    "dodecahedron": np.vstack(
        [CUBE]
        + [np.roll([[0, a / PHI, b * PHI]], k) for a in (-1, 1) for b in (-1, 1) for k in range(3)]
    ),
}


def support(points, centre=(0.0, 0.0, 0.0), **options):
    hull = convex_hull(np.asarray(points, dtype=float))
    return SupportFunction(hull.vertices, hull.faces, np.array(centre), **options)


def prism(sides, height):
    turn = 2 * math.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.vstack(
        [np.column_stack([ring, np.full(sides, z)]) for z in (-height / 2, height / 2)]
    )


def lattice_hull(seed, count=12):
    """A hull with corners on a coarse lattice: full of ties, its centre of mass among them."""
    points = np.random.default_rng(seed).integers(-4, 5, (count, 3)).astype(float)
    return support(points, points.mean(axis=0), shallow=0.0)


@pytest.mark.parametrize("name", SOLIDS)
def test_a_regular_solid_shares_the_sphere_evenly(name):
    shares = support(SOLIDS[name]).shares()
    assert shares == pytest.approx([1 / len(shares)] * len(shares), abs=1e-12)


@pytest.mark.parametrize("height", [0.2, 1.0, 2.0, 6.0])
@pytest.mark.parametrize("sides", [3, 4, 5, 6, 8, 12])
def test_a_regular_prism_falls_alike_on_like_faces(sides, height):
    body = support(prism(sides, height))
    shares = body.shares()
    assert sum(shares) == pytest.approx(1.0, abs=1e-12)
    ends = [
        share for share, pose in zip(shares, body.poses, strict=True) if abs(pose.down[2]) > 0.5
    ]
    faces = [
        share for share, pose in zip(shares, body.poses, strict=True) if abs(pose.down[2]) < 0.5
    ]
    assert ends == pytest.approx([ends[0]] * 2, abs=1e-12)
    assert faces == pytest.approx([faces[0]] * sides, abs=1e-12)


@pytest.mark.parametrize("sides", [(1.0, 2.0, 3.0), (2.0, 2.5, 7.0)])
def test_a_box_shares_as_its_ridges_cut_the_sphere(sides):
    # In one octant the ridges run from the saddle over each edge to the corner's direction.
    a, b, c = np.array(sides) / 2
    body = support(CUBE / 2 * sides)
    peak = np.array([a, b, c]) / np.linalg.norm([a, b, c])
    tops = {
        (0, 1): np.array([a, b, 0.0]) / math.hypot(a, b),
        (0, 2): np.array([a, 0.0, c]) / math.hypot(a, c),
        (1, 2): np.array([0.0, b, c]) / math.hypot(b, c),
    }
    for pose, share in zip(body.poses, body.shares(), strict=True):
        axis = int(np.argmax(np.abs(pose.down)))
        down = np.eye(3)[axis]
        octant = sum(_triangle(down, tops[pair], peak) for pair in tops if axis in pair)
        assert share == pytest.approx(4 * octant / (4 * math.pi), abs=1e-12)


def _triangle(a, b, c):
    """L'Huilier's formula for the area of a spherical triangle."""
    x, y, z = math.acos(b @ c), math.acos(a @ c), math.acos(a @ b)
    s = (x + y + z) / 2
    product = (
        math.tan(s / 2) * math.tan((s - x) / 2) * math.tan((s - y) / 2) * math.tan((s - z) / 2)
    )
    return 4 * math.atan(math.sqrt(product))


@pytest.mark.parametrize("name", ["piggle", "premium"])
def test_the_shares_of_a_piggle_are_those_of_random_descents(name):
    body = load_model(name)
    pig = support_of(body.hull, body.mass.centre)
    shares = pig.shares()
    assert sum(shares) == pytest.approx(1.0, abs=1e-9)
    counted = counted_shares(pig, 20_000, rng=np.random.default_rng(1))
    assert farthest_off(shares, counted, 20_000) < 4.0


@pytest.mark.parametrize("seed", range(6))
def test_the_shares_of_a_random_hull_are_those_of_random_descents(seed):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((60, 3)) * [1.0, 1.2, 1.5]
    body = support(points, points.mean(axis=0), shallow=(0.0, 0.05)[seed % 2])
    shares = body.shares()
    assert sum(shares) == pytest.approx(1.0, abs=1e-9)
    assert farthest_off(shares, counted_shares(body, 4000, rng=rng), 4000) < 4.0


# In 18 and 194 a saddle lies on the ridge of another; in 116 the centre stands over a corner.
@pytest.mark.parametrize("seed", [0, 3, 18, 116, 194])
def test_ties_do_not_leave_a_border_open(seed):
    body = lattice_hull(seed)
    shares = body.shares()
    assert sum(shares) == pytest.approx(1.0, abs=1e-9)
    counted = counted_shares(body, 4000, rng=np.random.default_rng(seed))
    assert farthest_off(shares, counted, 4000) < 4.0


def spilled_one_by_one(bottoms, ways, shallow):
    """Look at every way again after each basin that goes."""
    home = {k: k for k in bottoms}
    while True:
        lowest = {}
        for height, a, b in ways:
            pair = min(home[a], home[b]), max(home[a], home[b])
            if pair[0] != pair[1]:
                lowest[pair] = min(height, lowest.get(pair, math.inf))
        depths = [
            (height - bottoms[k], k, height, pair) for pair, height in lowest.items() for k in pair
        ]
        if not depths or min(depths)[0] >= shallow:
            return home
        _, least, _, pair = min(depths)
        target = sum(pair) - least
        home = {k: target if to == least else to for k, to in home.items()}


@pytest.mark.parametrize("seed", range(8))
def test_shallow_basins_spill_as_if_looked_at_one_by_one(seed):
    rng = np.random.default_rng(seed)
    bottoms = {k: float(h) for k, h in enumerate(rng.uniform(0, 1, 40))}
    ways = []
    for _ in range(90):
        a, b = (int(k) for k in rng.integers(0, 40, 2))
        ways.append((max(bottoms[a], bottoms[b]) + float(rng.uniform(0, 0.4)), a, b))
    for shallow in (0.0, 0.05, 0.2, 2.0):
        assert spilled(bottoms, ways, shallow=shallow) == spilled_one_by_one(bottoms, ways, shallow)
