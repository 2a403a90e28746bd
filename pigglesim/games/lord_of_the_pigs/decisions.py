"""What every decision does at once, before the turn goes on."""

from collections.abc import Mapping

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
from pigglesim.games.lord_of_the_pigs.activation import clamped, off_the_table
from pigglesim.games.lord_of_the_pigs.actors import index
from pigglesim.games.lord_of_the_pigs.cards import CARDS, Alternate
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, MinusChoice
from pigglesim.games.lord_of_the_pigs.piles import discarded, out_of_hand, turned_up
from pigglesim.games.lord_of_the_pigs.state import Position, Submitted, Vote, submission_name
from pigglesim.rolls import Seat

__all__ = ["decide", "with_submitted"]

_Parts = Mapping[str, object]
"""The parts of a position that a decision changes, by name."""


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
            moved = _moved(position, seat, card, position.submitted_action(on), rules)
            return changed(position, used=position.used + 1, **moved)
        case Share(card=card):
            sides = discarded(position.sides, seat, card)
            return changed(position, sides=sides, shares=(*position.shares, (seat, card)))
        case _:
            parts = _once(position, seat, action)
            return changed(position, asked=position.asked[1:], used=0, **parts)


def _once(position: Position, seat: Seat, action: LordAction) -> _Parts:
    """Return what somebody changes who can do one thing when asked."""
    match action:
        case CastVote(card=card, on=on):
            return _voted(position, seat, card, position.submitted_action(on))
        case Submit(card=card):
            sides = out_of_hand(position.sides, seat, card, face_up=True)
            return {"sides": sides, "submitted": with_submitted(position, seat, card)}
        case Discard(card=card):
            return {"sides": discarded(position.sides, seat, card)}
        case Withdraw(on=on):
            sides, submitted = off_the_table(position, position.submitted_action(on))
            return {"sides": sides, "submitted": submitted}
        case PutFirst(on=on):
            return {"due": (on, *(name for name in position.due if name != on))}
        case Sway(by=by):
            return {"stability": clamped(position.stability + by)}
        case Intervene(seat=other, by=by):
            moved = {index(seat), index(other)}
            ratings = (
                clamped(rating + by) if at in moved else rating
                for at, rating in enumerate(position.ratings)
            )
            return {"ratings": tuple(ratings)}
        case Pass() | UseAlternate() | Share():
            return {}


def _voted(position: Position, seat: Seat, card: str, action: Submitted) -> _Parts:
    vote = Vote(seat=seat, card=card, after_showing=bool(position.side(seat).shown))
    return {
        "sides": out_of_hand(position.sides, seat, card, face_up=False),
        "submitted": position.with_votes(action, (*action.votes, vote), action.markers),
    }


def with_submitted(position: Position, seat: Seat, card: str) -> tuple[Submitted, ...]:
    """Return the Game Area with a card of `seat` added, under a name of its own."""
    names = {each.name for each in position.submitted}
    copies = range(1, CARDS[card].copies + 1)
    name = next(name for copy in copies if (name := submission_name(seat, card, copy)) not in names)
    return (*position.submitted, Submitted(name=name, owner=seat, card=card))


def _moved(
    position: Position, seat: Seat, card: str, action: Submitted, rules: HouseRules
) -> _Parts:
    """Return what +1 or -1 Vote on an Action changes (LP4)."""
    sides = discarded(position.sides, seat, card)
    votes, markers = action.votes, action.markers
    if CARDS[card].alternate is Alternate.PLUS:
        markers += 1
    elif not votes or (rules.minus_choice is MinusChoice.MARKER and markers):
        markers -= 1
    else:
        at = 0 if rules.minus_choice is MinusChoice.EARLIEST else len(votes) - 1
        sides = turned_up(sides, votes[at : at + 1])
        votes = (*votes[:at], *votes[at + 1 :])
    return {"sides": sides, "submitted": position.with_votes(action, votes, markers)}
