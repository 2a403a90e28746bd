"""Piggy Six: matches on tabular dice, and how long the solving takes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pigglesim.agents.registry import make_agent
from pigglesim.benchmarks.timing import Spread, in_turns, spread
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.piggy_six.house_rules import Ending
from pigglesim.games.registry import make_game
from pigglesim.match.runner import play
from pigglesim.solvers.dice_game import PIGGY_SIX
from pigglesim.solvers.two_players import DuelResult, solve_match

_MATCHES = 20
"""Matches a measurement: about an eighth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SixFigures:
    """How fast Piggy Six is played and solved."""

    turns: Spread
    """Turns a second in whole matches of uniform against uniform, recorded as always."""
    solves: Mapping[str, Spread]
    """Seconds of one core to solve two players to 100, by ending."""


def time_piggy_six(*, repeats: int, tell: Callable[[], None] | None = None) -> SixFigures:
    """Return how long matches and solutions take.

    Args:
        repeats: How often matches are timed; solutions once.
        tell: Called after each measurement.
    """
    rates = in_turns({"turns": _turns()}, repeats=repeats, tell=tell)
    solves = {}
    for ending in Ending:
        # What is compiled the first time is not what is measured.
        solve_match(DuelResult(dice=PIGGY_SIX, target=2, ending=ending), afresh=True)
        start = time.process_time()
        solve_match(DuelResult(dice=PIGGY_SIX, ending=ending), afresh=True)
        solves[str(ending).replace("_", "-")] = spread([time.process_time() - start])
        if tell is not None:
            tell()
    return SixFigures(turns=spread(rates["turns"]), solves=solves)


def _turns() -> Callable[[int], int]:
    odds = TabularChance(seed=0, odds=load_odds("piggle"))
    game, agent = make_game("piggy_six"), make_agent("uniform")
    agents = dict.fromkeys(game.seats, agent)

    def matches(repeat: int) -> int:
        turns = 0
        for seed in range(repeat * _MATCHES, (repeat + 1) * _MATCHES):
            played = play(game, agents=agents, chance=odds.with_seed(seed), seed=seed)
            # Equal turns: in each round everybody has had one.
            turns += len(game.seats) * game.round_of(played.state)
        return turns

    return matches
