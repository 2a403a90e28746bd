"""Text form of records, for reading, annotating and mailing."""

import json
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from pigglesim.errors import PigglesimError, RecordError, cut, unknown_name
from pigglesim.games.game import JSON, Game
from pigglesim.games.registry import make_game
from pigglesim.json_codec import dump_line, from_json
from pigglesim.landing import Seat
from pigglesim.match.entries import (
    SCHEMA,
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
)
from pigglesim.match.replay import RecordPlayback, game_of, replay, seated_game
from pigglesim.match.runner import MatchEvent, start_state
from pigglesim.rng import seed_json

MAGIC = "pigglesim match record"
"""Beginning of the first line of a record; the version of the format follows."""

WIDTH, INDENT = 78, "     "
"""Line width at which text is folded [characters], and the indentation of continuations."""

_ROLL, _ROUND, _FORFEITS = "=>", "round", "forfeits"
COMMENT = "comment"
"""Kind of a part that is a comment."""
_TOKEN = re.compile(r"\{(?P<block>[^}]*)(?P<end>\}?)|;(?P<rest>[^\n]*)|(?P<code>[^{;\n]+)")
_MAX_PARTS = 1 << 19
"""Maximum moves and comments of a match."""
_START, _CONTINUED = "start", "more"
"""Kinds of text outside comments, until the move that it belongs to is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPart:
    """A header line, a move or a comment."""

    line: int
    """Number of its first line in the file."""
    kind: str
    """Name of a header line, first word of a move, or `COMMENT`."""
    text: str
    """Remaining text, with single spaces; a comment is unchanged."""


def format_value(value: JSON) -> str:
    """Return a plain value as written in a header line: text without quotes if possible."""
    unquoted = isinstance(value, str) and value and value == " ".join(value.split())
    if unquoted and parse_value(str(value)) == value:
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise RecordError(f"{value!r} is not finite", fix="check the record") from None


def parse_value(text: str) -> JSON:
    """Return the value that `format_value` wrote."""
    try:
        value: JSON = json.loads(text, parse_constant=_refuse)
        # A value that cannot be written again, such as half a surrogate pair, remains text.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return text
    return value


def _refuse(word: str) -> float:
    raise ValueError(word)


def format_header_line(name: str, value: JSON) -> str:
    """Return a header line, folded if it is long: at single spaces, which read back."""
    lines = [f"{name}:"]
    for word in format_value(value).split(" "):
        # A line must not begin or end with a space: reading would strip it.
        if len(lines[-1]) + len(word) < WIDTH or not word or lines[-1].endswith(" "):
            lines[-1] += f" {word}"
        else:
            lines.append(f"{INDENT}{word}")
    return "".join(f"{line}\n" for line in lines)


def _parts(lines: Sequence[tuple[int, str]], starters: Collection[str]) -> Iterator[RecordPart]:
    """Yield moves and comments in order; a comment inside a move comes after it."""
    current: RecordPart | None = None
    words: list[str] = []
    comments: list[RecordPart] = []

    def finished() -> Iterator[RecordPart]:
        if current is not None:
            yield replace(current, text=" ".join(words))
        yield from comments

    for count, part in enumerate(_segments(lines)):
        if count > _MAX_PARTS:
            problem = f"more than {_MAX_PARTS:,} moves and comments"
            raise LocatedError(problem, fix="remove comments", line=part.line)
        first, *rest = part.text.split() if part.kind != COMMENT else [""]
        if part.kind == COMMENT:
            comments.append(part)
        elif first in starters and (current is None or part.kind == _START or first == _ROLL):
            yield from finished()
            comments = []
            current, words = RecordPart(line=part.line, kind=first, text=""), rest
        elif current is None:
            raise LocatedError(
                f"unknown move {cut(part.text.strip())!r}",
                expected=f"a line that begins with {', '.join(sorted(starters))}",
                fix="put each move on its own line, and comments in braces",
                line=part.line,
            )
        else:
            words += [first, *rest]
    yield from finished()


def _segments(lines: Sequence[tuple[int, str]]) -> Iterator[RecordPart]:
    """Yield the text outside comments, line by line, and each comment.

    Only the first words of an unindented line may begin any move.
    """
    text = "\n".join(line for _, line in lines)
    number, at, code_line, line_start = lines[0][0] if lines else 0, 0, 0, 0
    for token in _TOKEN.finditer(text):
        if breaks := text.count("\n", at, token.start()):
            number, line_start = number + breaks, text.rfind("\n", at, token.start()) + 1
        at = token.start()
        if token["code"] is not None:
            if token["code"].strip():
                continues = text[line_start].isspace() or code_line == number
                kind = _CONTINUED if continues else _START
                code_line = number
                yield RecordPart(line=number, kind=kind, text=token["code"])
            continue
        if token["block"] is not None and not token["end"]:
            raise LocatedError("a comment has no end", fix="close it with }", line=number)
        content = token["block"] if token["block"] is not None else token["rest"]
        comment = "\n".join(line.strip() for line in content.split("\n")).strip()
        if comment:
            yield RecordPart(line=number, kind=COMMENT, text=comment)


_FIRST = re.compile(rf"\ufeff?{MAGIC} (\d{{1,9}})\s*", re.ASCII)
_SINGLE_NAMES = ("game", "seed", "date", "position", "pigglesim")
"""Header names without an argument, at most once each."""
_REPEATED_NAMES = ("rule", "agent", "name", "code", "team", "chance", "made_with")
"""Header names followed by a second name."""


def _header_lines(header: Header) -> Iterator[tuple[str, JSON]]:
    """Yield the names and values of a header; house rules at their default are omitted."""
    yield "game", header.game
    defaults = make_game(header.game).settings()
    for name, value in header.house_rules.items():
        if json.dumps(value) != json.dumps(defaults.get(name)):
            yield f"rule {_word(name)}", value
    yield "seed", header.seed
    if header.date is not None:
        yield "date", header.date
    if header.position is not None:
        yield "position", header.position
    for seat, agent in header.agents.items():
        yield f"agent {seat}", agent
    for seat, person in header.names.items():
        yield f"name {seat}", person
    for seat, digest in header.code.items():
        yield f"code {seat}", digest
    for model, team in groupby(header.teams.items(), key=lambda entry: entry[1]):
        yield f"team {' '.join(_word(piggle) for piggle, _ in team)}", model
    for name, value in header.chance.items():
        yield f"chance {_word(name)}", value
    for package, number in header.made_with.items():
        yield f"made_with {_word(package)}", number
    yield "pigglesim", header.version


def _word(name: str) -> str:
    if not re.fullmatch(r"[^\s:]+", name):
        raise RecordError(f"{name!r} is not one word without :", fix="write JSON lines instead")
    return name


def _header_values(lines: Iterator[tuple[int, str]], *, schema: int, first: int) -> dict[str, Any]:
    """Return the values in the lines of a header, by name; those below it remain in `lines`."""
    values: dict[str, Any] = {name: {} for name in _REPEATED_NAMES}
    for number, line in _unfold(lines):
        name, colon, value = line.partition(": ")
        try:
            if not colon or not name.strip() or not value.strip():
                raise RecordError(
                    f"invalid header line {line!r}",
                    expected="name: value",
                    fix="put a blank line before the first round or comment",
                )
            if name.strip() == "pigglesim":
                check_schema(schema, line=first, version=value.strip())
            _store(values, name.strip(), parse_value(value.strip()))
        except PigglesimError as error:
            raise fault_of(error, line=number) from None
    return values


def _parse_header(
    lines: Sequence[tuple[int, str]],
) -> tuple[Header, Game[Any, Any], Sequence[tuple[int, str]]]:
    """Return the header, its game under its house rules, and the lines below it."""
    first, magic = lines[0]
    match = _FIRST.fullmatch(magic)
    if match is None:
        raise LocatedError(
            f"{magic[:60]!r} does not begin a record",
            expected=f"{MAGIC} {SCHEMA}",
            fix="check the path",
            line=first,
        )
    rest = iter(lines[1:])
    values = _header_values(rest, schema=int(match[1]), first=first)
    check_schema(int(match[1]), line=first, version="unknown")
    try:
        if not isinstance(values.get("game"), str):
            raise RecordError("the name of the game is missing", fix="add game: piggles_classic")
        game = seated_game(values["game"], values["rule"], values["agent"])
        position = values.get("position")
        if isinstance(position, str):
            position = game.format_state(start_state(game, position))
        seed = values.get("seed")
        keys = {
            "schema": SCHEMA,
            "version": values.get("pigglesim", "unknown"),
            "made_with": values["made_with"] or None,
            "game": game.name,
            "house_rules": game.settings(),
            "seed": seed_json(seed) if isinstance(seed, int) else seed,
            "agents": values["agent"],
            "code": values["code"] or None,
            "teams": values["team"],
            "chance": values["chance"],
            "date": values.get("date"),
            "position": position,
            "names": values["name"] or None,
        }
        present = {key: value for key, value in keys.items() if value is not None}
        header = from_json(Header, dump_line(present))
    except PigglesimError as error:
        raise fault_of(error, line=first) from None
    return header, game, list(rest)


def _unfold(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines up to the first blank one, each joined with its indented continuations."""
    parts: list[str] = []
    first = 0
    for number, line in lines:
        if parts and line.strip() and line[0].isspace():
            parts.append(line.strip())
            continue
        if parts:
            yield first, " ".join(parts)
        if not line.strip():
            return
        parts, first = [line], number
    if parts:
        yield first, " ".join(parts)


def _store(values: dict[str, Any], name: str, value: JSON) -> None:
    """Store one line of a header, which must be known and occur once."""
    kind, *names = name.split()
    if kind in _SINGLE_NAMES and not names:
        table, keys = values, [kind]
    elif kind in _REPEATED_NAMES and names and (kind == "team" or len(names) == 1):
        table, keys = values[kind], names
    else:
        raise unknown_name("line of a header", name, (*_SINGLE_NAMES, *_REPEATED_NAMES))
    for key in keys:
        if key in table:
            raise RecordError(f"{key} occurs twice", fix="remove one of them")
        table[key] = value


_FOLD = textwrap.TextWrapper(
    WIDTH, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
)
_RESULT, _SCORES, _STATE = "result:", "scores:", "final_state:"
_ENDS = (_RESULT, _SCORES, _STATE)


def format_text(record: MatchRecord) -> str:
    """Return a record as text.

    Raises:
        RecordError: If a name in its header is not one word, a number is not finite, or it does
            not fit the rules, which are needed to find its rounds.
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
    ends = (f"{name} {text}\n" for name, text in _end_lines(record.footer).items())
    lines = (format_header_line(name, value) for name, value in _header_lines(record.header))
    return "".join([f"{MAGIC} {record.header.schema}\n", *lines, "\n", *moves, *ends])


def _format_entry(game: Game[Any, Any], event: MatchEvent[Any]) -> str:
    match event.entry:
        case Decision(seat=seat, action=action):
            return f"{seat} {action}\n"
        case MatchOutcome(result=result):
            line = f"  {_ROLL} {game.format_outcome(event.before, result)}"
            return f"{_FOLD.fill(line)}\n"
        case Forfeit(seat=seat, cause=cause, detail=detail):
            return f"{seat} {_FORFEITS} {cause}: {detail}".rstrip() + "\n"
        case Comment(text=text) if "}" in text:
            return f"; {text}\n"
        case Comment(text=text):
            first, *rest = text.split("\n")
            return "{" + "\n".join([first, *(f" {line}".rstrip() for line in rest)]) + "}\n"


def _end_lines(footer: Footer) -> dict[str, str]:
    """Return the lines of the end, by their first words."""
    if footer.result is None:
        result = f"none ({footer.status})"
    elif footer.result.winner is None:
        result = f"draw ({footer.result.reason})"
    else:
        result = f"{footer.result.winner} wins ({footer.result.reason})"
    scores = ", ".join(f"{seat} {score}" for seat, score in footer.scores.items())
    return {_RESULT: result, _SCORES: scores, _STATE: footer.final_state}


def parse_text(text: str, *, first: int = 1) -> MatchRecord:
    """Return the record in a text, with its moves played through the rules.

    Raises:
        CutError: If it ends before its result; the error holds the part before.
        LocatedError: If a part cannot be read, or the rules reject a move.
    """
    texts = text.removesuffix("\n").split("\n")
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(texts, start=first)]
    header, game, rest = _parse_header(lines)
    reader = _TextReader(game, position=header.position)
    parts = list(_parts(rest, {_ROUND, _ROLL, *_ENDS, *game.seats}))
    if any(part.kind == _RESULT for part in parts):
        for part in parts:
            reader.read(part)
        return reader.record(header)
    for part in parts:
        last = part is parts[-1]
        if last and part.kind != COMMENT and not text.endswith("\n"):
            break
        try:
            reader.read(part)
        except LocatedError as fault:
            # A cut shortens a move, but does not turn it into an illegal one.
            if not last or fault.rule is not None:
                raise
    raise CutError(header, reader.progress.entries, line=lines[-1][0])


class _TextReader(RecordPlayback):
    """Player of the parts of a text, one by one."""

    def __init__(self, game: Game[Any, Any], *, position: str | None) -> None:
        super().__init__(game, position=position)
        self._over = False

    def read(self, part: RecordPart) -> None:
        """Play one part, or compare it with the end of the match."""
        try:
            if part.kind in _ENDS:
                self._over = True
                self._check(part, _end_lines(self.progress.footer(self.game))[part.kind])
            elif part.kind == _ROUND:
                self._check(part, str(self.game.round_of(self.state)))
            elif part.kind != COMMENT and self._over:
                raise RecordError(f"{part.kind} follows the result", fix="remove it")
            else:
                self.take(self._entry(part))
        except PigglesimError as error:
            state, entry = self.game.format_state(self.state), len(self.progress.entries)
            raise fault_of(error, line=part.line, entry=entry, position=state) from error

    def _check(self, part: RecordPart, expected: str) -> None:
        if part.text != expected:
            raise RecordError(
                f"{part.kind} {part.text} contradicts the moves",
                expected=expected,
                fix="correct the moves or the line",
            )

    def _entry(self, part: RecordPart) -> Entry:
        """Return the entry that a move or comment represents in this state."""
        if part.kind == COMMENT:
            return Comment(text=part.text)
        if part.kind == _ROLL:
            request = self.game.chance_request(self.state)
            result = self.game.parse_outcome(self.state, part.text)
            return outcome_of(request, result, index=self.progress.outcomes)
        seat, index = Seat(part.kind), self.progress.decisions
        first, _, reason = part.text.partition(" ")
        if first != _FORFEITS:
            action = self.game.format_action(self.game.parse_action(part.text))
            return Decision(index=index, seat=seat, action=action)
        cause, _, detail = reason.partition(":")
        if cause not in set(Cause):
            raise unknown_name("cause of a forfeit", cause, Cause)
        return Forfeit(index=index, seat=seat, cause=Cause(cause), detail=detail.strip())
