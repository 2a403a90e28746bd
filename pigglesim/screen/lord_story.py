"""What happened in Lord of the P.I.G.S., in plain words that give nothing hidden away."""

from collections.abc import Iterator
from typing import Any

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
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import (
    ACTORS,
    CARDS,
    ORDERS,
    SEATS,
    Alternate,
    Event,
    Phase,
    Position,
    Submitted,
    actor,
)
from pigglesim.games.lord_of_the_pigs.turns import shared_with
from pigglesim.match.entries import Decision
from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Seat
from pigglesim.screen.family import Line, Tone
from pigglesim.screen.lord_words import (
    action_words,
    alternate_words,
    card_words,
    effect_of,
    effect_words,
    ratings_words,
    votes_words,
)
from pigglesim.screen.sentences import result_sentence

__all__ = ["NAMES", "told"]

NAMES = {seat: actor(seat).value for seat in SEATS}
"""The players are called by their actors."""
_SILENT = frozenset({Phase.ALTERNATES, Phase.SHARE})
"""Phases in which to pass is not told: only holders of certain cards are asked."""


def told(game: LordOfThePigs, event: MatchEvent[Any]) -> Iterator[Line]:
    """Yield the lines of a decision, and of all that follows until the next."""
    before, after = event.before, event.after
    if isinstance(event.entry, Decision):
        seat = event.entry.seat
        action = game.parse_action(event.entry.action)
        if not (isinstance(action, Pass) and before.phase in _SILENT):
            text = f"{actor(seat)} {_deed(before, seat, action)}"
            yield Line(text=text, tone=Tone.TURN, seat=seat)
        yield from _carried_out(before, after, action)
    yield from _turn(before, after)
    if after.result is not None:
        yield Line(text=result_sentence(after.result, NAMES), tone=Tone.END)


def _deed(position: Position, seat: Seat, action: LordAction) -> str:
    """Return what a player did, as all may hear it."""
    match action:
        case CastVote(on=on):
            return f"votes for {_named(position, on, more=1)}"
        case UseAlternate(card=card, on=on):
            more = 1 if CARDS[card].alternate is Alternate.PLUS else -1
            target = _named(position, on, more=more)
            return f"discards {card} for {alternate_words(seat, card)} on {target}"
        case Share(card=card):
            return f"discards {card} to share benefits with {actor(shared_with(seat, card))}"
        case Submit(card=card):
            change = effect_words(effect_of(position, seat, card))
            return f"submits {card_words(seat, card)}: {change}"
        case Discard(card=card):
            return f"loses {card_words(seat, card)}"
        case Withdraw(on=on):
            return f"gives up {_named(position, on)}"
        case PutFirst(on=on):
            return f"has {_named(position, on)} carried out first"
        case Sway(by=by):
            return f"moves Social Stability by {by:+}"
        case Intervene(seat=other, by=by):
            return f"moves the own Rating and that of {actor(other)} by {by:+}"
        case Pass():
            return "votes for nothing" if position.phase is Phase.VOTING else "submits nothing"


def _named(position: Position, name: str, *, more: int = 0) -> str:
    """Return a submitted Action and its votes, with so many more than in the position."""
    action = position.submitted_action(name)
    return f"{action_words(action)}, {votes_words(action, more=more)}"


def _carried_out(before: Position, after: Position, action: LordAction) -> Iterator[Line]:
    """Yield which Actions were activated, and the Ratings where they have changed."""
    if after.game > before.game:
        return
    left = {each.name for each in after.submitted}
    given_up = action.on if isinstance(action, Withdraw) else ""
    gone = [each for each in before.submitted if each.name not in left and each.name != given_up]
    for each in sorted(gone, key=lambda one: _order(before, one)):
        change = effect_words(effect_of(before, each.owner, each.card))
        yield Line(text=f"Activated: {action_words(each)}: {change}", tone=Tone.MOVE)
    if (before.ratings, before.stability) != (after.ratings, after.stability):
        yield Line(text=f"Now {ratings_words(after)}", tone=Tone.SCORE)


def _order(position: Position, action: Submitted) -> tuple[int, int]:
    """Return when an Action is carried out among those of this phase."""
    chosen = (position.current, *position.due)
    at = chosen.index(action.name) if action.name in chosen else len(chosen)
    return at, ORDERS[position.first].index(action.owner)


def _turn(before: Position, after: Position) -> Iterator[Line]:
    """Yield the end of a game in a series, the start of a turn and its Event."""
    if after.points != before.points:
        points = ", ".join(
            f"{each} {points}" for each, points in zip(ACTORS, after.points, strict=True)
        )
        yield Line(text=f"Game {before.game} is over. Points: {points}", tone=Tone.SCORE)
    new_turn = (after.game, after.turn) != (before.game, before.turn)
    if new_turn and after.result is None and after.phase is not Phase.DEAL:
        yield Line(text=f"Turn {after.turn}: {actor(after.first)} is first", tone=Tone.NOTE)
    event = after.event
    if event is None or after.revealing or (event is before.event and not new_turn):
        return
    yield Line(text=f"Event: {event.label}. {event.text}", tone=Tone.ROLL)
    if event is Event.WHISTLE_BLOWER_SCANDAL:
        for seat in SEATS:
            shown = ", ".join(after.side(seat).shown) or "nothing"
            yield Line(text=f"{actor(seat)} shows {shown}", tone=Tone.MOVE, seat=seat)
