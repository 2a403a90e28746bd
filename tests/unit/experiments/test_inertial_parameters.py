"""The body of tracked throws by the balance of momentum: known bodies, noise, other laws."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.experiments.inertial_parameters import flight_centre, measure_inertial_parameters
from pigglesim.experiments.tracked_throws import (
    Start,
    Thrower,
    ThrowParameters,
    Track,
    TrackedThrows,
)
from pigglesim.rotations import random_quaternion

FRAME = 1.0 / 148.0
CUBE = ThrowParameters(
    side=0.1,
    mass=0.37,
    centre=(0.001, -0.0005, 0.006),
    inertia=(8.2e-4, 8.0e-4, 7.6e-4),
    rounding=0.004,
    friction=0.17,
    restitution=0.3,
    impact_stages=8,
)


def thrown(parameters, count, seed, noise=3e-5):
    """Tracked throws of a cube, with errors of the tracking."""
    rng, thrower = np.random.default_rng(seed), Thrower(parameters, "impulse", FRAME)
    tracks = []
    for number in range(count):
        start = Start(
            first_frame=0,
            frame=0,
            position=np.array([0.0, 0.0, 0.22]),
            velocity=np.array([*rng.uniform(-1.0, 1.0, 2), -1.5]),
            rotation=random_quaternion(rng=rng),
            angular_velocity=rng.normal(0.0, 4.0, 3),
            covariance=np.eye(2),
            position_noise=0.0,
            rotation_noise=0.0,
        )
        positions, rotations = thrower.throw(start, 70)
        noisy = positions + rng.normal(0.0, noise, positions.shape)
        tracks.append(Track(number=number, positions=noisy, rotations=rotations))
    return TrackedThrows(
        name="cube",
        side=parameters.side,
        mass=parameters.mass,
        frame_time=FRAME,
        tracks=tuple(tracks),
    )


@pytest.fixture(scope="module")
def throws():
    return thrown(CUBE, 60, 3)


def truth(parameters):
    return np.array([parameters.rounding, *parameters.centre, *parameters.inertia])


def test_flights_give_the_centre_of_mass(throws):
    centre, error = flight_centre(throws)
    assert (error < 5e-4).all()
    assert (np.abs(centre - CUBE.centre) < 4.0 * error).all()


def test_impacts_give_body_and_rounding(throws):
    found = measure_inertial_parameters(throws)
    errors = found.errors
    assert found.impacts >= 10
    assert (np.abs(found.values - truth(CUBE)) < 4.0 * errors).all()
    # Far more closely than the prior, which is 25 % of the inertia, and 3 mm.
    assert (errors[4:] < 0.05 * truth(CUBE)[4:]).all()
    assert errors[0] < 1e-3


def test_the_law_of_contact_does_not_matter():
    for law in ({"friction": 0.4}, {"restitution": 0.5}, {"impact_stages": 1}):
        other = replace(CUBE, **law)
        found = measure_inertial_parameters(thrown(other, 60, 4))
        away = np.abs(found.values - truth(other))
        assert (away < 4.0 * found.errors).all(), law


def test_without_impacts_the_prior_is_left(throws):
    short = replace(
        throws,
        tracks=tuple(
            replace(track, positions=track.positions[:12], rotations=track.rotations[:12])
            for track in throws.tracks
        ),
    )
    found, solid = measure_inertial_parameters(short), CUBE.mass * CUBE.side**2 / 6.0
    assert found.impacts == 0
    assert found.values[4:] == pytest.approx([1.25 * solid] * 3)
    assert found.errors[4:] == pytest.approx([0.25 * solid] * 3)
