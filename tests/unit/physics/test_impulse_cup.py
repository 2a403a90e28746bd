"""The cup of engine `impulse`: where its motion leads, and what touches it, in closed form."""

import numpy as np
import pytest

from pigglesim.cup_motion import WALLS
from pigglesim.physics.impulse.cup import advance_cup, collide_cup, keep_deepest, set_cup_motion
from pigglesim.physics.impulse.state import CUP
from pigglesim.rotations import axis_angle, multiply, random_quaternion, to_matrix
from tests.support.bodies import box_body, octahedron_body
from tests.support.contact_worlds import SCENE, STEP, Opened

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
RADIUS, HALF_DEPTH = SCENE.cup.inner_radius, SCENE.cup.depth / 2


def with_cup(bodies, position, quaternion):
    """A world whose cup rests at a pose."""
    world = Opened(bodies)
    path = np.tile([*position, *quaternion], (2, 1))
    set_cup_motion(world.state, path, 0, 1.0 / STEP)
    advance_cup(world.state, STEP)
    return world


@pytest.mark.parametrize("seed", range(8))
def test_a_step_takes_the_cup_to_its_next_pose(seed):
    rng = np.random.default_rng(seed)
    before, after = (np.array([*rng.normal(size=3), *random_quaternion(rng=rng)]) for _ in range(2))
    world = Opened([])
    set_cup_motion(world.state, np.array([before, after]), 0, 1.0 / STEP)
    assert world.state.cup_velocity == pytest.approx((after[:3] - before[:3]) / STEP)
    # By the shorter way round, of two.
    spin = np.linalg.norm(world.state.cup_angular_velocity) * STEP
    assert 2 * np.arccos(abs(before[3:] @ after[3:])) == pytest.approx(spin, abs=1e-9)
    for _ in range(2):
        advance_cup(world.state, STEP / 2)
    assert world.state.position[CUP] == pytest.approx(after[:3], abs=1e-12)
    assert world.state.rotation_matrix[CUP] == pytest.approx(to_matrix(after[3:]), abs=1e-12)


@pytest.mark.parametrize("facet", range(0, WALLS, 3))
def test_a_vertex_touches_the_facet_it_faces(facet):
    reach, angle, depth = 0.012, 2 * np.pi * facet / WALLS, 1e-4
    outwards = np.array([np.cos(angle), np.sin(angle), 0.0])
    cup_turn = axis_angle(np.array([0.6, 0.0, 0.8]), 0.7)
    # An octahedron with one vertex in the wall, given in the cup's frame.
    own = axis_angle(np.array([0.0, 0.0, 1.0]), angle)
    matrix, centre = to_matrix(cup_turn), np.array([0.1, -0.2, 0.5])
    at = centre + matrix @ ((RADIUS - reach + depth) * outwards)
    world = with_cup([(octahedron_body(reach), at, multiply(cup_turn, own))], centre, cup_turn)
    collide_cup(world.shapes, world.state, world.params, 0, STEP / 2)
    points, normals, separations = world.contacts()
    assert separations == pytest.approx([-depth], abs=1e-12)
    assert normals == pytest.approx(-(matrix @ outwards)[None], abs=1e-12)
    assert points == pytest.approx((centre + matrix @ ((RADIUS + depth) * outwards))[None])


def test_a_box_on_the_floor_touches_at_its_four_corners():
    box, depth = box_body(0.02, 0.02, 0.01), 1e-5
    at = (0.004, 0.0, -HALF_DEPTH + 0.005 - depth)
    world = with_cup([(box, at, UPRIGHT)], np.zeros(3), UPRIGHT)
    collide_cup(world.shapes, world.state, world.params, 0, STEP / 2)
    points, normals, separations = world.contacts()
    corners = {(0.004 + x, y) for x in (-0.01, 0.01) for y in (-0.01, 0.01)}
    assert {tuple(point) for point in points[:, :2].round(9).tolist()} == corners
    assert normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (4, 1)))
    assert separations == pytest.approx(np.full(4, -depth), abs=1e-12)


def test_the_deepest_points_stay_in_the_manifold():
    rng = np.random.default_rng(2)
    for count in (3, 6, 20):
        rows = rng.normal(size=(count, 4))
        deepest, kept = np.zeros((8, 4)), 0
        for row in rows:
            kept = keep_deepest(deepest, kept, 6, *row.tolist())
        exact = rows[np.argsort(rows[:, 0])][:6]
        found = deepest[:kept]
        assert found[np.argsort(found[:, 0])] == pytest.approx(exact)
