"""What an agent that thinks ahead must know of chance, and of what it cannot see."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.games.game import Game
from pigglesim.landing import Orientation, Zone

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


class _ThrowOdds(Protocol):
    @property
    def shares(self) -> Mapping[tuple[Orientation | None, Zone], float]: ...


class _StandingOdds(Protocol):
    @property
    def after(self) -> Mapping[tuple[Orientation | None, Zone], float]: ...


class _KnockOdds(Protocol):
    @property
    def standing(self) -> Mapping[tuple[Orientation | None, Zone], _StandingOdds]: ...


class PiggleOdds(Protocol):
    """A table of odds: how Piggles land by the number thrown, and what they knock."""

    @property
    def knocks(self) -> _KnockOdds:
        """What becomes of knocked Piggles, by how they stood."""

    def of_throw(self, number: int) -> _ThrowOdds:
        """Return the odds of so many thrown."""

    def knock_rate(
        self, thrown: int, standing: int, before: tuple[Orientation | None, Zone]
    ) -> float:
        """Return the share of those that stood so that is knocked."""


@runtime_checkable
class RollsByOdds(Protocol):
    """A model of chance that rolls Piggles independently, by a table."""

    @property
    def odds(self) -> PiggleOdds:
        """The table."""


@runtime_checkable
class OpenObservation(Protocol):
    """What a player sees where nothing is hidden."""

    @property
    def position(self) -> object:
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
        position = observation.position
        return lambda rng: position
    raise SpecError(
        "a game whose observation holds the position, or that imagines one",
        got=f"{game.name} with {type(observation).__name__}",
        remedy="use the agent uniform",
    )
