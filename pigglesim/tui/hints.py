"""What an agent would do in a person's place, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pigglesim.agents.agent import Agent, Considered, Explains, Reasons
from pigglesim.agents.greedy import Greedy, expected_gain, expected_swing
from pigglesim.games.game import Concede, Game
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import PigglesObservation
from pigglesim.games.piggles.house_rules import ModernRules
from pigglesim.games.piggles.state import Act, PigglesPhase
from pigglesim.rng import generator
from pigglesim.tui.family import Family, Line, Tone

_SHOWN = 4
"""How many of the actions that an agent considered are told."""


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
    only = sum(not isinstance(one, Concede) for one in legal) == 1
    if isinstance(agent, Explains) and not only:
        best, *others = agent.explain(observation, legal, rng=rng)
        words = [f"Hint ({agent.name}): {family.say(state, best.action)}, {_worth(best)}"]
        words += [
            f"  or {family.say(state, one.action)}, {_worth(one)}" for one in others[: _SHOWN - 1]
        ]
        return Hint(action=best.action, lines=_lines(words))
    action = agent.choose(observation, legal, rng=rng)
    why = ["  it is all that can be done"] if only else _reasons(agent, observation, action)
    words = [f"Hint ({agent.name}): {family.say(state, action)}", *why]
    return Hint(action=action, lines=_lines(words))


def _lines(words: Sequence[str]) -> tuple[Line, ...]:
    return tuple(Line(text=text, tone=Tone.NOTE) for text in words)


def _worth(one: Considered[Any]) -> str:
    if not one.visits:
        return f"wins {one.value:.2%}"
    tried = f"tried {one.visits} times"
    if math.isfinite(one.low) and math.isfinite(one.high):
        return f"wins {one.value:.0%} [{one.low:.0%}, {one.high:.0%}], {tried}"
    return f"wins about {one.value:.0%}, {tried}"


def _reasons(agent: Agent, observation: object, action: object) -> list[str]:
    """Return why the agent of the closed form does what it does; nothing of any other."""
    if isinstance(agent, Reasons):
        return [f"  {agent.reason(observation)}"]
    if not isinstance(agent, Greedy) or not isinstance(observation, PigglesObservation):
        return []
    rules, odds, position = observation.rules, agent.odds, observation.state
    if isinstance(action, Act) and isinstance(rules, ModernRules):
        table = EffectOptions(rules=rules, lineup=observation.lineup)
        swing = expected_swing(position, action, table, odds)
        return [f"  it believes that this moves the lead by {swing:+.1f} at once"]
    if position.phase is PigglesPhase.ACTION_REACTION:
        return ["  it believes that whatever else could be done loses points"]
    number = position.round
    later = rules.rounds - number
    gain = expected_gain(number, rules, odds)
    tallies = f"{later + 1} {'Tally' if later == 0 else 'Tallies'}"
    return [
        f"  it believes that a Piggle rolled now changes your score by {gain:+.1f} in the end: "
        f"{odds.up:.0%} land ▲ and pay about {odds.zone_points:g} in each of {tallies}, "
        f"{odds.head:.0%} land ◆ and cost 1 in each of {later}"
    ]
