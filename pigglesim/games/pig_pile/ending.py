"""How a round ends and pays, and how the match goes on or is won (R9, R10, PP12, PP13)."""

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.pig_pile.dealing import before_deal
from pigglesim.games.pig_pile.house_rules import HouseRules
from pigglesim.games.pig_pile.state import Phase, Position
from pigglesim.rolls import Seat

__all__ = ["end_round", "result_of", "round_awards", "round_is_over"]

PRIZES = (3, 2)
"""Pigs of the first and the second who are out (R9)."""
_REASON = "pigs"


def round_is_over(position: Position, rules: HouseRules) -> bool:
    """Return whether nobody plays on: two are out, one alone is left, or the cap is reached."""
    out = len(position.out)
    return out == len(PRIZES) or position.count - out == 1 or position.turns >= rules.turn_cap


def round_awards(position: Position) -> tuple[int, ...]:
    """Return the pigs that each player has of a round that is over, as far as there are any left.

    Those who are out come first, in that order; then whoever has fewest cards, and of equal ones
    who comes first from the dealer on. Whoever is left with the most cards has none.
    """
    awards, pen = [0] * position.count, position.pen
    for place, prize in zip(position.out, PRIZES, strict=False):
        awards[place] = min(prize, pen)
        pen -= awards[place]
    cards = {place: position.cards_of(place) for place in position.left}
    most = max(cards.values())

    def finish(place: int) -> tuple[int, int]:
        return cards[place], (place - position.dealer) % position.count

    for place in sorted(cards, key=finish):
        if cards[place] < most:
            awards[place] = min(1, pen)
            pen -= awards[place]
    return tuple(awards)


def end_round(position: Position, rules: HouseRules) -> Position:
    """Return the position after a round that is over: before the next deal, or the end."""
    awards = round_awards(position)
    pigs = tuple(had + won for had, won in zip(position.pigs, awards, strict=True))
    following = before_deal(rules, round_number=position.round + 1, pigs=pigs, awards=awards)
    if position.round < rules.rounds and following.pen > 0:
        return following
    return changed(position, phase=Phase.OVER, pigs=pigs, awards=awards)


def result_of(position: Position) -> Result | None:
    """Return who has the most pigs once the match is over; those who have them together share."""
    if position.phase is not Phase.OVER:
        return None
    most = max(position.pigs)
    won = tuple(
        seat for seat, pigs in zip(tuple(Seat), position.pigs, strict=False) if pigs == most
    )
    if len(won) == 1:
        return Result(winner=won[0], reason=_REASON)
    return Result(winner=None, reason=_REASON, shared=won)
