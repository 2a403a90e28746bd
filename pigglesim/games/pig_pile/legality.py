"""What a player may do: which cards fit, and what is left when none does (R3, R4, R7, R8)."""

from collections.abc import Iterator
from itertools import groupby

from pigglesim.games.pig_pile.actions import PickUp, PigPileAction, Play, Slop, play_of
from pigglesim.games.pig_pile.cards import HOG_WASH, HOG_WILD, Cards
from pigglesim.games.pig_pile.dealing import choices
from pigglesim.games.pig_pile.house_rules import HouseRules
from pigglesim.games.pig_pile.state import Phase, Position

__all__ = ["fits", "legal_actions", "playable"]


def fits(value: int, pile: Cards, rules: HouseRules) -> bool:
    """Return whether a card of this value may be played: equal or above, or Hog Wild (R3, PP4)."""
    return (
        not pile
        or value >= pile[-1]
        or value == HOG_WILD
        or (value == HOG_WASH and rules.wash_any_time)
    )


def playable(position: Position, place: int, rules: HouseRules) -> tuple[int, ...]:
    """Return the values that a player could play on the pile as it is, in ascending order.

    They are those of the hand; of an empty hand the face-up cards', and then the Slop's, which the
    player does not know.
    """
    held = position.hands[place] or position.ups[place] or position.slops[place]
    return tuple(value for value in sorted(set(held)) if fits(value, position.pile, rules))


def legal_actions(position: Position, rules: HouseRules) -> tuple[PigPileAction, ...]:
    """Return what the player to move may do, by value and then by number; pick-ups last."""
    place = position.mover
    hand, up = position.hands[place], position.ups[place]
    if position.phase is Phase.CHOOSE:
        return choices(hand)
    held = hand or up
    if not held:
        return tuple(Slop(slot) for slot in range(1, len(position.slops[place]) + 1))
    plays: list[PigPileAction] = []
    for value, same in groupby(held):
        if fits(value, position.pile, rules):
            plays += _plays(position, value, len(tuple(same)), rules)
    if not plays or (rules.voluntary_pickup and position.pile):
        plays += [PickUp()] if hand else [PickUp(card) for card, _ in groupby(up)]
    return tuple(plays)


def _plays(position: Position, value: int, count: int, rules: HouseRules) -> Iterator[Play]:
    """Give the plays of a value that fits, fewest cards first."""
    hand, up = position.hands[position.mover], position.ups[position.mover]
    if rules.join_zones and len(hand) == count and not position.draw:
        # The last of a hand: what is equal on the table may come along (PP15).
        count += up.count(value)
    wilds = (hand or up).count(HOG_WILD) if rules.wild_mix and value != HOG_WILD else 0
    for number in range(1, count + 1):
        yield play_of(value, number)
        for mixed in range(1, wilds + 1):
            yield Play((HOG_WILD,) * mixed + (value,) * number)
