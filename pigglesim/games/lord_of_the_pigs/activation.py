"""Which Actions have the votes they need, and what one that is carried out does (R6, LP4, LP5)."""

from collections.abc import Iterable

from pigglesim.games.change import changed
from pigglesim.games.lord_of_the_pigs.actors import ORDERS, SEATS, index
from pigglesim.games.lord_of_the_pigs.cards import CARDS, Alternate, Effect, effect
from pigglesim.games.lord_of_the_pigs.ending import Four
from pigglesim.games.lord_of_the_pigs.events import Event, under
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, ShareAmount, ShareClamp
from pigglesim.games.lord_of_the_pigs.state import HIGHEST, Position, Side, Submitted
from pigglesim.rolls import Seat

__all__ = [
    "activates",
    "carry_out",
    "clamped",
    "into_discard",
    "out_of_hand",
    "reached",
    "shared_with",
    "turned_up",
    "without",
]

_FAIR_DRAWS = 2
"""Cards that the owner of an activated Action draws at a National Business Fair."""


def activates(card: str, votes: int) -> bool:
    """Return whether so many votes activate a card: they reach its threshold (R6)."""
    return votes >= CARDS[card].threshold


def reached(position: Position) -> tuple[str, ...]:
    """Return the submitted Actions with the votes they need, in Actor order of their owners."""
    return tuple(
        each.name
        for seat in ORDERS[position.first]
        for each in position.submitted
        if each.owner is seat and activates(each.card, each.vote_count)
    )


def clamped(number: int) -> int:
    """Return the nearest number from 0 to 10 (R1)."""
    return min(max(number, 0), HIGHEST)


def shared_with(seat: Seat, card: str) -> Seat:
    """Return the actor whose benefits a card shares that the player at `seat` holds."""
    steps = -1 if CARDS[card].alternate is Alternate.SHARE_PREVIOUS else 1
    return SEATS[(index(seat) + steps) % len(SEATS)]


def carry_out(position: Position, rules: HouseRules) -> Position:
    """Return the position after the effect of the current Action, with the shares of it.

    Action and votes go to the discard piles of their owners.
    """
    action = position.action(position.current)
    assert action is not None
    change = under(position.event, effect(action.owner, action.card))
    ratings = _rated(position.ratings, change, position.shares, rules)
    position = turned_up(position, [action])
    # It left the hand when it was submitted, before the eyes of all.
    position = into_discard(position, action.owner, action.card, may_be_shown=False)
    fair = position.event is Event.NATIONAL_BUSINESS_FAIR
    return changed(
        position,
        ratings=ratings,
        stability=clamped(position.stability + change[-1]),
        submitted=without(position.submitted, action.name),
        current="",
        shares=(),
        draws=(action.owner,) * _FAIR_DRAWS if fair else (),
    )


def _rated(
    ratings: Four, change: Effect, shares: tuple[tuple[Seat, str], ...], rules: HouseRules
) -> Four:
    """Return the Ratings after an effect and the shares of it (LP5)."""
    sums = [rating + change[at] for at, rating in enumerate(ratings)]
    after = [clamped(total) for total in sums]
    together = rules.share_clamp is ShareClamp.TOGETHER
    actual = [new - old for new, old in zip(after, ratings, strict=True)]
    numbers = sums if together else after
    for seat, card in shares:
        other, own = index(shared_with(seat, card)), index(seat)
        amount = change[other] if rules.share_amount is ShareAmount.NOMINAL else actual[other]
        total = numbers[own] + amount
        numbers[own] = total if together else clamped(total)
    a, b, c, d = (clamped(number) for number in numbers)
    return a, b, c, d


def turned_up(position: Position, actions: Iterable[Submitted]) -> Position:
    """Return the position with the votes for some Actions discarded, markers and all."""
    bare = []
    for action in actions:
        for vote in action.votes:
            # One that was put down before the hand was shown is none of the cards shown.
            shown = vote.after_showing
            position = into_discard(position, vote.seat, vote.card, may_be_shown=shown)
        if action.vote_count:
            bare.append(changed(action, votes=(), markers=0))
    for action in bare:
        position = position.with_action(action)
    return position


def into_discard(
    position: Position, seat: Seat, card: str, *, may_be_shown: bool = True
) -> Position:
    """Return the position with a card, already taken from elsewhere, face up on a discard pile."""
    side = position.side(seat)
    shown = _less(side.shown, card) if may_be_shown else side.shown
    new = changed(side, discard=(*side.discard, card), shown=shown)
    return position.with_side(seat, new)


def out_of_hand(side: Side, card: str, *, face_up: bool) -> Side:
    """Return the cards of a player without one that leaves the hand."""
    shown = _less(side.shown, card) if face_up else side.shown
    return changed(side, hand=_less(side.hand, card), shown=shown)


def without(submitted: tuple[Submitted, ...], name: str) -> tuple[Submitted, ...]:
    """Return the submitted Actions without the one of that name."""
    return tuple(each for each in submitted if each.name != name)


def _less(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """Return cards without one of a kind, if there is one."""
    if card not in cards:
        return cards
    at = cards.index(card)
    return (*cards[:at], *cards[at + 1 :])
