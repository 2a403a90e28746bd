"""Impacts in stages and rounded edges, against an integration in impulse and a finer mesh."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pigglesim.bodies.body import Skin
from pigglesim.bodies.mesh import convex_hull, hull_of
from pigglesim.data_files import floor_names
from pigglesim.experiments.tracked_throws import ThrowParameters
from pigglesim.physics.engines import make_engine
from pigglesim.physics.frames import principal_frame, rounded_vertices
from pigglesim.rotations import random_quaternion, to_matrix
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import GRAVITY, Stepping
from pigglesim.throws import Drop

SIDE, STEP = 0.1, 5e-4
CUBE = ThrowParameters(
    side=SIDE, mass=0.4, inertia=(8e-4, 9e-4, 1e-3), friction=0.2, restitution=0.3
)


CORNERS = SIDE / 2.0 * np.array(list(product((-1.0, 1.0), repeat=3)))


def struck(parameters, drop):
    """Return velocity and angular velocity of a cube soon after its first impact."""
    stepping = Stepping(time_step=STEP)
    floor = make_engine("impulse").floor(parameters.body(), parameters.surface, stepping)
    frames = floor.trajectory(drop, STEP, 9)
    late = frames[-3:, :3]
    return (late[2] - late[0]) / (2 * STEP)


def keller(parameters, drop):
    """Return the velocity just after an impact, integrated in the normal impulse (Keller 1986)."""
    matrix = to_matrix(drop.rotation)
    corners = CORNERS @ matrix.T
    arm = corners[np.argmin(corners[:, 2])]
    # Free flight until the lowest corner is on the floor is so short that the body hardly turns.
    velocity, spin = drop.velocity.copy(), drop.angular_velocity.copy()
    inverse = matrix @ np.diag(1.0 / parameters.moments) @ matrix.T
    before = (velocity + np.cross(spin, arm))[2]
    impulse = -before * parameters.mass / 4000.0
    while True:
        point = velocity + np.cross(spin, arm)
        if point[2] >= -parameters.restitution * before:
            return velocity
        slip = point[:2] / np.linalg.norm(point[:2])
        push = impulse * np.array([*(-parameters.friction * slip), 1.0])
        velocity = velocity + push / parameters.mass
        spin = spin + inverse @ np.cross(arm, push)


def falling(seed):
    """Return a cube just above the floor, corner first and sliding."""
    rng = np.random.default_rng(seed)
    while True:
        rotation = random_quaternion(rng=rng)
        heights = np.sort((CORNERS @ to_matrix(rotation).T)[:, 2])
        if heights[1] - heights[0] > 0.02:
            break
    velocity = np.array([*rng.normal(0.0, 1.0, 2), -1.5])
    spin = rng.normal(0.0, 8.0, 3)
    return Drop(
        height=float(-heights[0] + 1e-4),
        rotation=rotation,
        velocity=velocity,
        angular_velocity=spin,
    )


def test_stages_tend_to_the_integration_in_impulse():
    errors = {1: [], 8: [], 64: []}
    for seed in range(12):
        drop = falling(seed)
        exact = keller(CUBE, drop)
        for stages, found in errors.items():
            velocity = struck(replace(CUBE, impact_stages=stages), drop)
            found.append(np.linalg.norm((velocity - exact)[:2]))
    once, eight, many = (np.median(errors[stages]) for stages in (1, 8, 64))
    assert many < 0.01
    assert eight < 0.5 * once
    assert many <= eight


def test_one_friction_and_one_stage_are_the_surface_without_them():
    drop = falling(5)
    assert (
        struck(CUBE, drop).tobytes()
        == struck(replace(CUBE, sliding_friction=CUBE.friction), drop).tobytes()
    )


def test_a_rounded_cube_rests_at_its_height_and_moves_like_a_fine_mesh_of_it():
    rounded = replace(CUBE, rounding=0.006, restitution=0.2)
    body = rounded.body()
    frame = principal_frame(body)
    points = rounded_vertices(body) @ frame.axes.T + frame.centre
    mesh = convex_hull(points)
    skin = Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=("cube",) * len(mesh.faces))
    fine = replace(body, hull=hull_of(skin)[0], skin=skin, rounding=0.0)
    stepping = Stepping(time_step=STEP)
    floors = [
        make_engine("impulse").floor(each, rounded.surface, stepping) for each in (body, fine)
    ]
    flat = Drop(
        height=SIDE / 2.0 + 0.01,
        rotation=np.array([0.0, 0.0, 0.0, 1.0]),
        velocity=np.zeros(3),
        angular_velocity=np.zeros(3),
    )
    apart = []
    for floor in floors:
        assert floor.trajectory(flat, STEP, 1200)[-1, 2] == pytest.approx(SIDE / 2.0, abs=2e-4)
    for seed in range(6):
        first, second = (floor.trajectory(falling(seed), STEP, 60) for floor in floors)
        apart.append(np.abs(first[:, :3] - second[:, :3]).max())
    assert np.median(apart) < 5e-4


def test_flight_is_a_parabola():
    drop = replace(falling(1), height=2.0)
    stepping = Stepping(time_step=STEP)
    for engine in ("impulse", "bullet", "mujoco"):
        floor = make_engine(engine).floor(CUBE.body(), CUBE.surface, stepping)
        frames = floor.trajectory(drop, 4 * STEP, 50)
        times = np.arange(50) * 4 * STEP
        height = 2.0 + drop.velocity[2] * times - GRAVITY / 2.0 * times**2
        assert frames[:, 2] == pytest.approx(height, abs=2e-3)
        assert frames[:, 0] == pytest.approx(drop.velocity[0] * times, abs=2e-3)


def test_the_floors_of_pigglesim_have_one_stage_as_their_numbers_were_fitted_so():
    surfaces = [one for name in floor_names() for one in load_floor(name).surfaces.values()]
    assert surfaces
    assert {one.impact_stages for one in surfaces} == {1}
