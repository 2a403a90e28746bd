"""Records as text that people read, annotate and mail."""

import json
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from pigglesim.errors import PigglesimError, RecordError, cut, unknown_name
from pigglesim.games.game import JSON, Game
from pigglesim.games.registry import make_game
from pigglesim.json_codec import read
from pigglesim.landing import Seat
from pigglesim.match.entries import (
    Cause,
    Comment,
    CutError,
    Decision,
    Entry,
    Footer,
    Forfeit,
    Header,
    LocatedError,
    MatchOutcome,
    MatchRecord,
    check_schema,
    fault_of,
    outcome_of,
    parse_seat,
)
from pigglesim.match.replay import RecordPlayback, game_of, replay, seated_game
from pigglesim.match.runner import MatchEvent

MAGIC = "pigglesim match record"
"""How the first line of a record begins; the version of the format follows."""

WIDTH, INDENT = 78, "     "
"""How long a line becomes before it goes on below [letters], and what it then begins with."""

COMMENT = "comment"
"""Kind of a part that is a comment."""
_MARK, _LETTER = re.compile("[{;]"), re.compile(r"\S")
_MOST_PARTS = 1 << 19
"""Of which more are no match."""
_START, _MORE = "start", "more"
"""Kinds of what stands outside comments, before it is known what move it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPart:
    """A header line, a move or a comment."""

    line: int
    """Where it begins, in the file."""
    kind: str
    """Name of a header line, first word of a move, or `COMMENT`."""
    text: str
    """All the rest, with single spaces; a comment as it is."""


def format_value(value: JSON) -> str:
    """Return a plain value as it stands in a header line: text bare where it can be."""
    bare = isinstance(value, str) and value and value == " ".join(value.split())
    if bare and parse_value(str(value)) == value:
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise RecordError("finite numbers", got=repr(value), remedy="check the record") from None


def parse_value(text: str) -> JSON:
    """Return the value that `format_value` wrote."""
    try:
        value: JSON = json.loads(text, parse_constant=_refuse)
        # What cannot be written again, such as half a surrogate pair, stays as it is spelt.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return text
    return value


def _refuse(word: str) -> float:
    raise ValueError(word)


def header_parts(lines: Sequence[tuple[int, str]]) -> Iterator[RecordPart]:
    """Yield the header lines, up to the first blank line.

    Args:
        lines: Lines with their numbers, after the first line of the record.

    Raises:
        LocatedError: If a line is no `name: value`.
    """
    for number, line in _unfolded(lines):
        name, colon, value = line.partition(": ")
        if not colon or not name.strip() or not value.strip():
            raise LocatedError(
                "name: value, or a blank line before the first round",
                got=repr(line),
                remedy="seed: 1; comments belong below the blank line",
                line=number,
            )
        yield RecordPart(line=number, kind=name.strip(), text=value.strip())


def format_header_line(name: str, value: JSON) -> str:
    """Return a header line, folded where it is long: at single spaces, which read back."""
    lines = [f"{name}:"]
    for word in format_value(value).split(" "):
        # A line must begin and end with a letter: blanks around it would be lost on the way.
        if len(lines[-1]) + len(word) < WIDTH or not word or lines[-1].endswith(" "):
            lines[-1] += f" {word}"
        else:
            lines.append(f"{INDENT}{word}")
    return "".join(f"{line}\n" for line in lines)


def _unfolded(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines up to the first blank one, each with the indented ones that follow it."""
    whole: list[str] = []
    first = 0
    for number, line in lines:
        if not line.strip():
            break
        if whole and line[0].isspace():
            whole.append(line.strip())
            continue
        if whole:
            yield first, " ".join(whole)
        whole, first = [line], number
    if whole:
        yield first, " ".join(whole)


def header_length(lines: Sequence[tuple[int, str]]) -> int:
    """Return how many of the lines belong to the header, the blank one after it included."""
    blank = (at for at, (_, line) in enumerate(lines) if not line.strip())
    return next(blank, len(lines) - 1) + 1


def body_parts(lines: Sequence[tuple[int, str]], starters: Collection[str]) -> Iterator[RecordPart]:
    """Yield moves and comments in order; a comment inside a move comes after it.

    Args:
        lines: Lines with their numbers, after the header.
        starters: The words that begin a move.

    Raises:
        LocatedError: If a comment has no end, or the first words begin no move.
    """
    current: RecordPart | None = None
    words: list[str] = []
    pending: list[RecordPart] = []

    def ended() -> Iterator[RecordPart]:
        if current is not None:
            yield replace(current, text=" ".join(words))
        yield from pending

    for count, part in enumerate(_segments(lines)):
        if count > _MOST_PARTS:
            raise LocatedError(
                f"at most {_MOST_PARTS:,} moves and comments",
                got="more",
                remedy="leave out comments",
                line=part.line,
            )
        if part.kind == COMMENT:
            pending.append(part)
            continue
        first, *rest = part.text.split()
        if first in starters and (current is None or part.kind == _START or first == "=>"):
            yield from ended()
            pending = []
            current, words = RecordPart(line=part.line, kind=first, text=""), rest
        elif current is None:
            raise LocatedError(
                f"a line that begins with {', '.join(sorted(starters))}",
                got=repr(cut(part.text.strip())),
                remedy="write a move on a line of its own, and a comment in braces",
                line=part.line,
            )
        else:
            words += [first, *rest]
    yield from ended()


def _segments(lines: Sequence[tuple[int, str]]) -> Iterator[RecordPart]:
    """Yield what stands outside comments, line by line, and each comment.

    Only what comes first on a line that is not indented may begin any move.
    """
    inside: list[str] | None = None
    opened = 0
    for number, line in lines:
        at, kind = 0, _MORE if line[:1].isspace() else _START
        while _LETTER.search(line, at):
            if inside is not None:
                brace = line.find("}", at)
                inside.append(line[at:] if brace < 0 else line[at:brace])
                if brace < 0:
                    break
                yield from _comment(opened, "\n".join(inside))
                inside, at = None, brace + 1
                continue
            mark = _MARK.search(line, at)
            code = line[at : mark.start() if mark else len(line)]
            if code.strip():
                yield RecordPart(line=number, kind=kind, text=code)
                kind = _MORE
            if mark is None:
                break
            at = mark.end()
            if mark[0] == ";":
                yield from _comment(number, line[at:])
                break
            inside, opened = [], number
        else:
            if inside is not None and not line.strip():
                inside.append("")
    if inside is not None:
        raise LocatedError(
            "a } after the comment that begins", got="none", remedy="close it", line=opened
        )


def _comment(number: int, text: str) -> Iterator[RecordPart]:
    tidy = "\n".join(line.strip() for line in text.split("\n")).strip()
    if tidy:
        yield RecordPart(line=number, kind=COMMENT, text=tidy)


def format_comment(text: str) -> str:
    """Return a comment as lines; those after the first are indented.

    Raises:
        RecordError: If it could not be read back.
    """
    if "}" not in text:
        first, *rest = text.split("\n")
        return "{" + "\n".join([first, *(f" {line}".rstrip() for line in rest)]) + "}\n"
    if "\n" in text:
        raise RecordError("a comment of one line", got=repr(text), remedy="leave out the }")
    return f"; {text}\n"


_FIRST = re.compile(rf"\ufeff?{MAGIC} (\d{{1,9}})\s*", re.ASCII)
_ONE = ("game", "seed", "date", "pigglesim")
"""Names that stand alone and at most once."""
_MANY = ("rule", "agent", "team", "chance", "made_with")
"""Names that are followed by what they are of."""


def format_header(header: Header) -> str:
    """Return a header as lines; house rules at their default are left out.

    Raises:
        RecordError: If a name in it is not one word, or a number is not finite.
        SpecError: If the game is unknown.
    """
    lines = (format_header_line(name, value) for name, value in _lines(header))
    return "".join([f"{MAGIC} {header.schema}\n", *lines])


def _lines(header: Header) -> Iterator[tuple[str, JSON]]:
    yield "game", header.game
    usual = make_game(header.game).settings()
    for name, value in header.house_rules.items():
        if json.dumps(value) != json.dumps(usual.get(name)):
            yield f"rule {_word(name)}", value
    yield "seed", header.seed
    if header.date is not None:
        yield "date", header.date
    for seat, agent in header.agents.items():
        yield f"agent {seat}", agent
    for model, team in groupby(header.teams.items(), key=lambda entry: entry[1]):
        yield f"team {' '.join(_word(piggle) for piggle, _ in team)}", model
    for name, value in header.chance.items():
        yield f"chance {_word(name)}", value
    for package, number in header.made_with.items():
        yield f"made_with {_word(package)}", number
    yield "pigglesim", header.version


def _word(name: str) -> str:
    if not re.fullmatch(r"[^\s:]+", name):
        raise RecordError("a name of one word without :", got=repr(name), remedy="keep JSON lines")
    return name


def parse_header(
    lines: Sequence[tuple[int, str]],
) -> tuple[Header, Game[Any, Any], Sequence[tuple[int, str]]]:
    """Return the header, the game it names under its house rules, and the lines below it.

    Args:
        lines: The lines of a record with their numbers.

    Raises:
        LocatedError: If a line of it is missing, unknown or cannot be read.
    """
    first, magic = lines[0]
    match = _FIRST.fullmatch(magic)
    if match is None:
        raise LocatedError(
            f"{MAGIC} and the version of its schema",
            got=repr(magic[:60]),
            remedy="check the path",
            line=first,
        )
    fields = _Fields()
    for part in header_parts(lines[1:]):
        if part.kind == "pigglesim":
            check_schema(int(match[1]), line=first, version=part.text)
        try:
            fields.put(part)
        except PigglesimError as error:
            raise fault_of(error, line=part.line) from None
    check_schema(int(match[1]), line=first, version="unknown")
    try:
        seats = [parse_seat(seat) for seat in fields.many["agent"]]
        game = seated_game(read(fields.one, "game", str), fields.many["rule"], seats)
        header = fields.header(game, int(match[1]))
    except PigglesimError as error:
        raise fault_of(error, line=first) from None
    return header, game, lines[1 + header_length(lines[1:]) :]


class _Fields:
    """What the lines of a header say, by name."""

    def __init__(self) -> None:
        self.one: dict[str, JSON] = {}
        self.many: dict[str, dict[str, JSON]] = {name: {} for name in _MANY}

    def put(self, part: RecordPart) -> None:
        """Take in one line.

        Raises:
            RecordError: If it is given twice.
            SpecError: If its name is unknown.
        """
        kind, *of = part.kind.split()
        value = parse_value(part.text)
        if kind in _ONE and not of:
            self._put(self.one, kind, value)
        elif kind in _MANY and of and (kind == "team" or len(of) == 1):
            for name in of:
                self._put(self.many[kind], name, value)
        else:
            raise unknown_name("line of a header", part.kind, (*_ONE, *_MANY))

    def _put(self, table: dict[str, JSON], name: str, value: JSON) -> None:
        if name in table:
            raise RecordError(f"{name} once", got="twice", remedy="leave one of them out")
        table[name] = value

    def header(self, game: Game[Any, Any], schema: int) -> Header:
        """Return the header.

        Raises:
            RecordError: If a line is missing, or its value is of the wrong kind.
        """
        agents, teams = self.many["agent"], self.many["team"]
        made_with = self.many["made_with"]
        return Header(
            schema=schema,
            version=read(self.one, "pigglesim", str) if "pigglesim" in self.one else "unknown",
            game=game.name,
            house_rules=game.settings(),
            seed=read(self.one, "seed", int),
            agents={parse_seat(seat): read(agents, seat, str) for seat in agents},
            teams={piggle: read(teams, piggle, str) for piggle in teams},
            chance=self.many["chance"],
            date=read(self.one, "date", str) if "date" in self.one else None,
            made_with={package: read(made_with, package, str) for package in made_with},
        )


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
        case MatchOutcome(result=result):
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
        return reader.playback.record(header)
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
    raise CutError(header, reader.playback.progress.entries, got=got, line=lines[-1][0])


class _Reader:
    """Plays the parts of a text one by one.

    Args:
        game: The rules.
        seats: The seats by the words that begin their moves.
    """

    def __init__(self, game: Game[Any, Any], seats: Mapping[str, Seat]) -> None:
        self.playback = RecordPlayback(game)
        self._game = game
        self._seats = seats
        self._over = False

    def take(self, part: RecordPart) -> None:
        """Play one part, or compare what it says of the end.

        Raises:
            LocatedError: If it cannot be read, does not fit, or the rules refuse it.
        """
        try:
            if part.kind in _ENDS:
                self._over = True
                self._check(part, _end_words(self.playback.progress.footer(self._game))[part.kind])
            elif part.kind == _ROUND:
                self._check(part, str(self._game.round_of(self.playback.state)))
            elif part.kind != COMMENT and self._over:
                raise RecordError("no move after the result", got=part.kind, remedy="leave it out")
            else:
                self.playback.take(self._entry(part))
        except PigglesimError as error:
            position = self._game.format_state(self.playback.state)
            entry = len(self.playback.progress.entries)
            raise fault_of(error, line=part.line, entry=entry, position=position) from error

    def _check(self, part: RecordPart, expected: str) -> None:
        if part.text != expected:
            raise RecordError(
                f"{part.kind} {expected} after these moves",
                got=repr(part.text),
                remedy="mend the moves, or leave the line as they give it",
            )

    def _entry(self, part: RecordPart) -> Entry:
        """Return the entry that a move or comment stands for in this position."""
        if part.kind == COMMENT:
            return Comment(text=part.text)
        if part.kind == _ROLL:
            state = self.playback.state
            request = self._game.chance_request(state)
            result = self._game.parse_outcome(state, part.text)
            return outcome_of(request, result, index=self.playback.progress.outcomes)
        seat, index = self._seats[part.kind], self.playback.progress.decisions
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
