"""Observations with hidden cards covered, and states sampled from them (LP16)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pigglesim.games.change import changed
from pigglesim.games.game import Permutes
from pigglesim.games.lord_of_the_pigs.house_rules import LordRules
from pigglesim.games.lord_of_the_pigs.state import (
    DECK,
    EVENT_DECK,
    HIDDEN,
    SEATS,
    LordPhase,
    LordSide,
    LordState,
    Submitted,
    Vote,
    in_order,
    index,
)
from pigglesim.games.lord_of_the_pigs.turns import put
from pigglesim.landing import Seat

_COVERED = tuple((HIDDEN,) * count for count in range(len(DECK) + 1))
_FACE_DOWN = tuple(
    tuple(Vote(seat=seat, card=HIDDEN, after_showing=late) for seat in SEATS)
    for late in (False, True)
)
"""Covered vote of each actor, cast before the hand was shown, and after."""
_SECRET_PHASES = (LordPhase.ALTERNATES, LordPhase.SHARE)
"""Phases with decisions only of holders of certain cards, whose seats are hidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordObservation:
    """Observation of a player: the table, with a `?` for every card hidden from this player.

    In phases with decisions only of holders of certain cards, others do not see who decides.
    """

    seat: Seat
    table: LordState
    rules: LordRules


def observed(state: LordState, seat: Seat, rules: LordRules) -> LordObservation:
    """Return the observation of the player at `seat`."""
    sides = tuple(
        changed(side, deck=_COVERED[len(side.deck)])
        if owner is seat
        else _others(len(side.hand), len(side.deck), side.discard, side.shown)
        for owner, side in zip(SEATS, state.sides, strict=True)
    )
    table = changed(
        state,
        sides=sides,
        submitted=tuple(_covered(each, seat) if each.votes else each for each in state.submitted),
        event_deck=_COVERED[len(state.event_deck)],
    )
    if state.phase in _SECRET_PHASES and seat not in state.asked[:1]:
        table = changed(table, asked=(), used=0)
    return LordObservation(seat=seat, table=table, rules=rules)


@lru_cache(maxsize=1024)
def _others(hand: int, deck: int, discard: tuple[str, ...], shown: tuple[str, ...]) -> LordSide:
    """Return the visible part of another player's cards; it is cached, as calls repeat."""
    return LordSide(deck=_COVERED[deck], hand=_COVERED[hand], discard=discard, shown=shown)


def _covered(action: Submitted, seat: Seat) -> Submitted:
    votes = (
        vote if vote.seat is seat else _FACE_DOWN[vote.after_showing][index(vote.seat)]
        for vote in action.votes
    )
    return changed(action, votes=tuple(votes))


def imagined(observation: LordObservation, *, rng: Permutes) -> LordState:
    """Return a uniformly random state that is consistent with an observation.

    Cards shown by a Whistle-blower are in the hand, or in votes cast since.

    Args:
        observation: Observation of the player, on this player's turn.
        rng: Source of the hidden cards.
    """
    state = observation.table
    for seat in SEATS:
        state = _filled(state, seat, rng)
    if not observation.rules.events:
        return state
    active = [state.event.value] if state.event else []
    unseen = _less(EVENT_DECK, [*state.event_discard, *active])
    return changed(state, event_deck=tuple(_shuffled(unseen, rng)))


def _filled(state: LordState, seat: Seat, rng: Permutes) -> LordState:
    """Return the state with the hidden cards of one player imagined."""
    side = state.side(seat)
    votes = [vote for each in state.submitted for vote in each.votes if vote.seat is seat]
    known = [
        *side.discard,
        *(card for card in side.hand if card != HIDDEN),
        *(vote.card for vote in votes if vote.card != HIDDEN),
        *(each.card for each in state.submitted if each.owner is seat),
    ]
    covered_hand = side.hand.count(HIDDEN)
    early = [vote for vote in votes if vote.card == HIDDEN and not vote.after_showing]
    late = [vote for vote in votes if vote.card == HIDDEN and vote.after_showing]
    # If the hand is visible, all shown cards are known.
    shown = list(side.shown) if covered_hand or late else []
    unseen = _shuffled(_less(DECK, [*known, *shown]), rng)
    held = covered_hand + len(late)
    near = _shuffled([*shown, *unseen[: held - len(shown)]], rng)
    rest = unseen[held - len(shown) :]
    hand = [card for card in side.hand if card != HIDDEN] + near[:covered_hand]
    under = near[covered_hand:]
    submitted = _with_votes(state, seat, [*under], [*rest[: len(early)]])
    filled = changed(side, hand=in_order(tuple(hand)), deck=tuple(rest[len(early) :]))
    return changed(state, submitted=submitted, sides=put(state.sides, seat, filled))


def _with_votes(
    state: LordState, seat: Seat, late: list[str], early: list[str]
) -> tuple[Submitted, ...]:
    """Return the Game Area with the covered votes of one player turned into these cards."""

    def card_of(after_showing: bool) -> str:  # noqa: FBT001 (a field of a vote)
        return late.pop() if after_showing else early.pop()

    return tuple(
        changed(
            each,
            votes=tuple(
                changed(vote, card=card_of(vote.after_showing))
                if vote.seat is seat and vote.card == HIDDEN
                else vote
                for vote in each.votes
            ),
        )
        for each in state.submitted
    )


def _less(cards: Sequence[str], gone: Sequence[str]) -> list[str]:
    """Return cards less those gone, by kind."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def _shuffled(cards: Sequence[str], rng: Permutes) -> list[str]:
    return [cards[at] for at in rng.permutation(len(cards))]
