"""How the actions and observations of a game become numbers: the encoder and its layout."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pigglesim.errors import unknown_name
from pigglesim.landing import Seat

Floats = NDArray[np.float32]
"""The numbers of an observation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number of each row of a block."""

    name: str
    meaning: str
    """What it tells, and in which unit; a flag is 1 where it is so."""
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of an observation: some rows of the same columns, row by row."""

    name: str
    rows: tuple[str, ...]
    """What each row is of."""
    columns: tuple[Column, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.columns)

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return len(self.rows) * len(self.columns)


@dataclass(frozen=True, kw_only=True)
class FeatureLayout:
    """All blocks of an observation, one after the other."""

    blocks: tuple[Block, ...]

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return sum(block.size for block in self.blocks)

    @cached_property
    def low(self) -> Floats:
        """The least that each number can be, shape [size]."""
        return self._bounds([[c.low for c in block.columns] for block in self.blocks])

    @cached_property
    def high(self) -> Floats:
        """The most that each number can be, shape [size]."""
        return self._bounds([[c.high for c in block.columns] for block in self.blocks])

    def _bounds(self, columns: Sequence[Sequence[float]]) -> Floats:
        pairs = zip(self.blocks, columns, strict=True)
        return np.concatenate([np.tile(of, len(block.rows)) for block, of in pairs]).astype(
            np.float32
        )

    def split(self, observation: Floats) -> Mapping[str, Floats]:
        """Return the blocks of an observation by name, each of shape [rows, columns].

        Args:
            observation: Shape [size].
        """
        parts, start = {}, 0
        for block in self.blocks:
            parts[block.name] = observation[start : start + block.size].reshape(block.shape)
            start += block.size
        return parts

    def column(self, observation: Floats, block: str, name: str) -> Floats:
        """Return one column of an observation, shape [rows].

        Args:
            observation: Shape [size].
            block: Name of the block.
            name: Name of the column.

        Raises:
            SpecError: If there is none of that name.
        """
        blocks = {each.name: each for each in self.blocks}
        if block not in blocks:
            raise unknown_name("block of an observation", block, blocks)
        names = [column.name for column in blocks[block].columns]
        if name not in names:
            raise unknown_name(f"column of {block}", name, names)
        return self.split(observation)[block][:, names.index(name)]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield the whole layout as a table for people."""
        start = 0
        for block in self.blocks:
            end = start + block.size
            rows = f"{len(block.rows)} x {len(block.columns)}"
            yield f"{block.name} [{start}:{end}], {rows}: {', '.join(block.rows)}"
            for number, column in enumerate(block.columns):
                bounds = f"{column.low:g} to {column.high:g}"
                yield f"  {number:2}  {column.name:16}{bounds:10}  {column.meaning}"
            start = end


A = TypeVar("A", bound=Hashable)


class ActionList(Generic[A]):
    """Every action of a game, in the fixed order of their numbers."""

    def __init__(self, actions: Iterable[A]) -> None:
        self._actions = tuple(actions)
        self._numbers = {action: number for number, action in enumerate(self._actions)}

    def __len__(self) -> int:
        return len(self._actions)

    def __getitem__(self, number: int) -> A:
        return self._actions[number]

    def number(self, action: A) -> int:
        """Return the number of an action, from 0."""
        return self._numbers[action]


class Encoder(ABC, Generic[A]):
    """Actions and observations of one game under fixed house rules, as numbers.

    It is given what `Game.observe` shows a player and nothing else: what is hidden from a player
    cannot come into the player's numbers.
    """

    open_play = True
    """Whether everyone sees every decision and what chance answers to it."""

    @property
    @abstractmethod
    def layout(self) -> FeatureLayout:
        """What stands where in an observation."""

    @property
    @abstractmethod
    def full_score(self) -> int:
        """What a player scores for whom everything goes well: the scale of points."""

    @abstractmethod
    def numbers(self, observation: Any, seat: Seat) -> Iterable[float]:  # noqa: ANN401
        """Yield the numbers of what `Game.observe` shows `seat`, in the order of the layout."""

    @abstractmethod
    def actions(self, seat: Seat) -> ActionList[A]:
        """Return all actions of `seat`, without conceding."""

    @property
    def action_count(self) -> int:
        """How many actions there are in all, without conceding."""
        return len(self.actions(Seat.A))

    def encode(self, observation: object, seat: Seat) -> Floats:
        """Return what `Game.observe` shows `seat` as numbers, shape [layout.size].

        Every number is within the bounds of the layout.
        """
        return np.array([*self.numbers(observation, seat)], dtype=np.float32)

    def action_number(self, action: A, seat: Seat) -> int:
        """Return the number of an action of `seat`, from 0; the same in every state."""
        return self.actions(seat).number(action)

    def action_at(self, number: int, seat: Seat) -> A:
        """Return the action of `seat` with that number, legal or not."""
        return self.actions(seat)[number]
