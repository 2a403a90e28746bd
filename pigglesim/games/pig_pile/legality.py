"""What a player may do: which cards fit, and what is left when none does (R3, R4, R7, R8)."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from pigglesim.games.pig_pile.actions import PickUp, PigPileAction, Play, Slop, play_of
from pigglesim.games.pig_pile.cards import HOG_WASH, HOG_WILD, Cards
from pigglesim.games.pig_pile.dealing import choices
from pigglesim.games.pig_pile.house_rules import HouseRules
from pigglesim.games.pig_pile.state import Phase, Position

__all__ = ["fits", "legal_actions", "playable"]


def fits(value: int, pile: Cards, rules: HouseRules) -> bool:
    """Return whether a card of this value may be played: equal or above, or Hog Wild (R3, PP4)."""
    return _fits(value, pile[-1:], wash_any_time=rules.wash_any_time)


def _fits(value: int, top: Cards, *, wash_any_time: bool) -> bool:
    return not top or value >= top[0] or value == HOG_WILD or (value == HOG_WASH and wash_any_time)


def playable(position: Position, place: int, rules: HouseRules) -> tuple[int, ...]:
    """Return the values that a player could play on the pile as it is, in ascending order.

    They are those of the hand; of an empty hand the face-up cards', and then the Slop's, which the
    player does not know.
    """
    held = position.hands[place] or position.ups[place] or position.slops[place]
    return tuple(value for value in sorted(set(held)) if fits(value, position.pile, rules))


def legal_actions(position: Position, rules: HouseRules) -> tuple[PigPileAction, ...]:
    """Return what the player to move may do, by value and then by number; pick-ups last."""
    place, pile = position.mover, position.pile
    hand, up = position.hands[place], position.ups[place]
    if position.phase is Phase.CHOOSE:
        return choices(hand)
    if not (hand or up):
        return tuple(Slop(slot) for slot in range(1, len(position.slops[place]) + 1))
    joins = rules.join_zones and not position.draw
    return _offers(
        hand or up,
        up if hand and joins else (),
        pile[-1:],
        from_hand=bool(hand),
        wash_any_time=rules.wash_any_time,
        mixes=rules.wild_mix,
        may_pick_up=bool(rules.voluntary_pickup and pile),
    )


@lru_cache(maxsize=1024)
def _offers(
    held: Cards,
    joining: Cards,
    top: Cards,
    *,
    from_hand: bool,
    wash_any_time: bool,
    mixes: bool,
    may_pick_up: bool,
) -> tuple[PigPileAction, ...]:
    """Return what can be done with cards of one place; asked for again when it is done.

    Args:
        held: The hand, or the face-up cards where it is empty.
        joining: Face-up cards that may come along with the last of a hand (PP15).
        top: The top card of the pile; nothing if it is empty.
        from_hand: Which of the two is held.
        wash_any_time: Whether an 8 always fits.
        mixes: Whether Hog Wilds may lie beneath a number.
        may_pick_up: Whether the pile may be taken up by choice.
    """
    offers: list[PigPileAction] = []
    for value, same in groupby(held):
        if _fits(value, top, wash_any_time=wash_any_time):
            count = len(tuple(same))
            count += joining.count(value) if count == len(held) else 0
            wilds = held.count(HOG_WILD) if mixes and value != HOG_WILD else 0
            offers += _plays(value, count, wilds)
    if not offers or may_pick_up:
        offers += [PickUp()] if from_hand else [PickUp(card) for card, _ in groupby(held)]
    return tuple(offers)


def _plays(value: int, count: int, wilds: int) -> Iterator[Play]:
    """Give the plays of a value, fewest cards first, and each with Hog Wilds mixed in."""
    for number in range(1, count + 1):
        yield play_of(value, number)
        for mixed in range(1, wilds + 1):
            yield Play((HOG_WILD,) * mixed + (value,) * number)
