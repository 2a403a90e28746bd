"""Runs kernels in WebAssembly: their arguments laid out in its memory, as the manifest tells."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import wasmtime

from pigglesim.errors import SpecError
from pigglesim.physics.impulse import engine
from pigglesim.physics.impulse.webassembly import MANIFEST, MODULE, Call, Word
from scripts.cross_target.intermediate import source_digests

_AGAIN = "make it again: scripts/make_wasm FOLDER"
_PAGE = 1 << 16


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
            ValueError: If the values do not have the layout in the manifest.
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
