"""What an agent would do in a person's place, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.agents.greedy import Greedy, expected_gain
from pigglesim.games.game import Concede, Game
from pigglesim.games.piggles.classic import Observation
from pigglesim.screen.family import Family, Line, Tone
from pigglesim.seeding import generator

__all__ = ["Considered", "Explaining", "Hint", "hint"]

_SHOWN = 4
"""How many of the actions that an agent considered are told."""


class Considered(Protocol):
    """An action that an agent has weighed."""

    @property
    def action(self) -> Any:  # noqa: ANN401 (an action of whatever game is played)
        """The action."""

    @property
    def value(self) -> float:
        """What it is worth to the player to move, from 0 (lost) to 1 (won)."""

    @property
    def low(self) -> float:
        """Lower end of the interval of the value."""

    @property
    def high(self) -> float:
        """Upper end of the interval of the value."""

    @property
    def visits(self) -> int:
        """How often it was tried."""


@runtime_checkable
class Explaining(Protocol):
    """An agent that tells what it has considered."""

    def explain(
        self, observation: object, legal_actions: Sequence[Any], *, rng: np.random.Generator
    ) -> Sequence[Considered]:
        """Return what was considered, the choice first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What an agent would do."""

    action: Any
    lines: tuple[Line, ...]
    """What it would do and why, in words."""


def hint(
    agent: Agent, game: Game[Any, Any], family: Family, state: object, *, seed: int, index: int
) -> Hint:
    """Return what an agent would do for the player to move; it may take as long as a decision.

    Args:
        agent: Who is asked.
        game: The rules.
        family: How an action is said.
        state: The position.
        seed: Root seed of the match.
        index: Number of the decision, so that the same question has the same answer.

    Raises:
        SpecError: If the agent does not know the game.
    """
    seat = game.turn(state)
    observation = game.observe(state, seat)  # type: ignore[arg-type]  # a player is to move
    legal = game.legal_actions(state)
    rng = generator(seed, "hint", index)
    if isinstance(agent, Explaining):
        best, *others = agent.explain(observation, legal, rng=rng)
        words = [f"Hint ({agent.name}): {family.say(best.action)}, {_worth(best)}"]
        words += [f"  or {family.say(one.action)}, {_worth(one)}" for one in others[: _SHOWN - 1]]
        return Hint(action=best.action, lines=_lines(words))
    action = agent.choose(observation, legal, rng=rng)
    only = sum(not isinstance(one, Concede) for one in legal) == 1
    why = ["  it is all that can be done"] if only else _reasons(agent, observation)
    words = [f"Hint ({agent.name}): {family.say(action)}", *why]
    return Hint(action=action, lines=_lines(words))


def _lines(words: Sequence[str]) -> tuple[Line, ...]:
    return tuple(Line(text=text, tone=Tone.NOTE) for text in words)


def _worth(one: Considered) -> str:
    times = f", tried {one.visits} times" if one.visits else ""
    if math.isfinite(one.low) and math.isfinite(one.high):
        return f"worth {one.value:.3g} [{one.low:.3g}, {one.high:.3g}]{times}"
    return f"worth {one.value:.3g}{times}"


def _reasons(agent: Agent, observation: object) -> list[str]:
    """Return why the agent of the closed form does what it does; nothing of any other."""
    if not isinstance(agent, Greedy) or not isinstance(observation, Observation):
        return []
    number, rules, odds = observation.position.round, observation.rules, agent.odds
    later = rules.rounds - number
    gain = expected_gain(number, rules, odds)
    tallies = f"{later + 1} {'Tally' if later == 0 else 'Tallies'}"
    return [
        f"  it believes that a Piggle rolled now changes your score by {gain:+.1f} in the end: "
        f"{odds.up:.0%} land ▲ and pay about {odds.zone_points:g} in each of {tallies}, "
        f"{odds.head:.0%} land ◆ and cost 1 in each of {later}"
    ]
