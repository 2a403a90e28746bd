"""Cards, effects and Actions of Lord of the P.I.G.S. in words."""

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
from pigglesim.games.lord_of_the_pigs.state import (
    ACTORS,
    CARDS,
    HIDDEN,
    Alternate,
    Effect,
    Phase,
    Position,
    Submitted,
    actor,
    card_name,
    effect,
    under,
)
from pigglesim.games.lord_of_the_pigs.turns import shared_with
from pigglesim.rolls import Seat

__all__ = [
    "PHASES",
    "action_words",
    "alternate_words",
    "card_words",
    "choice_words",
    "effect_of",
    "effect_words",
    "ratings_words",
    "votes_words",
]

PHASES = {
    Phase.DEAL: "Deal",
    Phase.EVENT: "Event",
    Phase.UPKEEP: "Upkeep",
    Phase.VOTING: "Voting",
    Phase.ALTERNATES: "Activation: Alternate Modes",
    Phase.ORDER: "Activation: order",
    Phase.SHARE: "Activation: Share Benefits",
    Phase.SUBMISSION: "Submission",
}
"""The phases as people call them."""
_STABILITY = "Stability"


def card_words(seat: Seat, card: str) -> str:
    """Return the name of a card and its tag."""
    return "a hidden card" if card == HIDDEN else f"{card_name(seat, card)} ({card})"


def action_words(action: Submitted) -> str:
    """Return whose a submitted Action is, its name and tag."""
    return f"{actor(action.owner)}'s {card_words(action.owner, action.card)}"


def votes_words(action: Submitted, *, more: int = 0) -> str:
    """Return how many votes an Action has, or will have, of how many it needs."""
    return f"{action.vote_count + more} of {CARDS[action.card].threshold} votes"


def effect_of(position: Position, seat: Seat, card: str) -> Effect:
    """Return what a card would change under the active Event."""
    return under(position.event, effect(seat, card))


def effect_words(change: Effect) -> str:
    """Return what an effect changes: `President +2, Energy -1, Stability +1`."""
    names = (*(each.value for each in ACTORS), _STABILITY)
    parts = [f"{name} {by:+}" for name, by in zip(names, change, strict=True) if by]
    return ", ".join(parts) or "nothing"


def ratings_words(position: Position) -> str:
    """Return all Ratings and Social Stability."""
    pairs = zip(ACTORS, position.ratings, strict=True)
    rated = ", ".join(f"{each} {rating}" for each, rating in pairs)
    return f"{rated}; {_STABILITY} {position.stability}"


def alternate_words(seat: Seat, card: str) -> str:
    """Return the Alternate Mode of a card in hand, in a few words; empty if it has none."""
    match CARDS[card].alternate:
        case Alternate.NONE:
            return ""
        case Alternate.PLUS:
            return "+1 Vote"
        case Alternate.MINUS:
            return "-1 Vote"
        case Alternate.SHARE_PREVIOUS | Alternate.SHARE_NEXT:
            return f"share with {actor(shared_with(seat, card))}"


def choice_words(position: Position, action: LordAction) -> str:
    """Return an action as who decides would say it, who sees the own cards."""
    seat = position.asked[0]
    match action:
        case CastVote(card=card, on=on):
            target = position.submitted_action(on)
            change = _own_words(position, seat, target.owner, target.card)
            return f"{card} for {_short(target)}, {votes_words(target)}: {change}"
        case UseAlternate(card=card, on=on):
            target, mode = position.submitted_action(on), alternate_words(seat, card)
            change = _own_words(position, seat, target.owner, target.card)
            return f"{card} for {mode} on {_short(target)}, {votes_words(target)}: {change}"
        case Share(card=card):
            by = effect_of(position, *_current(position))[_index(shared_with(seat, card))]
            return f"share with {actor(shared_with(seat, card))} by {card}: {by:+}"
        case Submit(card=card):
            change = _own_words(position, seat, seat, card)
            return f"submit {card_words(seat, card)}: {change}"
        case Discard(card=card):
            return f"discard {card_words(seat, card)}"
        case Withdraw(on=on):
            target = position.submitted_action(on)
            return f"give up {action_words(target)}, {votes_words(target)}"
        case PutFirst(on=on):
            return f"{action_words(position.submitted_action(on))} first"
        case Sway(by=by):
            return f"Social Stability {by:+}"
        case Intervene(seat=other, by=by):
            return f"you and {actor(other)} {by:+} each"
        case Pass():
            return _PASSES.get(position.phase, "pass")


def _short(action: Submitted) -> str:
    """Return a submitted Action by its tag: its name stands on the table."""
    return f"{actor(action.owner)}'s {action.card}"


def _own_words(position: Position, seat: Seat, owner: Seat, card: str) -> str:
    """Return what a card means to who decides."""
    change = effect_of(position, owner, card)
    return f"you {change[_index(seat)]:+}, {_STABILITY} {change[-1]:+}"


_PASSES = {
    Phase.VOTING: "vote for nothing",
    Phase.ALTERNATES: "use no Alternate Mode",
    Phase.SHARE: "share nothing",
    Phase.SUBMISSION: "submit nothing",
}


def _current(position: Position) -> tuple[Seat, str]:
    action = position.submitted_action(position.current)
    return action.owner, action.card


def _index(seat: Seat) -> int:
    return ACTORS.index(actor(seat))
