"""Whole games of Piggyback with both sides at random: compiled, by the rules, and as matches."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pigglesim.agents.agent import Uniform
from pigglesim.agents.piggyback_playouts import PiggybackPlayouts
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.benchmarks.timing import Spread, in_turns, spread
from pigglesim.chance.fair import FairChance
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.match.runner import play

_COMPILED, _BY_RULES, _MATCHES = 2000, 20, 5
"""Games of each a measurement: some tenths of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackFigures:
    """How fast games are from the first roll to the end, uniform against uniform."""

    compiled: Spread
    """Games a second in compiled code, as tree search plays on."""
    by_rules: Spread
    """Games a second by the rules alone."""
    matches: Spread
    """Matches a second with every decision and roll in a record."""


def time_piggyback(*, repeats: int, tell: Callable[[], None] | None = None) -> PiggybackFigures:
    """Return how many games and matches there are a second.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    game, agent = Piggyback(), Uniform()
    state = game.initial_state()
    quick = PiggybackPlayouts(game=game, greedy=False, horizon=game.max_length)
    plain = AgentPlayouts(game=game, chance=FairChance(seed=0), agent=agent)
    quick.value(state, 1, rng=np.random.default_rng(0))

    def compiled(repeat: int) -> int:
        quick.value(state, _COMPILED, rng=np.random.default_rng(repeat))
        return _COMPILED

    def by_rules(repeat: int) -> int:
        plain.value(state, _BY_RULES, rng=np.random.default_rng(repeat))
        return _BY_RULES

    def matches(repeat: int) -> int:
        for seed in range(repeat * _MATCHES, (repeat + 1) * _MATCHES):
            agents = dict.fromkeys(game.seats, agent)
            play(game, agents=agents, chance=FairChance(seed=seed), seed=seed)
        return _MATCHES

    ways = {"compiled": compiled, "by_rules": by_rules, "matches": matches}
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return PiggybackFigures(**{way: spread(rates[way]) for way in ways})
