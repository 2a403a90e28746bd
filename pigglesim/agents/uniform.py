"""The agent that does anything legal, each thing as likely as the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pigglesim.games.game import Concede

__all__ = ["Uniform"]

A = TypeVar("A")


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
