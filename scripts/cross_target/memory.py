"""Runs kernels in WebAssembly: their arguments laid out in its memory, as the manifest tells.

Compiled code takes an array as seven words or more: two that are not used here, its length, the
size of an item, its address, its shape and its strides. Addresses have 32 bits, and sizes have 64
as in native code. A record is its address, and a named tuple the words of its fields.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

from pigglesim.errors import SpecError
from pigglesim.physics.impulse import engine
from scripts.cross_target.intermediate import MANIFEST, MODULE, source_digests

_AGAIN = "make it again: scripts/make_wasm FOLDER"
_PAGE = 1 << 16
_ALIGNED = 16
_HEAD = 2 * _ALIGNED
"""Bytes before the arguments: the result, and where a fault would be told."""
_SIZES = {"f64": 8, "i64": 8, "i1": 1}
"""Bytes of an item of an array."""

Word = tuple[str, int | float]
"""Type of a word, and its value."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """Arguments of one call as words, and the arrays that they point to."""

    kernel: str
    words: list[Word]
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
            ValueError: If values are not laid out as the manifest tells.
        """
        words: list[Word] = [(address, start), (address, start + _ALIGNED)]
        arrays, at = [], start + _HEAD
        for argument, value in zip(arguments, leaves(values), strict=True):
            item = argument["item"]
            if "dimensions" not in argument:
                words.append((item, float(value) if item == "f64" else int(value)))
                continue
            array = np.asarray(value)
            size = item["size"] if isinstance(item, dict) else _SIZES[item]
            shape_fits = (array.itemsize, array.ndim) == (size, argument["dimensions"])
            if not shape_fits or not array.flags.c_contiguous:
                raise ValueError(f"{argument['name']} is not laid out as the manifest tells")
            arrays.append((at, array))
            if isinstance(value, np.record):
                words.append((address, at))
            else:
                words += [(address, 0), (address, 0)]
                words += [("i64", array.size), ("i64", size), (address, at)]
                words += [("i64", number) for number in (*array.shape, *array.strides)]
            at += -(-array.nbytes // _ALIGNED) * _ALIGNED
        return cls(kernel=kernel, words=words, arrays=arrays, start=start, end=at)

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


class WebAssembly:
    """A module of kernels, run in this process.

    Args:
        folder: Folder with `impulse.wasm` and `impulse.json`.

    Raises:
        SpecError: If the module is not that of its manifest, or was made from other sources.
    """

    def __init__(self, folder: Path) -> None:
        self.manifest = json.loads((folder / MANIFEST).read_text())
        code = (folder / MODULE).read_bytes()
        if self.manifest["sha256"] != sha256(code).hexdigest():
            raise SpecError(f"{folder / MODULE} does not match {MANIFEST}", fix=_AGAIN)
        if self.manifest["sources"] != source_digests():
            raise SpecError(f"{folder / MODULE} was made from other sources", fix=_AGAIN)
        runtime = wasmtime.Engine()
        self._store = wasmtime.Store(runtime)
        module = wasmtime.Module(runtime, code)
        self._memory = wasmtime.Memory(self._store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
        top = wasmtime.GlobalType(wasmtime.ValType.i32(), mutable=True)
        table = wasmtime.TableType(wasmtime.ValType.funcref(), wasmtime.Limits(0, None))
        brought = {
            "__linear_memory": self._memory,
            "__stack_pointer": wasmtime.Global(
                self._store, top, wasmtime.Val.i32(self.manifest["free_from"])
            ),
            "__indirect_function_table": wasmtime.Table(self._store, table, None),
        }
        self._exports = wasmtime.Instance(
            self._store, module, [brought[each.name] for each in module.imports]
        ).exports(self._store)

    def call(self, name: str, values: Sequence[Any]) -> bool:
        """Call a kernel; arrays are changed in place. Return its result.

        Raises:
            ValueError: If the values are not laid out as the manifest tells.
            RuntimeError: If the kernel raised.
        """
        arguments, start = self.manifest["kernels"][name], self.manifest["free_from"]
        call = Call.of(name, values, arguments=arguments, start=start)
        after, _ = self.replay(name, call.words, start, call.image())
        return call.read_back(after)

    def replay(
        self, name: str, words: Sequence[Word], start: int, before: bytes
    ) -> tuple[bytes, float]:
        """Call a kernel with memory laid out; return the memory after it, and the time [s].

        Raises:
            RuntimeError: If the kernel raised.
        """
        missing = start + len(before) - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, -(-missing // _PAGE))
        self._memory.write(self._store, before, start)
        kernel, begin = self._exports[name], time.perf_counter()
        status = kernel(self._store, *(value for _, value in words))
        took = time.perf_counter() - begin
        if status:
            raise RuntimeError(f"{name} failed with status {status}")
        return bytes(self._memory.read(self._store, start, start + len(before))), took


@contextmanager
def kernels_replaced(
    names: Iterable[str], instead: Callable[[str, Callable[..., Any]], Callable[..., Any]]
) -> Iterator[None]:
    """Let engine `impulse` throw with other kernels meanwhile.

    Args:
        names: Names of the kernels.
        instead: Function that returns another kernel, of the name and the native one.
    """
    native = {name: getattr(engine, name) for name in names}
    try:
        for name, kernel in native.items():
            setattr(engine, name, instead(name, kernel))
        yield
    finally:
        for name, kernel in native.items():
            setattr(engine, name, kernel)


def kernels_from(module: WebAssembly) -> AbstractContextManager[None]:
    """Let engine `impulse` throw with the kernels of a module in place of native code."""
    return kernels_replaced(
        module.manifest["kernels"],
        lambda name, _: lambda *values: module.call(name, values),
    )
