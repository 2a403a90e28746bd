"""The actions of Lord of the P.I.G.S. in a fixed order, the same for every seat.

Actors go by where they sit from the mover: itself, the next (B), the opposite (C), the one before
(A). Cards go in the order of the rule book, and the 116 cards that can be in the Game Area by
owner, tag and copy: `lord_slots` lists them.

| numbers | action |
|---|---|
| 0 | pass |
| 1 to 13 | submit a card |
| 14 to 26 | discard a card to Flash Floods |
| 27, 28 | Share Benefits by R1, R2 |
| 29, 30 | Social Stability +1, -1 |
| 31 to 36 | with the next, the opposite, the one before: +1, -1 each |
| 37 to 65 | withdraw an own Action |
| 66 to 94 | carry out an own Action first |
| 95 to 1602 | vote: 13 cards, each for 116 Actions |
| 1603 to 2066 | +1 or -1 Vote: C5, C6, U3, U4, each on 116 Actions |
"""

from functools import cache

from pigglesim.games.lord_of_the_pigs.actions import (
    PASS,
    CastVote,
    Discard,
    Intervene,
    LordAction,
    PutFirst,
    Share,
    Submit,
    Sway,
    UseAlternate,
    Withdraw,
)
from pigglesim.games.lord_of_the_pigs.actors import ORDERS
from pigglesim.games.lord_of_the_pigs.cards import CARDS, DECK_SIZE, Alternate
from pigglesim.games.lord_of_the_pigs.state import submission_name
from pigglesim.rolls import Seat

__all__ = ["LORD_COUNT", "lord_action_at", "lord_action_number", "lord_slots"]

_SIGNS = (1, -1)
_SHARING = {Alternate.SHARE_NEXT, Alternate.SHARE_PREVIOUS}
_VOTING = {Alternate.PLUS, Alternate.MINUS}


@cache
def lord_slots(seat: Seat) -> tuple[str, ...]:
    """Return every name that a submitted Action can have, in their order for `seat`."""
    return tuple(
        submission_name(owner, card.tag, copy)
        for owner in ORDERS[seat]
        for card in CARDS.values()
        for copy in range(1, card.copies + 1)
    )


@cache
def _actions(seat: Seat) -> tuple[LordAction, ...]:
    """Return every action of a seat by its number."""
    slots, others = lord_slots(seat), ORDERS[seat][1:]
    own = slots[:DECK_SIZE]
    sharing = [card.tag for card in CARDS.values() if card.alternate in _SHARING]
    voting = [card.tag for card in CARDS.values() if card.alternate in _VOTING]
    return (
        PASS,
        *(Submit(card) for card in CARDS),
        *(Discard(card) for card in CARDS),
        *(Share(card) for card in sharing),
        *(Sway(by) for by in _SIGNS),
        *(Intervene(other, by) for other in others for by in _SIGNS),
        *(Withdraw(name) for name in own),
        *(PutFirst(name) for name in own),
        *(CastVote(card, name) for card in CARDS for name in slots),
        *(UseAlternate(card, name) for card in voting for name in slots),
    )


@cache
def _numbers(seat: Seat) -> dict[LordAction, int]:
    return {action: number for number, action in enumerate(_actions(seat))}


LORD_COUNT = len(_actions(Seat.A))
"""How many actions there are."""


def lord_action_number(action: LordAction, seat: Seat) -> int:
    """Return the number of an action of `seat`."""
    return _numbers(seat)[action]


def lord_action_at(number: int, seat: Seat) -> LordAction:
    """Return the action of `seat` with that number, from 0 and below `LORD_COUNT`."""
    return _actions(seat)[number]
