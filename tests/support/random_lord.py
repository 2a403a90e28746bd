"""States of Lord of the P.I.G.S. made by hand, and with every player moved on by one actor."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.state import (
    ACTORS,
    DECK,
    EVENT_DECK,
    ORDERS,
    SEATS,
    Actor,
    Event,
    LordPhase,
    LordSide,
    LordState,
    Submitted,
    Vote,
    in_order,
)
from pigglesim.landing import Seat


def at(
    phase: LordPhase,
    *,
    hands: dict[str, str] | None = None,
    table: Sequence[tuple[str, str]] = (),
    event: Event | None = None,
    first: str = "President",
    asked: Sequence[str] | None = None,
    **parts: Any,
) -> LordState:
    """Return a position in which all other cards lie in the decks, in the order of the rule book.

    Hands are `"C1 C2"` by actor; the table lists names of submitted Actions with their votes,
    `"Banker:C1 Energy:U1"`, in which `+` is an added vote.
    """
    submitted = []
    for name, votes in table:
        actor, card, *_ = name.split(".")
        cast = [word.split(":") for word in votes.split() if word != "+"]
        submitted.append(
            Submitted(
                name=name,
                owner=Actor(actor).seat,
                card=card,
                votes=tuple(Vote(seat=Actor(who).seat, card=tag) for who, tag in cast),
                markers=votes.split().count("+"),
            )
        )
    sides = []
    for actor in ACTORS:
        hand = (hands or {}).get(actor, "").split()
        used = [each.card for each in submitted if each.owner is actor.seat]
        used += [v.card for each in submitted for v in each.votes if v.seat is actor.seat]
        left = Counter(DECK) - Counter([*hand, *used])
        sides.append(LordSide(hand=in_order(tuple(hand)), deck=in_order(tuple(left.elements()))))
    events = Counter(EVENT_DECK) - Counter([event] if event else [])
    seat = Actor(first).seat
    return LordState(
        phase=phase,
        first=seat,
        sides=tuple(sides),
        submitted=tuple(submitted),
        event=event,
        event_deck=tuple(sorted(events.elements())),
        asked=ORDERS[seat] if asked is None else tuple(Actor(each).seat for each in asked),
        **parts,
    )


NEXT = dict(zip(SEATS, (*SEATS[1:], SEATS[0]), strict=True))
"""Where each moves when everybody moves on by one actor."""
NEXT_NAME = dict(zip(ACTORS, (*ACTORS[1:], ACTORS[0]), strict=True))


def turn_name(name: str) -> str:
    actor, dot, rest = name.partition(".")
    return f"{NEXT_NAME[Actor(actor)]}{dot}{rest}" if name else name


def turn_four(items: tuple[Any, ...]) -> tuple[Any, ...]:
    return (items[-1], *items[:-1])


def turn_seats(seats: Sequence[Seat]) -> tuple[Seat, ...]:
    return tuple(NEXT[seat] for seat in seats)


def turn_result(result: Result | None) -> Result | None:
    if result is None:
        return None
    shared = tuple(sorted(turn_seats(result.shared)))
    return replace(result, winner=result.winner and NEXT[result.winner], shared=shared)


def turn_position(position: LordState) -> LordState:
    """Give each player the part of the actor before."""
    return replace(
        position,
        first=NEXT[position.first],
        ratings=turn_four(position.ratings),
        sides=turn_four(position.sides),
        points=turn_four(position.points),
        submitted=tuple(
            replace(
                each,
                name=turn_name(each.name),
                owner=NEXT[each.owner],
                votes=tuple(replace(vote, seat=NEXT[vote.seat]) for vote in each.votes),
            )
            for each in position.submitted
        ),
        draws=turn_seats(position.draws),
        asked=turn_seats(position.asked),
        due=tuple(map(turn_name, position.due)),
        current=turn_name(position.current),
        shares=tuple((NEXT[seat], card) for seat, card in position.shares),
        result=turn_result(position.result),
    )


def turn_move(action: Any) -> Any:
    if hasattr(action, "on"):
        return replace(action, on=turn_name(action.on))
    if hasattr(action, "seat"):
        return replace(action, seat=NEXT[action.seat])
    return action


def permuted(position, viewer, rng):
    """Return the position with whatever `viewer` cannot see dealt anew, seat by seat."""
    for k, seat in enumerate(SEATS):
        side = position.sides[k]
        votes = [v for each in position.submitted for v in each.votes if v.seat is seat]
        own = seat is viewer
        cards = [*side.deck, *([] if own else side.hand), *([] if own else (v.card for v in votes))]
        dealt = [cards[number] for number in rng.permutation(len(cards))]
        deck, dealt = tuple(dealt[: len(side.deck)]), dealt[len(side.deck) :]
        hand = side.hand if own else tuple(dealt[: len(side.hand)])
        dealt = dealt[len(side.hand) :]
        new = replace(side, deck=deck, hand=hand)
        position = replace(
            position,
            sides=(*position.sides[:k], new, *position.sides[k + 1 :]),
            submitted=tuple(
                replace(
                    each,
                    votes=tuple(
                        replace(v, card=dealt.pop()) if v.seat is seat and not own else v
                        for v in each.votes
                    ),
                )
                for each in position.submitted
            ),
        )
    events = tuple(
        position.event_deck[number] for number in rng.permutation(len(position.event_deck))
    )
    return replace(position, event_deck=events)
