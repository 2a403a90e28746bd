"""A recorded match played again: from the record alone, or against a source of chance."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pigglesim.chance_types import ChanceOutcome, DiceResult, ShuffleResult
from pigglesim.errors import PigglesimError, RecordError, cut
from pigglesim.games.game import Game, NonPlayer
from pigglesim.games.registry import make_game
from pigglesim.landing import RollRequest, RollResult, Seat
from pigglesim.match.entries import (
    Comment,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    LocatedError,
    MatchOutcome,
    MatchRecord,
    Status,
    fault_of,
)
from pigglesim.match.runner import Begun, ChanceSource, Match, MatchEvent, footer
from pigglesim.roll_codec import outcome_to_json


def seated_game(
    name: str, house_rules: Mapping[str, object], seats: Iterable[Seat]
) -> Game[Any, Any]:
    """Return a game under house rules by name.

    Raises:
        SpecError: If the game or one of its house rules is unknown.
        RecordError: If the game has no such seat.
    """
    game = make_game(name, dict(house_rules))
    for seat in seats:
        if seat not in game.seats:
            raise RecordError(
                f"a seat of {name}: {', '.join(game.seats)}",
                got=str(seat),
                remedy="use the record as it was written",
            )
    return game


_REMEDY = "replay it with the pigglesim that wrote it"


class RecordPlayback:
    """Takes the entries of a match one by one; each must be what the rules wait for.

    Args:
        game: The rules.
        resimulate: A source that rolls every recorded roll once more; each must come out the
            same bit for bit. None to believe the record, without physics.
    """

    def __init__(self, game: Game[Any, Any], *, resimulate: ChanceSource | None = None) -> None:
        self.game = game
        self.state: Any = game.initial_state()
        self.decisions = 0
        """How many decisions have been taken."""
        self.rolls = 0
        """How many answers of chance have been taken."""
        self.entries: list[Entry] = []
        self._forfeit: Forfeit | None = None
        self._resimulate = resimulate

    def take(self, entry: Entry) -> MatchEvent[Any]:
        """Return an entry with the positions around it, and go on to the latter.

        Raises:
            LocatedError: If the rules refuse it: with the position before it and the rule.
        """
        before = self.state
        try:
            self._apply(entry)
        except PigglesimError as error:
            raise fault_of(
                error,
                entry=len(self.entries),
                what=_name(entry),
                position=self.game.format_state(before),
            ) from error
        self.entries.append(entry)
        return MatchEvent(entry=entry, before=before, after=self.state)

    def begun(self) -> Begun[Any]:
        """Return the match as far as it has come."""
        return Begun(entries=tuple(self.entries), state=self.state)

    def footer(self) -> Footer:
        """Return how the match stands."""
        over = self.game.turn(self.state) is NonPlayer.OVER or self._forfeit is not None
        status = Status.FINISHED if over else Status.INTERRUPTED
        return footer(self.game, self.state, status, forfeit=self._forfeit)

    def _apply(self, entry: Entry) -> None:
        if isinstance(entry, Comment):
            return
        if self._forfeit is not None:
            raise RecordError("the end after a forfeit", got="more", remedy=_REMEDY)
        match entry:
            case Decision():
                self._expect_turn(entry)
                action = self.game.parse_action(entry.action)
                # The text form writes actions anew: what reads back must be what was there.
                if (told := self.game.format_action(action)) != entry.action:
                    raise RecordError(
                        f"the action as the game writes it: {told}",
                        got=cut(repr(entry.action)),
                        remedy="write it so",
                    )
                self.state = self.game.apply_action(self.state, action)
                self.decisions += 1
            case MatchOutcome():
                self.state = self._roll(entry)
                self.rolls += 1
            case Forfeit():
                self._expect_turn(entry)
                self._forfeit = entry

    def _expect_turn(self, entry: Decision | Forfeit) -> None:
        turn = self.game.turn(self.state)
        if (str(turn), self.decisions) != (str(entry.seat), entry.index):
            raise _out_of_turn(
                f"decision {entry.index} of {entry.seat}", f"decision {self.decisions} of {turn}"
            )

    def _roll(self, entry: MatchOutcome) -> object:
        """Return the position after a recorded answer of chance."""
        turn = self.game.turn(self.state)
        if turn is not NonPlayer.CHANCE:
            raise _out_of_turn(f"roll {entry.index}", f"the turn of {turn}")
        request = self.game.chance_request(self.state)
        piggles = request.piggles if isinstance(request, RollRequest) else ()
        asked = (request.thrower, piggles, self.rolls)
        if asked != (entry.thrower, entry.piggles, entry.index):
            raise _out_of_turn(
                f"roll {entry.index} of {' '.join(entry.piggles)} by {entry.thrower}",
                f"roll {self.rolls} of {' '.join(piggles)} by {request.thrower}",
            )
        if self._resimulate is not None:
            again = self._resimulate.answer(request, index=entry.index)
            expect_same_answer(entry.index, recorded=entry.result, rolled=again)
        return self.game.apply_outcome(self.state, entry.result)


def _name(entry: Entry) -> str:
    match entry:
        case Decision(index=index):
            return f"decision {index}"
        case MatchOutcome(index=index):
            return f"roll {index}"
        case Forfeit(index=index):
            return f"the forfeit of decision {index}"
        case Comment():
            return "a comment"


def _out_of_turn(recorded: str, due: str) -> RecordError:
    return RecordError(f"{recorded} to be due", got=due, remedy=_REMEDY)


def expect_same_answer(index: int, *, recorded: ChanceOutcome, rolled: ChanceOutcome) -> None:
    """Raise `RecordError` unless two results of a roll are the same to the last bit."""
    # Written out, every float is itself and nothing else: even 0.0 and -0.0 differ.
    old, new = _parts(recorded), _parts(rolled)
    for part in [*old, *(part for part in new if part not in old)]:
        was, now = old.get(part, "nothing"), new.get(part, "nothing")
        if was != now:
            raise RecordError(
                f"roll {index} to come out as recorded, {part} {was}",
                got=now,
                remedy="resimulate with the program, scene and machine of the record",
            )
    if list(old) != list(new):
        raise RecordError(
            f"roll {index} with its parts in the order {', '.join(old)}",
            got=", ".join(new),
            remedy="resimulate with the program that wrote the record",
        )


def _parts(outcome: ChanceOutcome) -> dict[str, str]:
    """Return every part of an answer as text, by name; each landing is a part of its own."""
    whole = outcome_to_json(outcome)
    landings = whole.pop("landings", {})
    assert isinstance(landings, dict)
    return {part: json.dumps(value) for part, value in (*landings.items(), *whole.items())}


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
    playback = RecordPlayback(game_of(record), resimulate=resimulate)
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
    playback = RecordPlayback(game)
    for entry in entries:
        playback.take(entry)
    return playback.begun()


def so_far(header: Header, entries: Iterable[Entry]) -> MatchRecord:
    """Return the record of a match that was cut off, as if it had been interrupted there.

    Raises:
        LocatedError: If the rules refuse an entry.
        SpecError: If the game or one of its house rules is unknown.
    """
    playback = RecordPlayback(_game(header))
    for entry in entries:
        playback.take(entry)
    return MatchRecord(header=header, entries=tuple(playback.entries), footer=playback.footer())


def _game(header: Header) -> Game[Any, Any]:
    return seated_game(header.game, header.house_rules, header.agents)


def without_places(record: MatchRecord) -> MatchRecord:
    """Return a record that replays by the rules alone; its last position has no places either.

    Raises:
        LocatedError: If the rules refuse an entry.
    """
    return so_far(record.header, [_bare(entry) for entry in record.entries])


def _bare(entry: Entry) -> Entry:
    if not isinstance(entry, MatchOutcome):
        return entry
    result = entry.result
    match result:
        case RollResult(landings=landings):
            bare = tuple((piggle, replace(landing, place=None)) for piggle, landing in landings)
            return replace(entry, result=replace(result, landings=bare))
        case DiceResult():
            return replace(entry, result=replace(result, places=()))
        case ShuffleResult():
            return entry
