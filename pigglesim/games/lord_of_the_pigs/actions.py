"""What players can do, and how it is written: `vote C1 Banker.U1`, `use C5 Banker.U1`, `pass`."""

from dataclasses import dataclass
from typing import TypeAlias

from pigglesim.errors import SpecError
from pigglesim.games.lord_of_the_pigs.actors import actor, read_actor
from pigglesim.games.lord_of_the_pigs.cards import read_card
from pigglesim.games.lord_of_the_pigs.state import read_name
from pigglesim.rolls import Seat

__all__ = [
    "PASS",
    "CastVote",
    "Discard",
    "Intervene",
    "LordAction",
    "Pass",
    "PutFirst",
    "Share",
    "Submit",
    "Sway",
    "UseAlternate",
    "Withdraw",
    "format_action",
    "parse_action",
]


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing more in this phase."""


@dataclass(frozen=True, slots=True)
class CastVote:
    """Put a card face down on a submitted Action (R5)."""

    card: str
    on: str
    """Name of the submitted Action."""


@dataclass(frozen=True, slots=True)
class UseAlternate:
    """Discard a card for +1 or -1 Vote, as it says, on a submitted Action (R6)."""

    card: str
    on: str


@dataclass(frozen=True, slots=True)
class Share:
    """Discard a card to Share Benefits of the Action that is about to be carried out (LP5)."""

    card: str


@dataclass(frozen=True, slots=True)
class PutFirst:
    """Carry out this one of several own activated Actions next (LP10)."""

    on: str


@dataclass(frozen=True, slots=True)
class Submit:
    """Put a card face up into the Game Area (R7)."""

    card: str


@dataclass(frozen=True, slots=True)
class Discard:
    """Give up a card of the hand to Flash Floods."""

    card: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Give up an own submitted Action to Civilian Watchdogs."""

    on: str


@dataclass(frozen=True, slots=True)
class Sway:
    """Change Social Stability by 1 in a General Strike."""

    by: int
    """1 or -1."""


@dataclass(frozen=True, slots=True)
class Intervene:
    """Change the own Rating and another's by 1, both the same way, in an FMI Intervention."""

    seat: Seat
    """The other player's."""
    by: int
    """1 or -1."""


LordAction: TypeAlias = (
    Pass
    | CastVote
    | UseAlternate
    | Share
    | PutFirst
    | Submit
    | Discard
    | Withdraw
    | Sway
    | Intervene
)
"""Whatever a player can decide."""

PASS = Pass()
_SIGNS = {1: "+1", -1: "-1"}
_NUMBERS = {text: number for number, text in _SIGNS.items()}


def format_action(action: LordAction) -> str:
    """Return an action as text."""
    match action:
        case Pass():
            return "pass"
        case CastVote(card=card, on=on):
            return f"vote {card} {on}"
        case UseAlternate(card=card, on=on):
            return f"use {card} {on}"
        case Share(card=card):
            return f"share {card}"
        case PutFirst(on=on):
            return f"first {on}"
        case Submit(card=card):
            return f"submit {card}"
        case Discard(card=card):
            return f"discard {card}"
        case Withdraw(on=on):
            return f"withdraw {on}"
        case Sway(by=by):
            return f"stability {_SIGNS[by]}"
        case Intervene(seat=seat, by=by):
            return f"with {actor(seat)} {_SIGNS[by]}"


def parse_action(text: str) -> LordAction:
    """Return the action that a text names.

    Raises:
        SpecError: If the text is no action, or names an unknown card or actor.
    """
    match text.split():
        case ["pass"]:
            return PASS
        case ["vote", card, on]:
            return CastVote(read_card(card), _submitted(on))
        case ["use", card, on]:
            return UseAlternate(read_card(card), _submitted(on))
        case ["share", card]:
            return Share(read_card(card))
        case ["first", on]:
            return PutFirst(_submitted(on))
        case ["submit", card]:
            return Submit(read_card(card))
        case ["discard", card]:
            return Discard(read_card(card))
        case ["withdraw", on]:
            return Withdraw(_submitted(on))
        case ["stability", ("+1" | "-1") as by]:
            return Sway(_NUMBERS[by])
        case ["with", other, ("+1" | "-1") as by]:
            return Intervene(read_actor("the other player", other), _NUMBERS[by])
        case _:
            raise SpecError(
                "an action",
                got=repr(text),
                remedy="submit C1, vote C1 Banker.U1, use C5 Banker.U1, share R1 or pass",
            )


def _submitted(name: str) -> str:
    try:
        read_name(name)
    except KeyError:
        raise SpecError(
            "the name of a submitted Action", got=repr(name), remedy="Banker.C1 or Banker.C1.2"
        ) from None
    return name
