"""Records as text that people read, annotate and mail.

Every move is written in the notation of its game, and reading plays the moves through the rules:
they know who is to move, what is rolled and how the match stands at the end. What the text says of
the end is compared with that. Rolls are written to the last bit, places included, so that JSON
lines written as text and back are the same bytes.
"""

import textwrap
from collections.abc import Mapping
from typing import Any

from pigglesim.errors import PigglesimError, RecordError
from pigglesim.games.game import Game
from pigglesim.match.entries import (
    Cause,
    Comment,
    Decision,
    Entry,
    Footer,
    Forfeit,
    MatchRecord,
    Outcome,
    outcome_of,
)
from pigglesim.match.faults import CutError, LocatedError, fault_of
from pigglesim.match.playback import Playback
from pigglesim.match.replay import game_of, replay
from pigglesim.match.runner import MatchEvent
from pigglesim.match.text_header import format_header, parse_header
from pigglesim.match.text_lines import COMMENT, INDENT, WIDTH, Part, body_parts, format_comment
from pigglesim.rolls import Seat

__all__ = ["format_text", "parse_text"]

_ROLL, _ROUND, _FORFEITS = "=>", "round", "forfeits"
_RESULT, _SCORES, _POSITION = "result:", "scores:", "position:"
_ENDS = (_RESULT, _SCORES, _POSITION)


def format_text(record: MatchRecord) -> str:
    """Return a record as text.

    Raises:
        RecordError: If the record does not fit the rules, which alone know its rounds.
    """
    game = game_of(record)
    moves: list[str] = []
    shown = 0

    def write(event: MatchEvent[Any]) -> None:
        nonlocal shown
        number = game.round_of(event.before)
        if number != shown and not isinstance(event.entry, Comment):
            moves.append(f"{_ROUND} {number}\n")
            shown = number
        moves.append(_format_entry(game, event))

    replay(record, on_event=write)
    ends = (f"{name} {text}\n" for name, text in _end_words(record.footer).items())
    return "".join([format_header(record.header), "\n", *moves, *ends])


def _format_entry(game: Game[Any, Any], event: MatchEvent[Any]) -> str:
    match event.entry:
        case Decision(seat=seat, action=action):
            return f"{seat} {game.format_action(game.parse_action(action))}\n"
        case Outcome(result=result):
            words = f"  {_ROLL} {game.format_outcome(event.before, result)}"
            return f"{_wrapped(words)}\n"
        case Forfeit(seat=seat, cause=cause, detail=detail):
            return f"{seat} {_FORFEITS} {cause}: {detail}".rstrip() + "\n"
        case Comment(text=text):
            return format_comment(text)


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _end_words(ended: Footer) -> dict[str, str]:
    """Return what is told of the end, by the first words of its lines."""
    if ended.result is None:
        told = f"none ({ended.status})"
    elif ended.result.winner is None:
        told = f"draw ({ended.result.reason})"
    else:
        told = f"{ended.result.winner} wins ({ended.result.reason})"
    scores = ", ".join(f"{seat} {score}" for seat, score in ended.scores.items())
    return {_RESULT: told, _SCORES: scores, _POSITION: ended.final_state}


def parse_text(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record that a text holds, its moves played through the rules.

    Args:
        text: The lines of one record.
        first: Number of the first line in its file.

    Raises:
        CutError: If it ends before its result; what is there comes with the error.
        LocatedError: If something in it cannot be read, or the rules refuse a move.
    """
    written = text.removesuffix("\n").split("\n")
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(written, start=first)]
    header, game, rest = parse_header(lines)
    seats = {str(seat): seat for seat in game.scores(game.initial_state())}
    reader = _Reader(game, seats)
    parts = list(body_parts(rest, {_ROUND, _ROLL, *_ENDS, *seats}))
    if any(part.kind == _RESULT for part in parts):
        for part in parts:
            reader.take(part)
        ended = reader.playback.footer()
        return MatchRecord(header=header, entries=tuple(reader.playback.entries), footer=ended)
    got = "no more lines"
    for part in parts:
        last = part is parts[-1]
        if last and part.kind != COMMENT and not text.endswith("\n"):
            got = "half a move"
            break
        try:
            reader.take(part)
        except LocatedError:
            if not last:
                raise
            got = "half a move"
    raise CutError(header, reader.playback.entries, got=got, line=lines[-1][0])


class _Reader:
    """Plays the parts of a text one by one.

    Args:
        game: The rules.
        seats: The seats by the words that begin their moves.
    """

    def __init__(self, game: Game[Any, Any], seats: Mapping[str, Seat]) -> None:
        self.playback = Playback(game)
        self._game = game
        self._seats = seats
        self._over = False

    def take(self, part: Part) -> None:
        """Play one part, or compare what it says of the end.

        Raises:
            LocatedError: If it cannot be read, does not fit, or the rules refuse it.
        """
        try:
            if part.kind in _ENDS:
                self._over = True
                self._check(part, _end_words(self.playback.footer())[part.kind])
            elif part.kind == _ROUND:
                self._check(part, str(self._game.round_of(self.playback.state)))
            elif part.kind != COMMENT and self._over:
                raise RecordError("no move after the result", got=part.kind, remedy="leave it out")
            else:
                self.playback.take(self._entry(part))
        except PigglesimError as error:
            position = self._game.format_state(self.playback.state)
            entry = len(self.playback.entries)
            raise fault_of(error, line=part.line, entry=entry, position=position) from error

    def _check(self, part: Part, expected: str) -> None:
        if part.text != expected:
            raise RecordError(
                f"{part.kind} {expected} after these moves",
                got=repr(part.text),
                remedy="mend the moves, or leave the line as they give it",
            )

    def _entry(self, part: Part) -> Entry:
        """Return the entry that a move or comment stands for in this position."""
        if part.kind == COMMENT:
            return Comment(text=part.text)
        if part.kind == _ROLL:
            state = self.playback.state
            request = self._game.chance_request(state)
            result = self._game.parse_outcome(state, part.text)
            return outcome_of(request, result, index=self.playback.rolls)
        seat, index = self._seats[part.kind], self.playback.decisions
        word, _, told = part.text.partition(" ")
        if word != _FORFEITS:
            action = self._game.format_action(self._game.parse_action(part.text))
            return Decision(index=index, seat=seat, action=action)
        cause, _, detail = told.partition(":")
        if cause not in set(Cause):
            raise RecordError(
                "a known cause of a forfeit", got=repr(cause), remedy=", ".join(Cause)
            )
        return Forfeit(index=index, seat=seat, cause=Cause(cause), detail=detail.strip())
