"""The phases of a turn, from the Event to the check at its end, and from one turn to the next."""

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.activation import carry_out, reached, turned_up
from pigglesim.games.lord_of_the_pigs.actors import ORDERS, SEATS
from pigglesim.games.lord_of_the_pigs.cards import CARDS, Alternate, in_order
from pigglesim.games.lord_of_the_pigs.choices import may_decide, modes_allowed
from pigglesim.games.lord_of_the_pigs.ending import judge, series_points, series_result
from pigglesim.games.lord_of_the_pigs.events import Event
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, Series
from pigglesim.games.lord_of_the_pigs.state import (
    Phase,
    Position,
    Reason,
    Side,
    opening,
    submission_owner,
)
from pigglesim.rolls import Seat

__all__ = ["advance", "begin", "next_first"]

_ASKING = frozenset(
    {
        Event.FLASH_FLOODS,
        Event.GENERAL_STRIKE,
        Event.CIVILIAN_WATCHDOGS,
        Event.FMI_INTERVENTION,
    }
)
"""The Events that everyone answers."""


def begin(rules: HouseRules) -> Position:
    """Return the position in which the first deck is to be shuffled."""
    return opening(events=rules.events, first=rules.first_actor.seat)


def next_first(first: Seat) -> Seat:
    """Return who is first in the turn after this one (R4)."""
    return ORDERS[first][1]


def advance(position: Position, rules: HouseRules) -> Position:
    """Return the position in which somebody has a choice, a deck is to be shuffled or all is over.

    Args:
        position: Any position, such as just after a decision.
        rules: The house rules.
    """
    while position.result is None:
        if position.draws:
            position = _drawn(position)
            if position.draws:
                return position
        elif position.revealing:
            if not position.event_deck:
                return position
            position = _revealed(position)
        elif position.asked:
            deciding = _next_asked(position, rules)
            if deciding is position.asked:
                return position
            position = changed(position, asked=deciding, used=0)
        else:
            position = _next_phase(position, rules)
    return position


def _next_asked(position: Position, rules: HouseRules) -> tuple[Seat, ...]:
    """Return who is still to decide, without those that can only pass until somebody can."""
    asked = position.asked
    if may_decide(position, asked[0], rules, used=position.used):
        return asked
    for at in range(1, len(asked)):
        if may_decide(position, asked[at], rules):
            return asked[at:]
    return ()


def _drawn(position: Position) -> Position:
    """Return the position after all draws before the first that needs a deck to be shuffled."""
    sides = dict(zip(SEATS, position.sides, strict=True))
    left: tuple[Seat, ...] = ()
    for done, seat in enumerate(position.draws):
        side = sides[seat]
        if side.deck:
            hand = in_order((*side.hand, side.deck[0]))
            sides[seat] = changed(side, deck=side.deck[1:], hand=hand)
        elif side.discard:
            left = position.draws[done:]
            break
    return changed(position, sides=tuple(sides.values()), draws=left)


def _revealed(position: Position) -> Position:
    """Return the position after the next Event is revealed."""
    event = Event(position.event_deck[0])
    order = ORDERS[position.first]
    if event is Event.WHISTLE_BLOWER_SCANDAL:
        position = _shown(position)
    return changed(
        position,
        event=event,
        revealing=False,
        event_deck=position.event_deck[1:],
        asked=order if event in _ASKING else (),
        draws=order if event is Event.FOREIGN_INVESTMENT else (),
    )


def _shown(position: Position) -> Position:
    """Return the position after everyone has shown the Alternate Modes in hand (LP16)."""

    def seen(side: Side) -> Side:
        cards = (card for card in side.hand if CARDS[card].alternate is not Alternate.NONE)
        return changed(side, shown=tuple(cards))

    return changed(
        position,
        sides=tuple(seen(side) for side in position.sides),
        submitted=tuple(
            changed(each, votes=tuple(changed(vote, after_showing=False) for vote in each.votes))
            for each in position.submitted
        ),
    )


def _next_phase(position: Position, rules: HouseRules) -> Position:
    """Return the position at the start of the next phase; nobody is asked any more in this one."""
    order = ORDERS[position.first]
    match position.phase:
        case Phase.DEAL:
            return _start_turn(position, rules)
        case Phase.EVENT:
            return changed(position, phase=Phase.UPKEEP, draws=order)
        case Phase.UPKEEP:
            voters = order if position.submitted else ()
            return changed(position, phase=Phase.VOTING, asked=voters)
        case Phase.VOTING:
            users = order if position.submitted and modes_allowed(position, rules) else ()
            return changed(position, phase=Phase.ALTERNATES, asked=users)
        case Phase.ALTERNATES:
            return _next_due(changed(position, due=reached(position)), rules)
        case Phase.SHARE:
            return _next_due(carry_out(position, rules), rules)
        case Phase.ORDER:
            return _sharing(position, rules)
        case Phase.SUBMISSION:
            return _end_turn(position, rules)


def _start_turn(position: Position, rules: HouseRules) -> Position:
    old = (position.event.value,) if position.event else ()
    gone = (*position.event_discard, *old)
    position = changed(position, phase=Phase.EVENT, event=None, event_discard=gone)
    return changed(position, revealing=rules.events)


def _next_due(position: Position, rules: HouseRules) -> Position:
    """Return the position before the next activated Action, or after the last of them."""
    if not position.due:
        if not rules.votes_persist:
            position = turned_up(position, position.submitted)
        return changed(position, phase=Phase.SUBMISSION, asked=ORDERS[position.first])
    owner = submission_owner(position.due[0])
    own = [name for name in position.due if submission_owner(name) is owner]
    if len(own) > 1:
        return changed(position, phase=Phase.ORDER, asked=(owner,))
    return _sharing(position, rules)


def _sharing(position: Position, rules: HouseRules) -> Position:
    """Return the position in which the next activated Action is about to be carried out."""
    sharers = ORDERS[position.first] if modes_allowed(position, rules) else ()
    return changed(
        position,
        phase=Phase.SHARE,
        current=position.due[0],
        due=position.due[1:],
        asked=sharers,
    )


def _end_turn(position: Position, rules: HouseRules) -> Position:
    result = judge(position.ratings, position.stability, rules)
    if result is None and position.turn >= rules.turn_cap:
        result = Result(winner=None, reason=Reason.TURN_CAP)
    if result is not None:
        return _end_game(position, result, rules)
    turn, first = position.turn + 1, next_first(position.first)
    return _start_turn(changed(position, turn=turn, first=first), rules)


def _end_game(position: Position, result: Result, rules: HouseRules) -> Position:
    """Return the position after a game: the end, or the first deal of the next in the series."""
    if rules.series is Series.OFF:
        return changed(position, result=result)
    won = series_points(
        rules.series,
        position.ratings,
        result.winner,
        uprising=result.reason == Reason.UPRISING,
    )
    points = tuple(old + new for old, new in zip(position.points, won, strict=True))
    if position.game >= rules.series_games:
        position = changed(position, points=points)
        return changed(position, result=series_result(position.points))
    return changed(
        begin(rules),
        game=position.game + 1,
        points=points,
        turns_before=position.turns_before + position.turn,
    )
