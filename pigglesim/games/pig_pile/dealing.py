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
    """Return the state before the deal of a round, all cards being in the dealer's hands.

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


def deal_request(state: PigPileState) -> ShuffleRequest:
    """Return the shuffle of all cards that is due."""
    return ShuffleRequest(thrower=_SEATS[state.dealer], cards=_NAMES)


def deal(state: PigPileState, shuffled: ShuffleResult, rules: PigPileRules) -> PigPileState:
    """Return the state after the deal: ten cards to each player in turn, and the Draw Pile.

    The first three of the ten are Slop, then come those that lie face up, then the hand; in the
    advanced deal all but the Slop are held until they are chosen from.
    """
    cards = parse_cards(shuffled.cards)
    shares = [cards[at : at + CARDS_EACH] for at in range(0, CARDS_EACH * state.count, 10)]
    faced = SLOP if rules.advanced_deal else SLOP + UP
    return changed(
        state,
        phase=PigPilePhase.CHOOSE if rules.advanced_deal else PigPilePhase.PLAY,
        hands=tuple(tuple(sorted(share[faced:])) for share in shares),
        ups=tuple(tuple(sorted(share[SLOP:faced])) for share in shares),
        slops=tuple(share[:SLOP] for share in shares),
        draw=cards[CARDS_EACH * state.count :],
    )


def choices(hand: Cards) -> tuple[FaceUp, ...]:
    """Return every choice of three cards to lie face up, once each, in order."""
    return tuple(FaceUp(cards) for cards in sorted(set(combinations(hand, UP))))


def choose(state: PigPileState, action: FaceUp) -> PigPileState:
    """Return the state after a player has chosen; when all have, the cards are turned up."""
    chosen = (*state.chosen, action.cards)
    count = state.count
    if len(chosen) < count:
        return changed(state, chosen=chosen, mover=(state.mover + 1) % count)
    # The dealer was the first to choose.
    ups = tuple(chosen[(place - state.dealer) % count] for place in range(count))
    hands = zip(state.hands, ups, strict=True)
    return changed(
        state,
        phase=PigPilePhase.PLAY,
        mover=state.dealer,
        chosen=(),
        ups=ups,
        hands=tuple(less(hand, up) for hand, up in hands),
    )


PRIZES = (3, 2)
"""Pigs of the first and the second who are out (R9)."""
_REASON = "pigs"


def round_is_over(state: PigPileState, rules: PigPileRules) -> bool:
    """Return whether nobody plays on: two are out, one alone is left, or the cap is reached."""
    out = len(state.out)
    return out == len(PRIZES) or state.count - out == 1 or state.turns >= rules.turn_cap


def round_awards(state: PigPileState) -> tuple[int, ...]:
    """Return the pigs that each player has of a round that is over, as far as there are any left.

    Those who are out come first, in that order; then whoever has fewest cards, and of equal ones
    who comes first from the dealer on. Whoever is left with the most cards has none.
    """
    awards, pen = [0] * state.count, state.pen
    for place, prize in zip(state.out, PRIZES, strict=False):
        awards[place] = min(prize, pen)
        pen -= awards[place]
    cards = {place: state.cards_of(place) for place in state.left}
    most = max(cards.values())

    def finish(place: int) -> tuple[int, int]:
        return cards[place], (place - state.dealer) % state.count

    for place in sorted(cards, key=finish):
        if cards[place] < most:
            awards[place] = min(1, pen)
            pen -= awards[place]
    return tuple(awards)


def end_round(state: PigPileState, rules: PigPileRules) -> PigPileState:
    """Return the state after a round that is over: before the next deal, or the end."""
    awards = round_awards(state)
    pigs = tuple(had + won for had, won in zip(state.pigs, awards, strict=True))
    following = before_deal(rules, round_number=state.round + 1, pigs=pigs, awards=awards)
    if state.round < rules.rounds and following.pen > 0:
        return following
    return changed(state, phase=PigPilePhase.OVER, pigs=pigs, awards=awards)


def result_of(state: PigPileState) -> Result | None:
    """Return who has the most pigs once the match is over; those who have them together share."""
    if state.phase is not PigPilePhase.OVER:
        return None
    most = max(state.pigs)
    won = tuple(seat for seat, pigs in zip(tuple(Seat), state.pigs, strict=False) if pigs == most)
    if len(won) == 1:
        return Result(winner=won[0], reason=_REASON)
    return Result(winner=None, reason=_REASON, shared=won)
