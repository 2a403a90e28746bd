"""What whoever is asked may do: the legal actions of every phase, and whether there is a choice."""

from collections.abc import Callable
from functools import cache

from pigglesim.errors import IllegalActionError
from pigglesim.games.lord_of_the_pigs.actions import (
    PASS,
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
    format_action,
)
from pigglesim.games.lord_of_the_pigs.actors import SEATS, actor
from pigglesim.games.lord_of_the_pigs.cards import CARDS, Alternate
from pigglesim.games.lord_of_the_pigs.events import Event
from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules
from pigglesim.games.lord_of_the_pigs.state import Phase, Position, Submitted
from pigglesim.rolls import Seat

__all__ = [
    "answers",
    "check_legal",
    "legal_actions",
    "may_decide",
    "modes_allowed",
    "vote_targets",
]

PLUS = frozenset(card.tag for card in CARDS.values() if card.alternate is Alternate.PLUS)
MINUS = frozenset(card.tag for card in CARDS.values() if card.alternate is Alternate.MINUS)
SHARES = frozenset(
    card.tag
    for card in CARDS.values()
    if card.alternate in {Alternate.SHARE_NEXT, Alternate.SHARE_PREVIOUS}
)
ALTERNATES = PLUS | MINUS

_PASSING = (Phase.VOTING, Phase.ALTERNATES, Phase.SHARE, Phase.SUBMISSION)
"""Phases in which one may pass."""
_RULES = {
    Phase.EVENT: "R9",
    Phase.VOTING: "R5",
    Phase.ALTERNATES: "R6",
    Phase.ORDER: "LP10",
    Phase.SHARE: "LP5",
    Phase.SUBMISSION: "R7",
}
"""The rule that says what may be done in each phase."""

# Equal actions are one object: thousands of them are offered in a game.
_cast, _use = cache(CastVote), cache(UseAlternate)
_share, _put_first, _submit = cache(Share), cache(PutFirst), cache(Submit)
_discard, _withdraw = cache(Discard), cache(Withdraw)
_SWAYS = (Sway(1), Sway(-1))
_INTERVENTIONS = {
    seat: tuple(Intervene(other, by) for other in SEATS if other is not seat for by in (1, -1))
    for seat in SEATS
}


def modes_allowed(position: Position, rules: HouseRules) -> bool:
    """Return whether Alternate Modes can be used in this turn."""
    return rules.alternate_modes and position.event is not Event.INTERNATIONAL_SCRUTINY


def vote_targets(
    submitted: tuple[Submitted, ...], voter: Seat, *, diplomacy_wars: bool
) -> tuple[Submitted, ...]:
    """Return the Actions that a player may vote for (R5, R10)."""
    if not diplomacy_wars:
        return submitted
    return tuple(each for each in submitted if each.owner is not voter)


def may_decide(
    position: Position, phase: Phase, seat: Seat, rules: HouseRules, *, used: int = 0
) -> bool:
    """Return whether a player can do anything but pass in a phase; whoever cannot is not asked.

    Args:
        position: The position.
        phase: The phase.
        seat: The player's.
        rules: The house rules.
        used: Cards that the player has discarded for Alternate Modes while being asked.
    """
    hand = position.side(seat).hand
    match phase:
        case Phase.VOTING:
            targets = position.submitted
            if rules.diplomacy_wars:
                targets = vote_targets(targets, seat, diplomacy_wars=True)
            return bool(hand and targets)
        case Phase.SUBMISSION:
            return bool(hand)
        case Phase.ALTERNATES:
            if used >= rules.alt_limit or ALTERNATES.isdisjoint(hand):
                return False
            plus = not PLUS.isdisjoint(hand) and bool(position.submitted)
            return plus or any(each.vote_count for each in position.submitted)
        case Phase.SHARE:
            return _may_share(position, seat, rules) and not SHARES.isdisjoint(hand)
        case Phase.EVENT if position.event is Event.FLASH_FLOODS:
            return bool(hand)
        case Phase.EVENT if position.event is Event.CIVILIAN_WATCHDOGS:
            return any(each.owner is seat for each in position.submitted)
        case _:
            return True


def _may_share(position: Position, seat: Seat, rules: HouseRules) -> bool:
    return sum(sharer is seat for sharer, _ in position.shares) < rules.share_limit


def legal_actions(position: Position, rules: HouseRules) -> tuple[LordAction, ...]:
    """Return what whoever is asked may do: cards in the order of the rule book, to pass last."""
    return _OFFERS[position.phase](position, position.asked[0], rules)


def _votes(position: Position, seat: Seat, rules: HouseRules) -> tuple[LordAction, ...]:
    targets = vote_targets(position.submitted, seat, diplomacy_wars=rules.diplomacy_wars)
    names = [each.name for each in targets]
    cards = dict.fromkeys(position.side(seat).hand)
    return (*(_cast(card, name) for card in cards for name in names), PASS)


def _alternates(position: Position, seat: Seat, rules: HouseRules) -> tuple[LordAction, ...]:
    del rules
    names = [each.name for each in position.submitted]
    with_votes = [each.name for each in position.submitted if each.vote_count]
    cards = [card for card in dict.fromkeys(position.side(seat).hand) if card in ALTERNATES]
    return (
        *(_use(card, name) for card in cards for name in (names if card in PLUS else with_votes)),
        PASS,
    )


def _orders(position: Position, seat: Seat, rules: HouseRules) -> tuple[LordAction, ...]:
    del rules
    actions = (position.action(name) for name in position.due)
    return tuple(_put_first(each.name) for each in actions if each and each.owner is seat)


def _shares(position: Position, seat: Seat, rules: HouseRules) -> tuple[LordAction, ...]:
    del rules
    return (*(_share(card) for card in position.side(seat).hand if card in SHARES), PASS)


def _submissions(position: Position, seat: Seat, rules: HouseRules) -> tuple[LordAction, ...]:
    del rules
    return (*(_submit(card) for card in dict.fromkeys(position.side(seat).hand)), PASS)


def answers(position: Position, seat: Seat) -> tuple[LordAction, ...]:
    """Return what a player may answer to the Event; nothing to one that asks nobody."""
    match position.event:
        case Event.FLASH_FLOODS:
            return tuple(_discard(card) for card in dict.fromkeys(position.side(seat).hand))
        case Event.CIVILIAN_WATCHDOGS:
            own = (each for each in position.submitted if each.owner is seat)
            return tuple(_withdraw(each.name) for each in own)
        case Event.GENERAL_STRIKE:
            return _SWAYS
        case Event.FMI_INTERVENTION:
            return _INTERVENTIONS[seat]
        case _:
            return ()


_Offer = Callable[[Position, Seat, HouseRules], tuple[LordAction, ...]]
_OFFERS: dict[Phase, _Offer] = {
    Phase.EVENT: lambda position, seat, _: answers(position, seat),
    Phase.VOTING: _votes,
    Phase.ALTERNATES: _alternates,
    Phase.ORDER: _orders,
    Phase.SHARE: _shares,
    Phase.SUBMISSION: _submissions,
}


def check_legal(position: Position, action: LordAction, rules: HouseRules) -> None:
    """Raise `IllegalActionError` unless whoever is asked may do this."""
    if _allowed(position, action, rules):
        return
    legal = legal_actions(position, rules)
    raise IllegalActionError(
        f"an action that {actor(position.asked[0])} has in the phase {position.phase}",
        got=repr(_written(action)),
        remedy=" or ".join(format_action(each) for each in legal[:3]),
        rule=_RULES[position.phase],
    )


def _written(action: object) -> str:
    return format_action(action) if isinstance(action, LordAction) else str(action)


def _allowed(position: Position, action: LordAction, rules: HouseRules) -> bool:
    """Return whether an action is among the legal ones, without writing them all down."""
    phase, hand = position.phase, position.side(position.asked[0]).hand
    match action:
        case CastVote(card=card, on=on) if phase is Phase.VOTING:
            target = position.action(on)
            own = target is not None and target.owner is position.asked[0]
            return card in hand and target is not None and not (own and rules.diplomacy_wars)
        case UseAlternate(card=card, on=on) if phase is Phase.ALTERNATES:
            target = position.action(on)
            if target is None or card not in hand:
                return False
            return card in PLUS or (card in MINUS and target.vote_count > 0)
        case Share(card=card) if phase is Phase.SHARE:
            return card in SHARES and card in hand
        case Submit(card=card) if phase is Phase.SUBMISSION:
            return card in hand
        case Pass():
            return phase in _PASSING
        case _:
            return action in legal_actions(position, rules)
