"""Tables edited and written again, so that what is wrong with them gets past the parser."""

import datetime
import json
import math
import random
import sys
import tomllib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

_NUMBERS: tuple[int | float, ...] = (
    0, -0.0, 1, -1, 2, 3, 7, 0.5, 1 / 3, 12, 13, 100, 255, 256, 1000, 10**5, 10**9, 2**31,
    2**53 + 1, 2**63 - 1, -(2**63), 2**64, 10**400, 1e-5, 1e-9, 1e-30, 1e-160, 1e-300, 5e-324,
    1e4, 9999.999, 1e9, 1e18, 1e100, 1e200, sys.float_info.max, math.inf, -math.inf, math.nan,
)  # fmt: skip
_TEXTS = (
    "", " ", "x", "0", "-1", "1e999", "nan", "true", "none", "A", "B", "é", "\u202e", "\x00",
    "\x1b[2J", "a\nb", "a,b", ",", ",,,", "+", "a+b+c", "../x", "/dev/zero", "CON", "[/bold]",
    "%s%n", "{}", "x" * 90, "x" * 3000, "\u06f1", "\u00b2", "\ud800", "woods", "-0", "1_000",
    "1:2", "field:9" * 9,
)  # fmt: skip
_OTHERS: tuple[Any, ...] = (True, False, None, [], {}, [[]], [{}], {"": {}}, [0], [""], {"x": 1})

Path = tuple[str | int, ...]


@lru_cache(maxsize=512)
def parsed(data: bytes, form: str) -> tuple[Any, tuple[Path, ...]] | None:
    """Return the value that a text holds and the paths of all values in it; None if it is no text.

    Args:
        data: The text.
        form: `"toml"`, or JSON.
    """
    try:
        text = data.decode()
        value = tomllib.loads(text) if form == "toml" else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value, tuple(_paths(value))


def _paths(value: Any) -> list[Path]:
    found: list[Path] = []
    left: list[tuple[Path, Any]] = [((), value)]
    while left and len(found) < 2_000:
        path, at = left.pop()
        found.append(path)
        inner = (
            at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
        )
        left.extend(((*path, key), part) for key, part in inner)
    return found


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _put(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """Return a value in which what stands at a path is changed; all else is shared, not copied."""
    if not path:
        return change(value)
    key, *rest = path
    new = dict(value) if isinstance(value, dict) else list(value)
    new[key] = _put(value[key], tuple(rest), change)  # type: ignore[index]
    return new


def edited(
    value: Any,
    paths: Sequence[Path],
    others: Sequence[Any],
    words: Sequence[str],
    rng: random.Random,
) -> Any:
    """Return a value with one place in it changed.

    Args:
        value: What a file holds.
        paths: Of all values in it.
        others: Values from elsewhere that may be put in.
        words: Texts and keys that mean something.
        rng: What decides.
    """
    path = rng.choice(paths)
    try:
        return _put(value, path, lambda was: _changed(was, others, words, rng))
    except (KeyError, IndexError, TypeError):
        return value  # an edit before this one took the place away


def _changed(was: Any, others: Sequence[Any], words: Sequence[str], rng: random.Random) -> Any:
    way = rng.random()
    if way < 0.08:
        return rng.choice(others) if others else None
    if isinstance(was, dict) and way < 0.9:
        return _changed_table(was, others, words, rng)
    if isinstance(was, list) and way < 0.9:
        return _changed_list(was, others, rng)
    if isinstance(was, bool) or was is None or way < 0.16:
        return rng.choice((*_OTHERS, rng.choice(_NUMBERS), rng.choice(_TEXTS)))
    if isinstance(was, int | float):
        return _changed_number(was, rng)
    if isinstance(was, str):
        return _changed_text(was, words, rng)
    return rng.choice(_OTHERS)


def _changed_number(was: int | float, rng: random.Random) -> int | float:
    way = rng.randrange(8)
    try:
        if way == 0:
            return -was
        if way == 1:
            return was + rng.choice((-2, -1, 1, 2))
        if way == 2:
            return was * 10 ** rng.randint(-4, 4)
        if way == 3:
            return float(was) if isinstance(was, int) else int(was)
        if way == 4:
            return math.nextafter(was, rng.choice((-math.inf, math.inf)))
        if way == 5:
            return was * rng.uniform(0.0, 3.0)
    except (OverflowError, ValueError):
        pass
    return rng.choice(_NUMBERS)


def _changed_text(was: str, words: Sequence[str], rng: random.Random) -> str:
    way = rng.randrange(6)
    if way < 2 and words:
        return rng.choice(words)
    if way == 2:
        return rng.choice(_TEXTS)
    at = rng.randint(0, len(was))
    if way == 3:
        return was[:at] + rng.choice(_TEXTS) + was[at:]
    if way == 4 and words:
        return was[:at] + rng.choice(words) + was[at:]
    return was[:at] + was[at + 1 :] if rng.random() < 0.5 else was[::-1]


def _changed_list(was: list[Any], others: Sequence[Any], rng: random.Random) -> list[Any]:
    at = rng.randint(0, len(was))
    way = rng.randrange(6)
    if way == 0:
        return was[:at]
    if way == 1 and was:
        return was * rng.choice((2, 3, 10, 100))
    if way == 2:
        return was[::-1]
    if way == 3 and was:
        return [*was, was[rng.randrange(len(was))]]
    if way == 4:
        return [*was[:at], rng.choice((*_NUMBERS, *_OTHERS, *others)), *was[at:]]
    return was[:at] + was[at + 1 :]


def _changed_table(
    was: dict[str, Any], others: Sequence[Any], words: Sequence[str], rng: random.Random
) -> dict[str, Any]:
    new = dict(was)
    key = rng.choice(list(was)) if was else ""
    way = rng.randrange(6)
    if way == 0:
        new.pop(key, None)
    elif way == 1 and words:
        new[rng.choice(words)] = new.pop(key, 1)
    elif way == 2 and words:
        new[rng.choice(words)] = rng.choice((*_NUMBERS, *_TEXTS, *_OTHERS, *others))
    elif way == 3 and was:
        other = rng.choice(list(was))
        new[key], new[other] = new[other], new[key]
    elif way == 4 and was:
        new[key] = rng.choice((*_NUMBERS, *_TEXTS, *_OTHERS, *others))
    else:
        new[rng.choice(_TEXTS)] = new.get(key, 1)
    return new


def written(value: Any, form: str) -> bytes:
    """Return the text that holds a value: TOML as short as it goes, or JSON."""
    if form == "toml":
        table = value if isinstance(value, dict) else {"value": value}
        text = "".join(f"{_quoted(key)} = {_toml(part)}\n" for key, part in table.items())
    else:
        text = json.dumps(value)
    return text.encode(errors="surrogatepass")


def _toml(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return _digits(value)
        case float():
            return repr(value)
        case str():
            return _quoted(value)
        case dict():
            return "{" + ",".join(f"{_quoted(key)}={_toml(at)}" for key, at in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_toml, value)) + "]"
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return '""'


@lru_cache(256)
def _digits(value: int) -> str:
    # Kept: the digits of a number of thousands take longer than all else that is written.
    return str(value) if abs(value) < 10**4000 else hex(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
