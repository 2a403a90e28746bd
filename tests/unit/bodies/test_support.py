"""The support function and its basins against closed forms, floods and blind descents."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pigglesim.bodies.body import support_for
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull
from pigglesim.bodies.support import SupportFunction, spilled
from pigglesim.descent import direction_down, fall, rolled_down
from pigglesim.errors import SpecError
from pigglesim.rotations import from_matrix, upright
from scripts.verification.descents import counted_shares, farthest_off

CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))


PHI = (1 + math.sqrt(5)) / 2
SOLIDS = {
    "tetrahedron": (2 * CUBE)[[0, 3, 5, 6]],
    "cube": CUBE,
    "octahedron": np.vstack([np.eye(3), -np.eye(3)]),
    "icosahedron": np.array(
        [np.roll([0, a, b], k) for a in (-1, 1) for b in (-PHI, PHI) for k in range(3)]
    ),
    "dodecahedron": np.vstack(
        [(2 * CUBE)]
        + [np.roll([[0, a / PHI, b * PHI]], k) for a in (-1, 1) for b in (-1, 1) for k in range(3)]
    ),
}


def support(points, centre=(0.0, 0.0, 0.0), **options):
    hull = convex_hull(np.asarray(points, dtype=float))
    return SupportFunction(hull.vertices, hull.faces, np.array(centre), **options)


def cloud(seed, count=30):
    return np.random.default_rng(seed).standard_normal((count, 3))


def directions(seed, count):
    found = np.random.default_rng(seed).standard_normal((count, 3))
    return found / np.linalg.norm(found, axis=1)[:, None]


def test_a_cube_stands_on_six_faces_and_tips_over_twelve_edges():
    cube = support(CUBE)
    assert len(cube.poses) == 6
    assert len(cube.saddles) == 12
    for pose in cube.poses:
        assert pose.height == pytest.approx(0.5)
        assert pose.escape == pytest.approx(math.sqrt(0.5) - 0.5)
        assert len(pose.vertices) == 4


@pytest.mark.parametrize("sides", [(1.0, 2.0, 3.0), (2.0, 2.5, 7.0)])
def test_a_box_escapes_over_its_lowest_edge(sides):
    box = support(CUBE * np.array(sides))
    for pose in box.poses:
        axis = int(np.argmax(np.abs(pose.down)))
        others = [sides[k] / 2 for k in range(3) if k != axis]
        half = sides[axis] / 2
        assert pose.height == pytest.approx(half)
        assert pose.escape == pytest.approx(min(math.hypot(half, o) for o in others) - half)


def test_a_class_is_decided_below_the_lowest_way_to_another():
    box = support(CUBE * [1.0, 2.0, 3.0])
    kinds = [int(np.argmax(np.abs(pose.down))) for pose in box.poses]
    low, high = math.hypot(0.5, 1.0), math.hypot(0.5, 1.5)
    # From face to face a box goes over an edge: the flat faces by the lowest, the ends by the next.
    wanted = {0: low, 1: low, 2: high}
    assert box.decided_below(kinds) == pytest.approx([wanted[kind] for kind in kinds])
    ends = [kind == 2 for kind in kinds]
    assert box.decided_below(ends) == pytest.approx([high] * 6)
    assert box.decided_below(["one"] * 6) == [math.inf] * 6


def reach_of_a_flood(points, body, classes, count=20_000):
    """Raise the water over a lattice of directions; tell when each pose meets another class."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, k * (np.pi * (3 - 5**0.5))
    ring = np.sqrt(1 - z * z)
    lattice = np.column_stack([ring * np.cos(turn), ring * np.sin(turn), z])
    lattice = np.vstack([lattice, [pose.down for pose in body.poses]])
    heights = np.max(lattice @ points.T, axis=1)
    faces = convex_hull(lattice).faces
    sides = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    spacing = np.max(np.linalg.norm(lattice[sides[:, 0]] - lattice[sides[:, 1]], axis=1))

    def connected(level):
        wet = np.all(heights[sides] <= level, axis=1)
        a, b = sides[wet].T
        graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(lattice),) * 2)
        lakes = connected_components(graph, directed=False)[1][count:]
        return [
            any(lake == lakes[k] and classes[j] != classes[k] for j, lake in enumerate(lakes))
            for k in range(len(classes))
        ]

    return connected, spacing * np.max(np.linalg.norm(points, axis=1))


@pytest.mark.parametrize("seed", range(4))
def test_the_class_is_decided_where_a_flood_meets_another(seed):
    points = cloud(seed, count=14)
    points -= points.mean(axis=0)
    body = support(points, shallow=0.0)
    classes = [k % 3 for k in range(len(body.poses))]
    levels = body.decided_below(classes)
    meets, slack = reach_of_a_flood(points, body, classes)
    assert any(level < math.inf for level in levels)
    for k, level in enumerate(levels):
        assert not meets(level - slack)[k]
        assert meets(level + slack)[k]


@pytest.mark.parametrize("seed", range(4))
def test_descent_only_falls_and_ends_in_a_stable_facet(seed):
    body = support(cloud(seed), shallow=0.0)
    for direction in directions(seed + 100, 400):
        corner, facet, down = body.lowest_corner(direction), -1, tuple(direction)
        heights = [body.height(direction)]
        while facet < 0:
            facet, corner, *down = fall(body.cells, corner, *down, 1)
            heights.append(body.height(np.array(down)))
        assert all(b <= a + 1e-12 for a, b in itertools.pairwise(heights))
        start = (0.0, 0.0, heights[0], *from_matrix(upright(direction)).tolist())
        end = rolled_down(body.cells, start)
        pose = body.poses[body.descend(direction)]
        assert direction_down(end) == pytest.approx(pose.down, abs=1e-9)
        # It rolled on corners that did not leave the plane.
        assert end[2] == pytest.approx(pose.height, abs=1e-12)


def blind_descent(points, direction):
    """Walk down the steepest of what is nearly lowest, in small steps, to the nearest rest."""
    n, step = direction, 2e-3
    for _ in range(12_000):
        w = points[np.argmax(points @ n)]
        slope = w - n * (w @ n)
        n = n - step * slope / (np.linalg.norm(slope) + 1e-3)
        n /= np.linalg.norm(n)
        step = max(2e-5, step * 0.9995)
    return n


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_descent_agrees_with_a_blind_one(seed):
    points = cloud(seed)
    body = support(points, shallow=0.0)
    downs = np.array([pose.down for pose in body.poses])
    tried = directions(seed + 7, 10)
    agreed = sum(int(np.argmax(downs @ blind_descent(points, n))) == body.descend(n) for n in tried)
    # The blind one oscillates across valleys: near a border between basins it may err.
    assert agreed >= 9


def test_shallow_basins_spill_into_their_neighbour():
    # A long prism of 60 sides: each facet holds less than 14 um on a radius of 10 mm.
    turn = 2 * math.pi * np.arange(60) / 60
    ring = 0.01 * np.column_stack([np.cos(turn), np.sin(turn)])
    prism = np.vstack([np.column_stack([ring, np.full(60, z)]) for z in (-0.05, 0.05)])
    escape = 0.01 * (1 - math.cos(math.pi / 60))
    assert len(support(prism, shallow=0.9 * escape).poses) == 62
    assert len(support(prism, shallow=1.1 * escape).poses) <= 3


def test_a_centre_outside_the_hull_is_refused():
    with pytest.raises(SpecError, match="check the ballast and the mesh"):
        support(CUBE, centre=(0.0, 0.0, 0.6))


@pytest.mark.parametrize("seed", range(4))
def test_borders_have_the_two_poses_they_name_on_their_sides(seed):
    found = support(cloud(seed), (0.05, -0.02, 0.03))
    borders = found.borders()
    assert {index for _, left, right in borders for index in (left, right)} == {
        *range(len(found.poses))
    }
    for line, left, right in borders:
        assert np.linalg.norm(line, axis=1) == pytest.approx(1.0)
        for start, end in itertools.pairwise(line):
            if np.linalg.norm(end - start) < 0.02:
                continue
            middle = (start + end) / np.linalg.norm(start + end)
            side = np.cross(middle, end - start)
            side *= 1e-4 / np.linalg.norm(side)
            assert {found.descend(middle + side), found.descend(middle - side)} == {left, right}


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
    body = support(CUBE * sides)
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


def random_hull(seed):
    points = np.random.default_rng(seed).standard_normal((60, 3)) * [1.0, 1.2, 1.5]
    return support(points, points.mean(axis=0), shallow=(0.0, 0.05)[seed % 2])


# In lattices 18 and 194 a saddle lies on the ridge of another; in 116 the centre stands over a
# corner.
HULLS = {name: (lambda name=name: support_for(load_model(name))) for name in ("piggle", "premium")}
HULLS |= {f"random {seed}": (lambda seed=seed: random_hull(seed)) for seed in range(6)}
HULLS |= {f"lattice {n}": (lambda n=n: lattice_hull(n)) for n in (0, 3, 18, 116, 194)}


@pytest.mark.parametrize("name", HULLS)
def test_shares_are_those_of_random_descents(name):
    body, count = HULLS[name](), 20_000 if name in {"piggle", "premium"} else 4_000
    shares = body.shares()
    assert sum(shares) == pytest.approx(1.0, abs=1e-9)
    counted = counted_shares(body, count, rng=np.random.default_rng(1))
    assert farthest_off(shares, counted, count) < 4.0


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
        by_one = spilled_one_by_one(bottoms, ways, shallow)
        assert spilled(bottoms, ways, shallow=dict.fromkeys(bottoms, shallow)) == by_one
