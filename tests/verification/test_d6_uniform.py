"""A fair die falls fairly; the test is shown to find one that does not."""

import numpy as np
import pytest

from pigglesim.physics.engines import make_engine
from scripts.verification.d6_uniform import count_faces, power, uniformity

THROWS = 1500
ALPHA = 0.001


@pytest.mark.slow
def test_a_cube_shows_each_face_a_sixth_of_the_time():
    counts = count_faces(THROWS, engine=make_engine("impulse"), seed=1)
    assert counts.sum() == THROWS
    _, p = uniformity(counts)
    # A wrong alarm in a thousand seeds; nine in ten dice found whose opposite faces come at
    # .166 +- .04, which is what 1,500 throws can tell. The module's 20,000 tell .011.
    assert p > ALPHA
    assert power(THROWS, 0.041, alpha=ALPHA) > 0.9
    assert power(20_000, 0.0112, alpha=ALPHA) > 0.9


def test_the_power_and_the_level_are_the_stated_ones():
    rng = np.random.default_rng(3)
    shares = 1 / 6 + np.array([0.041, -0.041, 0, 0, 0, 0])
    found = [uniformity(row)[1] < ALPHA for row in rng.multinomial(THROWS, shares, 2000)]
    # Three standard errors of 2,000 draws.
    assert abs(np.mean(found) - power(THROWS, 0.041, alpha=ALPHA)) < 0.025
    fair = [uniformity(row)[1] < 0.05 for row in rng.multinomial(THROWS, np.full(6, 1 / 6), 2000)]
    assert abs(np.mean(fair) - 0.05) < 0.015
