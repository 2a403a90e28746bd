"""Analysis of a match or a position: the best actions, and the win probability that is lost."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.agents.playouts import AgentPlayouts
from pigglesim.agents.registry import make_agent
from pigglesim.api.analysis_report import AnalysisResult, DecisionAnalysis, PositionResult
from pigglesim.api.decision_analysis import (
    MatchAnalysis,
    choices_at,
    match_result,
    points_of,
    position_result,
    result_of,
)
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.match import PlayedMatch
from pigglesim.api.names import Player, expect_player
from pigglesim.api.what_if import source_like
from pigglesim.arguments import checked
from pigglesim.chance.physical import PhysicalChance, expect_places
from pigglesim.chance.tabular import FairChance, TabularChance, believed_chance
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.experiments.values import MIN_SAMPLES, Evaluator
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.match.entries import Header, MatchRecord
from pigglesim.match.own_games import load_named_game
from pigglesim.match.replay import seated_game
from pigglesim.match.runner import make_header
from pigglesim.rng import MAX_SUB_SEED, Seed, root_seed

_PHYSICAL_SAMPLES = 20
"""Samples of each action on physics."""
_QUICK_SAMPLES = 10_000
"""Number of samples by odds that take less time than starting workers."""


@dataclass(frozen=True, slots=True)
class _SimulatedRolls:
    """Physics as the model of chance of playouts."""

    source: PhysicalChance

    def draw(self, request: ChanceRequest, *, rng: np.random.Generator) -> ChanceOutcome:
        """Return one outcome, simulated under a seed from `rng`."""
        return self.source.with_seed(int(rng.integers(MAX_SUB_SEED))).answer(request, index=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """Arguments of `analyse` and `analyse_position` that the values depend on."""

    header: Header
    """Header of the match, or of one from the position."""
    record: MatchRecord | None = None
    """Record of the match; None for the decision at the position."""
    agent: Player | None
    playouts: int | None
    chance: str | None
    odds: str | None
    seed: int
    played: str | None = None
    """Action that was played at the position, if any."""


def _prepared(request: _Request) -> MatchAnalysis:
    """Return the analysis that a request asks for; any process can make it."""
    header, record = request.header, request.record
    game = seated_game(header.game, header.house_rules, header.agents)
    chance = request.chance or ("tabular" if request.odds else find(header.game).chances[-1])
    source = source_like(header, chance, request.odds)(0)
    belief = (
        source if isinstance(source, TabularChance) else believed_chance(request.odds, header.teams)
    )
    if record is None:
        points = choices_at(game, header.position, belief, request.played)
    else:
        points = points_of(record)
    agent: Agent | None = None
    if isinstance(request.agent, str):
        agent = make_agent(request.agent, game=game, chance=belief)
    elif request.agent is not None:
        agent = request.agent
    physical: AgentPlayouts | None = None
    if isinstance(source, PhysicalChance):
        for point in points:
            expect_places(source, game, point.state)
        policy = make_agent("greedy", game=game, chance=belief)
        physical = AgentPlayouts(game=game, chance=_SimulatedRolls(source), agent=policy)
    values = Evaluator(game, belief, agent=agent, playouts=physical, seed=request.seed)
    if physical is not None:
        values.samples = _PHYSICAL_SAMPLES
    if request.playouts is not None:
        values.samples = -(-request.playouts // values.batch)
    if values.samples < MIN_SAMPLES:
        least = MIN_SAMPLES * values.batch
        raise SpecError(
            f"{request.playouts} playouts are too few for an interval",
            expected=f"{least} or more",
            fix=f"use --playouts {least}",
        )
    result = None if record is None else result_of(record)
    return MatchAnalysis(header, points, result, values=values, chance=chance)


def _is_quick(analysis: MatchAnalysis) -> bool:
    """Return whether starting workers would take longer than the analysis."""
    values = analysis.values
    few = values.samples * len(analysis.points) < _QUICK_SAMPLES
    by_odds = analysis.chance == "tabular" and values.compiled
    return values.solved or (by_odds and few)


@checked
def analyse(
    match: MatchRecord | PlayedMatch,
    *,
    agent: Player | None = None,
    playouts: int | None = None,
    chance: Literal["physical", "tabular", "fair"] | None = None,
    odds: str | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> AnalysisResult:
    """Find the best action at each decision of a match, and the win probability that was lost.

    An agent finds the best action from what the player to move could see. Then playouts value that
    action and the one played: fresh games to the end in which every seat follows the rollout
    policy, usually greedy. Sample k has the same random numbers for both, so their difference is
    more precise than either. Values of solved games (Piggy Six), and of games that end within two
    decisions by listed dice, are exact. An interruption (Ctrl-C) ends the analysis early: the
    decisions analysed so far are returned.

    Args:
        match: Match, or its record; it may be interrupted.
        agent: Evaluating agent: a name such as `mcts:nodes=400`, or your own agent. Default: the
            exact solution if there is one, else a tree search.
        playouts: Games from each action, rounded up to whole samples. Default: 6,400 in Classic
            by odds, 20 on physics, else as many as take minutes.
        chance: Source of rolls of the playouts. Default: the game's quickest; odds for Piggles.
        odds: File of `tabular` odds, or a model that has odds.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        workers: Number of processes; the result does not depend on it. Your own agents think only
            in this process.
        progress: Function called with the numbers of decisions done and wanted.

    Returns:
        The values at each decision, with 95 % intervals.

    Raises:
        PigglesimError: If the record has no decision, an argument does not fit its game, or the
            agent fails.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match(chance="tabular", seed=7)
        >>> pigglesim.analyse(match, seed=1).worst()
    """
    record = match.record if isinstance(match, PlayedMatch) else match
    request = _Request(
        header=record.header, record=record, agent=agent, playouts=playouts, chance=chance,
        odds=odds, seed=root_seed(seed),
    )  # fmt: skip
    analysis, decisions = _analysed(request, workers, progress)
    return match_result(record, analysis, decisions)


def _analysed(
    request: _Request, workers: int, progress: Callable[[int, int], object] | None
) -> tuple[MatchAnalysis, list[DecisionAnalysis]]:
    """Return an analysis and its findings, fewer if it is interrupted."""
    agent = request.agent
    if agent is not None:
        expect_player(agent)
    analysis = _prepared(request)
    total = len(analysis.points)
    if _is_quick(analysis) or not (agent is None or isinstance(agent, str)):
        workers = 1
    prepare = partial(_prepared, request) if workers > 1 else lambda: analysis
    decisions: list[DecisionAnalysis] = []
    try:
        with closing(map_in_order(prepare, range(total), workers=workers)) as answers:
            for found in answers:
                decisions.append(found)
                if progress is not None:
                    progress(len(decisions), total)
    except KeyboardInterrupt:
        if not decisions:
            raise
    return analysis, decisions


@checked
def analyse_position(
    position: str,
    game: str | Game[Any, Any] | None = None,
    *,
    house_rules: Mapping[str, object] | None = None,
    players: int | None = None,
    teams: tuple[str | None, str | None] = (None, None),
    agent: Player | None = None,
    playouts: int | None = None,
    chance: Literal["physical", "tabular", "fair"] | None = None,
    odds: str | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> PositionResult:
    """Find the win probability after each action at a position.

    The values are those of `analyse` for a decision at this position, with the same random numbers
    for each action.

    Args:
        position: State to analyse, as `Game.format_state` writes it.
        game: Name in `known().games`, or your own, as for `play_match`. Default: Piggles Classic.
        house_rules: House rules by name.
        players: Number of players, if the game allows several.
        teams: Piggles of A and of B, as for `play_match`.
        agent: Evaluating agent, as for `analyse`.
        playouts: Games from each action, as for `analyse`.
        chance: Source of rolls of the playouts. Default: the game's quickest; odds for Piggles.
        odds: File of `tabular` odds, or a model that has odds.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        workers: Number of processes; the result does not depend on it.
        progress: Function called with the numbers of actions done and wanted.

    Returns:
        The values of all distinct actions, the best first.

    Raises:
        PigglesimError: If the position is impossible, no player is to decide there, or an argument
            does not fit the game.

    Examples:
        >>> import pigglesim
        >>> position = "bank=60,95 active=A round=9 total=25 rolls=4 dice=2"
        >>> pigglesim.analyse_position(position, "piggy_six", seed=1).actions[0].action
        'roll'
    """
    name, rules = (None, {}) if game is None else load_named_game(game)
    rules = {**rules, **(house_rules or {})}
    setup = set_up_game(name, None, rules=rules, players=players, teams=teams, position=position)
    own = setup.game
    header = make_header(
        own, agents=dict.fromkeys(own.seats, ""), chance=FairChance(seed=0), seed=0,
        teams=setup.models, position=position,
    )  # fmt: skip
    return analyse_actions(
        header, agent=agent, playouts=playouts, chance=chance, odds=odds, seed=seed,
        workers=workers, progress=progress,
    )  # fmt: skip


def analyse_actions(
    header: Header,
    *,
    played: str | None = None,
    agent: Player | None = None,
    playouts: int | None = None,
    chance: str | None = None,
    odds: str | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> PositionResult:
    """Return the win probability after each action at the position of a header.

    The header gives game, house rules and models; `analyse_position` describes the arguments.
    `played` is the action that was played there, which is valued under that name.
    """
    request = _Request(
        header=header, played=played, agent=agent, playouts=playouts, chance=chance, odds=odds,
        seed=root_seed(seed),
    )  # fmt: skip
    analysis, found = _analysed(request, workers, progress)
    return position_result(analysis, found)
