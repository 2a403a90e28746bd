"""Drops start as the floor says."""

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.scene.load import load_floor
from pigglesim.throws import sample_drops


def test_drops_drawn_together_are_spread_as_the_floor_says():
    fall, body = load_floor("tabletop").fall, load_model("d6")
    drops = sample_drops(fall, body, trials=range(20_000), seed=1, purpose=("spread",))
    assert np.linalg.norm(drops.rotations, axis=1) == pytest.approx(1.0)
    # Each component of a uniform quaternion has a variance of a quarter; 5 standard errors.
    assert (drops.rotations**2).mean(axis=0) == pytest.approx(0.25, abs=0.01)
    assert drops.velocities[:, :2].std(axis=0) == pytest.approx(fall.drift_spread, rel=0.03)
    assert set(drops.velocities[:, 2]) == {-((2 * 9.80665 * fall.height) ** 0.5)}
    assert drops.angular_velocities.std(axis=0) == pytest.approx(fall.spin_spread, rel=0.03)
