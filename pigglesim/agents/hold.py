"""Agent `hold` of Piggy Six, which rolls up to a turn total."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from pigglesim.agents.agent import OneStepAgent
from pigglesim.games import piggy_six as six


@dataclass(frozen=True, kw_only=True)
class SixAgent(OneStepAgent):
    """An agent that plays only Piggy Six."""

    title: ClassVar = "Piggy Six"
    observes: ClassVar = six.PiggySixObservation


@dataclass(frozen=True, kw_only=True)
class Hold(SixAgent):
    """An agent that rolls up to a turn total, or to the target; with a choice, always two dice."""

    total: int
    """Turn total at which the agent stops."""

    def value_function(self, observation: six.PiggySixObservation) -> Callable[[Any], bool]:
        """Return whether an action is a stop if the total is reached, else a roll."""
        state, own = observation.state, observation.state.points_of(observation.seat)
        enough = state.total >= self.total or own + state.total >= observation.rules.target
        choice = six.Stop() if enough else six.DiceRoll(2)
        return lambda action: bool(action == choice)
