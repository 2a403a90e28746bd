"""The interface of agents, their models of chance, and playouts: games played to their end."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, Game, NonPlayer
from pigglesim.landing import Seat

if TYPE_CHECKING:
    from pigglesim.chance.odds import Odds


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

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
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
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
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

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
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

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
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


S_co = TypeVar("S_co", covariant=True)


class ChanceModel(Protocol):
    """An agent's model of chance."""

    def draw(self, request: ChanceRequest, *, rng: np.random.Generator) -> ChanceOutcome:
        """Return one outcome, drawn from `rng` alone."""


@runtime_checkable
class RollsByOdds(Protocol):
    """A model of chance that rolls Piggles independently, by tables."""

    odds: "Odds"
    """Table of odds, except for Piggles of another model."""
    of_piggles: Mapping[str, "Odds"]
    """Tables of Piggles of other models, by id."""


def odds_of_piggles(chance: object) -> Mapping[str, "Odds"]:
    """Return the tables of Piggles of other models than the common one, by id."""
    return chance.of_piggles if isinstance(chance, RollsByOdds) else {}


@runtime_checkable
class OpenObservation(Protocol):
    """An observation that hides nothing."""

    state: object


@runtime_checkable
class Imagines(Protocol[S_co]):
    """A game with hidden information that can sample it."""

    def imagine(self, observation: object, *, rng: np.random.Generator) -> S_co:
        """Return a state consistent with an observation, drawn by its posterior probability."""


def possible_states(
    game: Game[Any, Any], observation: object
) -> Callable[[np.random.Generator], Any]:
    """Return a sampler of states consistent with what the player to move observes.

    Without hidden information it returns the state itself.

    Raises:
        SpecError: If the game hides information and cannot sample it.
    """
    if isinstance(game, Imagines):
        imagining = game
        return lambda rng: imagining.imagine(observation, rng=rng)
    if isinstance(observation, OpenObservation):
        state = observation.state
        return lambda rng: state
    raise SpecError(
        f"{game.name} hides information and samples no states", fix="use the agent uniform"
    )


def rewards(game: Game[Any, Any], state: object) -> dict[Seat, float]:
    """Return each player's share of the win in a terminal state; a draw is split."""
    result = game.result(state)
    assert result is not None
    return result.shares(game.seats)


def settled(
    game: Game[Any, Any], state: object, chance: ChanceModel, *, rng: np.random.Generator
) -> tuple[Any, Seat | None]:
    """Return the next state with a decision and its player; None as the player after the end."""
    while True:
        match game.turn(state):
            case NonPlayer.CHANCE:
                outcome = chance.draw(game.chance_request(state), rng=rng)
                state = game.apply_outcome(state, outcome)
            case NonPlayer.OVER:
                return state, None
            case seat:
                return state, seat


class Playouts(Protocol):
    """An evaluator that plays games to their end."""

    @property
    def batch(self) -> int:
        """Default number of games at a time."""

    def value(self, state: State, count: int, *, rng: np.random.Generator) -> Mapping[Seat, float]:
        """Return the mean reward of each player over `count` games.

        In the state a player is to move, or chance after a player.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlayouts:
    """Playouts by the rules themselves, for any game."""

    game: Game[Any, Any]
    chance: ChanceModel
    agent: Agent
    """Rollout policy of every seat; a fast one."""
    batch: int = 1
    """Default number of games at a time: one takes longer than the tree search above it."""

    def value(self, state: State, count: int, *, rng: np.random.Generator) -> Mapping[Seat, float]:
        """Return the mean reward of each player over `count` games."""
        sums = dict.fromkeys(self.game.scores(state), 0.0)
        for _ in range(count):
            for seat, reward in rewards(self.game, self._played(state, rng)).items():
                sums[seat] += reward
        return {seat: total / count for seat, total in sums.items()}

    def _played(self, state: object, rng: np.random.Generator) -> object:
        """Return the end of one game."""
        game, agent = self.game, self.agent
        while True:
            state, seat = settled(game, state, self.chance, rng=rng)
            if seat is None:
                return state
            if isinstance(agent, HasShortlist):
                actions = agent.shortlist(game, state)
            else:
                actions = game.legal_actions(state)
            action = agent.choose(game.observe(state, seat), actions, rng=rng)
            state = game.apply_action(state, action)
