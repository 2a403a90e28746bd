"""The agent that gets rid of as many low cards at once as it can."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.games.pig_pile.observation import PigPileObservation
from pigglesim.games.pig_pile.rules import washes
from pigglesim.games.pig_pile.state import HOG_WILD, FaceUp, PickUp, Play

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class PileGreedy:
    """Plays what is worth most at once: many cards, low ones, and a wash for the turn it brings.

    It keeps high cards and Hog Wilds, which fit when little else does, and takes up the pile only
    when it must. What others hold is nothing to it.
    """

    name: str = "greedy"
    """The name under which a record knows this agent."""

    def choose(
        self, observation: object, legal_actions: Sequence[A], *, rng: np.random.Generator
    ) -> A:
        """Return the action of the most worth; the first of equal ones.

        Raises:
            SpecError: If the game is not Pig Pile.
        """
        del rng
        if not isinstance(observation, PigPileObservation):
            raise SpecError(
                "a game of Pig Pile for its agent greedy",
                got=type(observation).__name__,
                remedy="use the agent uniform",
            )
        return max(legal_actions, key=lambda action: _worth(action, observation))


def _worth(action: object, seen: PigPileObservation) -> float:
    match action:
        case Play(cards=cards, value=value):
            wilds = cards.count(HOG_WILD) if value != HOG_WILD else 0
            washed = washes(value, len(cards), seen.pile, seen.rules)
            return worth_of_play(value, len(cards) - wilds, wilds, int(washed))
        case PickUp(face_up=card):
            return worth_of_pick_up(-1 if card is None else card)
        case FaceUp(cards=(first, second, third)):
            return worth_of_choice(first, second, third)
        case _:
            # The Slop is blind: one card of it is as good as another.
            return 0.0


_WILD_KEPT = 0.85
"""What a Hog Wild in hand is worth for later, as a card between 10 and 11 would be."""

_WASH_GAIN = 0.4
"""What another turn is worth."""

_LAST_RESORT = -100.0


def worth_of_play(value: int, number: int, wilds: int, washed: int) -> float:
    """Return what a play is worth, in cards got rid of.

    Each card is worth 1, less what it would be worth in hand: the higher, the more often it fits.

    Args:
        value: The value of the cards, 0 for Hog Wild.
        number: How many.
        wilds: Hog Wilds mixed in beneath them.
        washed: 1 if they make a Hog Wash, else 0.
    """
    kept = value / 12.0 if value else _WILD_KEPT
    return number * (1.0 - kept) + wilds * (1.0 - _WILD_KEPT) + _WASH_GAIN * washed


def worth_of_pick_up(card: int) -> float:
    """Return what it is worth to take up the pile with a face-up card, -1 for none.

    The card that is hardest to play from the table is the best one to take.
    """
    return _LAST_RESORT - (card if card else 13)


def worth_of_choice(first: int, second: int, third: int) -> float:
    """Return what it is worth that three cards lie face up: they are played late, on high cards."""
    strength = 0.0
    for card in (first, second, third):
        strength += card if card else 13
    return strength
