"""Encoders: actions and observations of a game as numbers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pigglesim.envs.pictures import player_scales
from pigglesim.errors import SpecError
from pigglesim.games.game import Game, ListsActions
from pigglesim.landing import Seat
from pigglesim.table.layout import Scale

if TYPE_CHECKING:
    from gymnasium import spaces

Floats = NDArray[np.float32]
"""Numbers of an observation."""
Row = Mapping[str, float]
"""Numbers of a row by column name; missing ones are 0."""


@dataclass(frozen=True, slots=True)
class Column:
    """One number of each row of a block."""

    name: str
    meaning: str
    """Description with its unit; a flag is 1 if true."""
    low: float = 0.0
    high: float = 1.0


def columns(meanings: Mapping[str, str], *, high: float = 1.0) -> tuple[Column, ...]:
    """Return columns with equal bounds from 0, such as flags, by name and meaning."""
    return tuple(Column(name, meaning, high=high) for name, meaning in meanings.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of an observation: rows with the same columns, row by row."""

    name: str
    rows: tuple[str, ...]
    """Name of each row."""
    columns: tuple[Column, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.rows), len(self.columns)

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.rows) * len(self.columns)


@dataclass(frozen=True, kw_only=True)
class FeatureLayout:
    """Layout of an observation: all its blocks in order."""

    blocks: tuple[Block, ...]

    @cached_property
    def size(self) -> int:
        """Length of an observation."""
        return sum(block.size for block in self.blocks)

    @cached_property
    def low(self) -> Floats:
        """Lower bound of each number, shape [size]."""
        return self._bounds(lambda column: column.low)

    @cached_property
    def high(self) -> Floats:
        """Upper bound of each number, shape [size]."""
        return self._bounds(lambda column: column.high)

    @cached_property
    def _offsets(self) -> tuple[dict[str, int], ...]:
        """Position of each column in a row, by block."""
        return tuple(
            {column.name: at for at, column in enumerate(block.columns)} for block in self.blocks
        )

    def numbers(self, rows: Sequence[Iterable[Row]]) -> Floats:
        """Return an observation of the rows of each block, shape [size]."""
        numbers, start = [0.0] * self.size, 0
        for offsets, block_rows in zip(self._offsets, rows, strict=True):
            for row in block_rows:
                for name, number in row.items():
                    if number and name in offsets:
                        numbers[start + offsets[name]] = number
                start += len(offsets)
        return np.array(numbers, dtype=np.float32)

    def space(self, action_count: int) -> "spaces.Dict":
        """Return the Gymnasium space of an observation and its action mask."""
        from gymnasium import spaces  # noqa: PLC0415 (an extra)

        return spaces.Dict(
            {
                "observation": spaces.Box(self.low, self.high, dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (action_count,), dtype=np.int8),
            }
        )

    def _bounds(self, bound: Callable[[Column], float]) -> Floats:
        rows = [list(map(bound, block.columns)) * len(block.rows) for block in self.blocks]
        return np.array([number for row in rows for number in row], dtype=np.float32)

    def split(self, observation: Floats) -> Mapping[str, Floats]:
        """Return the blocks of an observation by name, each of shape [rows, columns]."""
        parts, start = {}, 0
        for block in self.blocks:
            parts[block.name] = observation[start : start + block.size].reshape(block.shape)
            start += block.size
        return parts

    def __str__(self) -> str:
        lines, start = [], 0
        for block in self.blocks:
            end = start + block.size
            rows = f"{len(block.rows)} x {len(block.columns)}"
            lines.append(f"{block.name} [{start}:{end}], {rows}: {', '.join(block.rows)}")
            for number, column in enumerate(block.columns):
                bounds = f"{column.low:g} to {column.high:g}"
                lines.append(f"  {number:2}  {column.name:16}{bounds:10}  {column.meaning}")
            start = end
        return "\n".join(lines)


A = TypeVar("A", bound=Hashable)


class ActionList(Generic[A]):
    """List of every action of a game, by number."""

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
    """Encoder of the actions and observations of one game under fixed house rules.

    It receives the result of `Game.observe` alone, so information hidden from a player cannot reach
    the player's numbers.
    """

    hold_bounds: ClassVar[tuple[Sequence[float], Sequence[float]] | None] = None
    """Least and greatest numbers of a hold of the cup; None where nothing is thrown."""
    open_play = True
    """True if every player sees every decision and every outcome of chance."""

    @property
    @abstractmethod
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""

    @property
    @abstractmethod
    def full_score(self) -> int:
        """Highest possible score, which is the scale of points."""

    @abstractmethod
    def rows(self, observation: Any, seat: Seat) -> Sequence[Iterable[Row]]:  # noqa: ANN401
        """Return the rows of each block of the layout, as seen by `seat`."""

    def actions(self, seat: Seat) -> ActionList[A]:
        """Return all actions of `seat`, without conceding; by default the same for every seat."""
        del seat
        return self._actions

    @cached_property
    def _actions(self) -> ActionList[A]:
        return ActionList(self._every_action())

    def _every_action(self) -> Iterable[A]:
        """Return the actions of every seat in the order of their numbers."""
        raise NotImplementedError

    @property
    def action_count(self) -> int:
        """Number of actions, without conceding."""
        return len(self.actions(Seat.A))

    def encode(self, observation: object, seat: Seat) -> Floats:
        """Return the result of `Game.observe` for `seat` as numbers, shape [layout.size].

        Every number is within the bounds of the layout.
        """
        return self.layout.numbers(self.rows(observation, seat))

    def action_number(self, action: A, seat: Seat) -> int:
        """Return the number of an action of `seat`, from 0; the same in every state."""
        return self.actions(seat).number(action)

    def action_at(self, number: int, seat: Seat) -> A:
        """Return the action of `seat` with a number, legal or not."""
        return self.actions(seat)[number]

    def held(self, action: A, hold: Sequence[float]) -> A:
        """Return an action with a hold of the cup, clipped to `hold_bounds`, if it is a throw."""
        del hold
        return action


_BEYOND = 4.0
"""Bound at which numbers beyond the end of a scale are clipped [end of the scale]."""
_PLAYER = (
    Column("value", "number on the player's scale [its end]", high=_BEYOND),
    Column("gain", "what may be added to it [its end]", high=_BEYOND),
    Column("moves", "it is to move"),
)


@dataclass(frozen=True, kw_only=True)
class ScaleEncoder(Encoder[Any]):
    """Encoder of a game that lists its actions and whose view shows a scale of each player.

    Every player must see the whole state. Players are in the order of seats, the own seat first.

    Raises:
        SpecError: If the view of the game has no such scales.
    """

    game: Game[Any, Any]

    def __post_init__(self) -> None:
        state = self.game.initial_state()
        if {scale.seat for scale in self._scales(state, Seat.A)} != set(self.game.seats):
            raise SpecError(
                f"the view of {self.game.name} has no scale of each player", fix="add them"
            )

    def _scales(self, state: object, seat: Seat) -> list[Scale]:
        scales = player_scales(self.game, state)
        own = [scale.seat for scale in scales].index(seat) if scales else 0
        return scales[own:] + scales[:own]

    @cached_property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""
        others = (f"other {number}" for number in range(1, len(self.game.seats)))
        return FeatureLayout(
            blocks=(Block(name="players", rows=("own", *others), columns=_PLAYER),)
        )

    @property
    def full_score(self) -> int:
        """Highest end of a scale."""
        scales = self._scales(self.game.initial_state(), Seat.A)
        return max(scale.high for scale in scales)

    def rows(self, observation: Any, seat: Seat) -> Sequence[Iterable[Row]]:  # noqa: ANN401
        """Return the rows of the players, the own seat first."""
        return (
            [
                {
                    "value": min(scale.value / scale.high, _BEYOND),
                    "gain": min(scale.gain / scale.high, _BEYOND),
                    "moves": scale.moves,
                }
                for scale in self._scales(observation, seat)
            ],
        )

    def _every_action(self) -> Iterable[Any]:
        assert isinstance(self.game, ListsActions)
        return self.game.actions
