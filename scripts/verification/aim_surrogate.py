"""A hold by a surrogate: `python -m scripts.verification.aim_surrogate [THROWS [BOARDS]]`.

Throws of seat B from random legal holds, onto boards as matches of greedy agents have them in round
3, give a surrogate of the gain: a ridge regression on the hold, its squares and products, on the
moments of the Piggles that stand there (number and places by owner and orientation), and on the
products of both. On new boards, the hold that it values most among 500 is compared with that of the
agent `aim` and with the scene's, with common random numbers. `aim_gain` says what a gain is.
"""

import os
import sys
from dataclasses import astuple
from functools import partial

import numpy as np

from pigglesim.chance.physical import physical_chance
from pigglesim.experiments.statistics import mean_of
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesState
from pigglesim.landing import CupHold, Orientation, Seat
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene, team_models
from scripts.verification.aim_gain import LOW, boards, gains, holds

ON_EACH_BOARD = 50
"""Throws onto each board that the surrogate is fitted to."""
CANDIDATES = 25
"""Draws of 22 random holds among which the best is sought."""
JUDGING = 64
RIDGES = (1.0, 10.0, 100.0, 1e3, 1e4)
MIDDLE = np.array([0.0, 0.095, 0.089, 0.0, 0.45])
REACH = np.array([0.064, 0.045, 0.038, 0.52, 0.35])
"""Middle and half width of the ranges of a hold: across, back, height, heading, swing."""


def moments(state: PigglesState) -> np.ndarray:
    """Return numbers and mean places of the Piggles on a board, as seat B sees it."""
    sums = np.zeros((4, 4))
    for piggle, at in state.board:
        row = 2 * (state.controller(piggle) is Seat.B) + (at.orientation is Orientation.SNOUT_UP)
        x, y, _ = at.place.position
        sums[row] += (1.0, -x / 0.1, -y / 0.1, (x * x + y * y) / 0.01)
    return sums.ravel() / 3.0


def features(hold: CupHold, state: PigglesState, *, seeing: bool) -> np.ndarray:
    """Return the features of a hold, with those of the board if the surrogate sees it."""
    swing = 0.24 if hold.swing is None else hold.swing
    unit = (np.array([*astuple(hold)[:4], swing]) - MIDDLE) / REACH
    products = [unit[i] * unit[j] for i in range(5) for j in range(i + 1)]
    own = np.array([*unit, *products])
    if not seeing:
        return np.array([1.0, *own])
    board = moments(state)
    return np.concatenate([[1.0], own, board, np.outer(own, board).ravel()])


class Thrower:
    """Throws onto boards, in any process."""

    def __init__(self) -> None:
        scene = load_scene("piggles_classic")
        self.chance = physical_chance(scene, team_models(scene), engine="impulse", seed=7)
        self.game = PigglesClassic()

    def __call__(self, job: tuple[int, PigglesState, list[CupHold | None], int]) -> list[float]:
        """Return the mean lead of each hold over `count` throws; single throws have new seeds."""
        first, state, ways, count = job
        one = count == 1
        seeds = [range(at, at + count) for at in (first + one * k for k in range(len(ways)))]
        return [
            gains(self.game, state, way, self.chance, numbers)
            for way, numbers in zip(ways, seeds, strict=True)
        ]


def fitted(table: np.ndarray, leads: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, float]:
    """Return ridge weights, and the share of variance explained on boards that were left out."""

    def solve(rows: np.ndarray, ridge: float) -> np.ndarray:
        x, y = table[rows], leads[rows]
        penalty = ridge * np.eye(x.shape[1])
        penalty[0, 0] = 0.0
        return np.linalg.solve(x.T @ x + penalty, x.T @ y)

    best = (-np.inf, 0.0)
    for ridge in RIDGES:
        missed = 0.0
        for fold in range(5):
            out = groups % 5 == fold
            missed += ((table[out] @ solve(~out, ridge) - leads[out]) ** 2).sum()
        best = max(best, (1.0 - missed / ((leads - leads.mean()) ** 2).sum(), ridge))
    return solve(np.full(len(leads), True), best[1]), best[0]


def main() -> None:
    """Fit the surrogate, and print what its holds gain."""
    throws = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    judged = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    workers, rng = os.cpu_count() or 1, generator(11, "surrogate")
    count = throws // ON_EACH_BOARD
    states = boards(count + judged, Thrower().chance)
    ways = [[holds(rng)[0] for _ in range(ON_EACH_BOARD)] for _ in range(count)]
    jobs = [(10_000 + k * ON_EACH_BOARD, states[k], ways[k], 1) for k in range(count)]
    answers = list(map_in_order(partial(Thrower), jobs, workers=workers))
    leads, groups = np.concatenate(answers), np.repeat(np.arange(count), ON_EACH_BOARD)
    # The value of a board under any hold is no gain of a hold.
    leads = leads - np.array([np.mean(row) for row in answers])[groups]
    weights = {}
    for seeing in (False, True):
        table = np.array(
            [features(way, states[k], seeing=seeing) for k in range(count) for way in ways[k]]
        )
        weights[seeing], explained = fitted(table, leads, groups)
        print(
            f"{throws} throws, board {'seen' if seeing else 'not seen'}: "
            f"{explained:.2%} of the variance explained on boards left out",
            flush=True,
        )
    pool = [LOW, *(hold for _ in range(CANDIDATES) for hold in holds(rng))]
    jobs = []
    for number, state in enumerate(states[count:]):
        chosen = [
            max(pool, key=lambda hold: features(hold, state, seeing=seeing) @ weights[seeing])
            for seeing in (False, True)
        ]
        jobs.append((10**8 + number * JUDGING, state, [None, LOW, *chosen], JUDGING))
    rows = np.array(list(map_in_order(partial(Thrower), jobs, workers=workers)))
    print(f"{judged} new boards, {JUDGING} throws each")
    for name, values in (
        ("aim's hold minus the scene's", rows[:, 1] - rows[:, 0]),
        ("surrogate that does not see the board, minus aim's", rows[:, 2] - rows[:, 1]),
        ("surrogate that sees the board, minus the scene's", rows[:, 3] - rows[:, 0]),
        ("surrogate that sees the board, minus aim's", rows[:, 3] - rows[:, 1]),
    ):
        found = mean_of(values)
        print(f"{name}: {found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}]", flush=True)


if __name__ == "__main__":
    main()
