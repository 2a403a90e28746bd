"""The greedy agent of Pig Pile."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pigglesim.agents.agent import OneStepAgent
from pigglesim.games.pig_pile import HOG_WILD, FaceUp, PickUp, PigPileObservation, Play, washes


@dataclass(frozen=True, slots=True, kw_only=True)
class PileGreedy(OneStepAgent):
    """An agent that plays many cards, low ones first, and values a wash for its extra turn.

    It keeps high cards and Hog Wilds, which fit when few other cards do, and picks up the pile only
    if it must. It ignores the cards of others.
    """

    title: ClassVar = "Pig Pile"
    observes: ClassVar = PigPileObservation

    def value_function(self, observation: PigPileObservation) -> Callable[[object], float]:
        """Return the value of an action, in cards played."""
        return partial(_card_value, seen=observation)


def _card_value(action: object, *, seen: PigPileObservation) -> float:
    match action:
        case Play(cards=cards, value=value):
            wilds = cards.count(HOG_WILD) if value != HOG_WILD else 0
            washed = washes(value, len(cards), seen, seen.rules)
            return play_value(value, len(cards) - wilds, wilds, int(washed))
        case PickUp(face_up=card):
            return pick_up_value(-1 if card is None else card)
        case FaceUp(cards=(first, second, third)):
            return choice_value(first, second, third)
        case _:
            # The Slop is face down: all its cards are equal.
            return 0.0


_WILD_VALUE = 0.85
"""Value of a Hog Wild in hand: that of a card between 10 and 11."""
_WASH_GAIN = 0.4
"""Value of another turn."""
_LAST_RESORT = -100.0


# Playouts compile these functions too, so they take and return plain numbers. Their constants won
# against agents with other constants.
def play_value(value: int, number: int, wilds: int, washed: int) -> float:
    """Return the value of a play, in cards played.

    Each card counts 1 less its value in hand: the higher the card, the more often it fits.
    `value` is that of the cards, 0 for Hog Wild; `wilds` is the number of Hog Wilds mixed in below
    them, and `washed` is 1 if they make a Hog Wash, else 0.
    """
    hand_value = value / 12.0 if value else _WILD_VALUE
    return number * (1.0 - hand_value) + wilds * (1.0 - _WILD_VALUE) + _WASH_GAIN * washed


def pick_up_value(card: int) -> float:
    """Return the value of picking up the pile with a face-up card, -1 for none.

    The best card to take is the hardest one to play from the table.
    """
    return _LAST_RESORT - (card if card else 13)


def choice_value(first: int, second: int, third: int) -> float:
    """Return the value of choosing three cards face up, which are played late, on high cards."""
    strength = 0.0
    for card in (first, second, third):
        strength += card if card else 13
    return strength
