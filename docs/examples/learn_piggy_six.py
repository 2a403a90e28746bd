"""Can a small network that only plays learn to beat greedy at Piggy Six?

`python learn_piggy_six.py 600 curve.svg` improves a network 600 times, after 65,536 decisions
against greedy each, and draws its share of the win meanwhile. It is an actor-critic: its outputs
are the probability of each action and the expected reward, and actions after which more is expected
than before become more probable (Schulman and others 2015, arXiv:1506.02438).
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim import Interval
from pigglesim.envs.vector import Observations, SeatVectorEnv
from pigglesim.experiments.statistics import mean_of
from pigglesim.render.figure import new_figure, save_figure
from pigglesim.units import plus_minus

PLACES, STEPS = 2048, 32
"""Matches at once, and decisions in each between two improvements."""
RATE, ENTROPY, TRACE = 1e-3, 0.003, 0.9
"""First step size, weight of random play, and share of a gain that the decision before gets."""
TESTS = 16_384
"""Fresh matches for each point of the curve."""

Floats = NDArray[np.floating[Any]]


class Network:
    """Two layers of 64 neurons, and an output for each action and for the expected reward."""

    def __init__(self, inputs: int, actions: int, rng: np.random.Generator) -> None:
        shapes = ((inputs + 1, 64), (65, 64), (65, actions + 1))
        self.weights = [rng.normal(0, a**-0.5, (a, b)).astype(np.float32) for a, b in shapes]
        self._means = [np.zeros_like(each) for each in self.weights]
        self._squares = [np.zeros_like(each) for each in self.weights]
        self._count = 0

    def __call__(self, numbers: Floats) -> Floats:
        """Return the outputs for observations, and keep what `gradients` needs."""
        self._inputs = []
        for weights in self.weights:
            numbers = np.column_stack([numbers, np.ones(len(numbers), np.float32)])
            self._inputs.append(numbers)
            numbers = np.tanh(numbers @ weights)
        outputs: Floats = self._inputs[-1] @ self.weights[-1]
        return outputs

    def gradients(self, slopes: Floats) -> list[Floats]:
        """Return the slopes of the loss by the weights, given those by the last outputs."""
        found: list[Floats] = []
        for weights, inputs in zip(self.weights[::-1], self._inputs[::-1], strict=True):
            found.append(inputs.T @ slopes)
            slopes = (slopes @ weights.T * (1 - inputs**2))[:, :-1]
        return found[::-1]

    def descend(self, gradients: list[Floats], rate: float) -> None:
        """Take a step down the slopes (Adam: Kingma and Ba 2014, arXiv:1412.6980)."""
        self._count += 1
        parts = zip(self.weights, gradients, self._means, self._squares, strict=True)
        for weights, slope, mean, square in parts:
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            scale = np.sqrt(square / (1 - 0.999**self._count)) + 1e-8
            weights -= rate * mean / (1 - 0.9**self._count) / scale


def chances(outputs: Floats, mask: NDArray[np.int8]) -> Floats:
    """Return the probability of each action, 0 for illegal ones."""
    powers = np.exp(outputs[:, :-1] - outputs[:, :-1].max(axis=1, keepdims=True)) * mask
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def slopes_of(
    outputs: Floats,
    mask: NDArray[np.int8],
    actions: NDArray[np.int64],
    gains: Floats,
    goals: Floats,
) -> Floats:
    """Return the slopes of the loss by the outputs; `goals` are the rewards to expect."""
    shares = chances(outputs, mask)
    taken = np.eye(shares.shape[1], dtype=np.float32)[actions]
    logs = np.log(shares + 1e-12)
    spread = shares * (logs - (shares * logs).sum(axis=1, keepdims=True))
    slopes = (shares - taken) * gains[:, None] + ENTROPY * spread
    return np.column_stack([slopes, outputs[:, -1] - goals]).astype(np.float32) / len(actions)


def improve(
    network: Network, env: SeatVectorEnv, seen: Observations, rng: np.random.Generator, rate: float
) -> Observations:
    """Play, make actions with gains more probable, and return the next observations."""
    played, expected = [], []
    for _ in range(STEPS):
        numbers, mask = seen["observation"], seen["action_mask"]
        outputs = network(numbers)
        sums = chances(outputs, mask).cumsum(axis=1)
        actions = (sums <= rng.random((PLACES, 1)) * sums[:, -1:]).sum(axis=1)
        seen, rewards, ended, _, _ = env.step(actions)
        played.append((numbers, mask, actions, rewards, ended))
        expected.append(outputs[:, -1])
    gains, gain, following = [], np.zeros(PLACES), network(seen["observation"])[:, -1]
    for (*_, rewards, ended), before in zip(played[::-1], expected[::-1], strict=True):
        gain = rewards - before + ~ended * (following + TRACE * gain)
        gains.append(gain.astype(np.float32))
        following = before
    numbers, mask, actions, _, _ = (np.concatenate(part) for part in zip(*played, strict=True))
    gain, before = np.concatenate(gains[::-1]), np.concatenate(expected)
    for at in np.array_split(rng.permutation(len(actions)), 4):
        known = (mask[at], actions[at], gain[at] / gain.std(), gain[at] + before[at])
        network.descend(network.gradients(slopes_of(network(numbers[at]), *known)), rate)
    return seen


def share_won(network: Network) -> Interval:
    """Return the share of fresh matches that the network wins, always by its best action."""
    env = SeatVectorEnv("piggy_six", num_envs=TESTS)
    seen, _ = env.reset(seed=10**9)
    over, won = np.zeros(TESTS, bool), np.zeros(TESTS)
    while not over.all():
        values = network(seen["observation"])[:, :-1]
        best = np.where(seen["action_mask"] == 1, values, -np.inf).argmax(axis=1)
        seen, rewards, ended, _, _ = env.step(best)
        won, over = np.where(ended & ~over, (1 + rewards) / 2, won), over | ended
    return mean_of(won)


def draw(curve: list[tuple[int, Interval]], file: Path) -> None:
    """Draw the shares against the decisions that came before."""
    figure = new_figure(5.0, 3.0)
    axes = figure.add_subplot()
    shares = [share.value for _, share in curve]
    margins = [[s.value - s.low for _, s in curve], [s.high - s.value for _, s in curve]]
    axes.errorbar([count / 1e6 for count, _ in curve], shares, yerr=margins, linewidth=1.2)
    axes.axhline(0.5, linewidth=0.8, color="grey")
    axes.set_xlabel("decisions [millions]")
    axes.set_ylabel("share won against greedy")
    figure.subplots_adjust(left=0.14, bottom=0.17, right=0.97, top=0.95)
    save_figure(figure, file)


def main(words: list[str]) -> None:
    """Improve a network the given number of times, by default 600, and show its shares."""
    times = int(words[0]) if words else 600
    env = SeatVectorEnv("piggy_six", num_envs=PLACES, autoreset_mode="SameStep")
    rng, (seen, _), curve = np.random.default_rng(1), env.reset(seed=1), []
    network = Network(env.layout.size, seen["action_mask"].shape[1], rng)
    for time in range(times + 1):
        if time % max(1, times // 20) == 0:
            curve.append((time * PLACES * STEPS, share_won(network)))
            print(f"{curve[-1][0]:>12,} decisions: {plus_minus(curve[-1][1])}", flush=True)
        seen = improve(network, env, seen, rng, RATE * (1 - time / (times + 1)))
    if words[1:]:
        draw(curve, Path(words[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
