"""Functions of `Game` that all games of the registry share."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Generic, Protocol, Self, TypeVar

from pigglesim.chance_types import (
    ChanceOutcome,
    ChanceRequest,
    DiceRequest,
    ShuffleRequest,
    ShuffleResult,
    answering_dice,
    answering_shuffle,
)
from pigglesim.games.game import JSON, Game, Invariant, Result, require, require_chance
from pigglesim.games.notation import (
    ActionForms,
    Words,
    format_dice,
    parse_dice,
    read_words,
    write_words,
)
from pigglesim.games.switches import Switches
from pigglesim.landing import Seat


class RoundState(Protocol):
    """A state of a game that is played in rounds."""

    @property
    def round(self) -> int:
        """Number of the round, from 1; it never decreases."""

    @property
    def result(self) -> Result | None:
        """Result of the game, or None before the end."""


S = TypeVar("S", bound=RoundState)
A = TypeVar("A")
R = TypeVar("R", bound=ChanceRequest)


class BaseGame(Game[S, A], ABC, Generic[S, A, R]):
    """A game whose states and actions are written by tables; `Game` documents its methods.

    A subclass is a frozen dataclass with the house rules in its field `rules`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def rules(self) -> Switches:
        """The house rules in force."""

    @property
    @abstractmethod
    def _blank(self) -> S:
        """State whose text is empty."""

    @property
    @abstractmethod
    def _words(self) -> Words:
        """The words of a state."""

    @property
    @abstractmethod
    def _forms(self) -> ActionForms[A]:
        """The texts of the actions."""

    @abstractmethod
    def _invariants(self, state: S) -> Iterator[Invariant]:
        """Give every invariant of states under these house rules."""

    def _readable(self, state: S) -> Iterator[Invariant]:
        """Give the invariants without which a text is not read as a state."""
        return self._invariants(state)

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> Self:
        """Return the game under house rules given by name; missing ones are default.

        Raises:
            SpecError: If a house rule or its setting is unknown.
        """
        (rules,) = (spec.default_factory for spec in fields(cls) if spec.name == "rules")  # type: ignore[arg-type]
        return cls(rules=rules.from_mapping(settings))  # type: ignore[union-attr, call-arg]

    def settings(self) -> Mapping[str, JSON]:
        return self.rules.to_mapping()

    def chance_request(self, state: S) -> R:
        require_chance(self.turn(state))
        return self._request(state)

    @abstractmethod
    def _request(self, state: S) -> R:
        """Return the request to chance, on its turn."""

    def result(self, state: S) -> Result | None:
        return state.result

    def round_of(self, state: S) -> int:
        return state.round

    def validate(self, state: S) -> tuple[Invariant, ...]:
        """Return every invariant that a state violates; none if the state is possible."""
        return tuple(each for each in self._invariants(state) if not each.holds)

    def format_action(self, action: A) -> str:
        return self._forms.write(action)

    def parse_action(self, text: str) -> A:
        return self._forms.read(text)

    def format_outcome(self, state: S, outcome: ChanceOutcome) -> str:
        request = self.chance_request(state)
        if isinstance(request, DiceRequest):
            return format_dice(answering_dice(outcome, request))
        return " ".join(_shuffled(outcome, request).cards)

    def parse_outcome(self, state: S, text: str) -> ChanceOutcome:
        request = self.chance_request(state)
        if isinstance(request, DiceRequest):
            return answering_dice(parse_dice(text), request)
        return _shuffled(ShuffleResult(cards=tuple(text.split())), request)

    def format_state(self, state: S) -> str:
        return write_words(state, self._words)

    def observation_string(self, state: S, seat: Seat) -> str:
        return f"seat={seat} {write_words(self._visible(state, seat), self._words)}"

    def _visible(self, state: S, seat: Seat) -> S:
        """Return the state with everything covered that is hidden from a player."""
        del seat
        return state

    def parse_state(self, text: str) -> S:
        state = self.read_state(text)
        require(self._readable(state))
        return state

    def read_state(self, text: str) -> S:
        """Return the state that a text describes, even if it violates invariants.

        Raises:
            SpecError: If a word is unknown or given twice, or a value cannot be read.
        """
        return read_words(text, self._blank, self._words)


def _shuffled(outcome: ChanceOutcome, request: ChanceRequest) -> ShuffleResult:
    assert isinstance(request, ShuffleRequest)
    return answering_shuffle(outcome, request)
