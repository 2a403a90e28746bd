"""A recorded match played again: from the record alone, or against a chance source."""

from collections.abc import Callable, Iterable
from typing import Any

from pigglesim.games.game import Game
from pigglesim.match.entries import Entry, Header, MatchRecord
from pigglesim.match.faults import LocatedError
from pigglesim.match.playback import Playback
from pigglesim.match.runner import Begun, ChanceSource, Match, MatchEvent
from pigglesim.match.seating import seated_game

__all__ = ["begin", "game_of", "replay", "so_far"]


def game_of(record: MatchRecord) -> Game[Any, Any]:
    """Return the game of a record, under its house rules.

    Raises:
        SpecError: If the game or one of its house rules is unknown.
        RecordError: If somebody sits where the game has no seat.
    """
    return _game(record.header)


def replay(
    record: MatchRecord,
    *,
    resimulate: ChanceSource | None = None,
    on_event: Callable[[MatchEvent[Any]], None] | None = None,
) -> Match[Any]:
    """Return the match of a record, played again through the rules.

    Args:
        record: The record.
        resimulate: A source that rolls every recorded roll once more; each must come out the
            same bit for bit. None to believe the record, without physics.
        on_event: Called after each entry.

    Raises:
        LocatedError: If the record does not fit the rules or its own footer, or a roll comes out
            otherwise; the first such entry is named.
        SpecError: If the game or one of its house rules is unknown.
    """
    playback = Playback(game_of(record), resimulate=resimulate)
    for entry in record.entries:
        event = playback.take(entry)
        if on_event is not None:
            on_event(event)
    ended = playback.footer()
    if ended != record.footer:
        raise LocatedError(
            f"the end that the record tells, {record.footer}",
            got=str(ended),
            remedy="replay it with the pigglesim that wrote it",
        )
    return Match(state=playback.state, record=record)


def begin(game: Game[Any, Any], entries: Iterable[Entry]) -> Begun[Any]:
    """Return a match as far as its entries go, to be played on from there.

    Raises:
        LocatedError: If the rules refuse an entry.
    """
    playback = Playback(game)
    for entry in entries:
        playback.take(entry)
    return playback.begun()


def so_far(header: Header, entries: Iterable[Entry]) -> MatchRecord:
    """Return the record of a match that was cut off, as if it had been interrupted there.

    Raises:
        LocatedError: If the rules refuse an entry.
        SpecError: If the game or one of its house rules is unknown.
    """
    playback = Playback(_game(header))
    for entry in entries:
        playback.take(entry)
    return MatchRecord(header=header, entries=tuple(playback.entries), footer=playback.footer())


def _game(header: Header) -> Game[Any, Any]:
    return seated_game(header.game, header.house_rules, header.agents)
