"""Resistance to rolling that follows the contact patch, against closed forms."""

from dataclasses import replace
from math import pi, sqrt

import numpy as np
import pytest

from pigglesim.bodies.body import Body, MassProperties, Skin
from pigglesim.bodies.mesh import convex_hull, hull_of, icosphere
from pigglesim.physics.engines import make_engine
from pigglesim.physics.frames import rolled_area, rolling_lever
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import GRAVITY
from pigglesim.throws import Drop

DEPTH = 1e-4


def body_of(points, mass=0.01):
    """Return the hull of some points [m] as a body about its middle."""
    mesh = convex_hull(np.asarray(points))
    skin = Skin(vertices=mesh.vertices, faces=mesh.faces, face_parts=("all",) * len(mesh.faces))
    return Body(
        model="test",
        skin=skin,
        hull=hull_of(skin)[0],
        parts=(),
        mass=MassProperties(mass=mass, centre=np.zeros(3), inertia=np.eye(3) * 1e-6),
        poses=(),
        sha256=repr((mass, mesh.vertices.tobytes())),
    )


def test_the_patch_of_a_sphere_is_its_cap():
    radius = 0.01
    ball = body_of(icosphere(5).vertices * radius)
    # A hull of flat faces is inside its sphere by up to 4 % of the depth here.
    assert rolled_area(ball) == pytest.approx(radius * sqrt(2 * radius * DEPTH), rel=0.02)


def test_the_patch_of_sharp_corners_grows_with_the_depth_and_not_with_the_body():
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    small, large = rolled_area(body_of(0.005 * signs)), rolled_area(body_of(0.02 * signs))
    # The mean height of a corner of a cube is 3/4 of its side. Patches are nearly alike; sections
    # close to a face grow a little with the side.
    assert 1.0 < large / small / 4.0 < 1.3
    assert small < 0.2 * 0.0075 * sqrt(2 * 0.0075 * DEPTH) * sqrt(pi)


def test_the_torque_does_not_depend_on_weight_and_adds_to_that_of_the_lever():
    ball = body_of(icosphere(3).vertices * 0.01)
    surface = replace(
        load_floor("tabletop").surface("plastic"), rolling_lever=0.001, rolling_line_force=12.0
    )
    light, heavy = (
        rolling_lever(surface, ball),
        rolling_lever(surface, body_of(ball.hull.vertices, 0.1)),
    )
    assert light - 0.001 == pytest.approx(12.0 * rolled_area(ball) / (0.01 * GRAVITY))
    assert light - 0.001 == pytest.approx(10.0 * (heavy - 0.001))
    assert rolling_lever(replace(surface, rolling_line_force=0.0), ball) == 0.001


@pytest.mark.parametrize("engine", ["impulse", "bullet", "mujoco"])
def test_every_engine_slows_a_body_by_it_as_by_a_lever(engine):
    ball = body_of(icosphere(3).vertices * 0.01)
    floor = load_floor("tabletop")
    forced = replace(floor.surface("plastic"), rolling_lever=0.0, rolling_line_force=5.0)
    levered = replace(forced, rolling_lever=rolling_lever(forced, ball), rolling_line_force=0.0)
    drop = Drop(
        height=0.0105,
        rotation=np.array([0.0, 0.0, 0.0, 1.0]),
        velocity=np.array([0.2, 0.0, 0.0]),
        angular_velocity=np.array([0.0, 20.0, 0.0]),
    )
    ends = [
        make_engine(engine).floor(ball, surface, floor.stepping).trajectory(drop, 0.02, 20)[-1]
        for surface in (forced, levered)
    ]
    assert np.array_equal(*ends)
