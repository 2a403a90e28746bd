"""Analysis of a match or a position: the best actions, and the win probability that is lost."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.agents.playouts import AgentPlayouts, ChanceModel
from pigglesim.agents.registry import make_agent, plays
from pigglesim.agents.search import alternatives, distinct_for
from pigglesim.api.analysis_report import AnalysisResult, DecisionAnalysis, PositionResult
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.match import PlayedMatch
from pigglesim.api.names import Player, expect_player
from pigglesim.api.what_if import source_like
from pigglesim.arguments import checked
from pigglesim.chance.physical import PhysicalChance, expect_places
from pigglesim.chance.tabular import FairChance, TabularChance, believed_chance
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.experiments.statistics import Interval
from pigglesim.experiments.values import (
    MIN_SAMPLES,
    Evaluator,
    PositionValue,
    Values,
    difference_of,
    exactly,
)
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, Forfeit, Header, MatchRecord
from pigglesim.match.own_games import load_named_game
from pigglesim.match.replay import playback_of, seated_game
from pigglesim.match.runner import make_header, start_state
from pigglesim.rng import MAX_SUB_SEED, Seed, root_seed
from pigglesim.table.hints import reason
from pigglesim.table.puzzle_themes import theme_reason
from pigglesim.table.view import make_view

_PHYSICAL_SAMPLES = 20
"""Samples of each action on physics."""
_QUICK_SAMPLES = 10_000
"""Number of samples by odds that take less time than starting workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """A decision of the record, or a forfeit in its place."""

    entry: Decision | Forfeit
    state: Any
    """State before it."""
    round: int
    played: Any
    """Action played; None for a forfeit."""


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


class _Analysis:
    """Analysis of the decisions of a match; it analyses any of them in any process."""

    def __init__(self, request: _Request) -> None:
        header, record = request.header, request.record
        game = seated_game(header.game, header.house_rules, header.agents)
        self.view = make_view(game)
        self.view.people = header.names
        self.chance = request.chance or (
            "tabular" if request.odds else find(header.game).chances[-1]
        )
        source = source_like(header, self.chance, request.odds)(0)
        belief = (
            source
            if isinstance(source, TabularChance)
            else believed_chance(request.odds, header.teams)
        )
        if record is None:
            self.points = _choices(game, header.position, belief, request.played)
            self._result = None
        else:
            self.points, self._result = _points(record), _result(record)
        self._reasons = (
            make_agent("greedy", game=game, chance=belief) if plays("greedy", game.name) else None
        )
        agent: Agent | None = None
        if isinstance(request.agent, str):
            agent = make_agent(request.agent, game=game, chance=belief)
        elif request.agent is not None:
            agent = request.agent
        physical: AgentPlayouts | None = None
        if isinstance(source, PhysicalChance):
            for point in self.points:
                expect_places(source, game, point.state)
            assert self._reasons is not None
            physical = AgentPlayouts(game=game, chance=_SimulatedRolls(source), agent=self._reasons)
        self.values = Evaluator(game, belief, agent=agent, playouts=physical, seed=request.seed)
        if physical is not None:
            self.values.samples = _PHYSICAL_SAMPLES
        if request.playouts is not None:
            self.values.samples = -(-request.playouts // self.values.batch)
        if self.values.samples < MIN_SAMPLES:
            least = MIN_SAMPLES * self.values.batch
            raise SpecError(
                f"{request.playouts} playouts are too few for an interval",
                expected=f"{least} or more",
                fix=f"use --playouts {least}",
            )

    @property
    def quick(self) -> bool:
        """True if starting workers would take longer than the analysis."""
        few = self.values.samples * len(self.points) < _QUICK_SAMPLES
        by_odds = self.chance == "tabular" and self.values.compiled
        return self.values.solved or (by_odds and few)

    def __call__(self, number: int) -> DecisionAnalysis:
        """Return the analysis of a decision."""
        point, game = self.points[number], self.values.game
        entry, found = point.entry, self.values.position(point.state)
        before = found.values(found.best)
        if point.played is None:
            assert self._result is not None
            after, same = self._result, False
            loss = difference_of(before[entry.seat], after[entry.seat])
        else:
            same = found.same(point.played, found.best)
            after, loss = found.values(point.played), found.loss(point.played)
        best = point.played if same else found.best
        view, state = self.view, point.state
        if isinstance(entry, Decision):
            action, played = entry.action, view.action_text(state, point.played)
        else:
            action = played = f"forfeits {entry.cause}"
        return DecisionAnalysis(
            decision=entry.index,
            round=point.round,
            when=view.time(state),
            seat=str(entry.seat),
            action=action,
            best=action if same else game.format_action(best),
            player=view.names[entry.seat],
            played=played,
            better=view.action_text(state, best),
            why="" if same else self._why(found, point.played),
            choices=len(found.choices),
            before=_by_name(before),
            after=_by_name(after),
            loss=loss,
        )

    def _why(self, found: PositionValue, played: Any) -> str:  # noqa: ANN401 (an action)
        """Return why the best action is better: by the agent with reasons, or by the rules."""
        game, state, best = self.values.game, found.state, found.best
        greedy, why = self._reasons, ""
        if greedy is not None and (why := reason(greedy, found.observation, best)):
            legal = game.legal_actions(state)
            own = greedy.choose(found.observation, legal, rng=found.stream("reason"))
            # Its reason is that of its own choice.
            why = why if found.same(own, best) else ""
        return why or self.view.why(state, best, played) or theme_reason(game, state, best)


def _by_name(values: Values) -> dict[str, Interval]:
    return {str(seat): value for seat, value in values.items()}


def _points(record: MatchRecord) -> list[_Point]:
    """Return the decisions of a record, and its forfeit."""
    playback, points = playback_of(record), []
    for entry in record.entries:
        event = playback.take(entry)
        if isinstance(entry, Decision | Forfeit):
            number = playback.game.round_of(event.before)
            points.append(
                _Point(entry=entry, state=event.before, round=number, played=event.action)
            )
    return points


def _choices(
    game: Game[Any, Any], position: str | None, chance: ChanceModel, played: str | None
) -> list[_Point]:
    """Return a point for each distinct action at a position, and for the one played.

    An action that is equivalent to the one played has its name.

    Raises:
        SpecError: If no player is to decide there.
    """
    state = start_state(game, position)
    seat = game.turn(state)
    if not isinstance(seat, Seat):
        raise SpecError(
            f"no player is to decide at this position of {game.name}",
            fix="use a position before a decision",
        )
    number = game.round_of(state)
    actions = alternatives(game, game.legal_actions(state), chance)
    if played is not None:
        own = game.parse_action(played)
        alike = [each for each in actions if len(distinct_for(game, [each, own], chance)) == 1]
        actions = [own if each in alike else each for each in actions] + [own] * (not alike)
    return [
        _Point(
            entry=Decision(index=0, seat=seat, action=game.format_action(action)),
            state=state,
            round=number,
            played=action,
        )
        for action in actions
    ]


def _result(record: MatchRecord) -> Values | None:
    """Return the share of the win of each seat; None for an interrupted match."""
    result = record.footer.result
    if result is None:
        return None
    shares = result.shares(tuple(record.footer.scores))
    return {seat: exactly(share) for seat, share in shares.items()}


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
    result = _result(record)
    return AnalysisResult(
        record=record,
        agent=analysis.values.agent.name,
        chance=analysis.chance,
        playouts=analysis.values.games,
        seed=request.seed,
        finished=len(decisions) == len(analysis.points),
        result=None if result is None else {str(s): share.value for s, share in result.items()},
        decisions=tuple(decisions),
    )


def _analysed(
    request: _Request, workers: int, progress: Callable[[int, int], object] | None
) -> tuple[_Analysis, list[DecisionAnalysis]]:
    """Return an analysis and its findings, fewer if it is interrupted."""
    agent = request.agent
    if agent is not None:
        expect_player(agent)
    analysis = _Analysis(request)
    total = len(analysis.points)
    if not total:
        raise SpecError("the match has no decision to analyse", fix="use a longer record")
    if analysis.quick or not (agent is None or isinstance(agent, str)):
        workers = 1
    prepare = partial(_Analysis, request) if workers > 1 else lambda: analysis
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
    return PositionResult(
        game=header.game,
        position=str(header.position),
        seat=found[0].seat,
        round=found[0].round,
        agent=analysis.values.agent.name,
        best=found[0].best,
        chance=analysis.chance,
        playouts=analysis.values.games,
        seed=request.seed,
        finished=len(found) == len(analysis.points),
        actions=tuple(sorted(found, key=lambda each: -each.after[each.seat].value)),
    )
