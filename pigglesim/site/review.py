"""Reviews in a page without a server: those of Python, with playouts by the rules themselves."""

from collections.abc import Iterator
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import make_agent
from pigglesim.api.analysis_report import DecisionAnalysis
from pigglesim.api.decision_analysis import (
    MatchAnalysis,
    choices_at,
    match_result,
    points_of,
    position_result,
    result_of,
)
from pigglesim.api.review_message import header_at, review_message, tried_message
from pigglesim.chance.odds import Odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.errors import SpecError
from pigglesim.experiments.values import MIN_SAMPLES, Evaluator
from pigglesim.games.registry import find
from pigglesim.match.entries import MatchRecord
from pigglesim.match.replay import seated_game
from pigglesim.site.six import is_solved, page_solution

Message = dict[str, Any]
EFFORT = {
    "piggles_classic": (200, 600),
    "piggles_modern": (100, 300),
    "lord_of_the_pigs": (40, 60),
    "pig_pile": (24, 24),
    "piggyback": (24, 24),
}
"""Nodes of the search for a best action, and playouts of each action, by game. In a page, playouts
take 3 ms in Classic and 60 ms in Piggyback, whose matches have hundreds of decisions."""


def _agent(game: Any, belief: TabularChance) -> tuple[Agent, int]:  # noqa: ANN401 (any game)
    """Return the agent that finds best actions, and the playouts of each action.

    Raises:
        SpecError: If this page has neither playouts of the game nor its values.
    """
    if game.name in EFFORT:
        nodes, samples = EFFORT[game.name]
        return make_agent(f"mcts:nodes={nodes}:code=rules", game=game, chance=belief), samples
    if not is_solved(game.rules):
        problem = f"this page reviews {find(game.name).title} by its usual rules alone"
        raise SpecError(problem, fix="use pigglesim analyse")
    return page_solution(), MIN_SAMPLES


class PageReview:
    """Analysis of a match that is over, or of each action at one of its decisions.

    Args:
        record: The match.
        odds: Odds of its Piggles.
        decision: Number of the decision whose actions are tried; None for the whole match.

    Raises:
        SpecError: If this page cannot analyse the game.
    """

    def __init__(self, record: MatchRecord, odds: Odds, *, decision: int | None = None) -> None:
        self._record, self._decision, self._played = record, decision, ""
        header = record.header
        game = seated_game(header.game, header.house_rules, header.agents)
        belief = TabularChance(seed=0, odds=odds)
        agent, samples = _agent(game, belief)
        if decision is None:
            points, result = points_of(record), result_of(record)
        else:
            header, self._played = header_at(record, decision)
            points, result = choices_at(game, header.position, belief, self._played), None
        values = Evaluator(game, belief, agent=agent, samples=samples)
        chance = find(header.game).chances[-1]
        self._analysis = MatchAnalysis(header, points, result, values=values, chance=chance)
        self._found: list[DecisionAnalysis] = []

    def messages(self) -> Iterator[Message]:
        """Yield the progress after each decision or action, and the findings at the end."""
        total = len(self._analysis.points)
        while len(self._found) < total:
            self._found.append(self._analysis(len(self._found)))
            yield {"is": "progress", "done": len(self._found), "total": total}
        yield self.result()

    def result(self) -> Message:
        """Return the message with what was found so far."""
        if not self._found:
            return {"is": "stopped"}
        if self._decision is None:
            return review_message(match_result(self._record, self._analysis, self._found))
        tried = position_result(self._analysis, self._found)
        return tried_message(tried, decision=self._decision, played=self._played)
