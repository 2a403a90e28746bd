"""Lines of sight against bodies, by an independent test of points along them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from pigglesim.films.film import Still
from pigglesim.render.session import picked
from pigglesim.rotations import random_quaternion, rotate
from tests.unit.render.shown import body_of

BODY = body_of("piggle")
INSIDE = Delaunay(BODY.hull.vertices - BODY.mass.centre)


def scene(seed, count=4):
    rng = np.random.default_rng(seed)
    positions = rng.uniform(-0.05, 0.05, (count, 3))
    rotations = np.array([random_quaternion(rng=rng) for _ in range(count)])
    eye = np.array([0.0, -0.5, 0.3])
    way = rng.uniform(-0.06, 0.06, 3) - eye
    still = Still(time=0.0, positions=positions, rotations=rotations, cup=None)
    return eye, way / np.linalg.norm(way), still


def first_met(eye, way, still):
    """Walk along the line in steps of a tenth of a millimetre."""
    points = eye + np.arange(0.3, 0.8, 1e-4)[:, None] * way
    met = []
    for number, (place, turn) in enumerate(zip(still.positions, still.rotations, strict=True)):
        back = turn * np.array([-1.0, -1.0, -1.0, 1.0])
        within = INSIDE.find_simplex(rotate(back, points - place)) >= 0
        if within.sum() > 3:
            met.append((int(np.argmax(within)), number))
        elif within.any():
            return None
    return min(met) if met else (0, -1)


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=60)
def test_what_is_picked_is_what_the_line_meets_first(seed):
    eye, way, still = scene(seed)
    found = first_met(eye, way, still)
    # A line that just grazes a body, or two met at once, may go either way.
    if found is None:
        return
    number = picked(eye, way, (BODY,) * 4, still)
    assert (-1 if number is None else number) == found[1]


def test_nothing_is_picked_behind_the_eye():
    _, _, still = scene(1)
    eye = np.array([0.0, -0.5, 0.3])
    away = eye - still.positions[0]
    assert picked(eye, away / np.linalg.norm(away), (BODY,) * 4, still) is None
