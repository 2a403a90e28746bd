"""What an agent is: something that decides for one player."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

__all__ = ["Agent"]

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
