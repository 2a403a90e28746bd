"""How fast is the vector environment, and are its matches those of the rules?

The first table has decisions per second of processor time, all settings in turns. The second has
random matches that were compared with the rules, the odds and the agents under the same chance:
every observation, mask, reward and score. Run it by hand; matches of the second table may be given:

    python -m scripts.verification.vector_matches docs/results/learning.md 100000
"""

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np
from gymnasium.vector import AutoresetMode

from pigglesim.envs.gymnasium import SeatEnv
from pigglesim.envs.vector import SeatVectorEnv
from pigglesim.experiments.statistics import mean_of
from pigglesim.markings import Colour, Rune
from pigglesim.units import plus_minus
from scripts.measured_page import markdown_table, write_between
from tests.support.mirrored_matches import compare

COMMAND = "python -m scripts.verification.vector_matches"
PLACES, STEPS, REPEATS = 4096, 12, 10
"""Matches at once, and steps of a repeat."""
SINGLE = 200
"""Steps of a single environment in a repeat."""
CHUNK = 500
"""Matches compared in one setting; in Modern each has its own random teams."""


def of_many(rules: str, opponent: str, *, copy: bool) -> Callable[[], float]:
    """Return a function that returns decisions per second, as random legal actions are taken."""
    env = SeatVectorEnv(
        rules,
        num_envs=PLACES,
        opponent=opponent,
        autoreset_mode=AutoresetMode.SAME_STEP,
        copy=copy,
    )
    rng, (seen, _) = np.random.default_rng(1), env.reset(seed=1)

    def rate() -> float:
        nonlocal seen
        spent = 0.0
        for _ in range(STEPS):
            keys = rng.integers(1, 128, seen["action_mask"].shape, dtype=np.int8)
            actions = (keys * seen["action_mask"]).argmax(axis=1)
            start = time.process_time()
            seen, *_ = env.step(actions)
            spent += time.process_time() - start
        return STEPS * PLACES / spent

    return rate


def of_one(rules: str, opponent: str) -> Callable[[], float]:
    """Return the same function of an environment of one match."""
    env, rng = SeatEnv(rules, opponent=opponent), np.random.default_rng(1)
    env.reset(seed=1)

    def rate() -> float:
        start = time.process_time()
        for _ in range(SINGLE):
            *_, over, _, _ = env.step(rng.choice(np.flatnonzero(env.action_masks())))
            if over:
                env.reset()
        return SINGLE / (time.process_time() - start)

    return rate


def speeds() -> list[tuple[str, ...]]:
    """Return the rows of the first table."""
    ways = {}
    for rules, opponent in product(("classic", "modern"), ("greedy", "uniform")):
        one = of_one(rules, opponent)
        for copy in (False, True):
            way = (rules, opponent, "yes" if copy else "no")
            ways[way] = (of_many(rules, opponent, copy=copy), one)
    rates: dict[tuple[str, ...], list[tuple[float, float]]] = {way: [] for way in ways}
    for _ in range(REPEATS):
        for way, (many, one) in ways.items():
            rates[way].append((many(), one()))
    rows = []
    for way, pairs in rates.items():
        many, one = np.array(pairs).T
        shown = plus_minus(mean_of(many / 1e6)), f"{many.max() / 1e6:.2f}"
        rows.append((*way, *shown, f"{np.median(many / one):.0f}"))
    return rows


def agreement(matches: int) -> list[tuple[str, ...]]:
    """Return the rows of the second table; a difference is an error."""
    worn = [f"piggle+{colour}+{rune}" for colour in Colour for rune in Rune]
    rows = []
    for rules, opponent in product(("classic", "modern"), ("greedy", "uniform")):
        done = decisions = 0
        while done < matches / 4:
            seed = 1 + 100 * PLACES * len(rows) + done
            rng = np.random.default_rng(seed)
            teams = {name: ",".join(rng.choice(worn, 6)) for name in ("team_a", "team_b")}
            options = teams if rules == "modern" else {}
            count = compare(
                rules, places=50, matches=CHUNK, seed=seed, opponent=opponent, **options
            )
            done, decisions = done + count[0], decisions + count[1]
            print(f"{rules} against {opponent}: {done:,} matches agree", file=sys.stderr)
        rows.append((rules, opponent, f"{done:,}", f"{decisions:,}", "0"))
    return rows


def main() -> None:
    """Write both tables into a page."""
    page, matches = Path(sys.argv[1]), int(sys.argv[2])
    load, day = os.getloadavg()[0], datetime.now(UTC).date().isoformat()
    head = f"{day}, one core, {PLACES:,} matches at once; load of the machine {load:.1f} on "
    head += f"{os.cpu_count()} cores."
    names = ("rules", "opponent", "arrays copied", "10⁶ decisions/s", "fastest", "times one match")
    text = f"{head}\n\n{markdown_table(names, speeds())}\n\n"
    names = ("rules", "opponent", "matches", "decisions", "differences")
    write_between(page, COMMAND, text + markdown_table(names, agreement(matches)))


if __name__ == "__main__":
    main()
