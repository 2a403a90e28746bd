"""The table of calibrated values: slope and tenths of made results, and a page written twice."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import FairChance
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from scripts.verification.greedy_values import GreedyDuel
from scripts.verification.value_calibration import Valued, slope, tables, write

PAGE = Path(__file__).parents[3] / "docs/trust/values.md"


def made(count, *, shrunk=1.0, noise=0.0):
    """Return values from 0 to 1, with results that they are right about, or too bold about."""
    rng = np.random.default_rng(1)
    values = rng.random(count)
    won = rng.random(count) < 0.5 + shrunk * (values - 0.5)
    values += noise * rng.standard_normal(count)
    return [Valued(value=v, result=float(w), noise=noise) for v, w in zip(values, won, strict=True)]


@pytest.mark.parametrize("shrunk", [1.0, 0.5])
def test_the_slope_is_that_of_the_results_on_the_values(shrunk):
    found = slope(made(20_000, shrunk=shrunk))
    assert found.low < shrunk < found.high
    assert found.high - found.low < 0.1


def test_noise_of_the_values_makes_the_slope_no_smaller():
    noisy = made(20_000, noise=0.1)
    found, plain = slope(noisy), slope([replace(each, noise=0.0) for each in noisy])
    assert found.low < 1.0 < found.high
    # The values vary by 1 / 12, and by their noise.
    assert plain.low < 1.0 / (1.0 + 12.0 * 0.1**2) < plain.high < 1.0


def test_positions_of_short_matches_do_not_count_more_than_others():
    """A walk from 10 to 0 or 20 is won from x with x / 20, and the values say so."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(4000):
        path = [10]
        while 0 < path[-1] < 20:
            path.append(path[-1] + (1 if rng.random() < 0.5 else -1))
        value = path[int(rng.integers(len(path) - 1))] / 20.0
        won = float(path[-1] == 20)
        found.append(Valued(value=value, result=won, weight=float(len(path) - 1)))
    fair, plain = slope(found), slope([replace(each, weight=1.0) for each in found])
    assert fair.low < 1.0 < fair.high
    # One position of each walk is drawn, and short walks end where they were going.
    assert plain.low > 1.0


@pytest.mark.slow
def test_exact_values_of_greedy_are_those_of_its_games():
    """At two positions that end within few turns, from games by the rules."""
    game, duel = make_game("piggy_six"), GreedyDuel()
    greedy = make_agent("greedy", game=game)
    for text, word in (
        ("bank=100,93 active=B round=9 total=2 rolls=1 dice=2", "roll"),
        ("bank=95,90 active=A round=9 total=8 rolls=2 dice=2", "stop"),
    ):
        state, action = game.parse_state(text), game.parse_action(word)
        playouts = AgentPlayouts(game=game, chance=FairChance(seed=0), agent=greedy)
        after = game.apply_action(state, action)
        share = playouts.value(after, 2000, rng=np.random.default_rng(3))[Seat(state.active)]
        exact = duel.after(state, action)
        assert abs(share - exact) < 3.0 * (exact * (1.0 - exact) / 2000) ** 0.5


def test_a_tenth_that_was_always_won_has_an_interval():
    rng = np.random.default_rng(4)
    sure = [Valued(value=0.95, result=1.0, weight=w) for w in rng.uniform(20.0, 100.0, 30)]
    _, tenths = tables("piggy_six", "best", [Valued(value=0.05, result=0.0), *sure])
    (row,) = (line for line in tenths.splitlines() if line.startswith("| 0.9 to 1.0"))
    assert "1.00 [0.9" in row and row.endswith(", 1.00] |")


def test_a_page_gets_the_tables_of_one_game_and_keeps_those_of_others(tmp_path):
    page = tmp_path / "values.md"
    before = PAGE.read_text(encoding="utf-8")
    page.write_text(before, encoding="utf-8")
    row, tenths = tables("lord_of_the_pigs", "greedy", made(1000))
    write(page, "lord_of_the_pigs", row, tenths)
    once = page.read_text(encoding="utf-8")
    assert f"| Lord of the P.I.G.S. | 1,000 | {row[2]} | {row[3]} |" in once
    assert "| 0.4 to 0.5 | " in tenths and tenths in once
    classic = [line for line in before.splitlines() if line.startswith("| Piggles Classic")]
    assert classic and all(line in once for line in classic)
    write(page, "lord_of_the_pigs", row, tenths)
    assert page.read_text(encoding="utf-8") == once


def test_the_mark_of_a_command_is_not_that_of_a_longer_one(tmp_path):
    page = tmp_path / "values.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    tables_of = {
        word: tables("piggy_six", agent, made(1000, shrunk=shrunk))
        for word, agent, shrunk in (("piggy_six", "greedy", 1.0), ("piggy_six=best", "best", 0.5))
    }
    for word, (row, tenths) in tables_of.items():
        write(page, word, row, tenths)
    text = page.read_text(encoding="utf-8")
    assert all(text.count(tenths) == 1 for _, tenths in tables_of.values())
    assert text.count("| Piggy Six | ") == text.count("| Piggy Six, `best` | ") == 1
