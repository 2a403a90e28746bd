"""The support function against closed forms and against a blind small-step descent."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pigglesim.bodies.mesh import convex_hull
from pigglesim.bodies.support import SupportFunction
from pigglesim.errors import SpecError

CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))


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
        path, pose = body.path(direction)
        heights = [body.height(point) for point in path]
        assert all(b <= a + 1e-12 for a, b in itertools.pairwise(heights))
        assert pose == body.descend(direction)
        assert heights[-1] == pytest.approx(body.poses[pose].height)
        assert path[-1] == pytest.approx(body.poses[pose].down)


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
