"""Reading of untrusted files: regular, small, TOML, JSON or text, and within limits."""

import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, TypeVar

from pigglesim.errors import SpecError, cut

MAX_NUMBER = 2**63 - 1
"""Largest absolute value of a number in any file: 64 bits, as in TOML."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of file, and the limits of its contents."""

    name: str
    """Displayed name, such as `"scene"`."""
    max_bytes: int = 128 * 1024
    depth: int = 12
    """Maximum nesting of lists and tables, and parts of a dotted key."""
    values: int = 20_000
    """Maximum number of values: tables, lists, texts, numbers and others."""
    text: int = 4_096
    """Maximum characters of one text or key."""

    @property
    def noun(self) -> str:
        """Kind with its article, such as `"a scene file"`."""
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name} file"


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "a text in quotes",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "dict": "a table",
    "mapping": "a table",
    "model": "a table",
    "dataclass": "a table",
    "none": "nothing",
}
"""Nouns by the first word of pydantic's error type."""
_BOUNDS = {
    "greater_than": "above {gt:g}",
    "greater_than_equal": "{ge:g} or more",
    "less_than": "below {lt:g}",
    "less_than_equal": "{le:g} or less",
    "multiple_of": "a multiple of {multiple_of:g}",
    "string_too_short": "a text of {min_length} or more characters",
    "string_too_long": "a text of at most {max_length} characters",
    "string_pattern_mismatch": "a text that matches {pattern}",
    "too_short": "of {min_length} or more entries",
    "too_long": "of at most {max_length} entries",
    "enum": "{expected}",
    "literal_error": "{expected}",
}


_Checked = TypeVar("_Checked")
_MAX_FAULTS = 8
"""Maximum errors of a file that are shown at once; with more it is probably the wrong file."""


def validated(
    check: Callable[..., _Checked],
    plain: object,
    *,
    expected: str,
    fix: str = "correct the keys named",
) -> _Checked:
    """Return plain values validated by pydantic, strictly: `true` and `"0.3"` are not numbers.

    Args:
        check: Validator of JSON, such as `Model.model_validate_json`.
        plain: Values as parsed from a file.
        expected: Description of valid values, for the error.
        fix: Correction, for the error.

    Raises:
        SpecError: If they are invalid; every invalid key is named.
    """
    from pydantic import ValidationError  # noqa: PLC0415 (slow to import)

    try:
        # Strict validation takes a list for a tuple, and a text for a member of an enum, in JSON
        # alone. A date of TOML becomes a text.
        return check(json.dumps(plain, default=str), strict=True)
    except ValidationError as faults:
        errors: list[dict[str, Any]] = [dict(fault) for fault in faults.errors(include_url=False)]
        lines = [
            f"{cut('.'.join(map(str, fault['loc']))) or 'the file'}: {fault_text(fault)}"
            for fault in errors[:_MAX_FAULTS]
        ]
        lines += [f"and {len(errors) - _MAX_FAULTS} more"] if len(errors) > _MAX_FAULTS else []
        raise SpecError("; ".join(lines), expected=expected, fix=fix) from None


def fault_text(fault: Mapping[str, Any]) -> str:
    """Return the error of a value, such as `must be a whole number (got 1.5)`."""
    match fault["type"]:
        case "missing":
            return "missing"
        case "extra_forbidden":
            return "unknown key"
        case "value_error":
            return expected_value(fault)
        case _:
            return f"must be {expected_value(fault)} (got {cut(repr(fault['input']))})"


def expected_value(fault: Mapping[str, Any]) -> str:
    """Return the expected value by one of pydantic's errors, such as `a whole number`."""
    kind, limits = str(fault["type"]), fault.get("ctx", {})
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**limits)
    if kind == "value_error":
        # A check of this program has the message.
        return str(fault["msg"]).removeprefix("Value error, ")
    return _KINDS.get(kind.partition("_")[0], "another value")


_MAX_DIGITS = 20
"""Maximum digits, with the sign, of an integer that is parsed."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Texts and comments as a whole, otherwise the one letter that separates or encloses values. Text
# after an unclosed quote does not match: there the parsers stop too.
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
"""Change of depth by letter."""


def parse_toml(text: str, kind: FileKind, *, where: str) -> dict[str, Any]:
    """Return the table in a TOML text; errors call it `where`.

    Raises:
        SpecError: If it is not TOML, or exceeds the limits of its kind.
    """
    _check_length(text, kind, where)
    _check_shape(text, _TOML_SHAPE, kind, where)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SpecError(f"{where}: {fault}", expected="TOML", fix="correct that line") from None
    except ValueError:
        # Not a TOMLDecodeError: Python parses no integer of thousands of digits.
        raise SpecError(
            f"an integer of thousands of digits in {where}",
            expected=f"up to {MAX_NUMBER:.1e}",
            fix="correct that number",
        ) from None
    check_values(table, kind, where=where)
    return table


def parse_json(text: str, kind: FileKind, *, where: str) -> Any:  # noqa: ANN401 (JSON)
    """Return the value in a JSON text; errors call it `where`.

    Every table must have each key once.

    Raises:
        SpecError: If it is not JSON, or exceeds the limits of its kind.
    """
    _check_length(text, kind, where)
    _check_shape(text, _JSON_SHAPE, kind, where)

    def integer(digits: str) -> int | float:
        # An integer of thousands of digits would raise; as a float it is refused by its key.
        return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise SpecError(f"the key {cut(repr(twice))} twice in {where}", fix="remove one")
        return values

    try:
        value = json.loads(text, parse_int=integer, object_pairs_hook=table)
    except json.JSONDecodeError as fault:
        raise SpecError(f"{where}: {fault}", expected="JSON", fix="correct it there") from None
    check_values(value, kind, where=where)
    return value


def check_values(value: object, kind: FileKind, *, where: str) -> None:
    """Raise if a parsed value, called `where`, exceeds the limits of its kind.

    Raises:
        SpecError: If it has too many values, a text that is too long or not printable, or a
            number that is not finite or exceeds `MAX_NUMBER`.
    """
    pending: list[object] = [value]
    count = 0
    while pending:
        node = pending.pop()
        count += 1
        if isinstance(node, str):
            if fault := _text_fault(node, kind):
                raise _unfit(value, node, *fault, where=where)
        elif isinstance(node, dict):
            for key in node:
                if fault := _text_fault(key, kind):
                    raise _unfit(value, node, *fault, where=where)
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, int | float) and not -MAX_NUMBER <= node <= MAX_NUMBER:
            expected = f"a finite number up to {MAX_NUMBER:.1e}"
            raise _unfit(value, node, expected, _number_text(node), where=where)
        if count + len(pending) > kind.values:
            raise _too_many(kind, where)


def _unfit(root: object, culprit: object, expected: str, actual: str, *, where: str) -> SpecError:
    """Return the error for an invalid value, after searching for its position."""
    pending: list[tuple[str, object]] = [("", root)]
    key = ""
    while pending:
        key, value = pending.pop()
        if value is culprit:
            break
        if isinstance(value, dict):
            pending.extend((f"{key}.{name}".lstrip("."), inner) for name, inner in value.items())
        elif isinstance(value, list):
            pending.extend((f"{key}.{number}", inner) for number, inner in enumerate(value))
    problem = f"{where}: {cut(key) or 'all'}: {actual}"
    return SpecError(problem, expected=expected, fix=f"correct {cut(key) or 'it'}")


def _text_fault(text: str, kind: FileKind) -> tuple[str, str] | None:
    """Return the expected and the actual text, or None if it is valid."""
    if len(text) > kind.text:
        return f"at most {kind.text:,} characters", f"{len(text):,} characters, {text[:60]!a}"
    if not text.isprintable() and (match := _UNPRINTABLE.search(text)):
        return "printable letters", f"U+{ord(match[0]):04X} in {text[:60]!a}"
    return None


def _number_text(value: int | float) -> str:
    if isinstance(value, int) and value.bit_length() > 200:
        return f"one of {math.floor(value.bit_length() * math.log10(2)) + 1} digits"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _check_length(text: str, kind: FileKind, where: str) -> None:
    if len(text) > kind.max_bytes:
        raise SpecError(
            f"{len(text):,} characters in {where}",
            expected=f"at most {kind.max_bytes:,}",
            fix="make it shorter",
        )


def _check_shape(text: str, pattern: re.Pattern[str], kind: FileKind, where: str) -> None:
    """Raise before the parser reads deep nesting, on which it is slow."""
    shape = "".join(pattern.findall(text))
    deepest = max(accumulate(map(_STEPS.__getitem__, shape)), default=0)
    dotted = shape.find("." * kind.depth)
    if deepest > kind.depth or dotted >= 0:
        depths = enumerate(accumulate(map(_STEPS.__getitem__, shape)))
        at = next((at for at, depth in depths if depth > kind.depth), dotted)
        match = next(islice((match for match in pattern.finditer(text) if match[1]), at, None))
        raise SpecError(
            f"{where} nests too deeply in line {text.count(chr(10), 0, match.start()) + 1}",
            expected=f"at most {kind.depth} levels",
            fix=f"write it as flat as other {kind.name} files",
        )
    # Each value starts after one of these; a list or a table may have one more.
    if sum(map(shape.count, "[{=,")) > 2 * kind.values:
        raise _too_many(kind, where)


def _too_many(kind: FileKind, where: str) -> SpecError:
    return SpecError(
        f"too many values in {where}",
        expected=f"at most {kind.values:,} in {kind.noun}",
        fix="leave some out",
    )


_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789¹²³"}
)
"""Names that are devices in every folder of Windows, with any suffix."""


def read_file(path: Path, kind: FileKind) -> bytes:
    """Return the bytes of a file.

    Raises:
        SpecError: If it is missing, not a regular file (a folder, a pipe, a device), unreadable,
            or larger than its kind allows.
    """
    return _read(path, kind, follow=True)[0]


def read_with_status(path: Path, kind: FileKind) -> tuple[bytes, os.stat_result]:
    """Return the bytes of a file that is not a link, and the status of the very file that was read.

    Raises:
        SpecError: As `read_file`, or if it is a link.
    """
    return _read(path, kind, follow=False)


def _read(path: Path, kind: FileKind, *, follow: bool) -> tuple[bytes, os.stat_result]:
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    # Checked before opening, as opening a pipe blocks and opening a device may have effects; and
    # again afterwards, as it may have been replaced meanwhile.
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        _check_file(path, path.stat() if follow else path.lstat(), kind)
        with os.fdopen(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            _check_file(path, status, kind)
            data = file.read(kind.max_bytes + 1)
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise SpecError(
            f"{kind.noun} cannot be read: {cut(str(path), 400)}: {why}",
            fix="check the path" if follow else "check its name",
        ) from None
    if len(data) > kind.max_bytes:
        raise _too_big(path, f"more than {kind.max_bytes:,}", kind)
    return data, status


def _check_file(path: Path, status: os.stat_result, kind: FileKind) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SpecError(
            f"{cut(str(path), 400)} is {_file_type(status.st_mode)}",
            expected=kind.noun,
            fix="give a regular file",
        )
    if status.st_size > kind.max_bytes:
        raise _too_big(path, f"{status.st_size:,}", kind)


def _file_type(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISLNK, "a link"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((noun for test, noun in kinds if test(mode)), "a device")


def _too_big(path: Path, size: str, kind: FileKind) -> SpecError:
    return SpecError(
        f"{cut(str(path), 400)} has {size} bytes",
        expected=f"{kind.noun} of at most {kind.max_bytes:,}",
        fix="make it smaller, or check that it is the right file",
    )


def read_text(path: Path, kind: FileKind) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        SpecError: If it cannot be read, is larger than its kind allows, or is not UTF-8.
    """
    return decoded(read_file(path, kind), where=path.name)


def decoded(data: bytes, *, where: str) -> str:
    """Return the text of UTF-8 bytes, without a byte order mark.

    Raises:
        SpecError: If they are not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise SpecError(
            f"{where}: byte 0x{data[fault.start]:02x} in line {line} is not UTF-8",
            fix="save it as UTF-8 text",
        ) from None


def beside(path: Path, name: str, kind: FileKind) -> Path:
    """Return the path of a file named in another file: a bare name, in that file's own folder.

    Args:
        path: File that names it; for a link, the folder is that of its target.
        name: The name.
        kind: Kind of the named file.

    Raises:
        SpecError: If the name points to another folder, or would be a device on some system.
    """
    stem = name.partition(".")[0].rstrip(" ").upper()
    if (
        not name
        or any(letter in name for letter in '/\\:*?"<>|')
        or not name.isprintable()
        or name != name.strip(" ").rstrip(".")
        or stem in _DEVICES
        or len(name.encode()) > 255
    ):
        raise SpecError(
            f"invalid name {cut(repr(name))} of {kind.noun} in {path.name}",
            expected="a bare name",
            fix="put the file into the same folder and give its bare name",
        )
    return path.resolve().parent / name


def read_beside(path: Path, name: str, kind: FileKind) -> bytes:
    """Return the bytes of a file named in another file, as `beside` finds it; not of a link.

    Raises:
        SpecError: If the name points to another folder, or the file cannot be read.
    """
    return read_with_status(beside(path, name, kind), kind)[0]


def read_toml(path: Path, kind: FileKind) -> dict[str, Any]:
    """Return the table in a TOML file.

    Raises:
        SpecError: If it cannot be read, is not TOML, or exceeds the limits of its kind.
    """
    return parse_toml(read_text(path, kind), kind, where=path.name)


def read_json(path: Path, kind: FileKind) -> Any:  # noqa: ANN401 (JSON)
    """Return the value in a JSON file.

    Raises:
        SpecError: If it cannot be read, is not JSON, or exceeds the limits of its kind.
    """
    return parse_json(read_text(path, kind), kind, where=path.name)
