"""What rules may ask of chance, and what chance answers: Piggles, dice or a shuffled deck.

Plain values that rules and whatever answers them share, beside those of Piggles in `rolls`. Every
request says which player it is for, so that a record can tell whose roll or deal it was.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace, RollRequest, RollResult, Seat


@unique
class CockedDice(StrEnum):
    """What is done with dice that lie aslant, on another die or off the board."""

    REROLL = "reroll"
    """All are thrown again."""
    NEAREST = "nearest"
    """Each is read by the face that is nearest to upward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRequest:
    """Dice with numbered faces, all thrown together."""

    thrower: Seat
    count: int
    """How many, one or more."""
    sides: int = 6
    cocked: CockedDice = CockedDice.REROLL
    """Heeded where physics throws them; elsewhere all lie flat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceResult:
    """The upper faces of dice that were thrown."""

    faces: tuple[int, ...]
    """From 1 to the number of sides, one for each die."""
    places: tuple[RestPlace, ...] = ()
    """How the dice lie, where physics threw them; empty elsewhere."""
    throws: int = 1
    """How often they were thrown until each lay flat on one face."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleRequest:
    """Cards to be brought into a random order."""

    thrower: Seat
    """Who shuffles."""
    cards: tuple[str, ...]
    """The cards by name; several may be alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleResult:
    """Cards in the order in which they will be drawn."""

    cards: tuple[str, ...]
    """Those of the request, each as often as there; the first is drawn first."""


ChanceRequest: TypeAlias = RollRequest | DiceRequest | ShuffleRequest
"""Whatever rules ask of chance."""

ChanceOutcome: TypeAlias = RollResult | DiceResult | ShuffleResult
"""Whatever chance answers, each to the request of its kind."""


def answering_roll(outcome: ChanceOutcome) -> RollResult:
    """Return an answer that must be one to a roll of Piggles.

    Raises:
        SpecError: If it is another.
    """
    if not isinstance(outcome, RollResult):
        raise _other("a roll of Piggles", outcome)
    return outcome


def answering_dice(outcome: ChanceOutcome, request: DiceRequest) -> DiceResult:
    """Return an answer that must be one to just this throw of dice.

    Raises:
        SpecError: If it is another.
    """
    if not isinstance(outcome, DiceResult):
        raise _other("a throw of dice", outcome)
    faces = outcome.faces
    if len(faces) != request.count or not all(1 <= face <= request.sides for face in faces):
        raise SpecError(
            f"{request.count} faces from 1 to {request.sides}",
            got=str(list(faces)),
            remedy="answer what was asked",
        )
    return outcome


def answering_shuffle(outcome: ChanceOutcome, request: ShuffleRequest) -> ShuffleResult:
    """Return an answer that must be the cards of just this shuffle.

    Raises:
        SpecError: If it is another.
    """
    if not isinstance(outcome, ShuffleResult):
        raise _other("a shuffled deck", outcome)
    if sorted(outcome.cards) != sorted(request.cards):
        raise SpecError(
            f"the same {len(request.cards)} cards in some order",
            got=f"{len(outcome.cards)} cards that differ from them",
            remedy="answer what was asked",
        )
    return outcome


def _other(expected: str, outcome: ChanceOutcome) -> SpecError:
    return SpecError(expected, got=type(outcome).__name__, remedy="answer what was asked")
