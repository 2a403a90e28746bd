"""What an agent that thinks can tell of its thoughts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

__all__ = ["Considered", "Explains", "Reasons"]

A = TypeVar("A")


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
