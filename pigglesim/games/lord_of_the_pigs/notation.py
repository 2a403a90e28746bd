"""A position as one line of text, read back to the same value; and shuffles as words.

A position is `name=value` words; what is at its default is left out. Cards stand in the order in
which they lie. A submitted Action is its name with the votes for it in the order they were cast:
`Banker.C1(President:C3,Energy:U1!)+1`, where `!` marks a vote cast since that hand was shown, and
`+1` a vote that was added by an Alternate Mode.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.lord_of_the_pigs.actors import SEATS, actor, read_actor
from pigglesim.games.lord_of_the_pigs.cards import read_card
from pigglesim.games.lord_of_the_pigs.events import EVENT_DECK, Event
from pigglesim.games.lord_of_the_pigs.piles import put
from pigglesim.games.lord_of_the_pigs.state import (
    Phase,
    Position,
    Reason,
    Side,
    Submitted,
    Vote,
    read_name,
)
from pigglesim.games.lord_of_the_pigs.validity import check_position
from pigglesim.games.position_words import read_words, written
from pigglesim.rolls import Seat

__all__ = ["format_position", "parse_position"]

_SUBMITTED = re.compile(r"(?P<name>[\w.]+)(?:\((?P<votes>[^()]*)\))?(?:\+(?P<markers>\d+))?")
_VOTE = re.compile(r"(?P<seat>\w+):(?P<card>\w+)(?P<since>!?)")
_BARE = Position(sides=(Side(), Side(), Side(), Side()))


def format_position(position: Position) -> str:
    """Return a position as one line of text."""
    return written(_words(position))


def _words(position: Position) -> Iterator[tuple[str, str]]:
    yield "turn", str(position.turn)
    yield "first", actor(position.first)
    yield "phase", position.phase
    yield "ratings", _numbers((*position.ratings, position.stability))
    for seat in SEATS:
        side, name = position.side(seat), actor(seat)
        yield f"{name}.hand", ",".join(side.hand)
        yield f"{name}.deck", ",".join(side.deck)
        yield f"{name}.discard", ",".join(side.discard)
        yield f"{name}.shown", ",".join(side.shown)
    yield "submitted", ";".join(map(_submitted_text, position.submitted))
    yield "event", position.event or ""
    yield "revealing", "yes" if position.revealing else ""
    yield "events", ",".join(position.event_deck)
    yield "past", ",".join(position.event_discard)
    yield "draws", _actors(position.draws)
    yield "asked", _actors(position.asked)
    yield "used", str(position.used or "")
    yield "due", ",".join(position.due)
    yield "current", position.current
    yield "shares", ",".join(f"{actor(seat)}:{card}" for seat, card in position.shares)
    yield "result", _result_text(position.result)
    yield "game", str(position.game) if position.game > 1 else ""
    yield "points", _numbers(position.points) if any(position.points) else ""
    yield "before", str(position.turns_before or "")


def _numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _actors(seats: Iterable[Seat]) -> str:
    return ",".join(actor(seat) for seat in seats)


def _submitted_text(action: Submitted) -> str:
    votes = ",".join(
        f"{actor(vote.seat)}:{vote.card}{'!' if vote.after_showing else ''}"
        for vote in action.votes
    )
    added = f"+{action.markers}" if action.markers else ""
    return f"{action.name}{f'({votes})' if votes else ''}{added}"


def _result_text(result: Result | None) -> str:
    if result is None:
        return ""
    winners = (result.winner,) if result.winner else result.shared
    return f"{_actors(winners) or '-'}:{result.reason}"


def parse_position(text: str) -> Position:
    """Return the position that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or a card is
            missing or there too often.
    """
    position = read_words(text, _BARE, _READERS)
    check_position(position)
    return position


def _cards(text: str) -> tuple[str, ...]:
    return tuple(read_card(word) for word in text.split(","))


def _events(text: str) -> tuple[str, ...]:
    words = tuple(text.split(","))
    if not set(words) <= set(EVENT_DECK):
        raise ValueError(text)
    return words


def _seats(text: str) -> tuple[Seat, ...]:
    return tuple(read_actor("one of the four", word) for word in text.split(","))


def _seat(text: str) -> Seat:
    return read_actor("one of the four", text)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        read_name(name)
    return names


def _four(text: str) -> tuple[int, int, int, int]:
    a, b, c, d = (int(word) for word in text.split(","))
    return a, b, c, d


def _with_ratings(position: Position, text: str) -> Position:
    *ratings, stability = (int(word) for word in text.split(","))
    a, b, c, d = ratings
    return changed(position, ratings=(a, b, c, d), stability=stability)


def _submitted(text: str) -> tuple[Submitted, ...]:
    actions = []
    for word in text.split(";"):
        match = _SUBMITTED.fullmatch(word)
        if match is None:
            raise ValueError(word)
        owner, card = read_name(match["name"])
        votes = tuple(_vote(vote) for vote in (match["votes"] or "").split(",") if vote)
        markers = int(match["markers"] or 0)
        actions.append(
            Submitted(name=match["name"], owner=owner, card=card, votes=votes, markers=markers)
        )
    return tuple(actions)


def _vote(text: str) -> Vote:
    match = _VOTE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    card, since = read_card(match["card"]), bool(match["since"])
    return Vote(seat=_seat(match["seat"]), card=card, after_showing=since)


def _shares(text: str) -> tuple[tuple[Seat, str], ...]:
    pairs = (word.partition(":") for word in text.split(","))
    return tuple((_seat(seat), read_card(card)) for seat, _, card in pairs)


def _result(text: str) -> Result:
    names, _, reason = text.partition(":")
    winners = () if names == "-" else _seats(names)
    alone = winners[0] if len(winners) == 1 else None
    return Result(winner=alone, reason=Reason(reason), shared=() if alone else winners)


def _yes(text: str) -> bool:
    if text != "yes":
        raise ValueError(text)
    return True


_Reader = Callable[[Position, str], Position]


def _put(field: str, read: Callable[[str], object]) -> _Reader:
    return lambda position, text: changed(position, **{field: read(text)})


def _put_side(seat: Seat, field: str) -> _Reader:
    def read(position: Position, text: str) -> Position:
        side = changed(position.side(seat), **{field: _cards(text)})
        return changed(position, sides=put(position.sides, seat, side))

    return read


_READERS: dict[str, _Reader] = {
    "turn": _put("turn", int),
    "first": _put("first", _seat),
    "phase": _put("phase", Phase),
    "ratings": _with_ratings,
    **{
        f"{actor(seat)}.{field}": _put_side(seat, field)
        for seat in SEATS
        for field in ("hand", "deck", "discard", "shown")
    },
    "submitted": _put("submitted", _submitted),
    "event": _put("event", Event),
    "revealing": _put("revealing", _yes),
    "events": _put("event_deck", _events),
    "past": _put("event_discard", _events),
    "draws": _put("draws", _seats),
    "asked": _put("asked", _seats),
    "used": _put("used", int),
    "due": _put("due", _names),
    "current": _put("current", lambda text: _names(text)[0]),
    "shares": _put("shares", _shares),
    "result": _put("result", _result),
    "game": _put("game", int),
    "points": _put("points", _four),
    "before": _put("turns_before", int),
}
