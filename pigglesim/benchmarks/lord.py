"""Whole games of Lord of the P.I.G.S., uniform against uniform: by the rules alone, recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pigglesim.agents.agent import Uniform
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.benchmarks.timing import Spread, in_turns, spread
from pigglesim.chance.fair import FairChance
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.match.runner import play

_BY_RULES, _RECORDED = 50, 25
"""Games a measurement: an eighth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordFigures:
    """Games a second, by four players who decide at random."""

    by_rules: Spread
    """By the rules alone, nothing being recorded: each decides by what it sees."""
    recorded: Spread
    """By the match runner, with a record of every decision."""


def time_lord(*, repeats: int, tell: Callable[[], None] | None = None) -> LordFigures:
    """Return how many games are played a second in either way, the ways in turns.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    game = LordOfThePigs()
    agents = dict.fromkeys(game.seats, Uniform())

    def by_rules(repeat: int) -> int:
        plain = AgentPlayouts(game=game, chance=FairChance(seed=repeat), agent=Uniform())
        plain.value(game.initial_state(), _BY_RULES, rng=np.random.default_rng(repeat))
        return _BY_RULES

    def recorded(repeat: int) -> int:
        for seed in range(repeat * _RECORDED, (repeat + 1) * _RECORDED):
            play(game, agents=agents, chance=FairChance(seed=seed), seed=seed)
        return _RECORDED

    ways: Mapping[str, Callable[[int], int]] = {"by_rules": by_rules, "recorded": recorded}
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return LordFigures(by_rules=spread(rates["by_rules"]), recorded=spread(rates["recorded"]))
