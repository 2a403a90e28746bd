"""The agent of Piggy Six that follows a solution of the game, wherever the solution is from."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pigglesim.agents.agent import ActionValue
from pigglesim.agents.hold import SixAgent
from pigglesim.games import piggy_six as six
from pigglesim.rng import Generator

A = TypeVar("A")


@dataclass(frozen=True, kw_only=True)
class SolvedSix(SixAgent):
    """An agent that knows the win probability of each action."""

    name: str = "optimal"

    @abstractmethod
    def action_values(self, seen: six.PiggySixObservation) -> Mapping[object, float]:
        """Return the win probability of each action."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """Maximum distance between a value and the true one."""

    def value_function(self, observation: six.PiggySixObservation) -> Callable[[Any], Any]:
        """Return the win probability by action; of equal ones a stop is better."""
        values = self.action_values(observation)
        return lambda action: (values[action], action == six.Stop())

    def explain(
        self, observation: object, legal_actions: Sequence[A], *, rng: Generator
    ) -> tuple[ActionValue[A], ...]:
        """Return the value of each action; among equals a stop is first, then the fewest dice."""
        del rng
        value = self.value_function(self.observed(observation))
        return tuple(
            ActionValue(
                action=action,
                value=value(action)[0],
                low=value(action)[0] - self.bound,
                high=value(action)[0] + self.bound,
                visits=0,
                line=(action,),
            )
            for action in sorted(legal_actions, key=value, reverse=True)
        )
