"""Inputs changed at random: as tables where they are some, else as bytes; a seed gives the same."""

import random
from collections.abc import Callable, Sequence

from tests.fuzzing.target import Form, Target
from tests.fuzzing.trees import edited, parsed, written

_SHARE_OF_BYTES = 0.15
"""Of changes to a file with structure that heed none: parsers have faults too."""
_ODD_BYTES = (
    b"\x00",
    b"\xff",
    b"\xff\xff\xff\x7f",
    b"\x7f\xff\xff\xff",
    b"[",
    b"{",
    b'"',
    b"\n",
    b"9",
)


class Mutator:
    """Changes the inputs of a target.

    Args:
        target: What they are for.
        seeds: Sound inputs, from which parts are taken.
    """

    def __init__(self, target: Target, seeds: Sequence[bytes]) -> None:
        self._target = target
        self._seeds = list(seeds)
        self._words, self._parts = _harvest(target, seeds)

    def change(
        self, data: bytes, rng: random.Random, *, bytewise: Callable[[bytes], bytes] | None = None
    ) -> bytes:
        """Return an input changed in a few places.

        Args:
            data: The input.
            rng: What decides.
            bytewise: Changes bytes without sense; by `rng` if absent.
        """
        form = self._target.form
        if form in {Form.TEXT, Form.BINARY} or rng.random() < _SHARE_OF_BYTES:
            return bytewise(data) if bytewise else self._bytewise(data, rng)
        if form is Form.LINES:
            return self._line_changed(data, rng)
        return self._tree_changed(data, form, rng)[: self._target.most_bytes]

    def _tree_changed(self, data: bytes, form: Form, rng: random.Random) -> bytes:
        found = parsed(data, form) or parsed(rng.choice(self._seeds), form)
        if found is None:
            return self._bytewise(data, rng)
        value, paths = found
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            value = edited(value, paths, self._parts, self._words, rng)
        try:
            return written(value, form)
        except (ValueError, RecursionError):
            return data  # an edit that cannot be written, such as of a number too long

    def _line_changed(self, data: bytes, rng: random.Random) -> bytes:
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        way = rng.randrange(8)
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(rng.randint(0, len(lines)), lines[at])
        elif way == 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif lines[at]:
            lines[at] = self._tree_changed(lines[at], Form.JSON, rng)
        return b"\n".join(lines)

    def _bytewise(self, data: bytes, rng: random.Random) -> bytes:
        for _ in range(rng.choice((1, 1, 2, 5))):
            at, end = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
            way = rng.randrange(7)
            if way == 0:
                data = data[:at] + data[at + rng.randint(1, 9) :]
            elif way == 1:
                data = data[:at] + data[at:end] * 2 + data[end:]
            elif way == 2:
                other = rng.choice(self._seeds)
                data = data[:at] + other[rng.randint(0, len(other)) :]
            elif way == 3 and self._words:
                data = data[:at] + rng.choice(self._words).encode(errors="replace") + data[at:]
            elif way == 4:
                data = data[:at] + rng.choice(_ODD_BYTES) + data[at + rng.randint(0, 4) :]
            else:
                data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        return data[: self._target.most_bytes]


def _harvest(target: Target, seeds: Sequence[bytes]) -> tuple[list[str], list[object]]:
    """Return the words and the parts that the seeds hold."""
    words: dict[str, None] = dict.fromkeys(target.words)
    parts: list[object] = []
    for seed in seeds:
        texts = seed.split(b"\n") if target.form is Form.LINES else [seed]
        for text in texts[:200] if target.form not in {Form.TEXT, Form.BINARY} else ():
            left: list[object] = [found[0]] if (found := parsed(text, target.form)) else []
            while left and len(parts) < 2_000:
                at = left.pop()
                if isinstance(at, str):
                    words[at] = None
                elif isinstance(at, dict):
                    words |= dict.fromkeys(at)
                    left.extend(at.values())
                elif isinstance(at, list):
                    left.extend(at)
                parts.append(at)
    return list(words), parts
