"""The phases of a turn, from the Event to the check at its end, and from one turn to the next."""

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.activation import carry_out, reached
from pigglesim.games.lord_of_the_pigs.actors import ORDERS, index
from pigglesim.games.lord_of_the_pigs.cards import CARDS, Alternate, in_order
from pigglesim.games.lord_of_the_pigs.choices import may_decide, modes_allowed
from pigglesim.games.lord_of_the_pigs.ending import judge, series_points, series_result
from pigglesim.games.lord_of_the_pigs.events import Event
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, Series
from pigglesim.games.lord_of_the_pigs.piles import turned_up
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

_ASKING = (
    Event.FLASH_FLOODS,
    Event.GENERAL_STRIKE,
    Event.CIVILIAN_WATCHDOGS,
    Event.FMI_INTERVENTION,
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
            phase, asked = position.phase, position.asked
            deciding = _deciding(position, phase, asked, rules, used=position.used)
            if deciding is asked:
                return position
            position = changed(position, asked=deciding, used=0)
        else:
            position = _after(position, position.phase, rules)
    return position


def _deciding(
    position: Position, phase: Phase, asked: tuple[Seat, ...], rules: HouseRules, *, used: int = 0
) -> tuple[Seat, ...]:
    """Return who is to decide in a phase, from the first on who can do anything but pass."""
    for at, seat in enumerate(asked):
        if may_decide(position, phase, seat, rules, used=0 if at else used):
            return asked[at:] if at else asked
    return ()


def _drawn(position: Position) -> Position:
    """Return the position after all draws before the first that needs a deck to be shuffled."""
    sides = list(position.sides)
    left: tuple[Seat, ...] = ()
    for done, seat in enumerate(position.draws):
        side = sides[index(seat)]
        if side.deck:
            hand = in_order((*side.hand, side.deck[0]))
            sides[index(seat)] = changed(side, deck=side.deck[1:], hand=hand)
        elif side.discard:
            left = position.draws[done:]
            break
    return changed(position, sides=tuple(sides), draws=left)


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


def _after(position: Position, phase: Phase, rules: HouseRules) -> Position:
    """Return the position in the next phase in which somebody decides or something happens.

    Args:
        position: The position; nobody is asked any more.
        phase: What is over.
        rules: The house rules.
    """
    match phase:
        case Phase.DEAL:
            return _start_turn(position, rules, turn=1, first=position.first)
        case Phase.EVENT:
            return changed(position, phase=Phase.UPKEEP, draws=ORDERS[position.first])
        case Phase.UPKEEP:
            return _asking(position, Phase.VOTING, rules)
        case Phase.VOTING if modes_allowed(position, rules):
            return _asking(position, Phase.ALTERNATES, rules)
        case Phase.VOTING | Phase.ALTERNATES:
            return _next_due(position, reached(position), rules)
        case Phase.ORDER:
            return _sharing(position, position.due, rules)
        case Phase.SHARE if position.current:
            return _carried_out(position, position.current, position.due, rules)
        case Phase.SHARE:
            return _next_due(position, position.due, rules)
        case Phase.SUBMISSION:
            return _end_turn(position, rules)


def _asking(position: Position, phase: Phase, rules: HouseRules) -> Position:
    """Return the position in a phase, or after it where nobody can do anything but pass."""
    asked = _deciding(position, phase, ORDERS[position.first], rules)
    if not asked:
        return _after(position, phase, rules)
    return changed(position, phase=phase, asked=asked)


def _start_turn(position: Position, rules: HouseRules, *, turn: int, first: Seat) -> Position:
    old = (position.event.value,) if position.event else ()
    return changed(
        position,
        turn=turn,
        first=first,
        phase=Phase.EVENT,
        event=None,
        event_discard=(*position.event_discard, *old),
        revealing=rules.events,
    )


def _next_due(position: Position, due: tuple[str, ...], rules: HouseRules) -> Position:
    """Return the position before the next activated Action, or after the last of them."""
    if not due:
        if not rules.votes_persist:
            position = _without_votes(position)
        return _asking(position, Phase.SUBMISSION, rules)
    owner = submission_owner(due[0])
    if len(due) > 1 and submission_owner(due[1]) is owner:
        return changed(position, phase=Phase.ORDER, asked=(owner,), due=due)
    return _sharing(position, due, rules)


def _without_votes(position: Position) -> Position:
    """Return the position with all votes in the Game Area discarded (LP2)."""
    votes = [vote for each in position.submitted for vote in each.votes]
    bare = tuple(changed(each, votes=(), markers=0) for each in position.submitted)
    return changed(position, sides=turned_up(position.sides, votes), submitted=bare)


def _sharing(position: Position, due: tuple[str, ...], rules: HouseRules) -> Position:
    """Return the position before the first of what is due is carried out, or after it."""
    asked: tuple[Seat, ...] = ()
    if modes_allowed(position, rules):
        asked = _deciding(position, Phase.SHARE, ORDERS[position.first], rules)
    if not asked:
        return _carried_out(position, due[0], due[1:], rules)
    return changed(position, phase=Phase.SHARE, current=due[0], due=due[1:], asked=asked)


def _carried_out(
    position: Position, name: str, due: tuple[str, ...], rules: HouseRules
) -> Position:
    """Return the position after an activated Action is carried out, and what follows from it."""
    position = carry_out(position, name, rules, due=due)
    if position.draws:
        # Before anything else: what is due follows when the cards are drawn.
        return changed(position, phase=Phase.SHARE)
    return _next_due(position, due, rules)


def _end_turn(position: Position, rules: HouseRules) -> Position:
    result = judge(position.ratings, position.stability, rules)
    if result is None and position.turn >= rules.turn_cap:
        result = Result(winner=None, reason=Reason.TURN_CAP)
    if result is not None:
        return _end_game(position, result, rules)
    first = next_first(position.first)
    return _start_turn(position, rules, turn=position.turn + 1, first=first)


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
