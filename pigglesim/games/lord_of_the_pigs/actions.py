"""Actions of Lord of the P.I.G.S. and their legality."""

from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

from pigglesim.errors import IllegalActionError
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    SEATS,
    Alternate,
    Event,
    LordPhase,
    LordRules,
    LordState,
    Submitted,
    actor,
    read_actor,
    read_card,
    read_name,
    submission_owner,
)
from pigglesim.games.notation import ActionForms, Codec
from pigglesim.landing import Seat


@dataclass(frozen=True, slots=True)
class PassTurn:
    """Do nothing more in this phase."""


@dataclass(frozen=True, slots=True)
class CastVote:
    """Put a card face down on a submitted Action (R5)."""

    card: str
    on: str
    """Name of the submitted Action."""


@dataclass(frozen=True, slots=True)
class UseAlternate:
    """Discard a card for its +1 or -1 Vote on a submitted Action (R6)."""

    card: str
    on: str


@dataclass(frozen=True, slots=True)
class ShareLoot:
    """Discard a card to Share Benefits of the Action to be carried out next (LP5)."""

    card: str


@dataclass(frozen=True, slots=True)
class PutFirst:
    """Choose which of several own activated Actions is carried out next (LP10)."""

    on: str


@dataclass(frozen=True, slots=True)
class Submit:
    """Put a card face up into the Game Area (R7)."""

    card: str


@dataclass(frozen=True, slots=True)
class Discard:
    """Give up a card of the hand to Flash Floods."""

    card: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Give up an own submitted Action to Civilian Watchdogs."""

    on: str


@dataclass(frozen=True, slots=True)
class Sway:
    """Change Social Stability by 1 in a General Strike."""

    by: int
    """Change, 1 or -1."""


@dataclass(frozen=True, slots=True)
class Intervene:
    """Change the own Rating and another's by 1 in the same direction, in an FMI Intervention."""

    seat: Seat
    """Seat of the other player."""
    by: int
    """1 or -1."""


LordAction: TypeAlias = (
    PassTurn
    | CastVote
    | UseAlternate
    | ShareLoot
    | PutFirst
    | Submit
    | Discard
    | Withdraw
    | Sway
    | Intervene
)
"""Any action of a player."""

PASS = PassTurn()


def _read_submission(name: str) -> str:
    read_name(name)
    return name


ACTOR = Codec(actor, partial(read_actor, "one of the four"))
CARD = Codec(str, read_card)
NAME = Codec(str, _read_submission)
FORMS: ActionForms[LordAction] = ActionForms(
    {
        "pass": PASS,
        "vote {card} {on}": CastVote,
        "use {card} {on}": UseAlternate,
        "share {card}": ShareLoot,
        "first {on}": PutFirst,
        "submit {card}": Submit,
        "discard {card}": Discard,
        "withdraw {on}": Withdraw,
        "stability {by}": Sway,
        "with {seat} {by}": Intervene,
    },
    {
        "card": CARD,
        "on": NAME,
        "seat": ACTOR,
        "by": Codec(lambda by: f"{by:+d}", {"+1": 1, "-1": -1}.__getitem__),
    },
    example="submit C1, vote C1 Banker.U1, use C5 Banker.U1, share R1 or pass",
)

PLUS = frozenset(card.tag for card in CARDS.values() if card.alternate is Alternate.PLUS)
MINUS = frozenset(card.tag for card in CARDS.values() if card.alternate is Alternate.MINUS)
SHARES = frozenset(
    card.tag
    for card in CARDS.values()
    if card.alternate in {Alternate.SHARE_NEXT, Alternate.SHARE_PREVIOUS}
)
ALTERNATES = PLUS | MINUS

_RULES = {
    LordPhase.EVENT: "R9",
    LordPhase.VOTING: "R5",
    LordPhase.ALTERNATES: "R6",
    LordPhase.ORDER: "LP10",
    LordPhase.SHARE: "LP5",
    LordPhase.SUBMISSION: "R7",
}
"""Rule of the legal actions of each phase."""

# Equal actions share one object, because a game offers thousands of them.
_cast, _use = cache(CastVote), cache(UseAlternate)
_share, _put_first, _submit = cache(ShareLoot), cache(PutFirst), cache(Submit)
_discard, _withdraw = cache(Discard), cache(Withdraw)
_SWAYS = (Sway(1), Sway(-1))
_INTERVENTIONS = {
    seat: tuple(Intervene(other, by) for other in SEATS if other is not seat for by in (1, -1))
    for seat in SEATS
}


def modes_allowed(state: LordState, rules: LordRules) -> bool:
    """Return whether Alternate Modes can be used in this turn."""
    return rules.alternate_modes and state.event is not Event.INTERNATIONAL_SCRUTINY


def vote_targets(
    submitted: tuple[Submitted, ...], voter: Seat, *, diplomacy_wars: bool
) -> tuple[Submitted, ...]:
    """Return the Actions for which a player may vote (R5, R10)."""
    if not diplomacy_wars:
        return submitted
    return tuple(action for action in submitted if action.owner is not voter)


def may_decide(
    state: LordState, phase: LordPhase, seat: Seat, rules: LordRules, *, used: int = 0
) -> bool:
    """Return whether a player has an action besides passing in a phase; others are skipped."""
    hand = state.side(seat).hand
    match phase:
        case LordPhase.VOTING:
            targets = state.submitted
            if rules.diplomacy_wars:
                targets = vote_targets(targets, seat, diplomacy_wars=True)
            return bool(hand and targets)
        case LordPhase.SUBMISSION:
            return bool(hand)
        case LordPhase.ALTERNATES:
            if used >= rules.alt_limit or ALTERNATES.isdisjoint(hand):
                return False
            plus = not PLUS.isdisjoint(hand) and bool(state.submitted)
            return plus or any(action.vote_count for action in state.submitted)
        case LordPhase.SHARE:
            shared = sum(sharer is seat for sharer, _ in state.shares)
            return shared < rules.share_limit and not SHARES.isdisjoint(hand)
        case LordPhase.EVENT if state.event is Event.FLASH_FLOODS:
            return bool(hand)
        case LordPhase.EVENT if state.event is Event.CIVILIAN_WATCHDOGS:
            return any(action.owner is seat for action in state.submitted)
        case _:
            return True


def legal_actions(state: LordState, rules: LordRules) -> tuple[LordAction, ...]:
    """Return the legal actions: cards in the order of the rule book, then passing."""
    seat, submitted = state.asked[0], state.submitted
    hand = state.side(seat).hand
    kinds = dict.fromkeys(hand)
    match state.phase:
        case LordPhase.EVENT:
            return answers(state, seat)
        case LordPhase.VOTING:
            targets = vote_targets(submitted, seat, diplomacy_wars=rules.diplomacy_wars)
            names = [action.name for action in targets]
            return (*(_cast(card, name) for card in kinds for name in names), PASS)
        case LordPhase.ALTERNATES:
            names = [action.name for action in submitted]
            voted = [action.name for action in submitted if action.vote_count]
            cards = [card for card in kinds if card in ALTERNATES]
            uses = (_use(card, on) for card in cards for on in (names if card in PLUS else voted))
            return (*uses, PASS)
        case LordPhase.ORDER:
            return tuple(_put_first(on) for on in state.due if submission_owner(on) is seat)
        case LordPhase.SHARE:
            return (*(_share(card) for card in hand if card in SHARES), PASS)
        case _:  # the submission; nobody decides in other phases
            return (*(_submit(card) for card in kinds), PASS)


def answers(state: LordState, seat: Seat) -> tuple[LordAction, ...]:
    """Return a player's answers to the Event; none if it requires no decision."""
    match state.event:
        case Event.FLASH_FLOODS:
            return tuple(_discard(card) for card in dict.fromkeys(state.side(seat).hand))
        case Event.CIVILIAN_WATCHDOGS:
            own_actions = (action for action in state.submitted if action.owner is seat)
            return tuple(_withdraw(action.name) for action in own_actions)
        case Event.GENERAL_STRIKE:
            return _SWAYS
        case Event.FMI_INTERVENTION:
            return _INTERVENTIONS[seat]
        case _:
            return ()


def check_legal(state: LordState, action: LordAction, rules: LordRules) -> None:
    """Raise `IllegalActionError` unless the action is legal."""
    legal = legal_actions(state, rules)
    if action not in legal:
        raise IllegalActionError(
            f"{FORMS.write(action)!r} by {actor(state.asked[0])} in phase {state.phase}",
            fix=f"use {' or '.join(FORMS.write(option) for option in legal[:3])}",
            rule=_RULES[state.phase],
        )
