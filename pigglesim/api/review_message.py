"""Messages with which a page shows a review, from a server or from a worker of its own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pigglesim.api.analysis_report import AnalysisResult, PositionResult
from pigglesim.match.entries import Header, MatchRecord
from pigglesim.match.replay import branch_at


def _source(found: AnalysisResult | PositionResult, done: str) -> str:
    """Return the agent, the playouts and the seed, and where the analysis was stopped."""
    return found.source if found.finished else f"{found.source} Stopped after {done}."


def review_message(found: AnalysisResult, *, held: Sequence[int] = ()) -> dict[str, Any]:
    """Return the message with the analysis of a match.

    `held` are the decisions whose throws can be split into hold and fall.
    """
    return {
        **found.document(),
        "is": "review",
        "source": _source(found, f"{len(found.decisions)} decisions"),
        "names": found.names,
        "worst": [each.decision for each in found.worst()],
        "luckiest": found.luckiest[0].decision if found.luckiest else None,
        "held": [*held],
        "verdicts": found.verdicts,
        "sums": found.sentences,
    }


def header_at(record: MatchRecord, decision: int) -> tuple[Header, str]:
    """Return the header of the position before a decision, and the action that was played there.

    Raises:
        PigglesimError: If there is no such decision.
    """
    point = branch_at(record, decision)
    position = point.game.format_state(point.before.state)
    return replace(record.header, position=position), point.decision.action


def tried_message(found: PositionResult, *, decision: int, played: str) -> dict[str, Any]:
    """Return the message with the value of each action at a decision, as the review has it."""
    return {
        **found.document(),
        "is": "tried",
        "decision": decision,
        "recorded": played,
        "source": _source(found, f"{len(found.actions)} actions"),
    }
