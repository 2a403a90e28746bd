"""How a round begins: shuffled, dealt, and in the advanced deal chosen from (R2, R10)."""

from itertools import combinations

from pigglesim.chance_types import ShuffleRequest, ShuffleResult
from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.pig_pile.actions import FaceUp
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.state import (
    DECK,
    Cards,
    PigPilePhase,
    PigPileState,
    format_card,
    less,
    parse_cards,
)
from pigglesim.landing import Seat

SLOP = UP = 3
CARDS_EACH = 10
"""Three face down, three face up and four in the hand (R2)."""
_NAMES = tuple(map(format_card, DECK))
_SEATS = tuple(Seat)


def before_deal(
    rules: PigPileRules,
    *,
    round_number: int = 1,
    pigs: tuple[int, ...] | None = None,
    awards: tuple[int, ...] = (),
) -> PigPileState:
    """Return the position before the deal of a round, all cards being in the dealer's hands.

    Args:
        rules: The house rules.
        round_number: From 1; each has the next player as its dealer (R10).
        pigs: What each player has won so far; nothing if absent.
        awards: What the round before has brought.
    """
    count = rules.players
    dealer = (_SEATS.index(rules.first_dealer) + round_number - 1) % count
    nothing: tuple[Cards, ...] = ((),) * count
    return PigPileState(
        round=round_number,
        dealer=dealer,
        mover=dealer,
        hands=nothing,
        known=nothing,
        ups=nothing,
        slops=nothing,
        pigs=pigs if pigs is not None else (0,) * count,
        awards=awards,
    )


def deal_request(position: PigPileState) -> ShuffleRequest:
    """Return the shuffle of all cards that is due."""
    return ShuffleRequest(thrower=_SEATS[position.dealer], cards=_NAMES)


def deal(position: PigPileState, shuffled: ShuffleResult, rules: PigPileRules) -> PigPileState:
    """Return the position after the deal: ten cards to each player in turn, and the Draw Pile.

    The first three of the ten are Slop, then come those that lie face up, then the hand; in the
    advanced deal all but the Slop are held until they are chosen from.
    """
    cards = parse_cards(shuffled.cards)
    shares = [cards[at : at + CARDS_EACH] for at in range(0, CARDS_EACH * position.count, 10)]
    faced = SLOP if rules.advanced_deal else SLOP + UP
    return changed(
        position,
        phase=PigPilePhase.CHOOSE if rules.advanced_deal else PigPilePhase.PLAY,
        hands=tuple(tuple(sorted(share[faced:])) for share in shares),
        ups=tuple(tuple(sorted(share[SLOP:faced])) for share in shares),
        slops=tuple(share[:SLOP] for share in shares),
        draw=cards[CARDS_EACH * position.count :],
    )


def choices(hand: Cards) -> tuple[FaceUp, ...]:
    """Return every choice of three cards to lie face up, once each, in order."""
    return tuple(FaceUp(cards) for cards in sorted(set(combinations(hand, UP))))


def choose(position: PigPileState, action: FaceUp) -> PigPileState:
    """Return the position after a player has chosen; when all have, the cards are turned up."""
    chosen = (*position.chosen, action.cards)
    count = position.count
    if len(chosen) < count:
        return changed(position, chosen=chosen, mover=(position.mover + 1) % count)
    # The dealer was the first to choose.
    ups = tuple(chosen[(place - position.dealer) % count] for place in range(count))
    hands = zip(position.hands, ups, strict=True)
    return changed(
        position,
        phase=PigPilePhase.PLAY,
        mover=position.dealer,
        chosen=(),
        ups=ups,
        hands=tuple(less(hand, up) for hand, up in hands),
    )


PRIZES = (3, 2)
"""Pigs of the first and the second who are out (R9)."""
_REASON = "pigs"


def round_is_over(position: PigPileState, rules: PigPileRules) -> bool:
    """Return whether nobody plays on: two are out, one alone is left, or the cap is reached."""
    out = len(position.out)
    return out == len(PRIZES) or position.count - out == 1 or position.turns >= rules.turn_cap


def round_awards(position: PigPileState) -> tuple[int, ...]:
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


def end_round(position: PigPileState, rules: PigPileRules) -> PigPileState:
    """Return the position after a round that is over: before the next deal, or the end."""
    awards = round_awards(position)
    pigs = tuple(had + won for had, won in zip(position.pigs, awards, strict=True))
    following = before_deal(rules, round_number=position.round + 1, pigs=pigs, awards=awards)
    if position.round < rules.rounds and following.pen > 0:
        return following
    return changed(position, phase=PigPilePhase.OVER, pigs=pigs, awards=awards)


def result_of(position: PigPileState) -> Result | None:
    """Return who has the most pigs once the match is over; those who have them together share."""
    if position.phase is not PigPilePhase.OVER:
        return None
    most = max(position.pigs)
    won = tuple(
        seat for seat, pigs in zip(tuple(Seat), position.pigs, strict=False) if pigs == most
    )
    if len(won) == 1:
        return Result(winner=won[0], reason=_REASON)
    return Result(winner=None, reason=_REASON, shared=won)
