"""One decision of an agent, trusted with nothing: it may raise, return nonsense or never return."""

import re
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.errors import IllegalActionError, PigglesimError
from pigglesim.games.game import Game
from pigglesim.match.deadline import OutOfTimeError, within
from pigglesim.match.entries import Cause, plain_words
from pigglesim.rolls import Seat

__all__ = ["AgentError", "choose"]

S = TypeVar("S")
A = TypeVar("A")
T = TypeVar("T")

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Where an object lies in memory, which differs from run to run."""


class AgentError(PigglesimError):
    """An agent that has not given a legal action.

    Args:
        name: The agent's.
        cause: By which rule that forfeits the match.
        detail: What it did instead.
    """

    def __init__(self, name: str, *, cause: Cause, detail: str) -> None:
        self.cause = cause
        self.detail = plain_words(detail)
        super().__init__(
            f"a legal action of the agent {name} ({cause.rule})",
            got=f"{cause}: {self.detail}",
            remedy="mend the agent, or give it more time",
        )


def choose(
    agent: Agent,
    game: Game[S, A],
    state: S,
    seat: Seat,
    *,
    rng: np.random.Generator,
    time_limit: float | None,
) -> A:
    """Return the legal action that an agent chooses.

    Args:
        agent: Who decides.
        game: The rules.
        state: The position, on the turn of `seat`.
        seat: Where the agent sits.
        rng: The stream of this decision.
        time_limit: Longest that it may take [s of wall clock]; None for any.

    Raises:
        AgentError: If it raises, returns what is no legal action, or takes longer.
    """
    legal = game.legal_actions(state)
    observation = game.observe(state, seat)

    def failed(cause: Cause, detail: str) -> AgentError:
        return AgentError(agent.name, cause=cause, detail=detail)

    try:
        action = within(time_limit, lambda: agent.choose(observation, legal, rng=rng))
    except OutOfTimeError:
        raise failed(Cause.TIME, f"more than {time_limit:g} s") from None
    except (Exception, SystemExit) as error:
        raise failed(Cause.RAISED, f"{type(error).__name__}: {_told(error, str)}") from error
    try:
        return next(one for one in legal if one == action)
    except StopIteration:
        pass
    except Exception as error:
        # Even a comparison is the agent's own code, if what it returned has one.
        raise failed(Cause.NONSENSE, _told(action, repr)) from error
    if type(action) not in {type(one) for one in legal}:
        raise failed(Cause.NONSENSE, _told(action, repr))
    raise failed(Cause.ILLEGAL, _refused(game, state, action))


def _refused(game: Game[S, A], state: S, action: A) -> str:
    """Return an action that is not legal, and what the rules would have allowed."""
    text = _told(action, game.format_action)
    try:
        game.apply_action(state, action)
    except IllegalActionError as error:
        return f"{text}: expected {error.expected}"
    except Exception as error:
        return f"{text}: {type(error).__name__}"
    return f"{text}: not among the legal actions"


def _told(value: T, words: Callable[[T], str]) -> str:
    """Return what a value says of itself, if it can."""
    try:
        return _ADDRESS.sub("", words(value))
    except Exception:
        return type(value).__name__
