"""The network of docs/examples/learn_piggy_six.py follows the slopes of its loss."""

import runpy

import numpy as np

from scripts.documentation.pages import ROOT

EXAMPLE = runpy.run_path(str(ROOT / "docs/examples/learn_piggy_six.py"))


def loss(outputs, mask, actions, gains, goals):
    """Mean of: gain times surprise, weight times order, half the squared error of the value."""
    shares = EXAMPLE["chances"](outputs, mask)
    taken = shares[np.arange(len(actions)), actions]
    order = np.where(mask, shares * np.log(shares + 1e-300), 0.0).sum(axis=1)
    errors = outputs[:, -1] - goals
    return np.mean(-gains * np.log(taken) + EXAMPLE["ENTROPY"] * order + errors**2 / 2)


def test_slopes_are_differences_of_the_loss():
    rng = np.random.default_rng(1)
    network = EXAMPLE["Network"](5, 3, rng)
    network.weights = [weights.astype(float) for weights in network.weights]
    numbers, mask = rng.normal(size=(8, 5)), np.ones((8, 3), dtype=np.int8)
    mask[:3, 2] = 0
    known = (mask, rng.integers(2, size=8), rng.normal(size=8), rng.normal(size=8))
    found = network.gradients(EXAMPLE["slopes_of"](network(numbers), *known).astype(float))
    step = 1e-6
    for weights, slopes in zip(network.weights, found, strict=True):
        for at in [(0, 0), (2, 1), (4, 2), (-1, -1), (-1, 0)]:
            weights[at] += step
            above = loss(network(numbers), *known)
            weights[at] -= 2 * step
            below = loss(network(numbers), *known)
            weights[at] += step
            # Outputs are rounded to single precision once; slopes are of the order of 0.1.
            assert abs((above - below) / (2 * step) - slopes[at]) < 1e-6


def test_steps_reach_the_lowest_loss():
    network = EXAMPLE["Network"](1, 1, np.random.default_rng(1))
    number = np.ones((1, 1), dtype=np.float32)
    for _ in range(300):
        error = network(number)[:, 1:] - 0.7
        network.descend(network.gradients(np.column_stack([0 * error, error])), 0.01)
    assert abs(network(number)[0, 1] - 0.7) < 0.01
