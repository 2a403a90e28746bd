"""What the actions of Pig Pile are worth at once.

Plain functions of plain numbers, so that the agent and compiled games decide by the same ones.
Their two constants were found by playing against three others of the agent with other constants.
"""

__all__ = ["worth_of_choice", "worth_of_pick_up", "worth_of_play"]

_WILD_KEPT = 0.85
"""What a Hog Wild in hand is worth for later, as a card between 10 and 11 would be."""
_WASH = 0.4
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
    return number * (1.0 - kept) + wilds * (1.0 - _WILD_KEPT) + _WASH * washed


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
