"""Rules of Pig Pile: the deal, legal plays and their effects, the end of a round."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

from pigglesim.chance_types import ShuffleResult
from pigglesim.games.game import changed
from pigglesim.games.pig_pile.state import (
    EWE_TURN,
    HOG_TIED,
    HOG_WASH,
    HOG_WILD,
    Cards,
    DrawTo,
    FaceUp,
    PickUp,
    PigPileAction,
    PigPilePhase,
    PigPileRules,
    PigPileState,
    Play,
    Slop,
    less,
    merged,
    parse_cards,
    play_of,
)
from pigglesim.landing import Seat

SLOP = UP = 3
CARDS_EACH = 10
"""Cards per player: three face down, three face up and four in hand (R2)."""
_SEATS = tuple(Seat)


def before_deal(
    rules: PigPileRules,
    *,
    round_number: int = 1,
    pigs: tuple[int, ...] | None = None,
    awards: tuple[int, ...] = (),
) -> PigPileState:
    """Return the state before the deal of a round, with all cards at the dealer."""
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


def deal(state: PigPileState, shuffled: ShuffleResult, rules: PigPileRules) -> PigPileState:
    """Return the state after the deal: ten cards to each player in turn, and the Draw Pile.

    The first three of the ten are Slop, then come the face-up cards, then the hand. In the advanced
    deal all but the Slop are in hand until the choice.
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
    """Return every distinct choice of three cards to be face up, in order."""
    return tuple(FaceUp(cards) for cards in sorted(set(combinations(hand, UP))))


def choose(state: PigPileState, action: FaceUp) -> PigPileState:
    """Return the state after a player's choice; after the last, the cards are turned up."""
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
"""Pigs of the first and the second player who are out (R9)."""


def round_is_over(state: PigPileState, rules: PigPileRules) -> bool:
    """Return whether a round is over: two are out, one is left, or the cap is reached."""
    out = len(state.out)
    return out == len(PRIZES) or state.count - out == 1 or state.turns >= rules.turn_cap


def round_awards(state: PigPileState) -> tuple[int, ...]:
    """Return each player's pigs for a round that is over, as far as the Pig Pen lasts.

    Players who are out come first, in that order, then the others by number of cards, fewest first.
    Ties go in order from the dealer. The last player, with the most cards, gets none.
    """
    awards, pen = [0] * state.count, state.pen
    for place, prize in zip(state.out, PRIZES, strict=False):
        awards[place] = min(prize, pen)
        pen -= awards[place]
    cards = {place: state.cards_of(place) for place in state.left}
    largest = max(cards.values())

    def finish(place: int) -> tuple[int, int]:
        return cards[place], (place - state.dealer) % state.count

    for place in sorted(cards, key=finish):
        if cards[place] < largest:
            awards[place] = min(1, pen)
            pen -= awards[place]
    return tuple(awards)


def end_round(state: PigPileState, rules: PigPileRules) -> PigPileState:
    """Return the state after a round that is over: before the next deal, or the end."""
    awards = round_awards(state)
    pigs = tuple(before + award for before, award in zip(state.pigs, awards, strict=True))
    following = before_deal(rules, round_number=state.round + 1, pigs=pigs, awards=awards)
    if state.round < rules.rounds and following.pen > 0:
        return following
    return changed(state, phase=PigPilePhase.OVER, pigs=pigs, awards=awards)


def fits(value: int, pile: Cards, rules: PigPileRules) -> bool:
    """Return whether a card of a value may be played: equal, above, or Hog Wild (R3, PP4)."""
    return _fits(value, pile[-1:], wash_any_time=rules.wash_any_time)


def _fits(value: int, top: Cards, *, wash_any_time: bool) -> bool:
    return not top or value >= top[0] or value == HOG_WILD or (value == HOG_WASH and wash_any_time)


def playable(state: PigPileState, place: int, rules: PigPileRules) -> tuple[int, ...]:
    """Return the values that a player could play on the current pile, in ascending order.

    They are those of the hand. With an empty hand they are the face-up cards', and then the Slop's,
    which the player does not know.
    """
    held = state.hands[place] or state.ups[place] or state.slops[place]
    return tuple(value for value in sorted(set(held)) if fits(value, state.pile, rules))


def legal_actions(state: PigPileState, rules: PigPileRules) -> tuple[PigPileAction, ...]:
    """Return the legal actions by value and then by number, with pick-ups last."""
    place, pile = state.mover, state.pile
    hand, up = state.hands[place], state.ups[place]
    if state.phase is PigPilePhase.CHOOSE:
        return choices(hand)
    if not (hand or up):
        return tuple(Slop(slot) for slot in range(1, len(state.slops[place]) + 1))
    joins = rules.join_zones and not state.draw
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
    cards: Cards,
    joining: Cards,
    top: Cards,
    *,
    from_hand: bool,
    wash_any_time: bool,
    mixes: bool,
    may_pick_up: bool,
) -> tuple[PigPileAction, ...]:
    """Return the actions with cards of one place; cached, because calls repeat."""
    offers: list[PigPileAction] = []
    for value, same in groupby(cards):
        if _fits(value, top, wash_any_time=wash_any_time):
            count = len(tuple(same))
            count += joining.count(value) if count == len(cards) else 0
            wilds = cards.count(HOG_WILD) if mixes and value != HOG_WILD else 0
            offers += _plays(value, count, wilds)
    if not offers or may_pick_up:
        offers += [PickUp()] if from_hand else [PickUp(card) for card, _ in groupby(cards)]
    return tuple(offers)


def _plays(value: int, count: int, wilds: int) -> Iterator[Play]:
    """Yield the plays of a value, fewest cards first, each also with Hog Wilds mixed in."""
    for number in range(1, count + 1):
        yield play_of(value, number)
        for mixed in range(1, wilds + 1):
            yield Play((HOG_WILD,) * mixed + (value,) * number)


_IDENTICAL = 3
"""Number of identical cards in a row that wash (R6)."""
_FULL_HAND = 4
_LAST_TWO = 2


def washes(value: int, count: int, state: PigPileState, rules: PigPileRules) -> bool:
    """Return whether a number of cards played as one value is a Hog Wash (R5, R6, PP6, PP16)."""
    pile = state.pile
    if value == HOG_WASH or (state.mixed and pile[-1] == value):
        return True
    if value == HOG_WILD and not rules.wild_triple:
        return False
    lacking = max(_IDENTICAL - count, 0)
    return len(pile) >= lacking and all(card == value for card in pile[len(pile) - lacking :])


def play(state: PigPileState, action: Play, rules: PigPileRules) -> PigPileState:
    """Return the state after a play of cards of one value, with all its effects."""
    own, cards = _own(state), action.cards
    if not own.hand:
        return _played(state, own._replace(up=less(own.up, cards)), cards, rules)
    # Equal cards of the table may be played with the last of a hand (PP15).
    after = own._replace(
        hand=less(own.hand, cards),
        # Equal cards are indistinguishable, so a card that all have seen is removed first.
        known=less(own.known, cards),
        up=less(own.up, cards[len(own.hand) :]),
    )
    return _played(state, after, cards, rules)


def play_slop(state: PigPileState, action: Slop, rules: PigPileRules) -> PigPileState:
    """Return the state after a face-down card, played if it fits, else picked up (R8, PP11)."""
    own, slot = _own(state), action.slot - 1
    card = own.slop[slot]
    after = own._replace(slop=own.slop[:slot] + own.slop[slot + 1 :])
    if fits(card, state.pile, rules):
        return _played(state, after, (card,), rules)
    return _taken_up(state, after, (card,))


def pick_up(state: PigPileState, action: PickUp) -> PigPileState:
    """Return the state after picking up the pile, and a face-up card with it (R4, R7)."""
    along = () if action.face_up is None else (action.face_up,)
    own = _own(state)
    return _taken_up(state, own._replace(up=less(own.up, along)), along)


class _Own(NamedTuple):
    """Cards of the mover."""

    hand: Cards
    known: Cards
    up: Cards
    slop: Cards


def _own(state: PigPileState) -> _Own:
    place = state.mover
    return _Own(state.hands[place], state.known[place], state.ups[place], state.slops[place])


def _taken_up(state: PigPileState, own: _Own, along: Cards) -> PigPileState:
    """Return the state after the mover has picked up the pile, and a card with it."""
    place, cards = state.mover, state.pile + along
    return changed(
        state,
        hands=_put(state.hands, place, merged(own.hand, cards)),
        known=_put(state.known, place, merged(own.known, cards)),
        ups=_put(state.ups, place, own.up),
        slops=_put(state.slops, place, own.slop),
        pile=(),
        mixed=False,
        turns=state.turns + 1,
        mover=_next(state, state.direction, state.out, tied=state.tied),
        tied=False,
    )


def _played(state: PigPileState, own: _Own, cards: Cards, rules: PigPileRules) -> PigPileState:
    """Return the state after cards were put on the pile."""
    place, value = state.mover, cards[-1]
    washed = washes(value, len(cards), state, rules)
    direction, tied = state.direction, state.tied
    if not (washed and rules.wash_cancels_effect):
        direction, tied = _effect(state, value, rules)
    drawn = _drawn(state, len(own.hand), rules)
    hand = merged(own.hand, drawn) if drawn else own.hand
    is_out = not (hand or own.up or own.slop)
    out = (*state.out, place) if is_out else state.out
    pile = state.pile + cards
    stays = washed and not is_out
    return changed(
        state,
        hands=_put(state.hands, place, hand),
        known=_put(state.known, place, own.known),
        ups=_put(state.ups, place, own.up),
        slops=_put(state.slops, place, own.slop),
        draw=state.draw[len(drawn) :],
        pile=() if washed else pile,
        # One Hog Wild at most: two and the number wash.
        mixed=not washed and value != HOG_WILD and HOG_WILD in cards,
        aside=state.aside + pile if washed else state.aside,
        out=out,
        direction=direction,
        # After a wash the mover plays again; the next player misses the turn after that (PP5).
        tied=tied and stays,
        mover=place if stays else _next(state, direction, out, tied=tied),
        turns=state.turns + 1,
    )


def _effect(state: PigPileState, value: int, rules: PigPileRules) -> tuple[int, bool]:
    """Return the direction of play after a card, and whether the next player is tied (R5)."""
    direction, tied = state.direction, state.tied
    if value == HOG_TIED:
        return direction, True
    if value == EWE_TURN:
        if state.count - len(state.out) > _LAST_TWO:
            return -direction, tied
        if rules.two_player_reverse:
            return -direction, True
    return direction, tied


def _drawn(state: PigPileState, held: int, rules: PigPileRules) -> Cards:
    """Return the cards that the mover draws, given the hand's size (R3, R6, PP3, PP9)."""
    count = 1 if rules.draw_to is DrawTo.ONE else max(_FULL_HAND - held, 0)
    return state.draw[:count]


def _next(state: PigPileState, direction: int, out: tuple[int, ...], *, tied: bool) -> int:
    """Return the player after the mover; the mover again if no other is left."""
    place = state.mover
    for _ in range(2 if tied else 1):
        place = _beside(place, direction, out, state.count)
    return place


def _beside(place: int, direction: int, out: tuple[int, ...], count: int) -> int:
    """Return the next player who is still in the round."""
    around = ((place + direction * step) % count for step in range(1, count + 1))
    return next(at for at in around if at not in out)


def _put(parts: tuple[Cards, ...], place: int, cards: Cards) -> tuple[Cards, ...]:
    """Return the cards of all players, with one player's changed."""
    if parts[place] is cards:
        return parts
    return (*parts[:place], cards, *parts[place + 1 :])
