"""Random play of Lord of the P.I.G.S. under any house rules, positions made by hand, rotations."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

import numpy as np
from hypothesis import strategies as st

from pigglesim.chance.fair import FairChance
from pigglesim.chance_types import ShuffleResult
from pigglesim.games.game import NonPlayer, Result
from pigglesim.games.lord_of_the_pigs.actions import LordAction
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.house_rules import LordRules
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

SMALL = {
    "turn_cap": (1, 30),
    "series_games": (1, 3),
    "alt_limit": (0, 3),
    "share_limit": (0, 2),
}


def house_rules() -> st.SearchStrategy[LordRules]:
    switches = {}
    for spec in fields(LordRules):
        if isinstance(spec.default, StrEnum):
            switches[spec.name] = st.sampled_from(type(spec.default))
        elif isinstance(spec.default, bool):
            switches[spec.name] = st.booleans()
        else:
            switches[spec.name] = st.integers(*SMALL[spec.name])
    return st.builds(LordRules, **switches)


games = st.builds(LordOfThePigs, rules=house_rules())


@dataclass(frozen=True)
class Move:
    """A position, what was done in it and what followed."""

    before: LordState
    move: LordAction | ShuffleResult
    after: LordState


def walk(game: LordOfThePigs, seed: int) -> Iterator[Move]:
    rng, chance = np.random.default_rng(seed), FairChance(seed=seed)
    state = game.initial_state()
    while game.turn(state) is not NonPlayer.OVER:
        if game.turn(state) is NonPlayer.CHANCE:
            move: Any = chance.draw(game.chance_request(state), rng=rng)
            after = game.apply_outcome(state, move)
        else:
            legal = game.legal_actions(state)
            move = legal[int(rng.integers(len(legal)))]
            after = game.apply_action(state, move)
        yield Move(state, move, after)
        state = after


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


def counted(position: LordState, seat: Seat) -> Counter[str]:
    """Count the cards of one player by going through the text of the position."""
    side = position.sides[SEATS.index(seat)]
    cards = list(side.deck + side.hand + side.discard)
    for each in position.submitted:
        cards += [each.card] * (each.owner is seat)
        cards += [vote.card for vote in each.votes if vote.seat is seat]
    return Counter(cards)


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


def turn_action(action: Any) -> Any:
    if hasattr(action, "on"):
        return replace(action, on=turn_name(action.on))
    if hasattr(action, "seat"):
        return replace(action, seat=NEXT[action.seat])
    return action
