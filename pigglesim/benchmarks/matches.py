"""Whole matches: on physics, and by measured odds."""

from collections.abc import Callable
from dataclasses import dataclass

from pigglesim.agents.registry import make_agent
from pigglesim.benchmarks.timing import Spread, in_turns, spread
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.runner import play
from pigglesim.scene.scene import Scene
from pigglesim.studies.tally import OddsSetting

_BY_ODDS = 50
"""Matches a measurement by odds: an eighth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFigures:
    """How long a match of greedy against greedy takes on physics, and how fast the rules are."""

    seconds: Spread
    rolls_a_match: float
    classic: Spread
    """Matches of Classic a second by measured odds, uniform against uniform."""
    modern: Spread
    """The same of Modern, with the standard teams."""


def time_matches(
    scene: Scene, engine: str, *, repeats: int, tell: Callable[[], None] | None = None
) -> MatchFigures:
    """Return how long matches take.

    Args:
        scene: The table; its game is played on physics.
        engine: What pours.
        repeats: How often each is timed.
        tell: Called after each measurement.
    """
    game, rolls = make_game(scene.game, {}), []

    def match(seed: int) -> int:
        chance = OddsSetting(label="", scene=scene, engine=engine, seed=seed).chance()
        agents = {seat: make_agent("greedy") for seat in BOARD_SEATS}
        rolls.append(len(play(game, agents=agents, chance=chance, seed=seed).record.outcomes))
        return 1

    rates = in_turns({"match": match}, repeats=repeats, tell=tell)
    odds = TabularChance(seed=0, odds=load_odds("piggle"))
    fast = in_turns(
        {name: _by_odds(name, odds) for name in ("piggles_classic", "piggles_modern")},
        repeats=repeats,
        tell=tell,
    )
    return MatchFigures(
        seconds=spread([1.0 / rate for rate in rates["match"]]),
        rolls_a_match=sum(rolls) / len(rolls),
        classic=spread(fast["piggles_classic"]),
        modern=spread(fast["piggles_modern"]),
    )


def _by_odds(name: str, odds: TabularChance) -> Callable[[int], int]:
    game, agents = make_game(name), {seat: make_agent("uniform") for seat in BOARD_SEATS}

    def matches(repeat: int) -> int:
        for seed in range(repeat * _BY_ODDS, (repeat + 1) * _BY_ODDS):
            play(game, agents=agents, chance=odds.with_seed(seed), seed=seed)
        return _BY_ODDS

    return matches
