"""What happened in a match of Pig Pile, in plain words that all players may hear."""

from collections.abc import Iterator, Mapping

from pigglesim.games.pig_pile.actions import FaceUp, PickUp, PigPileAction, Play, Slop
from pigglesim.games.pig_pile.dealing import PRIZES, round_awards, round_is_over
from pigglesim.games.pig_pile.game import PigPile, act
from pigglesim.games.pig_pile.state import EWE_TURN, Phase, Position, format_card, format_cards
from pigglesim.match.entries import Comment, Decision, Forfeit, Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Seat
from pigglesim.screen.family import Line, Tone
from pigglesim.screen.sentences import result_sentence

__all__ = ["counted", "told"]

_SEATS = tuple(Seat)
_PLACES = ("first", "second")


def counted(number: int, what: str) -> str:
    """Return a number of things, such as `1 pig` or `3 pigs`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def told(game: PigPile, event: MatchEvent[Position], names: Mapping[Seat, str]) -> list[Line]:
    """Return what a decision or a deal has led to, a sentence a line; nothing hidden is told.

    Args:
        game: The rules.
        event: What happened.
        names: What each player is called.
    """
    lines: list[Line] = []
    match event.entry:
        case Decision(seat=seat, action=text):
            lines += _decision(game, event, game.parse_action(text), names[seat])
        case Outcome(thrower=seat):
            deal = f"Round {event.before.round}: {names[seat]} shuffles and deals, "
            deal += f"{len(event.after.draw)} cards are left to draw"
            lines.append(Line(text=deal, tone=Tone.ROLL, seat=seat))
        case Comment(text=text):
            lines.append(Line(text=text))
        case Forfeit(seat=seat, cause=cause, detail=detail):
            why = f"{names[seat]} forfeits ({cause.rule}): {cause.sentence}: {detail}"
            lines.append(Line(text=why, tone=Tone.TURN, seat=seat))
    result = game.result(event.after)
    if result is not None:
        pigs = ", ".join(f"{seat} {held}" for seat, held in game.scores(event.after).items())
        lines.append(Line(text=f"{result_sentence(result, names)}: {pigs}", tone=Tone.END))
    return lines


def _decision(
    game: PigPile, event: MatchEvent[Position], action: PigPileAction, name: str
) -> Iterator[Line]:
    before = event.before
    after = act(before, action, game.rules)
    yield Line(text=f"{name} {_did(before, action)}", tone=Tone.TURN, seat=_SEATS[before.mover])
    if isinstance(action, FaceUp):
        if after.phase is Phase.PLAY:
            ups = ", ".join(f"{s} {format_cards(after.ups[at])}" for at, s in enumerate(game.seats))
            yield Line(text=f"All have chosen; face up lie: {ups}", tone=Tone.MOVE)
        return
    yield from _followed(before, after, action)
    if round_is_over(after, game.rules):
        awards = zip(game.seats, round_awards(after), strict=True)
        paid = ", ".join(f"{seat} {pigs}" for seat, pigs in awards)
        why = "" if len(after.out) >= len(PRIZES) or len(after.left) == 1 else " by the cap"
        yield Line(text=f"Round {before.round} is over{why}. Pigs: {paid}", tone=Tone.SCORE)


def _did(before: Position, action: PigPileAction) -> str:
    """Return what a player did, with the cards that all have seen."""
    match action:
        case Play(cards=cards):
            return f"plays {format_cards(cards)}"
        case PickUp(face_up=card):
            along = "" if card is None else f" and the face-up {format_card(card)}"
            return f"takes up the pile of {counted(len(before.pile), 'card')}{along}"
        case Slop(slot=slot):
            card = before.slops[before.mover][slot - 1]
            return f"turns over a face-down {format_card(card)}"
        case FaceUp():
            return "has chosen which three cards lie face up"


def _followed(before: Position, after: Position, action: PigPileAction) -> Iterator[Line]:
    """Tell of a wash, a card drawn, who is out and whose turn it is not."""
    place = before.mover
    washed = len(after.aside) - len(before.aside)
    value = action.value if isinstance(action, Play) else None
    if isinstance(action, Slop):
        value = before.slops[place][action.slot - 1]
        if not (after.pile or washed):
            count = counted(len(before.pile) + 1, "card")
            yield Line(text=f"It is too low: {count} into the hand", tone=Tone.MOVE)
            return
    if washed:
        again = "" if place in after.out else ", and another turn"
        yield Line(text=f"Hog Wash! {counted(washed, 'card')} set aside{again}", tone=Tone.MOVE)
    if after.direction != before.direction and value == EWE_TURN:
        way = "clockwise again" if after.direction == 1 else "the other way round"
        yield Line(text=f"Ewe Turn: play goes {way}", tone=Tone.MOVE)
    drawn = len(before.draw) - len(after.draw)
    if drawn:
        last = ", the last" if not after.draw else ""
        yield Line(text=f"Draws {counted(drawn, 'card')}{last}", tone=Tone.MOVE)
    if place in after.out:
        rank = _PLACES[after.out.index(place)]
        yield Line(text=f"Out of cards, {rank} of all", tone=Tone.SCORE)
    if not (washed and place not in after.out) and len(after.out) < len(PRIZES):
        yield from _missed(before, after)


def _missed(before: Position, after: Position) -> Iterator[Line]:
    """Tell who has just missed a turn: the nearest player who is in, if it is not the mover now."""
    count = before.count
    ring = [(before.mover + after.direction * step) % count for step in range(1, count)]
    nearest = next((place for place in ring if place not in after.out), None)
    if nearest is not None and nearest != after.mover:
        text = f"Player {_SEATS[nearest]} is tied up and misses a turn"
        yield Line(text=text, tone=Tone.MOVE)
