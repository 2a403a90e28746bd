"""The seam between rules and everything that plays them: rules ask, chance answers.

A game is a set of pure functions over frozen states, after the chance nodes of OpenSpiel: a
state says whose turn it is, a player's, chance's or nobody's. On chance's turn it gives a
request; whatever answers it, the outcome is applied like an action, so that a match
replays from its record without physics.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.landing import Seat

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""What a JSON or TOML file can hold."""

S = TypeVar("S")
A = TypeVar("A")


@unique
class NonPlayer(StrEnum):
    """What a turn can be when it is no player's."""

    CHANCE = "chance"
    OVER = "over"


Turn: TypeAlias = Seat | NonPlayer
"""Whose turn it is."""


@dataclass(frozen=True, slots=True)
class Concede:
    """The action of giving up, the same in every game that allows it (R18)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a game ended."""

    winner: Seat | None
    """None for a draw, and where several have won."""
    reason: str
    """One of the game's own closed set of reasons, as text."""
    shared: tuple[Seat, ...] = ()
    """Those who have won together, two or more in the order of seats; empty otherwise."""

    @classmethod
    def of(cls, won: Sequence[Seat], reason: str) -> "Result":
        """Return the result in which these have won: nobody, one, or several together."""
        alone = won[0] if len(won) == 1 else None
        return cls(winner=alone, reason=reason, shared=() if alone else tuple(won))

    def shares(self, seats: Sequence[Seat]) -> dict[Seat, float]:
        """Return the share of the win of each of these players; they add up to 1.

        Those who won have equal shares, and all have of a draw.
        """
        won = self.shared or ((self.winner,) if self.winner is not None else tuple(seats))
        return {seat: float(seat in won) / len(won) for seat in seats}


class Game(Protocol[S, A]):
    """The rules of one game under fixed house rules.

    States are frozen: every function gives a new one and leaves its argument as it was. A fault
    in an action raises `IllegalActionError`, in an outcome `SpecError`.
    """

    @property
    def name(self) -> str:
        """The name under which the registry knows this game."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays, in the order of seats: A, B and so on."""

    @property
    def max_length(self) -> int:
        """The most actions and outcomes together that a game can take."""

    def settings(self) -> Mapping[str, JSON]:
        """Return the house rules in force, every one of them, by name."""

    def initial_state(self) -> S:
        """Return the state before the first turn."""

    def turn(self, state: S) -> Turn:
        """Return whose turn it is."""

    def legal_actions(self, state: S) -> tuple[A, ...]:
        """Return what the player to move may do, in a fixed order; empty on any other turn."""

    def apply_action(self, state: S, action: A) -> S:
        """Return the state after a decision of the player to move."""

    def chance_request(self, state: S) -> ChanceRequest:
        """Return what chance is asked for, on chance's turn."""

    def apply_outcome(self, state: S, outcome: ChanceOutcome) -> S:
        """Return the state after chance has answered."""

    def observe(self, state: S, seat: Seat) -> object:
        """Return what the player at `seat` may know; a frozen value of the game's own."""

    def result(self, state: S) -> Result | None:
        """Return how the game ended, or None while play goes on."""

    def scores(self, state: S) -> Mapping[Seat, int]:
        """Return the points of each player."""

    def round_of(self, state: S) -> int:
        """Return the number of the round that a state belongs to, from 1; it never falls."""

    def format_action(self, action: A) -> str:
        """Return an action as one line of words without `{`, `}` and `;`, which mark comments."""

    def parse_action(self, text: str) -> A:
        """Return the action that `format_action` wrote."""

    def format_outcome(self, state: S, outcome: ChanceOutcome) -> str:
        """Return an outcome as words between single spaces, without `{`, `}` and `;`.

        What the state on chance's turn tells already may be left out.
        """

    def parse_outcome(self, state: S, text: str) -> ChanceOutcome:
        """Return the outcome that `format_outcome` wrote for this state, to the last bit."""

    def format_state(self, state: S) -> str:
        """Return a state as one line of text, exact to the last bit."""

    def parse_state(self, text: str) -> S:
        """Return the state that `format_state` wrote."""


@runtime_checkable
class HasIdleSeats(Protocol):
    """A game in which some seats score and never decide."""

    @property
    def idle_seats(self) -> frozenset[Seat]:
        """The seats that never decide."""


@runtime_checkable
class HasAlikeActions(Protocol[A]):
    """A game in which some legal actions are alike to the rules."""

    def distinct(self, actions: Sequence[A]) -> list[A]:
        """Return the first action of each kind, in order."""


class Permutes(Protocol):
    """A source of random orders, such as a generator of numpy."""

    def permutation(self, x: int, /) -> Sequence[int]:
        """Return the numbers below `x` in an order as likely as any other."""


_A = TypeVar("_A")


def require_player(turn: Turn, action: _A, write: Callable[[_A], str], *, rule: str) -> Seat:
    """Return the player whose turn it is.

    Raises:
        IllegalActionError: If it is no player's turn, with the rule that says who acts when.
    """
    if isinstance(turn, Seat):
        return turn
    raise IllegalActionError(
        "an action on a player's turn",
        got=f"{write(action)!r} while {_waiting(turn)}",
        remedy="apply_outcome" if turn is NonPlayer.CHANCE else "start a new game",
        rule=rule,
    )


def require_observation(observation: object, kind: type[_A]) -> _A:
    """Return an observation of that kind.

    Raises:
        SpecError: If it is another, as of another game.
    """
    if isinstance(observation, kind):
        return observation
    got = type(observation).__name__
    raise SpecError(kind.__name__, got=got, remedy="observe(state, seat)")


def require_chance(turn: Turn) -> None:
    """Raise `SpecError` unless chance is due."""
    if turn is not NonPlayer.CHANCE:
        raise SpecError("chance's turn", got=_waiting(turn), remedy="ask turn(state) first")


def _waiting(turn: Turn) -> str:
    if isinstance(turn, Seat):
        return f"{turn} is to move"
    return "chance is due" if turn is NonPlayer.CHANCE else "the game is over"


class Invariant(NamedTuple):
    """A condition that every possible state meets, and whether one state does."""

    holds: bool
    rule: str
    """Number of the rule or ruling."""
    expected: str
    got: object

    def __str__(self) -> str:
        return f"{self.rule}: expected {self.expected}, got {self.got}"


def broken(invariants: Iterable[Invariant]) -> tuple[Invariant, ...]:
    """Return the invariants that do not hold."""
    return tuple(each for each in invariants if not each.holds)


def require(invariants: Iterable[Invariant]) -> None:
    """Raise `SpecError` for the first invariant that does not hold."""
    for each in broken(invariants):
        raise SpecError(each.expected, got=str(each.got), remedy=f"keep to {each.rule}")
