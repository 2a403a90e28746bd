"""What every decision does at once, before the turn goes on."""

from pigglesim.games.change import changed
from pigglesim.games.lord_of_the_pigs.actions import (
    CastVote,
    Discard,
    Intervene,
    LordAction,
    Pass,
    PutFirst,
    Share,
    Submit,
    Sway,
    UseAlternate,
    Withdraw,
)
from pigglesim.games.lord_of_the_pigs.activation import (
    clamped,
    into_discard,
    out_of_hand,
    turned_up,
    without,
)
from pigglesim.games.lord_of_the_pigs.actors import index
from pigglesim.games.lord_of_the_pigs.cards import CARDS, Alternate
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, MinusChoice
from pigglesim.games.lord_of_the_pigs.state import Position, Submitted, Vote, submission_name
from pigglesim.rolls import Seat

__all__ = ["decide", "submitted_by"]


def decide(position: Position, action: LordAction, rules: HouseRules) -> Position:
    """Return the position after a legal decision of whoever is asked.

    Args:
        position: The position, in which somebody is asked.
        action: One of the legal actions.
        rules: The house rules.
    """
    seat = position.asked[0]
    match action:
        case UseAlternate(card=card, on=on):
            used = changed(_discarded(position, seat, card), used=position.used + 1)
            return _moved(used, card, on, rules)
        case Share(card=card):
            shared = _discarded(position, seat, card)
            return changed(shared, shares=(*position.shares, (seat, card)))
        case _:
            done = _once(position, seat, action)
            return changed(done, asked=position.asked[1:], used=0)


def _once(position: Position, seat: Seat, action: LordAction) -> Position:
    """Return the position after what can be done once when asked."""
    match action:
        case CastVote(card=card, on=on):
            return _voted(position, seat, card, on)
        case Submit(card=card):
            return submitted_by(_played(position, seat, card, face_up=True), seat, card)
        case Discard(card=card):
            return _discarded(position, seat, card)
        case Withdraw(on=on):
            return _withdrawn(position, seat, on)
        case PutFirst(on=on):
            rest = tuple(name for name in position.due if name != on)
            return changed(position, due=(on, *rest))
        case Sway(by=by):
            return changed(position, stability=clamped(position.stability + by))
        case Intervene(seat=other, by=by):
            a, b, c, d = (
                clamped(rating + by) if at in {index(seat), index(other)} else rating
                for at, rating in enumerate(position.ratings)
            )
            return changed(position, ratings=(a, b, c, d))
        case Pass() | UseAlternate() | Share():
            return position


def _played(position: Position, seat: Seat, card: str, *, face_up: bool) -> Position:
    side = out_of_hand(position.side(seat), card, face_up=face_up)
    return position.with_side(seat, side)


def _discarded(position: Position, seat: Seat, card: str) -> Position:
    played = _played(position, seat, card, face_up=True)
    return into_discard(played, seat, card, may_be_shown=False)


def _voted(position: Position, seat: Seat, card: str, on: str) -> Position:
    action = position.action(on)
    assert action is not None
    vote = Vote(seat=seat, card=card, after_showing=bool(position.side(seat).shown))
    played = _played(position, seat, card, face_up=False)
    return played.with_action(changed(action, votes=(*action.votes, vote)))


def submitted_by(position: Position, seat: Seat, card: str) -> Position:
    """Return the position with a card of `seat`, taken from elsewhere, in the Game Area."""
    names = {each.name for each in position.submitted}
    copies = range(1, CARDS[card].copies + 1)
    name = next(name for copy in copies if (name := submission_name(seat, card, copy)) not in names)
    action = Submitted(name=name, owner=seat, card=card)
    return changed(position, submitted=(*position.submitted, action))


def _withdrawn(position: Position, seat: Seat, on: str) -> Position:
    action = position.action(on)
    assert action is not None
    position = turned_up(position, [action])
    position = into_discard(position, seat, action.card, may_be_shown=False)
    return changed(position, submitted=without(position.submitted, on))


def _moved(position: Position, card: str, on: str, rules: HouseRules) -> Position:
    """Return the position after +1 or -1 Vote on an Action (LP4)."""
    action = position.action(on)
    assert action is not None
    if CARDS[card].alternate is Alternate.PLUS:
        return position.with_action(changed(action, markers=action.markers + 1))
    marker_first = rules.minus_choice is MinusChoice.MARKER and action.markers > 0
    if marker_first or not action.votes:
        return position.with_action(changed(action, markers=max(0, action.markers - 1)))
    at = 0 if rules.minus_choice is MinusChoice.EARLIEST else len(action.votes) - 1
    gone, left = action.votes[at], (*action.votes[:at], *action.votes[at + 1 :])
    position = position.with_action(changed(action, votes=left))
    return into_discard(position, gone.seat, gone.card, may_be_shown=gone.after_showing)
