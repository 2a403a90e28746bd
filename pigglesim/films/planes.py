"""Whole numbers that change little over time, as bytes that compress well, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Whole", "from_planes", "to_planes"]

Whole = NDArray[np.int64]
"""An array of whole numbers, the first axis of which is time."""


def to_planes(values: Whole, *, width: int) -> bytes:
    """Return a series as the bytes of its second differences, all first bytes first.

    What lies still or drifts evenly has none, and what moves has small ones, of which only the
    first byte is not zero.

    Args:
        values: Of which no second difference over time needs more than `width` bytes.
        width: Bytes of each number: 4 or 8.
    """
    second = np.diff(np.diff(values, axis=0, prepend=0), axis=0, prepend=0)
    folded = (second << 1) ^ (second >> 63)
    series = np.ascontiguousarray(folded.reshape(len(values), -1).T).astype(f"<u{width}")
    return series.view(np.uint8).reshape(-1, width).T.tobytes()


def from_planes(planes: bytes, shape: tuple[int, ...], *, width: int) -> Whole:
    """Return the series that `to_planes` wrote.

    Args:
        planes: Just as many bytes as that shape needs.
        shape: Of the series, time first.
        width: Bytes of each number: 4 or 8.
    """
    series = np.frombuffer(planes, dtype=np.uint8).reshape(width, -1).T
    folded: NDArray[Any] = np.ascontiguousarray(series).view(f"<u{width}").astype(np.uint64)
    second = (folded >> np.uint64(1)).astype(np.int64) ^ -(folded & np.uint64(1)).astype(np.int64)
    columns = second.reshape(-1, shape[0])
    values: Whole = np.cumsum(np.cumsum(columns, axis=1), axis=1).T.reshape(shape)
    return values
