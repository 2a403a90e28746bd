"""Signed distances of engine `impulse` against every pair of features, and closed forms."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from pigglesim.bodies.load import load_model
from pigglesim.physics.impulse.gjk import (
    Pair,
    _closest_on_segment,
    _closest_on_triangle,
    are_separated,
    signed_distance,
    support_vertex,
)
from pigglesim.rotations import random_quaternion
from tests.support.bodies import box_body, convex_body
from tests.support.contact_worlds import Opened

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def random_hull(rng, count):
    points = rng.normal(size=(count, 3)) * 0.01
    return convex_body(
        points - points.mean(axis=0), mass=0.01, inertia=[1e-6] * 3, parts=False, poses=False
    )


def distance_of_features(one, other):
    """The least distance between vertices, edges and faces of two hulls that do not overlap."""
    hulls = ConvexHull(one), ConvexHull(other)
    best = np.inf
    for points, (hull, corners) in ((other, (hulls[0], one)), (one, (hulls[1], other))):
        for triangle in corners[hull.simplices]:
            triangles = np.repeat(triangle[None], len(points), axis=0)
            nearest = trimesh.triangles.closest_point(triangles, points)
            best = min(best, np.linalg.norm(nearest - points, axis=1).min())
    edges = [
        np.array([corners[[s[i], s[i - 1]]] for s in hull.simplices for i in range(3)])
        for hull, corners in zip(hulls, (one, other), strict=True)
    ]
    for p, q in edges[0]:
        for r, s in edges[1]:
            # Ends of edges are vertices, done above: only a minimum inside both is missing.
            u, v, w = q - p, s - r, p - r
            system = np.array([[u @ u, -u @ v], [-u @ v, v @ v]])
            if np.linalg.det(system) < 1e-9 * (u @ u) * (v @ v):
                continue
            a, b = np.linalg.solve(system, [-u @ w, v @ w])
            if 0 <= a <= 1 and 0 <= b <= 1:
                best = min(best, np.linalg.norm(w + a * u - b * v))
    return best


def between(world, max_distance=1.0, guess=(1.0, 0.0, 0.0)):
    world.state.normal[:] = guess
    pair = Pair(world.hulls[0], 0, world.hulls[1], 1)
    return signed_distance(world.shapes, world.state, pair, max_distance, 0.0)


@pytest.mark.parametrize("seed", range(30))
def test_the_distance_is_that_of_the_nearest_features(seed):
    rng = np.random.default_rng(seed)
    way = rng.normal(size=3)
    way *= rng.uniform(0.04, 0.08) / np.linalg.norm(way)
    hulls = random_hull(rng, 7 + seed % 6), random_hull(rng, 7 + seed % 5)
    world = Opened(
        [
            (hulls[0], way, random_quaternion(rng=rng)),
            (hulls[1], np.zeros(3), random_quaternion(rng=rng)),
        ]
    )
    found = between(world, guess=way / np.linalg.norm(way))
    exact = distance_of_features(world.vertices(0), world.vertices(1))
    # The search may end at a share of 1e-5 of the squared distance.
    assert exact * (1 - 1e-9) <= found <= exact * (1 + 1e-5)
    assert np.linalg.norm(world.state.normal) == pytest.approx(1.0, abs=1e-12)


def test_a_far_pair_is_only_known_to_be_far():
    box = box_body(0.02, 0.02, 0.02)
    world = Opened([(box, (0.1, 0.0, 0.0), UPRIGHT), (box, (0.0, 0.0, 0.0), UPRIGHT)])
    assert 0.01 < between(world, max_distance=0.01, guess=(0.8, 0.6, 0.0)) <= 0.08 + 1e-12


@pytest.mark.parametrize("depth", [1e-5, 3e-4, 9e-4, 3e-3])
@pytest.mark.parametrize("guess", [(1.0, 0.0, 0.0), (0.96, 0.28, 0.0), (0.8, 0.0, 0.6)])
def test_boxes_overlap_by_the_least_of_three_depths(depth, guess):
    box = box_body(0.02, 0.03, 0.04)
    world = Opened([(box, (0.02 - depth, 0.002, 0.003), UPRIGHT), (box, (0, 0, 0), UPRIGHT)])
    # Off by a micrometre where the normal found is nearly the guess.
    assert between(world, guess=guess) == pytest.approx(-depth, abs=2e-6)
    assert world.state.normal == pytest.approx([1.0, 0.0, 0.0], abs=0.05)


@pytest.mark.parametrize("name", ["piggle", "d6"])
def test_a_support_vertex_is_the_lowest_of_all(name):
    rng = np.random.default_rng(3)
    world = Opened([(load_model(name), (0.0, 0.0, 0.0), UPRIGHT)])
    shapes = world.shapes
    exact = np.eye(3).repeat(2, axis=0) * np.array([[1.0], [-1.0]] * 3)
    for direction in [*exact, *rng.normal(size=(2000, 3)) * 10.0 ** rng.integers(-9, 9)]:
        for shape in range(len(shapes.first_vertex) - 1):
            own = shapes.vertices[shapes.first_vertex[shape] : shapes.first_vertex[shape + 1]]
            heights = own @ direction
            found = heights[support_vertex(shapes, shape, *direction)]
            assert found <= heights.min() + 1e-15 * np.linalg.norm(direction)
    # What is not a number has no lowest vertex, and reads no memory of others.
    for broken in ((np.nan, 1.0, 0.0), (np.inf, 1.0, 0.0), (0.0, 0.0, 0.0)):
        assert 0 <= support_vertex(shapes, 0, *broken) < shapes.first_vertex[1]


def test_bodies_are_separated_by_less_than_their_distance():
    rng = np.random.default_rng(3)
    for _ in range(30):
        hulls = random_hull(rng, 12), random_hull(rng, 12)
        turns = random_quaternion(rng=rng), random_quaternion(rng=rng)
        world = Opened([(hulls[0], (0.05, 0.01, 0.0), turns[0]), (hulls[1], (0, 0, 0), turns[1])])
        exact = between(world)
        for distance in (0.0, 0.5 * exact, 0.999 * exact, 1.001 * exact, 2.0 * exact):
            world.state.normal[:] = (0.6, 0.0, 0.8)
            pair = Pair(world.hulls[0], 0, world.hulls[1], 1)
            found = are_separated(world.shapes, world.state, pair, distance)
            assert found == (distance < exact)
            if found:
                n = world.state.normal
                gap = (world.vertices(0) @ n).min() - (world.vertices(1) @ n).max()
                assert gap > distance * (1 - 1e-9)


def test_a_depth_is_as_far_as_bodies_were_pushed_into_each_other():
    rng = np.random.default_rng(5)
    bodies = [load_model("piggle"), box_body(0.02, 0.03, 0.012)]
    for _ in range(100):
        way = rng.normal(size=3)
        way *= 0.05 / np.linalg.norm(way)
        turns = random_quaternion(rng=rng), random_quaternion(rng=rng)
        world = Opened([(bodies[0], way, turns[0]), (bodies[1], np.zeros(3), turns[1])])
        gap = between(world, guess=way / 0.05)
        normal = world.state.normal.copy()
        depth = rng.uniform(1e-5, 5e-4)
        world.state.position[0] -= (gap + depth) * normal
        found, normal = between(world, guess=normal), world.state.normal
        # As deep as along the way it came, or less: some other way out may be shorter.
        assert -depth - 2e-6 <= found < 0.0
        # And it is the depth along the normal found.
        slab = (world.vertices(0) @ normal).min() - (world.vertices(1) @ normal).max()
        assert slab == pytest.approx(found, abs=2e-6)


def regions_met(closest, grid, corners_of, *, tries):
    """Compare closest points with a grid of weights; return which corners had a weight above 0."""
    rng, regions = np.random.default_rng(3), set()
    for _ in range(tries):
        corners = corners_of(rng)
        weights = np.array(closest(*((*map(float, corner), 0, 0) for corner in corners)))
        assert weights.sum() == pytest.approx(1.0)
        assert weights.min() >= 0.0
        nearest = np.linalg.norm(grid @ corners, axis=1).min()
        assert np.linalg.norm(weights @ corners) <= nearest + 1e-12
        regions.add(tuple((weights > 0.0).tolist()))
    return regions


def test_the_closest_point_of_a_segment_is_closer_than_any_of_a_grid():
    share = np.linspace(0.0, 1.0, 101)
    grid = np.column_stack([1.0 - share, share])
    found = regions_met(
        _closest_on_segment,
        grid,
        lambda rng: rng.normal(size=(2, 3)) + rng.normal(size=3),
        tries=100,
    )
    # Both ends and the inside came up.
    assert len(found) == 3


def test_the_closest_point_of_a_triangle_is_closer_than_any_of_a_grid():
    steps = np.linspace(0.0, 1.0, 41)
    u, v = (each.ravel() for each in np.meshgrid(steps, steps))
    grid = np.column_stack([1.0 - u - v, u, v])[u + v <= 1.0]
    found = regions_met(
        _closest_on_triangle,
        grid,
        lambda rng: rng.normal(size=(3, 3)) + 1.5 * rng.normal(size=3),
        tries=300,
    )
    # Corners, edges and the face all came up.
    assert len(found) == 7
