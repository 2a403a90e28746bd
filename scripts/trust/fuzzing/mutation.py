"""Inputs changed at random: tables as tables, so that they pass the parser, others by bytes."""

import json
import math
import pickle
import random
import sys
import tomllib
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

from scripts.trust.fuzzing.target import Form, Target

_SHARE_OF_BYTES = 0.15
"""Share of changes that edit the bytes of a table: parsers have faults too."""
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
_BYTES = (b"\x00", b"\xff", b"\xff\xff\xff\x7f", b"\x7f\xff\xff\xff", b"[", b"{", b'"', b"\n")


class Mutator:
    """Changes the inputs of a target.

    Args:
        target: The reader that they are for.
        seeds: Valid inputs, whose parts are moved about.
    """

    def __init__(self, target: Target, seeds: Sequence[bytes]) -> None:
        self._form, self._most = target.form, target.most_bytes
        self._seeds = list(seeds)
        self._parts: list[Any] = [*_NUMBERS, *_TEXTS, *_OTHERS]
        words = list(target.words)
        if target.form in {Form.TOML, Form.JSON, Form.LINES}:
            for text in (line for seed in seeds for line in self._tables(seed)[:200]):
                for container, key in _places([parsed(text, target.form)]):
                    self._parts.append(container[key])
                    words += [each for each in (key, container[key]) if isinstance(each, str)]
        self._words = list(dict.fromkeys(words)) or ["x"]

    def _tables(self, data: bytes) -> list[bytes]:
        return data.split(b"\n") if self._form is Form.LINES else [data]

    def change(
        self, data: bytes, rng: random.Random, *, bytewise: Callable[[bytes], bytes] | None = None
    ) -> bytes:
        """Return an input changed in a few places.

        Args:
            data: The input.
            rng: Generator that decides.
            bytewise: Changes bytes of any kind. Default: a few simple edits by `rng`.
        """
        if self._form in {Form.TEXT, Form.BINARY} or rng.random() < _SHARE_OF_BYTES:
            changed = bytewise(data) if bytewise else self._bytes_changed(data, rng)
            return changed[: self._most]
        tables = self._tables(data)
        at, way = rng.randrange(len(tables)), rng.randrange(8)
        if way < 3 and self._form is Form.LINES:
            moved = [[], [tables[at]] * 2, [rng.choice(tables)]][way]
            tables[at : at + 1] = moved
        else:
            tables[at] = self._table_changed(tables[at], rng)
        return b"\n".join(tables)[: self._most]

    def _table_changed(self, data: bytes, rng: random.Random) -> bytes:
        value = parsed(data, self._form)
        if value is None:
            value = parsed(rng.choice(self._tables(rng.choice(self._seeds))), self._form)
        root = [value]
        try:
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                if places := _places(root):
                    self._edit(*rng.choice(places), rng)
            return written(root[0] if root else {}, self._form)
        except (ValueError, OverflowError, RecursionError):
            return data  # the edit cannot be written

    def _edit(self, container: Any, key: Any, rng: random.Random) -> None:
        """Change, remove, copy or rename one value in a table or list."""
        was, word = container[key], rng.choice(self._words)
        part = deepcopy(rng.choice(self._parts))
        way = rng.randrange(10)
        if way < 2:
            del container[key]
        elif way < 4:
            container[key] = part
        elif way == 4 and isinstance(container, dict):
            container[word] = container.pop(key)
        elif way == 4:
            container.insert(key, part)
        elif isinstance(was, int | float):
            container[key] = _number_changed(was, rng)
        elif isinstance(was, str):
            at, new = rng.randint(0, len(was)), rng.choice((*_TEXTS, word))
            container[key] = rng.choice((new, was[:at] + new + was[at:], was[:at] + was[at + 1 :]))
        elif isinstance(was, list):
            container[key] = rng.choice((was[::-1], was * rng.choice((2, 3, 100)), was[:1]))
        elif isinstance(was, dict):
            was[word] = part

    def _bytes_changed(self, data: bytes, rng: random.Random) -> bytes:
        for _ in range(rng.choice((1, 1, 2, 5))):
            at, end = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
            new = rng.choice((rng.choice(_BYTES), rng.choice(self._words).encode(errors="replace"),
                              bytes([rng.randrange(256)]), data[at:end], b""))  # fmt: skip
            data = data[:at] + new + data[at + rng.randint(0, 9) :]
        return data


def _number_changed(was: int | float, rng: random.Random) -> int | float:
    changes: tuple[Callable[[], int | float], ...] = (
        lambda: -was,
        lambda: was + rng.choice((-2, -1, 1, 2)),
        lambda: was * 10 ** rng.randint(-4, 4),
        lambda: float(was) if isinstance(was, int) else int(was),
        lambda: math.nextafter(was, rng.choice((-math.inf, math.inf))),
        lambda: rng.choice(_NUMBERS),
    )
    return rng.choice(changes)()


def _places(root: Any) -> list[tuple[Any, Any]]:
    """Return the table or list of each value, however deep, and its key or index there."""
    found: list[tuple[Any, Any]] = []
    left = [root]
    while left and len(found) < 2_000:
        container = left.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        found += [(container, key) for key in keys]
        left += [container[key] for key in keys if isinstance(container[key], dict | list)]
    return found


def parsed(data: bytes, form: Form) -> Any:
    """Return the value that a TOML or JSON text holds, new for each call; None if it is invalid."""
    return pickle.loads(_pickled(data, form))


@lru_cache(maxsize=512)
def _pickled(data: bytes, form: Form) -> bytes:
    try:
        text = data.decode()
        return pickle.dumps(tomllib.loads(text) if form is Form.TOML else json.loads(text))
    except (ValueError, RecursionError):
        return pickle.dumps(None)


def written(value: Any, form: Form) -> bytes:
    """Return the text that holds a value: JSON, or TOML in inline tables, which is quickest."""
    if form is not Form.TOML:
        text = json.dumps(value)
    else:
        table = value if isinstance(value, dict) else {"value": value}
        text = "".join(f"{_toml(str(key))} = {_toml(part)}\n" for key, part in table.items())
    return text.encode(errors="surrogatepass")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_toml(key)}={_toml(at)}" for key, at in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**4000 else hex(value)
    return json.dumps("" if value is None else value, ensure_ascii=False).replace("\x7f", "\\u007f")
