"""The interface of agents, the agent of random actions, and the base of greedy ones."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, Game
from pigglesim.landing import Seat
from pigglesim.rng import Generator

A = TypeVar("A")
Action = Any
"""Action of a game whose type the caller does not know."""
State = Any
"""State of such a game."""


class Agent(Protocol):
    """A player's policy, which uses only an observation and `rng`.

    An agent has no memory between decisions, so that a match replays decision by decision.
    """

    @property
    def name(self) -> str:
        """Name in records."""

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Return one of the legal actions.

        Args:
            observation: The result of `Game.observe` for this player.
            legal_actions: All legal actions in the game's fixed order; never empty.
            rng: The random stream of this decision alone.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionValue(Generic[A]):
    """An action that was evaluated, with its value."""

    action: A
    value: float
    """Expected reward of the player to move, from 0 (lost) to 1 (won); a draw shares 1."""
    low: float
    """Lower end of the 95 % interval, which covers the noise of sampling alone."""
    high: float
    visits: int
    """Number of samples; 0 if the value is exact."""
    line: tuple[A, ...]
    """Principal variation: the most visited decisions of all players, this action first."""


@runtime_checkable
class Explains(Protocol[A]):
    """An agent that reports the values of actions."""

    def explain(
        self, observation: object, legal_actions: Sequence[A], *, rng: Generator
    ) -> tuple[ActionValue[A], ...]:
        """Return the evaluated actions, the choice first and the others by value.

        With the same arguments `choose` returns the first action.
        """


@runtime_checkable
class Reasons(Protocol):
    """An agent that explains its decisions in words."""

    def reason(self, observation: object) -> str:
        """Return the reason for the decision at an observation."""


@runtime_checkable
class HasShortlist(Protocol):
    """An agent that always chooses from a short list of legal actions."""

    def shortlist(self, game: Game[Any, Any], state: Any) -> Sequence[Any]:  # noqa: ANN401
        """Return that short list in the game's order."""


@runtime_checkable
class TakesSeats(Protocol):
    """An agent that must know of each match, and of its seat, before it decides."""

    def take_seat(self, seat: Seat, *, time_limit: float | None) -> Agent:
        """Return the agent that plays a seat in a new match.

        `time_limit` is the maximum time of a decision [s of wall clock]; None for no limit.
        """


def seated(agent: Agent, seat: Seat, *, time_limit: float | None = None) -> Agent:
    """Return the agent that plays a seat in a new match: itself, unless it takes seats."""
    return agent.take_seat(seat, time_limit=time_limit) if isinstance(agent, TakesSeats) else agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform:
    """A random agent, uniform over legal actions; it concedes only if nothing else is legal."""

    name: str = "uniform"

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Return one of the legal actions, drawn from `rng`."""
        del observation
        choices = without_conceding(legal_actions)
        return choices[int(rng.integers(len(choices)))]


def without_conceding(actions: Sequence[A]) -> list[A]:
    """Return the actions other than conceding, unless nothing else is left."""
    return [action for action in actions if not isinstance(action, Concede)] or list(actions)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneStepAgent(ABC):
    """An agent that takes the action of the highest value; the first if several are equal."""

    title: ClassVar[str]
    """Title of the game that it plays."""
    observes: ClassVar[type]
    """Class of that game's observations."""
    name: str = "greedy"
    """Name in records."""

    @abstractmethod
    def value_function(self, observation: Any) -> Callable[[Any], Any]:  # noqa: ANN401
        """Return the function that gives the value of an action at an observation."""

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Return the action of the highest value; the first if several are equal.

        Raises:
            SpecError: If the agent plays another game.
        """
        del rng
        return max(legal_actions, key=self.value_function(self.observed(observation)))

    def observed(self, observation: object) -> Any:  # noqa: ANN401 (of the class `observes`)
        """Return an observation of this game.

        Raises:
            SpecError: If it is one of another game.
        """
        if not isinstance(observation, self.observes):
            raise SpecError(
                f"agent {self.name} of {self.title} got a {type(observation).__name__}",
                fix="use make_agent('greedy', game=...), or the agent uniform",
            )
        return observation
