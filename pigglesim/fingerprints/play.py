"""Play to take the fingerprint of: matches of every game, and the solvers' own numbers."""

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any

import numpy as np

from pigglesim.agents.registry import make_agent
from pigglesim.chance.fair import FairChance
from pigglesim.chance.odds import load_odds
from pigglesim.chance.sources import physical_chance
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.game import Game
from pigglesim.games.piggy_six.house_rules import Ending
from pigglesim.games.registry import find, make_game
from pigglesim.match.runner import ChanceSource, play
from pigglesim.scene.load import load_scene
from pigglesim.solvers.dice_game import PIG, PIGGY_SIX, THREE_DICE
from pigglesim.solvers.kernel import Rounds, score_sums, sweep, sweep_rounds
from pigglesim.solvers.solitaire import Solitaire
from pigglesim.solvers.two_players import DuelResult, solve_turn

MATCHES: Mapping[str, tuple[tuple[tuple[str, ...], Mapping[str, object]], ...]] = {
    "piggles_classic": (
        (("greedy", "uniform"), {}),
        (("threshold:4", "greedy"), {"mud_delay": "none", "off_board": "kitchen"}),
        (("mcts:nodes=8", "greedy"), {}),
    ),
    "piggles_modern": (
        (("greedy", "uniform"), {}),
        (("greedy",), {"actors": "all_own_up", "effects_mandatory": True}),
        (("mcts:nodes=4", "greedy"), {}),
    ),
    "lord_of_the_pigs": (
        (("greedy", "uniform"), {}),
        (("greedy",), {"alternate_modes": False, "events": False}),
        (("uniform",), {"series": "competitive", "series_games": 2}),
    ),
    "pig_pile": (
        (("greedy", "uniform"), {}),
        (("greedy",), {"players": 3, "advanced_deal": True, "draw_to": "four", "rounds": 2}),
        (("mcts:nodes=4", "greedy"), {"players": 2, "rounds": 1}),
    ),
    "piggyback": (
        (("greedy", "uniform"), {}),
        (("uniform",), {"merge_rule": "en", "pickup_later": True}),
        (("mcts:nodes=2", "uniform"), {}),
    ),
    "piggy_six": (
        (("greedy", "hold:20"), {}),
        (("hold:15", "uniform"), {"players": 5, "target": 50, "tie": "extra_round"}),
        (("best", "greedy"), {"end": "race", "target": 50}),
    ),
}
"""Of each game, who plays (again and again around the table), and the house rules."""


def matches(name: str) -> Iterator[object]:
    """Yield every decision and outcome of the matches of a game, and their ends."""
    for seed, (agents, house_rules) in enumerate(MATCHES[name]):
        game = make_game(name, house_rules)
        odds = load_odds("piggle")
        by_odds = "tabular" in find(name).chances
        chance = TabularChance(seed=seed, odds=odds) if by_odds else FairChance(seed=seed)
        yield _played(game, agents, chance, seed)


def physical_match(engine: str) -> Iterator[object]:
    """Yield a match of Piggy Six whose dice are thrown."""
    chance = physical_chance(load_scene("piggy_six"), {}, engine=engine, seed=0)
    yield _played(make_game("piggy_six", {"target": 30}), ("hold:12",), chance, 0)


def _played(
    game: Game[Any, Any], agents: tuple[str, ...], chance: ChanceSource, seed: int
) -> tuple[object, ...]:
    belief = TabularChance(seed=0, odds=load_odds("piggle"))
    seated = {
        seat: make_agent(agent, game=game, chance=belief)
        for seat, agent in zip(game.seats, cycle(agents), strict=False)
    }
    record = play(game, agents=seated, chance=chance, seed=seed).record
    # Not the header: it tells the versions, which are not its bits.
    return record.entries, record.footer


def sweeps() -> Iterator[object]:
    """Yield the bounds that sweeps over Piggy Six have come to, and the best single turns."""
    for dice in (PIG, PIGGY_SIX, THREE_DICE):
        yield solve_turn(dice)
        for ending in Ending:
            match = DuelResult(dice=dice, target=25, ending=ending)
            table, kernel = match.fresh_table(), match.kernel_dice()
            for _ in range(10):
                for top, end in score_sums(match.target):
                    sweep(table, kernel, match.stop_at, match.stop_at, 2, top, end)
            yield tuple(table)
    game = Solitaire(stops=(8, 14), target=15)
    size = (game.target,) * 3
    low = Rounds(np.zeros(size), np.zeros(size), np.zeros(size))
    for _ in range(5):
        for top, end in score_sums(game.target):
            sweep_rounds(low, game.won(), game.bots(), game.kernel_dice(), 2, top, end)
    yield tuple(low)
