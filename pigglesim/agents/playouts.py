"""Models of chance and of hidden information, and playouts: games played to their end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from pigglesim.agents.agent import Agent, HasShortlist, State
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.games.game import Game, NonPlayer
from pigglesim.landing import Seat
from pigglesim.rng import Generator

if TYPE_CHECKING:
    from pigglesim.chance.odds import Odds

S_co = TypeVar("S_co", covariant=True)


class ChanceModel(Protocol):
    """An agent's model of chance."""

    def draw(self, request: ChanceRequest, *, rng: Generator) -> ChanceOutcome:
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

    def imagine(self, observation: object, *, rng: Generator) -> S_co:
        """Return a state consistent with an observation, drawn by its posterior probability."""


def possible_states(game: Game[Any, Any], observation: object) -> Callable[[Generator], Any]:
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
    game: Game[Any, Any], state: object, chance: ChanceModel, *, rng: Generator
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

    def value(self, state: State, count: int, *, rng: Generator) -> Mapping[Seat, float]:
        """Return the mean reward of each player over `count` games.

        In the state a player is to move, or chance after a player.
        """


@runtime_checkable
class StopsEarly(Protocol):
    """Playouts that may stop before the end and then estimate the reward."""

    def to_the_end(self) -> Playouts:
        """Return playouts of whole games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlayouts:
    """Playouts by the rules themselves, for any game."""

    game: Game[Any, Any]
    chance: ChanceModel
    agent: Agent
    """Rollout policy of every seat; a fast one."""
    batch: int = 1
    """Default number of games at a time: one takes longer than the tree search above it."""

    def value(self, state: State, count: int, *, rng: Generator) -> Mapping[Seat, float]:
        """Return the mean reward of each player over `count` games."""
        sums = dict.fromkeys(self.game.scores(state), 0.0)
        for _ in range(count):
            for seat, reward in rewards(self.game, self._played(state, rng)).items():
                sums[seat] += reward
        return {seat: total / count for seat, total in sums.items()}

    def _played(self, state: object, rng: Generator) -> object:
        """Return the end of one game."""
        game, agent = self.game, self.agent
        # Whether an object has a method is slow to ask.
        shortlist = agent.shortlist if isinstance(agent, HasShortlist) else None
        while True:
            state, seat = settled(game, state, self.chance, rng=rng)
            if seat is None:
                return state
            actions = game.legal_actions(state) if shortlist is None else shortlist(game, state)
            action = agent.choose(game.observe(state, seat), actions, rng=rng)
            state = game.apply_action(state, action)
