"""Mass, centre and inertia against closed forms."""

import math

import numpy as np
import pytest

from pigglesim.bodies.mesh import Ballast, BallastForm, convex_hull, mass_of
from scripts.piggle import ellipsoid

BOX = convex_hull(
    np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * [1e-2, 8e-3, 5e-3]
)


def test_a_box_weighs_and_turns_as_a_box():
    mass = mass_of(BOX.vertices + np.array([1e-3, 0, 2e-3]), BOX.faces, density=1100.0)
    sides = np.array([2e-2, 1.6e-2, 1e-2])
    weight = 1100.0 * sides.prod()
    squares = sides**2
    assert mass.mass == pytest.approx(weight)
    assert mass.centre == pytest.approx([1e-3, 0, 2e-3])
    expected = weight / 12 * (squares.sum() - squares)
    assert mass.inertia == pytest.approx(np.diag(expected), abs=1e-15)


def test_a_fine_ellipsoid_comes_near_the_formula():
    axes = np.array([1.05e-2, 1.05e-2, 6.3e-3])
    mesh = ellipsoid(axes, np.zeros(3), level=5)
    mass = mass_of(mesh.vertices, mesh.faces, density=1000.0)
    weight = 1000.0 * 4 / 3 * math.pi * axes.prod()
    # An inscribed mesh of 20,480 triangles lacks some .1 % of the volume.
    assert mass.mass == pytest.approx(weight, rel=2e-3)
    assert np.diag(mass.inertia) == pytest.approx(
        weight / 5 * (np.sum(axes**2) - axes**2), rel=3e-3
    )


def test_a_ball_in_a_box_shifts_the_centre_by_the_lever_rule():
    ball = Ballast(form=BallastForm.BALL, density=19_300, centre=(0, 0, -2e-3), radius=2e-3)
    plain = mass_of(BOX.vertices, BOX.faces, density=1100.0)
    heavy = mass_of(BOX.vertices, BOX.faces, density=1100.0, ballast=ball)
    extra = 4 / 3 * math.pi * 8e-9 * (19_300 - 1100)
    z = -2e-3 * extra / (plain.mass + extra)
    assert heavy.mass == pytest.approx(plain.mass + extra)
    assert heavy.centre == pytest.approx([0, 0, z])
    added = 0.4 * extra * 4e-6 + extra * (-2e-3 - z) ** 2 + plain.mass * z**2
    assert heavy.inertia[0, 0] == pytest.approx(plain.inertia[0, 0] + added)
    assert heavy.inertia[2, 2] == pytest.approx(plain.inertia[2, 2] + 0.4 * extra * 4e-6)


def test_a_cylinder_turns_as_its_axis_points():
    upright = Ballast(
        form=BallastForm.CYLINDER, density=19_300, centre=(0, 0, 0), radius=4e-3, length=2e-3
    )
    lying = Ballast(
        form=BallastForm.CYLINDER,
        density=19_300,
        centre=(0, 0, 0),
        radius=4e-3,
        length=2e-3,
        axis=(3.0, 0.0, 0.0),
    )
    across = (3 * 16e-6 + 4e-6) / 12
    assert np.diag(upright.inertia(2.0)) == pytest.approx([2 * across, 2 * across, 16e-6])
    assert np.diag(lying.inertia(2.0)) == pytest.approx([16e-6, 2 * across, 2 * across])
