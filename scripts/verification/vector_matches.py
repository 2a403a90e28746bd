"""How fast is the vector environment, and are its matches those of the rules?

`speeds` measures decisions per second of processor time, all settings in turns. `matches` plays
random matches that it compares with the rules, the odds and the agents under the same chance: every
observation, mask, reward and score. It goes on from the numbers of the page, saves them as it goes,
and stops at a difference.

    python -m scripts.verification.vector_matches speeds docs/results/learning.md
    python -m scripts.verification.vector_matches matches docs/results/learning.md 100000
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

from pigglesim.envs.vector import SeatVectorEnv
from pigglesim.markings import Colour, Rune
from scripts.measured_page import markdown_table, table_rows, write_between
from scripts.verification.medians import median_of
from tests.support.mirrored_matches import compare

COMMAND = "python -m scripts.verification.vector_matches"
GAMES = ("classic", "modern", "piggy_six", "pig_pile", "piggyback")
SETTINGS = tuple(product(GAMES, ("greedy", "uniform")))
"""Rules and opponents."""
PLACES, STEPS, REPEATS = 4096, 4, 10
"""Matches at once, and steps of a repeat."""
CHUNK = 250
"""Matches compared in one setting; in Modern each has its own random teams."""


def measured(rules: str, opponent: str) -> Callable[[], float]:
    """Return a function that returns millions of random decisions per second."""
    env = SeatVectorEnv(
        rules,
        num_envs=PLACES,
        opponent=opponent,
        autoreset_mode=AutoresetMode.SAME_STEP,
        copy=False,
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
        return STEPS * PLACES / spent / 1e6

    return rate


def speeds() -> str:
    """Return the table of speeds."""
    ways = {setting: measured(*setting) for setting in SETTINGS}
    rates = np.array([[rate() for rate in ways.values()] for _ in range(REPEATS)])
    rows = []
    for setting, found in zip(ways, map(median_of, rates.T), strict=True):
        rows.append((*setting, f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"))
    load, day = os.getloadavg()[0], datetime.now(UTC).date().isoformat()
    head = f"{day}, one core, {PLACES:,} matches at once; load of the machine {load:.1f} on "
    head += f"{os.cpu_count()} cores."
    names = ("rules", "opponent", "10⁶ decisions/s")
    return f"{head}\n\n{markdown_table(names, rows)}"


def compared(page: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the matches and decisions that a page has for each setting."""
    done = dict.fromkeys(SETTINGS, (0, 0))
    for cells in table_rows(page, f"{COMMAND} matches"):
        rules, opponent, *counts = cells
        matches, decisions = (int(count.replace(",", "")) for count in counts)
        done[rules, opponent] = matches, decisions
    return done


def agreement(matches: int, page: Path) -> None:
    """Compare matches, most where fewest decisions were, from the page's numbers on."""
    worn = [f"piggle+{colour}+{rune}" for colour in Colour for rune in Rune]
    done = compared(page)
    while sum(count for count, _ in done.values()) < matches:
        rules, opponent = setting = min(done, key=lambda setting: done[setting][1])
        seed = 1 + 100 * PLACES * SETTINGS.index(setting) + done[setting][0]
        rng = np.random.default_rng(seed)
        teams = {name: ",".join(rng.choice(worn, 6)) for name in ("team_a", "team_b")}
        options = teams if rules == "modern" else {}
        found = compare(rules, places=50, matches=CHUNK, seed=seed, opponent=opponent, **options)
        done[setting] = done[setting][0] + found[0], done[setting][1] + found[1]
        rows = [(*each, *(f"{count:,}" for count in done[each])) for each in done]
        table = markdown_table(("rules", "opponent", "matches", "decisions"), rows)
        write_between(page, f"{COMMAND} matches", table)


def main() -> None:
    """Write one of the tables into a page."""
    kind, page, *rest = sys.argv[1:]
    if kind == "speeds":
        write_between(Path(page), f"{COMMAND} speeds", speeds())
    else:
        agreement(int(rest[0]), Path(page))


if __name__ == "__main__":
    main()
