"""The contact solver of engine `impulse` against closed forms and quadratic programs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls

from pigglesim.bodies.load import load_model
from pigglesim.physics.impulse.broad_phase import (
    find_pairs,
    set_point_speed,
    warm_start_normal,
)
from pigglesim.physics.impulse.manifold import find_contacts
from pigglesim.physics.impulse.solver import (
    add_contact,
    add_plane_contact,
    correct_positions,
    set_target_velocities,
    solve_contacts,
)
from pigglesim.physics.impulse.state import BOARD, BOARD_CONTACT, BODY_CONTACT, LX, VX
from pigglesim.rotations import random_quaternion
from pigglesim.scene.scene import Contact
from tests.support.bodies import box_body, octahedron_body
from tests.support.contact_worlds import STEP, Opened, with_contacts
from tests.support.tracking import GRAVITY

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
CONVERGED = 3e-4
"""A sweep ends the solution once it changes no velocity by more [m/s]."""


def with_solver(scene, sweeps):
    """The scene with another limit on sweeps; without a cup the solver takes five times as many."""
    return replace(scene, stepping=replace(scene.stepping, iterations=sweeps))


def touching(world, body, other, point, normal, kind=BODY_CONTACT, separation=0.0):
    world.state.normal[:] = normal
    add_contact(world.state, body, other, *map(float, point), separation)
    world.state.contact_kind[int(world.state.contact_count) - 1] = kind


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("speed", [0.1, 3.0])
def test_a_head_on_collision_is_newton_s(restitution, speed):
    one, two = octahedron_body(0.012), octahedron_body(0.008)
    world = Opened([(one, (0, 0, 1), UPRIGHT), (two, (0.02, 0, 1), UPRIGHT)])
    world.state.velocity[0], world.state.velocity[1] = (speed, 0, 0), (-speed, 0, 0)
    touching(world, 1, 0, (0.012, 0, 1), (1.0, 0, 0), separation=-1e-9)
    set_target_velocities(world.state, restitution, 0.05, STEP / 2, 0)
    solve_contacts(world.state, world.params)
    a, b = one.mass.mass, two.mass.mass
    impulse = (1 + restitution) * 2 * speed * a * b / (a + b)
    assert world.state.velocity[0] == pytest.approx([speed - impulse / a, 0, 0], abs=1e-12)
    assert world.state.velocity[1] == pytest.approx([-speed + impulse / b, 0, 0], abs=1e-12)
    assert not world.state.angular_velocity[:2].any()
    assert world.state.normal_impulse[0] == pytest.approx(impulse, rel=1e-12)


def test_a_slow_impact_does_not_rebound_and_a_near_one_closes_its_gap():
    body = octahedron_body(0.012)
    for speed, separation, target in [(0.04, -1e-5, 0.0), (3.0, 0.01, -0.01 / (STEP / 2))]:
        world = Opened([(body, (0, 0, 0.012), UPRIGHT)])
        world.state.velocity[0] = (0, 0, -speed)
        touching(world, 0, BOARD, (0, 0, 0), (0, 0, 1.0), BOARD_CONTACT, separation)
        set_target_velocities(world.state, 0.5, 0.05, STEP / 2, 0)
        assert world.state.target_velocity[0] == pytest.approx(target)


def jumble(seed, *, friction, sweeps=10):
    """Three boxes in the air with contacts at random points, and one with the board."""
    rng = np.random.default_rng(seed)
    contact = Contact(friction=friction, restitution=0.0)
    levers = {"rolling_lever": 0.0, "spinning_lever": 0.0}
    scene = with_solver(with_contacts(piggle=contact, board=contact, **levers), sweeps)
    box = box_body(0.02, 0.03, 0.012)
    world = Opened(
        [
            (box, 0.03 * rng.normal(size=3) + [0, 0, 1], random_quaternion(rng=rng))
            for _ in range(3)
        ],
        scene=scene,
    )
    state = world.state
    state.velocity[:3], state.angular_velocity[:3] = rng.normal(size=(2, 3, 3)) * [[[1]], [[30]]]
    for body, other in [(0, 1), (0, 1), (1, 2), (2, 0), (2, 0)]:
        normal = rng.normal(size=3)
        touching(
            world,
            body,
            other,
            (state.position[body] + state.position[other]) / 2 + 0.005 * rng.normal(size=3),
            normal / np.linalg.norm(normal),
        )
    touching(world, 2, BOARD, state.position[2] - [0.003, 0.004, 0.01], (0, 0, 1.0), BOARD_CONTACT)
    # Slower than any threshold: contacts only have to stop approaching.
    set_target_velocities(state, 0.0, 0.05, STEP / 2, 0)
    return world


def delassus(world):
    """J inv(M) J^T of all normals, from positions and inertia alone."""
    state, count = world.state, int(world.state.contact_count)
    rows = np.zeros((count, 3, 6))
    inverse = np.zeros((18, 18))
    for body in range(3):
        inverse[6 * body : 6 * body + 3, 6 * body : 6 * body + 3] = np.eye(3) * state.inv_mass[body]
        inverse[6 * body + 3 : 6 * body + 6, 6 * body + 3 : 6 * body + 6] = state.inv_inertia_world[
            body
        ]
    for i in range(count):
        n, point = state.contact_frame[i, 0], state.contact_point[i]
        for body, sign in ((state.body_a[i], 1.0), (state.body_b[i], -1.0)):
            if body < 3:
                rows[i, body, :3] = sign * n
                rows[i, body, 3:] = sign * np.cross(point - state.position[body], n)
    jacobian = rows.reshape(count, 18)
    return jacobian @ inverse @ jacobian.T


@pytest.mark.parametrize("seed", range(12))
def test_without_friction_impulses_solve_the_quadratic_program(seed):
    # The least kinetic energy among velocities that no contact approaches with: the impulses are
    # at least zero and minimise l.A.l / 2 + v.l, a least-squares problem of A's root.
    world = jumble(seed, friction=0.0, sweeps=400)
    before = world.velocities_at_contacts()[:, 0]
    matrix = delassus(world)
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(values.clip(1e-9 * values[-1]))
    exact, _ = nnls(root.T, -np.linalg.solve(root, before))
    solve_contacts(world.state, world.params)
    count = int(world.state.contact_count)
    assert matrix @ world.state.normal_impulse[:count] == pytest.approx(
        matrix @ exact, abs=30 * CONVERGED
    )
    after = world.velocities_at_contacts()[:, 0]
    assert after == pytest.approx(before + matrix @ world.state.normal_impulse[:count], abs=1e-9)
    assert after.min() > -30 * CONVERGED


@pytest.mark.parametrize("friction", [0.1, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_friction_stays_in_its_cone_and_acts_against_sliding(seed, friction):
    world = jumble(seed, friction=friction, sweeps=400)
    state, count = world.state, int(world.state.contact_count)
    solve_contacts(state, world.params)
    normal, tangential = state.normal_impulse[:count], state.friction_impulse[:count]
    lengths = np.linalg.norm(tangential, axis=1)
    assert (normal >= 0.0).all()
    assert (lengths <= friction * normal * (1 + 1e-12)).all()
    velocities = world.velocities_at_contacts()
    assert (velocities[normal > 0.0, 0] < 30 * CONVERGED).all()
    assert (velocities[:, 0] > -30 * CONVERGED).all()
    sliding = 0
    for velocity, impulse, length, bound in zip(
        velocities[:, 1:], tangential, lengths, friction * normal, strict=True
    ):
        if bound == 0.0:
            continue
        speed = np.linalg.norm(velocity)
        if speed > 0.05:
            # What slides is rubbed as hard as it can be, straight against its motion.
            assert length == pytest.approx(bound, rel=1e-9)
            assert velocity @ impulse < -0.99 * speed * length
            sliding += 1
        elif length < 0.9 * bound:
            assert speed < 30 * CONVERGED
    assert sliding or friction > 0.1


@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_layer_of_a_stack_bears_the_weight_above_it(count):
    boxes = [box_body(0.03 - 0.004 * n, 0.03 - 0.004 * n, 0.01) for n in range(count)]
    world = Opened([(box, (0, 0, 0.005 + 0.00999 * n), UPRIGHT) for n, box in enumerate(boxes)])
    state = world.state
    for n in range(1, count):
        state.pairs[n - 1] = n, n - 1
    state.pair_count = count - 1
    # Half a step into it, after gravity, before impulses.
    state.velocity[:count, 2] = -GRAVITY * STEP
    find_contacts(world.shapes, state, world.scratch, world.params, STEP / 2)
    solve_contacts(state, world.params)
    contacts = int(state.contact_count)
    for n in range(count):
        weight = sum(box.mass.mass for box in boxes[n:]) * GRAVITY * STEP
        layer = state.body_a[:contacts] == n
        assert layer.sum() == 4
        borne = state.normal_impulse[:contacts][layer].sum()
        # The last sweep changed less than CONVERGED / (g dt) = 1.5 % of it; a stack converges by a
        # constant share per sweep, so that about twice as much is left for each layer.
        assert borne == pytest.approx(weight, rel=0.03 * count)
        assert state.velocity[n] == pytest.approx(np.zeros(3), abs=3 * CONVERGED * count)


def test_overlap_is_parted_by_a_share_in_inverse_ratio_of_the_masses():
    heavy, light = box_body(0.02, 0.02, 0.04), box_body(0.02, 0.02, 0.01)
    world = Opened([(heavy, (0, 0, 1), UPRIGHT), (light, (0, 0, 1.0245), UPRIGHT)])
    touching(world, 1, 0, (0, 0, 1.02), (0, 0, 1.0), separation=-5e-4)
    world.state.split_impulse[:] = 0.0
    correct_positions(world.state)
    down, up = world.state.split_impulse[0], world.state.split_impulse[1]
    assert up[2] - down[2] == pytest.approx(0.2 * 5e-4)
    assert up[2] / -down[2] == pytest.approx(4.0)
    assert not world.state.velocity[:2].any()


@pytest.mark.parametrize(
    "normal", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.6, 0.0, -0.8), (-2 / 3, 1 / 3, 2 / 3)]
)
def test_a_contact_frame_is_a_right_handed_basis_along_the_normal(normal):
    opened = Opened([])
    state = opened.state
    state.normal[:3] = normal
    state.contact_count = 0
    add_contact(state, 0, 1, 0.0, 0.0, 0.0, -1e-3)
    frame = np.array(state.contact_frame[0])
    assert frame[0] == pytest.approx(normal)
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1.0)


def test_contacts_of_a_rounded_body_are_below_its_vertices_and_the_lowest_stay():
    scratch = Opened([]).scratch
    room = len(scratch.contact_offset)
    heights = -0.01 - 1e-4 * np.random.default_rng(1).permutation(3 * room)
    count = 0
    for height in heights:
        scratch.vertex_offset[:] = 10.0 * height, -height, height
        count = add_plane_contact(scratch, 0.002, count, -height)
    assert count == room
    lowest = np.sort(heights)[:room]
    found = scratch.contact_offset[np.argsort(scratch.contact_offset[:, 2])]
    assert found == pytest.approx(np.column_stack([10.0 * lowest, -lowest, lowest - 0.002]))
    assert np.sort(scratch.target_velocity[:room])[::-1] == pytest.approx(-lowest)


def test_the_first_search_of_a_pair_starts_along_the_centres():
    box = box_body(0.02, 0.02, 0.02)
    state = Opened([(box, (0, 0, 1), UPRIGHT), (box, (0.03, 0, 1.04), UPRIGHT)]).state
    warm_start_normal(state, 1, 0)
    assert state.normal[:3] == pytest.approx([0.6, 0.0, 0.8])


@pytest.mark.parametrize(("gap", "pairs"), [(1e-4, 1), (1e-3, 0)])
def test_bodies_that_are_apart_are_no_pair(gap, pairs):
    box = box_body(0.02, 0.02, 0.02)
    world = Opened([(box, (0, 0, 1), UPRIGHT), (box, (0.02 + gap, 0.001, 1), UPRIGHT)])
    find_pairs(world.shapes, world.state, world.params, STEP)
    assert world.state.pair_count == pairs
    if not pairs:
        normal = world.state.cached_normal[1, 0]
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        apart = (world.vertices(1) @ normal).min() - (world.vertices(0) @ normal).max()
        assert 0.0 < world.state.cached_separation[1, 0] <= apart <= gap


def test_no_point_of_a_body_is_faster_than_its_bound():
    opened = Opened([(load_model("d6"), (0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0))])
    state = opened.state
    momentum = np.array([2.0, -1.0, 3.0]) / state.inv_inertia[0]
    state.states[0, VX : VX + 3] = 0.3, -0.4, 1.2
    state.states[0, LX : LX + 3] = momentum
    # Moments of a cube are equal, so that it turns at 2, -1 and 3 rad/s.
    bound = 1.3 + state.bounding_radius[0] * 14.0**0.5
    set_point_speed(state, 0)
    assert state.point_speed[0] == pytest.approx(bound)
