"""The position of a match of Pig Pile, as one frozen value.

Players are numbers here, clockwise from 0, the player at seat A.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.pig_pile.cards import Cards

__all__ = ["PIG_PEN", "Phase", "Position"]

PIG_PEN = 40
"""Pigs to be had in a match (R1)."""


@unique
class Phase(StrEnum):
    """What a round is at."""

    DEAL = "deal"
    """The cards are to be shuffled and dealt."""
    CHOOSE = "choose"
    """In the advanced deal, players choose what lies face up (R2)."""
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where every card is, who is to move, and what the pigs stand at."""

    phase: Phase = Phase.DEAL
    round: int = 1
    dealer: int = 0
    mover: int = 0
    """Whose turn it is, where anybody's."""
    direction: int = 1
    """1 clockwise, -1 the other way round."""
    tied: bool = False
    """Whether the next player misses a turn once the mover's is over (R5, PP5)."""
    turns: int = 0
    """Decisions in this round, choices of face-up cards aside."""
    hands: tuple[Cards, ...]
    """By player; each in ascending order."""
    known: tuple[Cards, ...]
    """The part of each hand that all have seen: what came from the pile or the table (PP17)."""
    ups: tuple[Cards, ...]
    """What lies face up, in ascending order."""
    slops: tuple[Cards, ...]
    """What lies face down, in the order in which it lies."""
    chosen: tuple[Cards, ...] = ()
    """Who has chosen what, in the order of choosing from the dealer on; still hidden (PP18)."""
    draw: Cards = ()
    """The Draw Pile; the first card is drawn first."""
    pile: Cards = ()
    """The Pig Pile; the last card is on top."""
    aside: Cards = ()
    """What was washed away in this round, in the order of washing."""
    out: tuple[int, ...] = ()
    """Who has got rid of all cards, in that order."""
    pigs: tuple[int, ...]
    """By player."""
    awards: tuple[int, ...] = ()
    """What the round before this one has brought each player; empty in the first."""

    @property
    def count(self) -> int:
        """How many play."""
        return len(self.hands)

    @property
    def left(self) -> tuple[int, ...]:
        """Who is still in the round."""
        return tuple(place for place in range(len(self.hands)) if place not in self.out)

    @property
    def pen(self) -> int:
        """How many pigs are left in the Pig Pen."""
        return PIG_PEN - sum(self.pigs)

    def cards_of(self, place: int) -> int:
        """Return how many cards a player has, wherever they are."""
        return len(self.hands[place]) + len(self.ups[place]) + len(self.slops[place])
