"""Which Actions have the votes they need, and what one that is carried out does (R6, LP4, LP5)."""

from pigglesim.games.change import changed
from pigglesim.games.lord_of_the_pigs.actors import ORDERS, SEATS, index
from pigglesim.games.lord_of_the_pigs.cards import CARDS, Alternate, Effect, effect
from pigglesim.games.lord_of_the_pigs.ending import Four
from pigglesim.games.lord_of_the_pigs.events import Event, under
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, ShareAmount, ShareClamp
from pigglesim.games.lord_of_the_pigs.piles import Sides, put, turned_up
from pigglesim.games.lord_of_the_pigs.state import HIGHEST, Position, Submitted
from pigglesim.rolls import Seat

__all__ = ["activates", "carry_out", "clamped", "off_the_table", "reached", "shared_with"]

_FAIR_DRAWS = 2
"""Cards that the owner of an activated Action draws at a National Business Fair."""


def activates(card: str, votes: int) -> bool:
    """Return whether so many votes activate a card: they reach its threshold (R6)."""
    return votes >= CARDS[card].threshold


def reached(position: Position) -> tuple[str, ...]:
    """Return the submitted Actions with the votes they need, in Actor order of their owners."""
    active = [each for each in position.submitted if activates(each.card, each.vote_count)]
    if len(active) > 1:
        order = ORDERS[position.first]
        active.sort(key=lambda each: order.index(each.owner))
    return tuple(each.name for each in active)


def clamped(number: int) -> int:
    """Return the nearest number from 0 to 10 (R1)."""
    return min(max(number, 0), HIGHEST)


def shared_with(seat: Seat, card: str) -> Seat:
    """Return the actor whose benefits a card shares that the player at `seat` holds."""
    steps = -1 if CARDS[card].alternate is Alternate.SHARE_PREVIOUS else 1
    return SEATS[(index(seat) + steps) % len(SEATS)]


def carry_out(
    position: Position, name: str, rules: HouseRules, *, due: tuple[str, ...] = ()
) -> Position:
    """Return the position after the effect of an activated Action, with the shares of it.

    Action and votes go to the discard piles of their owners.

    Args:
        position: The position, with what was discarded to share its benefits.
        name: Of the Action.
        rules: The house rules.
        due: What is to be carried out after it.
    """
    action = position.submitted_action(name)
    change = under(position.event, effect(action.owner, action.card))
    fair = position.event is Event.NATIONAL_BUSINESS_FAIR
    sides, submitted = off_the_table(position, action)
    return changed(
        position,
        ratings=_rated(position.ratings, change, position.shares, rules),
        stability=clamped(position.stability + change[-1]),
        sides=sides,
        submitted=submitted,
        current="",
        due=due,
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


def off_the_table(position: Position, action: Submitted) -> tuple[Sides, tuple[Submitted, ...]]:
    """Return the players' cards and the Game Area after an Action and its votes are discarded."""
    sides = turned_up(position.sides, action.votes)
    # It left the hand when it was submitted, before the eyes of all: none of those shown is gone.
    side = sides[index(action.owner)]
    sides = put(sides, action.owner, changed(side, discard=(*side.discard, action.card)))
    return sides, tuple(each for each in position.submitted if each is not action)
