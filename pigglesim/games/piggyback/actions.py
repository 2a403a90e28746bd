"""What a player of Piggyback can decide."""

from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache

from pigglesim.games.game import Concede
from pigglesim.games.piggyback.state import Held, neighbours


@dataclass(frozen=True, slots=True)
class Move:
    """A stack goes to a space that touches its own (R2)."""

    source: int
    target: int
    take: bool = False
    """Whether it acquires the piece there (R3)."""


@dataclass(frozen=True, slots=True)
class Warp:
    """Two friendly stacks change places (R6)."""

    holder: int
    """Whose Warp it is; under `warp_scope=any` one of two that need not hold any."""
    partner: int


@dataclass(frozen=True, slots=True)
class Take:
    """A stack acquires the piece that it left lying under it, as its turn (PB6)."""

    space: int


@dataclass(frozen=True, slots=True)
class Stand:
    """The roller keeps the last roll and adds so many Firepowers to it (R6, R7)."""

    force: int = 0


@dataclass(frozen=True, slots=True)
class Keep:
    """The winner keeps these of both stacks' unused abilities (R8)."""

    held: Held = ()


@dataclass(frozen=True, slots=True)
class Respawn:
    """The loser puts a piece from the bank on an initial space of its colour (R8)."""

    space: int


@unique
class Word(StrEnum):
    """Decisions that need no more than a word."""

    PASS = "pass"
    """No move (PB2)."""
    END = "end"
    """No further step of a unit that could be boosted (PB4)."""
    FIGHT = "fight"
    """No Warp before the combat (R6)."""
    ROLL = "roll"
    """One more roll, the last counts (R7)."""
    LEAVE = "leave"
    """No piece from the bank (PB10)."""


PiggybackAction = Move | Warp | Take | Stand | Keep | Respawn | Word | Concede


@dataclass(frozen=True, slots=True)
class Steps:
    """The moves from one space."""

    touching: frozenset[int]
    """The spaces that can be reached."""
    plain: tuple[Move, ...]
    """The moves to each that leave what lies there."""
    each: tuple[tuple[int, Move, Move], ...]
    """Each space with the moves to it: leaving a piece there, and taking it."""


@cache
def steps_from(size: int) -> tuple[Steps, ...]:
    """Return the moves from each space, to the spaces that touch it in their order."""
    return tuple(
        Steps(
            frozenset(touching),
            tuple(Move(space, to) for to in touching),
            tuple((to, Move(space, to), Move(space, to, take=True)) for to in touching),
        )
        for space, touching in enumerate(neighbours(size))
    )
