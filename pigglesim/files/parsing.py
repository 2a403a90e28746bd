"""TOML and JSON as plain values, within limits: nothing hangs the parsers or ends in a traceback.

What comes out holds no number beyond `MOST_NUMBER`, no text that could not be printed, and no more
values than its kind of file needs.
"""

import json
import math
import re
import tomllib
from itertools import accumulate, islice
from typing import Any

from pigglesim.errors import SpecError, cut
from pigglesim.files.kinds import MOST_NUMBER, FileKind

_MOST_DIGITS = 20
"""Of an integer with its sign that is worth its time."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Texts and comments as wholes, else the one letter that separates or encloses values. What follows
# an opening quote without a closing one is no shape: there the parsers stop too.
_TOML_SHAPE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|#[^\n]*+"
    r"|([\[\]{}=,.\n])"
    r"|[\"'].*+",
    re.DOTALL,
)
_JSON_SHAPE = re.compile(r'"(?:[^"\\]|\\.)*+"|([\[\]{},])|".*+', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1, "=": 0, ",": 0, ".": 0, "\n": 0}
"""Of depth, by letter."""


def parse_toml(text: str, kind: FileKind, *, where: str) -> dict[str, Any]:
    """Return the table that a text of TOML holds.

    Args:
        text: The TOML.
        kind: What it should be, with its limits.
        where: What to call it in a fault, such as the name of the file.

    Raises:
        SpecError: If it is no TOML, or goes beyond the limits of its kind.
    """
    _check_length(text, kind, where)
    _check_shape(text, _TOML_SHAPE, kind, where)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SpecError(
            f"{kind.noun} in TOML", got=f"{where}: {fault}", remedy="mend that line"
        ) from None
    except ValueError:
        # No TOMLDecodeError: Python makes no number of thousands of digits.
        raise SpecError(
            f"finite numbers up to {MOST_NUMBER:.1e} in {where}",
            got="an integer of thousands of digits",
            remedy="mend that number",
        ) from None
    check_values(table, kind, where=where)
    return table


def parse_json(text: str, kind: FileKind, *, where: str) -> Any:  # noqa: ANN401 (JSON)
    """Return the value that a text of JSON holds, in which every table has each key once.

    Args:
        text: The JSON.
        kind: What it should be, with its limits.
        where: What to call it in a fault, such as the name of the file.

    Raises:
        SpecError: If it is no JSON, or goes beyond the limits of its kind.
    """
    _check_length(text, kind, where)
    _check_shape(text, _JSON_SHAPE, kind, where)

    def whole(digits: str) -> int | float:
        # One of thousands of digits would raise; as a float it is refused by its key.
        return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise SpecError(
                f"each key once in {where}", got=f"{cut(repr(twice))} twice", remedy="drop one"
            )
        return found

    try:
        value = json.loads(text, parse_int=whole, object_pairs_hook=table)
    except json.JSONDecodeError as fault:
        raise SpecError(
            f"{kind.noun} in JSON", got=f"{where}: {fault}", remedy="mend it there"
        ) from None
    check_values(value, kind, where=where)
    return value


def check_values(value: object, kind: FileKind, *, where: str) -> None:
    """Raise where a parsed value holds what no file of its kind needs.

    Args:
        value: Tables, lists, texts, numbers, truth values, dates and nothing, within one another.
        kind: What it should be, with its limits.
        where: What to call it in a fault.

    Raises:
        SpecError: If it holds too many values, a text that is too long or cannot be printed, or a
            number that is not finite or beyond `MOST_NUMBER`.
    """
    left: list[object] = [value]
    count = 0
    while left:
        at = left.pop()
        count += 1
        if isinstance(at, str):
            if fault := _text_fault(at, kind):
                raise _unfit(value, at, *fault, where=where)
        elif isinstance(at, dict):
            for key in at:
                if fault := _text_fault(key, kind):
                    raise _unfit(value, at, *fault, where=where)
            left.extend(at.values())
        elif isinstance(at, list):
            left.extend(at)
        elif isinstance(at, int | float) and not -MOST_NUMBER <= at <= MOST_NUMBER:
            raise _unfit(
                value, at, f"finite, up to {MOST_NUMBER:.1e}", _number_text(at), where=where
            )
        if count + len(left) > kind.values:
            raise _too_many(kind, where)


def _unfit(whole: object, at: object, expected: str, got: str, *, where: str) -> SpecError:
    """Return the error for a value that is not as it must be; where it stands is searched anew."""
    left: list[tuple[str, object]] = [("", whole)]
    key = ""
    while left:
        key, value = left.pop()
        if value is at:
            break
        if isinstance(value, dict):
            left.extend((f"{key}.{name}".lstrip("."), inner) for name, inner in value.items())
        elif isinstance(value, list):
            left.extend((f"{key}.{number}", inner) for number, inner in enumerate(value))
    return SpecError(
        f"{cut(key) or 'all'} in {where} to be {expected}",
        got=got,
        remedy=f"mend {cut(key) or 'it'}",
    )


def _text_fault(text: str, kind: FileKind) -> tuple[str, str] | None:
    """Return what a text should be and what it is, or nothing."""
    if len(text) > kind.text:
        return f"of at most {kind.text:,} characters", f"{len(text):,}: {text[:60]!a}"
    if not text.isprintable() and (found := _UNPRINTABLE.search(text)):
        return "of letters that can be printed", f"U+{ord(found[0]):04X} in {text[:60]!a}"
    return None


def _number_text(value: int | float) -> str:
    if isinstance(value, int) and value.bit_length() > 200:
        return f"one of {math.floor(value.bit_length() * math.log10(2)) + 1} digits"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _check_length(text: str, kind: FileKind, where: str) -> None:
    if len(text) > kind.most_bytes:
        raise SpecError(
            f"at most {kind.most_bytes:,} characters in {where}",
            got=f"{len(text):,}",
            remedy="make it shorter",
        )


def _check_shape(text: str, pattern: re.Pattern[str], kind: FileKind, where: str) -> None:
    """Raise before the parser meets what would take it long: it is slow on what goes deep.

    Args:
        text: What is to be parsed.
        pattern: Its texts and comments as wholes; a group for what separates and encloses values.
        kind: What the text should be.
        where: What to call it in a fault.
    """
    shape = "".join(pattern.findall(text))
    deepest = max(accumulate(map(_STEPS.__getitem__, shape)), default=0)
    dotted = shape.find("." * kind.depth)
    if deepest > kind.depth or dotted >= 0:
        depths = enumerate(accumulate(map(_STEPS.__getitem__, shape)))
        at = next((at for at, depth in depths if depth > kind.depth), dotted)
        match = next(islice((match for match in pattern.finditer(text) if match[1]), at, None))
        raise SpecError(
            f"at most {kind.depth} lists and tables within one another, and parts of a key, "
            f"in {where}",
            got=f"more in line {text.count(chr(10), 0, match.start()) + 1}",
            remedy=f"write it as flat as other {kind.name} files",
        )
    # Each value is begun by one of these; a list or a table may have one to spare.
    if sum(map(shape.count, "[{=,")) > 2 * kind.values:
        raise _too_many(kind, where)


def _too_many(kind: FileKind, where: str) -> SpecError:
    return SpecError(
        f"at most {kind.values:,} values in {kind.noun}",
        got=f"more in {where}",
        remedy="leave some out",
    )
