"""The text form of a record, cut into its parts: header lines, comments, moves.

A header line is `name: value`, and goes on over indented lines; a blank line ends the header. Below
it a move begins on a line of
its own and may go on over further lines, indented or not, so that mail may wrap it. A comment
stands in braces, over as many lines as it needs, or between `;` and the end of its line.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pigglesim.errors import RecordError, cut
from pigglesim.games.game import JSON
from pigglesim.match.faults import LocatedError

__all__ = [
    "COMMENT",
    "INDENT",
    "MAGIC",
    "WIDTH",
    "Part",
    "body_parts",
    "format_comment",
    "format_header_line",
    "format_value",
    "header_length",
    "header_parts",
    "parse_value",
]

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
class Part:
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


def header_parts(lines: Sequence[tuple[int, str]]) -> Iterator[Part]:
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
        yield Part(line=number, kind=name.strip(), text=value.strip())


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


def body_parts(lines: Sequence[tuple[int, str]], starters: Collection[str]) -> Iterator[Part]:
    """Yield moves and comments in order; a comment inside a move comes after it.

    Args:
        lines: Lines with their numbers, after the header.
        starters: The words that begin a move.

    Raises:
        LocatedError: If a comment has no end, or the first words begin no move.
    """
    current: Part | None = None
    words: list[str] = []
    pending: list[Part] = []

    def ended() -> Iterator[Part]:
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
            current, words = Part(line=part.line, kind=first, text=""), rest
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


def _segments(lines: Sequence[tuple[int, str]]) -> Iterator[Part]:
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
                yield Part(line=number, kind=kind, text=code)
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


def _comment(number: int, text: str) -> Iterator[Part]:
    tidy = "\n".join(line.strip() for line in text.split("\n")).strip()
    if tidy:
        yield Part(line=number, kind=COMMENT, text=tidy)


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
