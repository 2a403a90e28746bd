"""The digest of a result: of every bit of its values, and of nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256

import numpy as np


def digest(value: object) -> str:
    """Return the SHA-256 of a value, written so that different values are written differently.

    Numbers count to the last bit, and a float differs from an integer; the order of mappings and of
    the fields of a dataclass counts. The layout of an array in memory does not count, nor do names
    of dataclasses, of their fields and of members of enums: renaming moves no bit.

    Args:
        value: Plain values, arrays, enums, frozen dataclasses, and whatever holds those.

    Raises:
        TypeError: If something else is in it.
    """
    hashed = sha256()
    todo = [value]
    # A stack, as results may be deep; what is inside comes after its own head, last part first.
    while todo:
        head, inside = _parts(todo.pop())
        hashed.update(head)
        todo += reversed(inside)
    return hashed.hexdigest()


def _parts(value: object) -> tuple[bytes, Sequence[object]]:
    """Return the bytes that begin a value, and the values that it holds."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return f"{value};".encode(), ()
    if isinstance(value, Enum):
        return b"enum;", (value.value,)
    if isinstance(value, int):
        return f"int {value};".encode(), ()
    if isinstance(value, float):
        return f"float {value.hex()};".encode(), ()
    if isinstance(value, str):
        return _text("text", value), ()
    if isinstance(value, bytes):
        return b"bytes %d;" % len(value) + value, ()
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Mapping):
        return f"mapping {len(value)};".encode(), [part for pair in value.items() for part in pair]
    if isinstance(value, Sequence):
        return f"sequence {len(value)};".encode(), value
    if is_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
        return f"data {len(parts)};".encode(), parts
    raise TypeError(f"no canonical bytes of {type(value).__name__}")


def _text(kind: str, text: str) -> bytes:
    data = text.encode()
    return f"{kind} {len(data)};".encode() + data


def _array(array: np.ndarray) -> tuple[bytes, Sequence[object]]:
    head = f"array {array.shape};"
    if array.dtype.kind == "O":
        return head.encode(), array.ravel().tolist()
    kind = array.dtype.newbyteorder("<")
    return f"{head}{kind.str};".encode() + array.astype(kind).tobytes(), ()
