"""The films of a recorded match: those that were kept, the others simulated again."""

from collections.abc import Callable, Iterator
from typing import Protocol

from pigglesim.chance_types import ChanceOutcome, DiceRequest, DiceResult, ShuffleRequest
from pigglesim.errors import RecordError
from pigglesim.films.film import Film
from pigglesim.films.store import FilmFolder
from pigglesim.landing import RollRequest, RollResult
from pigglesim.match.entries import Header, MatchOutcome, MatchRecord
from pigglesim.match.replay import RecordPlayback, expect_same_answer, game_of


class FilmSource(Protocol):
    """A chance source that films what it rolls."""

    def filmed(self, request: RollRequest, *, index: int) -> tuple[RollResult, Film]:
        """Return how roll `index` of the match came to lie, and its film."""

    def filmed_dice(self, request: DiceRequest, *, index: int) -> tuple[DiceResult, Film]:
        """Return how the dice of answer `index` came to lie, and their film."""


def films_of(
    record: MatchRecord,
    *,
    kept: FilmFolder | None = None,
    again: Callable[[], FilmSource] | None = None,
    first: int = 0,
    last: int | None = None,
) -> Iterator[Film]:
    """Yield the film of every roll of a match, each made or read when it is asked for.

    Cards that were shuffled have none.

    Args:
        record: Of the match.
        kept: Where films of it may have been kept.
        again: Gives what simulates a roll again whose film was not kept, the same bit for bit;
            called once at most. None where nothing can.
        first: Number of the first roll to show.
        last: Number of the last roll to show; None for all.

    Raises:
        LocatedError: If the record does not fit the rules.
        RecordError: If a kept film is broken or of another roll, or one was not kept and cannot
            be made again, or comes out otherwise.
    """
    playback, source = RecordPlayback(game_of(record)), None
    for entry in record.entries:
        event = playback.take(entry)
        if not isinstance(entry, MatchOutcome) or entry.index < first:
            continue
        if last is not None and entry.index > last:
            return
        request = playback.game.chance_request(event.before)
        if isinstance(request, ShuffleRequest):
            continue
        if kept is not None and kept.has(entry.index):
            yield _kept(kept, entry, record.header)
            continue
        if again is None:
            raise RecordError(
                f"a film of roll {entry.index} beside the record",
                got="none",
                remedy="the record of a match on physics, whose rolls can be simulated again",
            )
        source = source or again()
        result: ChanceOutcome
        if isinstance(request, RollRequest):
            result, film = source.filmed(request, index=entry.index)
        else:
            result, film = source.filmed_dice(request, index=entry.index)
        expect_same_answer(entry.index, recorded=entry.result, rolled=result)
        yield film


def _kept(folder: FilmFolder, entry: MatchOutcome, header: Header) -> Film:
    """Return a film that was kept, which must be of this roll."""
    film = folder.read(entry.index)
    if film.origin.get("seed") != header.seed or not _shows(film, entry):
        raise RecordError(
            f"the film of roll {entry.index} of this match in {str(folder.file(entry.index))!r}",
            got="the film of another roll",
            remedy=f"remove {str(folder.path)!r}: the rolls can be simulated again",
        )
    return film


def _shows(film: Film, entry: MatchOutcome) -> bool:
    """Return whether a film is of what came out there."""
    if isinstance(entry.result, DiceResult):
        return film.origin.get("faces") == list(entry.result.faces)
    readings = dict(film.readings)
    same = all(readings.get(name) == landing for name, landing in entry.landings)
    return same and film.knocks == entry.roll.knocks
