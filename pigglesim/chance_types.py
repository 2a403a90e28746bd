"""Requests of rules to chance, and the outcomes: Piggles, dice or a shuffled deck.

Rules and sources of chance share these plain values; those of Piggles are in `landing`. Every
request names its player, so that a record can show whose roll or deal it was.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache
from itertools import product
from typing import TypeAlias

from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace, RollRequest, RollResult, Seat


@unique
class CockedDice(StrEnum):
    """Treatment of dice that rest aslant, on another die or off the board."""

    REROLL = "reroll"
    """All are thrown again."""
    NEAREST = "nearest"
    """Each shows the face that is closest to upward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRequest:
    """Dice with numbered faces, all thrown together."""

    thrower: Seat
    count: int
    """Number of dice, one or more."""
    sides: int = 6
    cocked: CockedDice = CockedDice.REROLL
    """Treatment of cocked dice, for physics; other sources have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceResult:
    """The upper faces of dice that were thrown."""

    faces: tuple[int, ...]
    """Numbers shown, from 1 to the number of sides, one per die."""
    places: tuple[RestPlace, ...] = ()
    """Position and rotation of each die, where physics threw them; empty elsewhere."""
    throws: int = 1
    """Number of throws until each die was flat on one face."""


@cache
def fair_dice(count: int, sides: int) -> tuple[tuple[DiceResult, float], ...]:
    """Return all different results of fair dice that are alike, with their probabilities.

    Faces are in ascending order. Two dice have 21 results: 1 1 with 1/36, 1 2 with 2/36.
    """
    throws = product(range(1, sides + 1), repeat=count)
    ways = Counter(tuple(sorted(faces)) for faces in throws)
    return tuple((DiceResult(faces=faces), many / sides**count) for faces, many in ways.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleRequest:
    """Cards to be shuffled."""

    thrower: Seat
    """Player who shuffles."""
    cards: tuple[str, ...]
    """Names of the cards; several may be equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleResult:
    """Cards in the order in which they will be drawn."""

    cards: tuple[str, ...]
    """Cards of the request in drawing order: the first is drawn first."""


ChanceRequest: TypeAlias = RollRequest | DiceRequest | ShuffleRequest
"""Any request of rules to chance."""

ChanceOutcome: TypeAlias = RollResult | DiceResult | ShuffleResult
"""Any outcome of chance, for the request of its kind."""


def answering_roll(outcome: ChanceOutcome) -> RollResult:
    """Return an outcome after checking that it is a roll of Piggles.

    Raises:
        SpecError: If it is not.
    """
    if not isinstance(outcome, RollResult):
        raise _other("a roll of Piggles", outcome)
    return outcome


def answering_dice(outcome: ChanceOutcome, request: DiceRequest) -> DiceResult:
    """Return an outcome after checking that it belongs to this throw of dice.

    Raises:
        SpecError: If it does not.
    """
    if not isinstance(outcome, DiceResult):
        raise _other("a throw of dice", outcome)
    faces = outcome.faces
    if len(faces) != request.count or not all(1 <= face <= request.sides for face in faces):
        raise SpecError(
            f"dice {list(faces)}",
            expected=f"{request.count} faces from 1 to {request.sides}",
            fix="answer the request",
        )
    return outcome


def answering_shuffle(outcome: ChanceOutcome, request: ShuffleRequest) -> ShuffleResult:
    """Return an outcome after checking that it has the cards of this shuffle.

    Raises:
        SpecError: If it has not.
    """
    if not isinstance(outcome, ShuffleResult):
        raise _other("a shuffled deck", outcome)
    if sorted(outcome.cards) != sorted(request.cards):
        raise SpecError(
            f"{len(outcome.cards)} shuffled cards that are not the {len(request.cards)} requested",
            fix="answer the request",
        )
    return outcome


def _other(expected: str, outcome: ChanceOutcome) -> SpecError:
    problem = f"an outcome of type {type(outcome).__name__}"
    return SpecError(problem, expected=expected, fix="answer the request")
