"""How many games agents that think ahead play on a second."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pigglesim.agents.greedy import Greedy
from pigglesim.agents.mcts import TreeSearch
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.agents.registry import make_agent
from pigglesim.benchmarks.timing import Spread, in_turns, ratio, spread
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat

_GAMES = 100
"""By the rules, a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """How fast one game is played on from its first position, by odds."""

    playouts_per_second: Spread
    """In tree search: whole games, the way to them through the tree being part of the time."""
    by_rules: Spread
    """By the rules alone, greedy against greedy, one game after the other, a second."""
    vs_rules: Spread
    """The first against the second, repeat by repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFigures:
    """How fast tree search plays on, and the rules alone."""

    classic: GameFigures
    modern: GameFigures
    """With the standard teams."""


def time_search(*, repeats: int, tell: Callable[[], None] | None = None) -> SearchFigures:
    """Return how many games tree search plays on, in turns with the rules alone.

    Args:
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    return SearchFigures(
        classic=_timed("piggles_classic", repeats, tell),
        modern=_timed("piggles_modern", repeats, tell),
    )


def _timed(name: str, repeats: int, tell: Callable[[], None] | None) -> GameFigures:
    game = make_game(name)
    chance = TabularChance(seed=0, odds=load_odds("piggle"))
    agent = make_agent("mcts", game=game, chance=chance)
    if not isinstance(agent, TreeSearch):
        raise TypeError("mcts is no tree search")
    state = game.initial_state()
    observation, actions = game.observe(state, Seat.A), game.legal_actions(state)
    plain = AgentPlayouts(game=game, chance=chance, agent=Greedy())

    def search(repeat: int) -> int:
        weighed = agent.explain(observation, actions, rng=np.random.default_rng(repeat))
        return sum(each.visits for each in weighed) * agent.batch

    def rules(repeat: int) -> int:
        plain.value(state, _GAMES, rng=np.random.default_rng(repeat))
        return _GAMES

    rates = in_turns({"search": search, "rules": rules}, repeats=repeats, tell=tell)
    return GameFigures(
        playouts_per_second=spread(rates["search"]),
        by_rules=spread(rates["rules"]),
        vs_rules=ratio(rates, "search", "rules"),
    )
