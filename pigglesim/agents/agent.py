"""The seam of agents, and the agent that does anything legal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from pigglesim.games.game import Concede, Game

A = TypeVar("A")


class Agent(Protocol):
    """Decides for one player, from what that player may see and from `rng` alone.

    An agent keeps nothing between decisions, so that a match replays decision by decision.
    """

    @property
    def name(self) -> str:
        """The name under which a record knows this agent."""

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return one of the legal actions.

        Args:
            observation: What `Game.observe` shows this player.
            legal_actions: What the rules allow, in the game's fixed order; never empty.
            rng: The stream of this decision and of no other.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered(Generic[A]):
    """One action that was weighed, and what it was found to be worth."""

    action: A
    value: float
    """Expected reward of the player to move, from 0 (lost) to 1 (won); a draw shares 1."""
    low: float
    """Lower end of the 95 % interval, which knows of the noise of sampling and of nothing else."""
    high: float
    visits: int
    """How often it was tried; 0 where its value is worked out and nothing is sampled."""
    line: tuple[A, ...]
    """The decisions that were looked into most from here on, this action first, whoever's."""


@runtime_checkable
class Explains(Protocol[A]):
    """An agent that can say what it weighed."""

    def explain(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> tuple[Considered[A], ...]:
        """Return what was weighed, the choice first and the others by their value.

        With the same arguments `choose` returns the first one's action.
        """


@runtime_checkable
class Reasons(Protocol):
    """An agent that can say in words why it does what it does."""

    def reason(self, observation: object) -> str:
        """Return why, for the decision that an observation shows."""


@runtime_checkable
class HasShortlist(Protocol):
    """An agent whose choice among all legal actions is always among a few of them."""

    def shortlist(self, game: Game[Any, Any], state: Any) -> Sequence[Any]:  # noqa: ANN401
        """Return those few, in the game's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform:
    """Chooses uniformly among the legal actions, but never gives up while it can do else."""

    @property
    def name(self) -> str:
        """The name under which a record knows this agent."""
        return "uniform"

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return one of the legal actions, drawn from `rng`."""
        del observation
        playing = [action for action in legal_actions if not isinstance(action, Concede)]
        choices = playing or list(legal_actions)
        return choices[int(rng.integers(len(choices)))]
