"""Thinking ahead: beliefs about chance and hidden cards, and games played on to their end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from pigglesim.agents.agent import Agent, HasShortlist
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, Game, NonPlayer
from pigglesim.landing import Seat

if TYPE_CHECKING:
    from pigglesim.chance.odds import Odds

S_co = TypeVar("S_co", covariant=True)


class ChanceModel(Protocol):
    """An agent's belief of what chance will answer."""

    def draw(self, request: ChanceRequest, *, rng: np.random.Generator) -> ChanceOutcome:
        """Return one answer, drawn from `rng` and nothing else."""


@runtime_checkable
class ListsOutcomes(Protocol):
    """A model of chance that can list every answer."""

    def outcomes(self, request: ChanceRequest) -> Sequence[tuple[ChanceOutcome, float]]:
        """Return every answer with its probability; they add up to 1."""


@runtime_checkable
class RollsByOdds(Protocol):
    """A model of chance that rolls Piggles independently, by a table."""

    @property
    def odds(self) -> "Odds":
        """The table."""


@runtime_checkable
class OpenObservation(Protocol):
    """What a player sees where nothing is hidden."""

    @property
    def state(self) -> object:
        """The state of the game itself."""


@runtime_checkable
class Imagines(Protocol[S_co]):
    """A game with secrets that can imagine what a player does not see."""

    def imagine(self, observation: object, *, rng: np.random.Generator) -> S_co:
        """Return a state that fits an observation, as likely as what was seen makes it."""


def possible_states(
    game: Game[Any, Any], observation: object
) -> Callable[[np.random.Generator], Any]:
    """Return what draws states in which the player to move would see just this.

    Where nothing is hidden that is the state itself; a game with secrets imagines one.

    Raises:
        SpecError: If the game hides something and offers no way to imagine it.
    """
    if isinstance(game, Imagines):
        imagining = game
        return lambda rng: imagining.imagine(observation, rng=rng)
    if isinstance(observation, OpenObservation):
        state = observation.state
        return lambda rng: state
    raise SpecError(
        "a game whose observation holds the state, or that imagines one",
        got=f"{game.name} with {type(observation).__name__}",
        remedy="use the agent uniform",
    )


def rewards(game: Game[Any, Any], state: object) -> dict[Seat, float]:
    """Return the share of the win of each player: equal ones of a draw and of a shared win.

    Args:
        game: The rules.
        state: A position in which the game is over.
    """
    result = game.result(state)
    assert result is not None
    return result.shares(game.seats)


def settled(
    game: Game[Any, Any], state: object, chance: ChanceModel, *, rng: np.random.Generator
) -> tuple[Any, Seat | None]:
    """Return the next position that somebody decides in, and who; None when the game is over.

    Args:
        game: The rules.
        state: Any position.
        chance: Answers what is asked of chance on the way.
        rng: What it draws from.
    """
    while True:
        match game.turn(state):
            case NonPlayer.CHANCE:
                outcome = chance.draw(game.chance_request(state), rng=rng)
                state = game.apply_outcome(state, outcome)
            case NonPlayer.OVER:
                return state, None
            case seat:
                return state, seat


def serious(actions: Sequence[Any]) -> list[Any]:
    """Return the actions without giving up, unless nothing else is left."""
    return [action for action in actions if not isinstance(action, Concede)] or list(actions)


class Playouts(Protocol):
    """Plays games on to their end."""

    @property
    def batch(self) -> int:
        """How many are done at a time where no number is asked for."""

    def value(
        self,
        state: Any,  # noqa: ANN401 (of the game)
        count: int,
        *,
        rng: np.random.Generator,
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games.

        Args:
            state: A position in which a player is to move, or chance after a player has.
            count: How many games.
            rng: What every decision and roll is drawn from.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlayouts:
    """Plays on by the rules themselves, whatever the game."""

    game: Game[Any, Any]
    chance: ChanceModel
    agent: Agent
    """Decides at every seat; a quick one."""

    @property
    def batch(self) -> int:
        """One: a game by the rules takes longer than all that leads to it."""
        return 1

    def value(
        self,
        state: Any,  # noqa: ANN401 (of the game)
        count: int,
        *,
        rng: np.random.Generator,
    ) -> Mapping[Seat, float]:
        """Return the mean reward of each player over so many games."""
        sums = dict.fromkeys(self.game.scores(state), 0.0)
        for _ in range(count):
            for seat, reward in rewards(self.game, self._played(state, rng)).items():
                sums[seat] += reward
        return {seat: total / count for seat, total in sums.items()}

    def _played(self, state: object, rng: np.random.Generator) -> object:
        """Return the end of one game."""
        game = self.game
        while True:
            state, seat = settled(game, state, self.chance, rng=rng)
            if seat is None:
                return state
            action = self.agent.choose(game.observe(state, seat), self._offered(state), rng=rng)
            state = game.apply_action(state, action)

    def _offered(self, state: Any) -> Sequence[Any]:  # noqa: ANN401 (of the game)
        agent = self.agent
        if isinstance(agent, HasShortlist):
            return agent.shortlist(self.game, state)
        return self.game.legal_actions(state)
