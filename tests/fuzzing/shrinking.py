"""Inputs made fewer and shorter that still do what they did."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from tests.fuzzing import registry
from tests.fuzzing.target import Feed, fault_in, scratch_folder

_SECONDS = 10.0
_MOST_FILES, _MOST_BYTES = 40, 9 * 1024
"""Of the kept corpus of a target."""


def shrunk(target: str, data: bytes, key: str) -> bytes:
    """Return a shorter input that breaks a reader in the same place.

    Args:
        target: Whose reader.
        data: The input.
        key: What and where it was, as the report tells.
    """
    with scratch_folder() as place:
        feed = registry.find(target).prepare(Path(place))
        return shorter(data, lambda part: _breaks(feed, part, key), until=time.time() + _SECONDS)


def _breaks(feed: Feed, data: bytes, key: str) -> bool:
    try:
        feed(data)
    except BaseException as error:
        told = fault_in(error)
        return bool(told) and key.startswith(told)
    return False


def shorter(data: bytes, holds: Callable[[bytes], bool], *, until: float) -> bytes:
    """Return what is left of an input after every piece is cut out that can be, long ones first.

    Args:
        data: The input.
        holds: Whether what is left still does what the input did.
        until: When to stop, on the clock of `time.time`.
    """
    size = len(data) // 2
    while size and time.time() < until:
        at = 0
        while at < len(data) and time.time() < until:
            without = data[:at] + data[at + size :]
            if holds(without):
                data = without
            else:
                at += size
        size //= 2
    return data


def corpus_of(target: str, inputs: Sequence[bytes]) -> list[bytes]:
    """Return a few short inputs that take every line of the readers that all of them take.

    Args:
        target: Whose readers.
        inputs: To choose from.
    """
    chosen = registry.find(target)
    seeds = set(chosen.seeds())
    with scratch_folder() as place:
        feed = chosen.prepare(Path(place))
        reach = {data: _arcs(feed, data) for data in sorted(set(inputs) - seeds, key=len)}
        taken: set[tuple[str, int, int]] = set()
        for seed in seeds:
            taken |= _arcs(feed, seed)
    return list(_cover(reach, taken))


def _cover(reach: dict[bytes, set[Any]], taken: set[Any]) -> Iterator[bytes]:
    """Yield the input that adds most, again and again, until none adds any or there is no room."""
    files = size = 0
    while files < _MOST_FILES and reach:
        best = max(reach, key=lambda data: (len(reach[data] - taken), -len(data)))
        if not reach[best] - taken:
            return
        taken |= reach.pop(best)
        if size + len(best) <= _MOST_BYTES:
            files, size = files + 1, size + len(best)
            yield best


def _arcs(feed: Feed, data: bytes) -> set[tuple[str, int, int]]:
    """Return the steps from line to line that a reader takes in our own files."""
    found: set[tuple[str, int, int]] = set()
    last: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        file = frame.f_code.co_filename
        if "pigglesim/" not in file:
            return None
        if event == "line":
            found.add((file, last.get(frame, 0), frame.f_lineno))
            last[frame] = frame.f_lineno
        return trace

    sys.settrace(trace)
    try:
        feed(data)
    except Exception:
        return found
    finally:
        sys.settrace(None)
    return found
