"""Sine, cosine and arc tangent against extended precision."""

import math

import numpy as np
import pytest

from pigglesim.trig import atan2, sin_cos

pytestmark = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs 80-bit numbers")


def ulps(found, exact):
    return float(abs(np.longdouble(found) - exact) / np.spacing(np.float64(abs(exact))))


def test_sine_and_cosine_are_within_one_unit_of_the_last_place():
    rng = np.random.default_rng(1)
    angles = [*rng.uniform(-7, 7, 5000), *rng.uniform(-1e5, 1e5, 5000), 0.0, math.pi, -math.pi / 2]
    for angle in [float(angle) for angle in angles]:
        sine, cosine = sin_cos(angle)
        # At 1e5 the extended argument reduction of the C library is still exact enough.
        assert ulps(sine, np.sin(np.longdouble(angle))) < 1.0 or abs(sine) < 1e-10
        assert ulps(cosine, np.cos(np.longdouble(angle))) < 1.0 or abs(cosine) < 1e-10
        assert sine * sine + cosine * cosine == pytest.approx(1.0, abs=4e-16)


def test_an_arc_tangent_is_within_one_unit_of_the_last_place_in_every_quadrant():
    rng = np.random.default_rng(2)
    ratios = (0.4375, 0.6875, 1.1875, 4.0)
    near = [(r * (1 + e), 1.0) for r in ratios for e in rng.normal(0, 1e-3, 200)]
    points = [*rng.normal(size=(5000, 2)), *near, *10.0 ** rng.uniform(-9, 9, (2000, 2))]
    for y, x in [(float(y), float(x)) for y, x in points]:
        for v, u in ((y, x), (-y, x), (y, -x), (-y, -x)):
            assert ulps(atan2(v, u), np.arctan2(np.longdouble(v), np.longdouble(u))) < 1.0
    assert [atan2(0.0, 0.0), atan2(0.0, 2.0), atan2(3.0, 0.0)] == [0.0, 0.0, math.pi / 2]
    assert atan2(0.0, -2.0) == math.pi
