"""The interface between rules and their users: rules make requests, chance answers them.

A game is a set of pure functions over frozen states, after the chance nodes of OpenSpiel. In each
state a player is to move, chance is, or the game is over. On chance's turn the game gives a
request. The outcome is applied like an action, whatever its source, so a match replays from its
record without physics.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.landing import Landing, Seat

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""Values of a JSON or TOML file."""

S = TypeVar("S")
A = TypeVar("A")
S_contra = TypeVar("S_contra", contravariant=True)


class NonPlayer(StrEnum):
    """Turns that are not a player's."""

    CHANCE = "chance"
    OVER = "over"


Turn: TypeAlias = Seat | NonPlayer
"""Player to move, chance or the end."""


@dataclass(frozen=True, slots=True)
class Concede:
    """The action of giving up, the same in every game that allows it (R18)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Result of a game."""

    winner: Seat | None
    """Winner; None for a draw or several winners."""
    reason: str
    """Reason, one of a fixed set of the game."""
    shared: tuple[Seat, ...] = ()
    """Joint winners, two or more in the order of seats; empty otherwise."""

    @classmethod
    def of(cls, won: Sequence[Seat], reason: str) -> "Result":
        """Return the result of a number of winners: none, one, or several together."""
        alone = won[0] if len(won) == 1 else None
        return cls(winner=alone, reason=reason, shared=() if alone else tuple(won))

    def shares(self, seats: Sequence[Seat]) -> dict[Seat, float]:
        """Return the share of the win of each of these players; they add up to 1.

        Winners have equal shares; in a draw all players have.
        """
        won = self.shared or ((self.winner,) if self.winner is not None else tuple(seats))
        return {seat: float(seat in won) / len(won) for seat in seats}


class Game(Protocol[S, A]):
    """The rules of one game under fixed house rules.

    States are frozen: functions return new ones and never change their arguments. An invalid action
    raises `IllegalActionError`; an invalid outcome, text or setting raises `SpecError`.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """Name of this game in the registry."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players in the order of seats: A, B and so on."""

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes of a game."""

    def settings(self) -> Mapping[str, JSON]:
        """Return all house rules in force by name."""

    def initial_state(self) -> S:
        """Return the state before the first turn."""

    def turn(self, state: S) -> Turn:
        """Return the player to move, chance or the end."""

    def legal_actions(self, state: S) -> tuple[A, ...]:
        """Return the legal actions of the player to move, in a fixed order; else none."""

    def is_legal(self, state: S, action: A) -> bool:
        """Return whether the rules allow an action of the player to move.

        It is true of just the actions that `apply_action` accepts. `legal_actions` lists all of
        them, unless a part is continuous: in Piggles it lists no holds of the cup.
        """
        return action in self.legal_actions(state)

    def apply_action(self, state: S, action: A) -> S:
        """Return the state after a decision of the player to move.

        Raises:
            IllegalActionError: If it is not legal; it names the rule.
        """

    def chance_request(self, state: S) -> ChanceRequest:
        """Return the request to chance, on chance's turn."""

    def apply_outcome(self, state: S, outcome: ChanceOutcome) -> S:
        """Return the state after chance has answered."""

    def observe(self, state: S, seat: Seat) -> object:
        """Return what the player at `seat` sees: a frozen value in which the rest is hidden."""

    def observation_string(self, state: S, seat: Seat) -> str:
        """Return `observe(state, seat)` as one line of text: what the player sees now.

        Different observations have different texts. As in OpenSpiel the text has no memory: it
        omits what the player saw earlier and no longer sees. For perfect recall there is
        `Progress.information_state_string`.
        """

    def result(self, state: S) -> Result | None:
        """Return the result of the game, or None before the end."""

    def scores(self, state: S) -> Mapping[Seat, int]:
        """Return the points of each player."""

    def round_of(self, state: S) -> int:
        """Return the number of the round of a state, from 1; it never decreases."""

    def format_action(self, action: A) -> str:
        """Return an action as one line of words without `{`, `}` and `;`, which mark comments."""

    def parse_action(self, text: str) -> A:
        """Return the action that `format_action` wrote."""

    def format_outcome(self, state: S, outcome: ChanceOutcome) -> str:
        """Return an outcome as words between single spaces, without `{`, `}` and `;`.

        Information that the state on chance's turn already contains may be omitted.
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
        """Seats that never decide."""


@runtime_checkable
class ListsChanceOutcomes(Protocol[S_contra]):
    """A game in which fair dice are the only chance, so that all outcomes can be listed.

    Shuffles are not listed, because a deck of 40 cards has too many orders. Throws of Piggles are
    continuous.
    """

    def chance_outcomes(self, state: S_contra) -> Sequence[tuple[ChanceOutcome, float]]:
        """Return all different outcomes on chance's turn, with their probabilities.

        Dice are alike: two of them have 21 outcomes. The probabilities add up to 1.
        """


@runtime_checkable
class ListsActions(Protocol):
    """A game that lists every action of its players: environments give them numbers."""

    @property
    def actions(self) -> Sequence[Any]:
        """All actions in a fixed order, without conceding."""


@runtime_checkable
class HasAlikeActions(Protocol[A]):
    """A game in which some legal actions are equivalent."""

    def distinct(
        self, actions: Sequence[A], kinds: Mapping[str, object] = MappingProxyType({})
    ) -> list[A]:
        """Return the first of each set of equivalent actions, in order.

        `kinds` is the kind of each piece, by id, if chance treats some pieces unlike others.
        """


@runtime_checkable
class HasLandings(Protocol[S_contra]):
    """A game whose pieces rest on a board."""

    def landings(self, state: S_contra) -> tuple[tuple[str, Landing], ...]:
        """Return every piece on the board, by id."""


def distinct(
    game: Game[Any, A], actions: Sequence[A], kinds: Mapping[str, object] = MappingProxyType({})
) -> list[A]:
    """Return the first of each set of equivalent actions; `kinds` is as in `HasAlikeActions`."""
    if not isinstance(game, HasAlikeActions):
        return list(actions)
    found: list[A] = game.distinct(actions, kinds)
    return found


@runtime_checkable
class HasInvariants(Protocol[S_contra]):
    """A game that checks whether a state is possible."""

    def validate(self, state: S_contra) -> "tuple[Invariant, ...]":
        """Return every invariant that a state violates; none if the state is possible."""


class Permutes(Protocol):
    """A source of random orders, such as a generator of numpy."""

    def permutation(self, x: int, /) -> Sequence[int]:
        """Return the numbers below `x` in a uniformly random order."""


_A = TypeVar("_A")


def require_player(turn: Turn, action: _A, write: Callable[[_A], str], *, rule: str) -> Seat:
    """Return the player to move.

    Raises:
        IllegalActionError: If no player is to move; it names the rule on the order of play.
    """
    if isinstance(turn, Seat):
        return turn
    raise IllegalActionError(
        f"{write(action)!r} while {_waiting(turn)}",
        fix="use apply_outcome" if turn is NonPlayer.CHANCE else "start a new game",
        rule=rule,
    )


def require_observation(observation: object, kind: type[_A]) -> _A:
    """Return an observation of the given class.

    Raises:
        SpecError: If it is of another class, as of another game.
    """
    if isinstance(observation, kind):
        return observation
    raise SpecError(
        f"an observation of type {type(observation).__name__}",
        expected=kind.__name__,
        fix="use observe(state, seat)",
    )


def require_chance(turn: Turn) -> None:
    """Raise `SpecError` unless chance is due."""
    if turn is not NonPlayer.CHANCE:
        raise SpecError(f"no roll or deal is due: {_waiting(turn)}", fix="check turn(state) first")


def _waiting(turn: Turn) -> str:
    if isinstance(turn, Seat):
        return f"{turn} is to move"
    return "chance is due" if turn is NonPlayer.CHANCE else "the game is over"


class Invariant(NamedTuple):
    """A condition that every possible state satisfies, tested on one state."""

    holds: bool
    rule: str
    """Number of the rule or ruling."""
    problem: str
    """Clause that says what is wrong if it does not hold."""

    def __str__(self) -> str:
        return f"{self.problem}, against {self.rule}"


def require(invariants: Iterable[Invariant]) -> None:
    """Raise `SpecError` for the first invariant that does not hold."""
    for invariant in invariants:
        if not invariant.holds:
            raise SpecError(str(invariant), fix="correct the state")


T = TypeVar("T")


def changed(value: T, **changes: object) -> T:
    """Return a copy of a frozen dataclass with some fields changed.

    States of games have no checks to repeat, so the fields are copied without any; the class has
    neither `__post_init__` nor slots. Like `dataclasses.replace`, it raises `TypeError` on a name
    that is not a field.
    """
    new: T = object.__new__(type(value))
    fields = new.__dict__
    fields.update(value.__dict__)
    count = len(fields)
    fields.update(changes)
    if len(fields) > count:
        unknown = ", ".join(name for name in changes if name not in value.__dict__)
        raise TypeError(f"{type(value).__name__} has no {unknown}")
    return new
