"""Hints: the best action that an agent finds, with its value or its reasons."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pigglesim.agents.agent import Agent, Explains, Reasons
from pigglesim.agents.greedy import (
    Greedy,
    charged_tallies,
    expected_gain,
    expected_swing,
)
from pigglesim.chance.tabular import believed_chance
from pigglesim.errors import PigglesimError
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import PigglesObservation
from pigglesim.games.piggles.state import Act, ModernRules, PigglesPhase
from pigglesim.table.session import Session
from pigglesim.table.view import GameView, Line, Tone
from pigglesim.units import percent

if TYPE_CHECKING:
    from pigglesim.experiments.values import Evaluator, PositionValue

_ALIKE = 0.01
"""Difference of two values below which whole per cents may look alike."""
_SHOWN = 4
"""Maximum considered actions in a hint."""


def hint(evaluator: "Evaluator", view: GameView, state: object) -> tuple[Line, ...]:
    """Return the best action that an agent finds for the player to move, with its value or reason.

    Values are those of a review of the match, and of other actions that the agent considered too.
    If one of them is clearly better than the choice of the agent, it is named first.

    Raises:
        SpecError: If the agent does not support the game.
    """
    agent, found = evaluator.agent, evaluator.position(state)
    best = view.action_text(state, found.best)
    if len(found.choices) == 1:
        more = ["  it is the only legal action"]
    elif isinstance(agent, Explains):
        from pigglesim.experiments.values import is_clearly_better  # noqa: PLC0415 (slow to import)

        others = [each for each in found.considered if not found.same(each, found.best)]
        shown = [found.best, *others[: _SHOWN - 1]]
        better = [each for each in shown if is_clearly_better(found.loss(each))]
        shown.sort(key=lambda each: -found.values(each)[found.seat].value)
        first = next((each for each in shown if each in better), found.best)
        rest = [each for each in shown if each is not first]
        best, *more = (
            f"{view.action_text(state, each)}, {_value_text(found, each, first)}"
            for each in (first, *rest)
        )
        more = [f"  or {each}" for each in more]
    else:
        return reasoned_hint(agent, view, state, found.observation, found.best)
    return _lines(agent, best, more)


def reasoned_hint(
    agent: Agent, view: GameView, state: object, observation: object, action: object
) -> tuple[Line, ...]:
    """Return an action that an agent prefers, with its reason if it has one; no values."""
    why = reason(agent, observation, action)
    return _lines(agent, view.action_text(state, action), [f"  {why}"] if why else [])


def _lines(agent: Agent, best: str, more: Sequence[str]) -> tuple[Line, ...]:
    return tuple(Line(text, Tone.NOTE) for text in (f"Hint ({agent.name}): {best}", *more))


def _value_text(found: "PositionValue", action: object, best: object) -> str:
    from pigglesim.experiments.values import EXACT, is_clear  # noqa: PLC0415 (slow to import)

    value = found.values(action)[found.seat]
    if value.method == EXACT:
        return f"wins {percent(value.value, places=2)}"
    low, high = (percent(each, places=0) for each in (value.low, value.high))
    text = f"wins {percent(value.value, places=0)} [{low}, {high}]"
    worse = found.same(action, best) or is_clear(found.loss(action, best=best))
    return text if worse else f"{text}, no clear difference"


def reason(agent: Agent, observation: object, action: object) -> str:
    """Return why an agent prefers an action, in the rules' words; empty if it has no reasons."""
    if isinstance(agent, Reasons):
        return agent.reason(observation)
    if not isinstance(agent, Greedy) or not isinstance(observation, PigglesObservation):
        return ""
    rules, odds, state = observation.rules, agent.odds, observation.state
    if isinstance(action, Load) and action.piggles:
        odds = agent.shares_of(action.piggles[0])
    if isinstance(action, Act) and isinstance(rules, ModernRules):
        odds = agent.shares_of(action.target)
        table = EffectOptions(rules=rules, lineup=observation.lineup)
        swing = expected_swing(state, action, table, odds)
        return f"it moves the lead by {swing:+.1f} at once"
    if state.phase is PigglesPhase.ACTION_REACTION:
        return "every other action loses points"
    if state.phase is not PigglesPhase.LOAD:
        return ""
    number = state.round
    gain = expected_gain(number, rules, odds)
    if (isinstance(action, Load) and bool(action.piggles)) != (gain > 0.0):
        # The Pen is empty, or the agent looks further: what a roll gains is no reason for this.
        return ""
    up, head = (percent(share, places=0) for share in (odds.up, odds.head))
    pays = (
        f"a Piggle rolled now changes the score by {gain:+.1f} in the end: "
        f"{up} land ▲ and pay about {odds.zone_points:g}"
    )
    charges = charged_tallies(number, rules)
    if not charges:
        return f"{pays} in the last Tally"
    fine = "once" if charges == 1 else f"in each of {charges}"
    return f"{pays} in each of {rules.rounds - number + 1} Tallies, {head} land ◆ and cost 1 {fine}"


def advice(better: str, wins: float, instead: float, why: str) -> str:
    """Return a better action with its value and its reason, if that is known, in a clause."""
    # Values that look alike get a digit more.
    places = 0 if abs(wins - instead) >= _ALIKE else 1
    values = f"wins {percent(wins, places=places)}, not {percent(instead, places=places)}"
    return f"better: {better} ({values})" + (f": {why}" if why else "")


def hint_lines(session: Session, state: object) -> tuple[Line, ...]:
    """Return the adviser's choice in a state, and its reasons; it may take long.

    The state is that of the question: when the answer is sought, another may be to move, whose
    hidden cards it would show.
    """
    from pigglesim.experiments.values import Evaluator  # noqa: PLC0415 (slow to import)

    try:
        agent = session.adviser()
        # A search has a belief of its own about chance.
        chance = getattr(agent, "chance", None) or believed_chance(None, session.header.teams)
        return hint(Evaluator(session.game, chance, agent=agent), session.view, state)
    except PigglesimError as error:
        return (Line(f"No hint: {error}", Tone.NOTE),)
