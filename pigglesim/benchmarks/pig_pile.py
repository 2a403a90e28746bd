"""Whole matches of Pig Pile, uniform against uniform: compiled, by the rules alone, recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pigglesim.agents.agent import Uniform
from pigglesim.agents.pig_pile_playouts import PilePlayouts
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.benchmarks.timing import Spread, in_turns, spread
from pigglesim.chance.fair import FairChance
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.match.runner import play

_PLAYERS = (3, 4, 5, 6)
"""What the game is made for: a measurement has as many matches of each."""
_RECORDED, _BY_RULES, _COMPILED = 1, 3, 100
"""Matches of each number of players a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileFigures:
    """Matches of five rounds a second, by three to six players who decide at random."""

    compiled: Spread
    """In compiled code, as tree search plays them on."""
    by_rules: Spread
    """By the rules alone, nothing being recorded."""
    recorded: Spread
    """By the match runner, with a record of every decision."""


def time_pig_pile(*, repeats: int, tell: Callable[[], None] | None = None) -> PileFigures:
    """Return how many matches are played a second in each way, the ways in turns.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    games = [PigPile(rules=PigPileRules(players=players)) for players in _PLAYERS]

    def compiled(repeat: int) -> int:
        for game in games:
            quick = PilePlayouts(rules=game.rules, by_worth=False)
            rng = np.random.default_rng(repeat)
            quick.matches(game.initial_state(), _COMPILED, rng=rng)
        return _COMPILED * len(games)

    def by_rules(repeat: int) -> int:
        for game in games:
            plain = AgentPlayouts(game=game, chance=FairChance(seed=repeat), agent=Uniform())
            plain.value(game.initial_state(), _BY_RULES, rng=np.random.default_rng(repeat))
        return _BY_RULES * len(games)

    def recorded(repeat: int) -> int:
        for game in games:
            agents = dict.fromkeys(game.seats, Uniform())
            for seed in range(repeat * _RECORDED, (repeat + 1) * _RECORDED):
                play(game, agents=agents, chance=FairChance(seed=seed), seed=seed)
        return _RECORDED * len(games)

    ways: Mapping[str, Callable[[int], int]] = {
        "compiled": compiled,
        "by_rules": by_rules,
        "recorded": recorded,
    }
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return PileFigures(**{name: spread(rates[name]) for name in ways})
