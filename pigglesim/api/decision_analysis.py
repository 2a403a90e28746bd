"""Analysis of the decisions of a match one by one, and its results.

It needs neither arrays nor compiled code, so a page without a server runs it too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.playouts import ChanceModel
from pigglesim.agents.registry import make_agent, plays
from pigglesim.agents.search import alternatives, distinct_for
from pigglesim.api.analysis_report import AnalysisResult, DecisionAnalysis, PositionResult
from pigglesim.errors import SpecError
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.values import (
    Evaluator,
    PositionValue,
    Values,
    difference_of,
    exactly,
)
from pigglesim.games.game import Game
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, Forfeit, Header, MatchRecord
from pigglesim.match.replay import playback_of
from pigglesim.match.runner import start_state
from pigglesim.table.hints import reason
from pigglesim.table.puzzle_themes import theme_reason
from pigglesim.table.view import make_view


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A decision of the record, or a forfeit in its place."""

    entry: Decision | Forfeit
    state: Any
    """State before it."""
    round: int
    played: Any
    """Action played; None for a forfeit."""


class MatchAnalysis:
    """Analysis of the decisions of a match, or of the actions at a position.

    Args:
        header: Header of the match, or of one from the position.
        points: Decisions to analyse.
        result: Share of the win of each seat at the end of the match; None if it has no end.
        values: Values of positions.
        chance: Source of rolls of the playouts.
    """

    def __init__(
        self,
        header: Header,
        points: Sequence[Point],
        result: Values | None,
        *,
        values: Evaluator,
        chance: str,
    ) -> None:
        if not points:
            raise SpecError("the match has no decision to analyse", fix="use a longer record")
        game = values.game
        self.header, self.points, self._result = header, points, result
        self.values, self.chance = values, chance
        self.view = make_view(game)
        self.view.people = header.names
        self._reasons: Agent | None = None
        if plays("greedy", game.name):
            self._reasons = make_agent("greedy", game=game, chance=values.chance)

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


def points_of(record: MatchRecord) -> list[Point]:
    """Return the decisions of a record, and its forfeit."""
    playback, points = playback_of(record), []
    for entry in record.entries:
        event = playback.take(entry)
        if isinstance(entry, Decision | Forfeit):
            number = playback.game.round_of(event.before)
            points.append(Point(entry=entry, state=event.before, round=number, played=event.action))
    return points


def choices_at(
    game: Game[Any, Any], position: str | None, chance: ChanceModel, played: str | None
) -> list[Point]:
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
        Point(
            entry=Decision(index=0, seat=seat, action=game.format_action(action)),
            state=state,
            round=number,
            played=action,
        )
        for action in actions
    ]


def result_of(record: MatchRecord) -> Values | None:
    """Return the share of the win of each seat; None for an interrupted match."""
    result = record.footer.result
    if result is None:
        return None
    shares = result.shares(tuple(record.footer.scores))
    return {seat: exactly(share) for seat, share in shares.items()}


def match_result(
    record: MatchRecord, analysis: MatchAnalysis, decisions: Sequence[DecisionAnalysis]
) -> AnalysisResult:
    """Return the result of an analysis, from the decisions that were analysed."""
    result = result_of(record)
    return AnalysisResult(
        record=record,
        agent=analysis.values.agent.name,
        chance=analysis.chance,
        playouts=analysis.values.games,
        seed=analysis.values.seed,
        finished=len(decisions) == len(analysis.points),
        result=None if result is None else {str(s): share.value for s, share in result.items()},
        decisions=tuple(decisions),
    )


def position_result(analysis: MatchAnalysis, actions: Sequence[DecisionAnalysis]) -> PositionResult:
    """Return the result of an analysis of a position, from the actions that were analysed."""
    header, (first, *_) = analysis.header, actions
    return PositionResult(
        game=header.game,
        position=str(header.position),
        seat=first.seat,
        round=first.round,
        agent=analysis.values.agent.name,
        best=first.best,
        chance=analysis.chance,
        playouts=analysis.values.games,
        seed=analysis.values.seed,
        finished=len(actions) == len(analysis.points),
        actions=tuple(sorted(actions, key=lambda each: -each.after[each.seat].value)),
    )
