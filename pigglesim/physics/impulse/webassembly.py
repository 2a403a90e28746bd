"""Calls of the engine's kernels in WebAssembly: where the module is, how arguments are laid out.

Compiled code takes an array as seven words or more: two that are not used here, its length, the
size of an item, its address, its shape and its strides. Addresses have 32 bits, and sizes have 64
as in native code. A record is its address, and a named tuple the words of its fields.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pigglesim.code_cache import code_folders, own_folders

MODULE, MANIFEST = "impulse.wasm", "impulse.json"
"""Files of a folder with the kernels in WebAssembly."""
_SHIPPED = Path(__file__).parents[2] / "webassembly"
"""Folder of a wheel with the module made from its sources."""
_SOURCE = "pigglesim.physics.impulse.kernels"
_ALIGNED = 16
_HEAD = 2 * _ALIGNED
"""Bytes before the arguments: room for the result and for an error code."""
ADDRESS = 4
"""Number of the word of an array that is its address."""
_SIZES = {"f64": 8, "i64": 8, "i1": 1}
"""Bytes of an item of an array."""

Word = tuple[str, int | float]
"""Type of a word, and its value."""


def module_folder() -> Path | None:
    """Return the folder with the module of these sources, or None if none was made."""
    folders = (_SHIPPED, *code_folders(_SOURCE))
    return next((folder for folder in folders if (folder / MANIFEST).is_file()), None)


def module_of_sources() -> tuple[bytes, dict[str, Any]] | None:
    """Return the module of these sources and its manifest, or None if none was made."""
    folder = module_folder()
    if folder is None:
        return None
    return (folder / MODULE).read_bytes(), json.loads((folder / MANIFEST).read_text())


def cache_folder() -> Path:
    """Return the folder where `module_folder` finds a module made in a checkout."""
    return own_folders(_SOURCE)[0]


@dataclass(frozen=True, kw_only=True)
class Call:
    """Arguments of one call as words, and the arrays that they point to."""

    kernel: str
    words: list[Word]
    first_word: dict[str, int]
    """Number of the first word of each argument, by name."""
    arrays: list[tuple[int, np.ndarray]]
    """Address of each array, and the array."""
    start: int
    """First address of the memory that the caller gives."""
    end: int

    @classmethod
    def of(
        cls,
        kernel: str,
        values: Sequence[Any],
        *,
        arguments: Sequence[Mapping[str, Any]],
        start: int,
        address: str = "i32",
    ) -> "Call":
        """Lay out the values of a kernel's parameters.

        Args:
            kernel: Name of the kernel.
            values: Numbers, arrays, records, and named tuples of those.
            arguments: Arguments of the kernel, from the manifest.
            start: First address that may be used.
            address: Type of an address.

        Raises:
            ValueError: If values do not have the layout in the manifest.
        """
        words: list[Word] = [(address, start), (address, start + _ALIGNED)]
        first_word = {}
        arrays, at = [], start + _HEAD
        for argument, value in zip(arguments, leaves(values), strict=True):
            item = argument["item"]
            first_word[argument["name"]] = len(words)
            if "dimensions" not in argument:
                words.append((item, float(value) if item == "f64" else int(value)))
                continue
            array = np.asarray(value)
            size = item["size"] if isinstance(item, dict) else _SIZES[item]
            shape_fits = (array.itemsize, array.ndim) == (size, argument["dimensions"])
            if not shape_fits or not array.flags.c_contiguous:
                raise ValueError(f"{argument['name']} does not have the layout in the manifest")
            arrays.append((at, array))
            if isinstance(value, np.record):
                words.append((address, at))
            else:
                words += [(address, 0), (address, 0)]
                words += [("i64", array.size), ("i64", size), (address, at)]
                words += [("i64", number) for number in (*array.shape, *array.strides)]
            at += -(-array.nbytes // _ALIGNED) * _ALIGNED
        return cls(
            kernel=kernel, words=words, first_word=first_word, arrays=arrays, start=start, end=at
        )

    def address(self, name: str) -> int:
        """Return the address of an array among the arguments."""
        return int(self.words[self.first_word[name] + ADDRESS][1])

    def image(self) -> bytes:
        """Return the bytes from `start` to `end`."""
        image = bytearray(self.end - self.start)
        for at, array in self.arrays:
            image[at - self.start : at - self.start + array.nbytes] = array.tobytes()
        return bytes(image)

    def read_back(self, image: bytes) -> bool:
        """Change the arrays to what is in memory after the call; return the call's result."""
        for at, array in self.arrays:
            after = image[at - self.start : at - self.start + array.nbytes]
            if after != array.tobytes():  # some may not be written, and are not
                array[...] = np.frombuffer(after, array.dtype).reshape(array.shape)
        return bool(image[0])


def leaves(values: Sequence[Any]) -> Iterator[Any]:
    """Yield numbers, arrays and records, out of all tuples."""
    for value in values:
        if isinstance(value, tuple):
            yield from leaves(value)
        else:
            yield value
