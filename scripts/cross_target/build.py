"""Compiles engine `impulse` to WebAssembly, from the same source as its native code.

Run by `scripts/make_wasm`. LLVM's own back end makes it, and neither another compiler nor a linker
is needed. The folder gets `impulse.wasm`, and `impulse.json`, which tells what the module was made
from and how its arguments lie in memory; `physics.impulse.webassembly` lays them out so.
"""

import argparse
import inspect
import json
import platform
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from numba.core import types

from pigglesim.physics.impulse.webassembly import MANIFEST, MODULE, cache_folder
from scripts.cross_target.intermediate import KERNELS, WASM32, Intermediate, source_digests
from scripts.cross_target.wasm_object import data_end, imported, with_exports

# ruff: noqa: ANN401 (the compiler's objects have no types)

_PROVIDED = {"__linear_memory", "__stack_pointer", "__indirect_function_table"}
"""What a module may import: its memory, the end of its stack, and a table that is not used."""
_STACK = 1 << 16
"""Least size of the stack [bytes]: it lies behind the constants, and grows downwards."""
_ITEMS = {types.float64: "f64", types.int64: "i64", types.boolean: "i1"}


def main() -> None:
    """Build the module into a folder."""
    parser = argparse.ArgumentParser(prog="scripts/make_wasm", description=__doc__)
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        help=f"folder for {MODULE} and {MANIFEST}. Default: where pages of rolls take them from",
    )
    folder = parser.parse_args().folder or cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    code = Intermediate()
    module = wasm_module(code)
    (folder / MODULE).write_bytes(module)  # first, as the manifest shows that both are there
    (folder / MANIFEST).write_text(json.dumps(manifest_of(code, module), indent=1) + "\n")
    print(f"{folder / MODULE}: {len(module):,} bytes", file=sys.stderr)


def wasm_module(code: Intermediate) -> bytes:
    """Return the kernels as one WebAssembly module.

    Raises:
        SystemExit: If a kernel calls a function that would have to be brought.
    """
    module = with_exports(code.object_for(WASM32), list(code.compiled))
    if missing := set(imported(module)) - _PROVIDED:
        raise SystemExit(f"the kernels call {', '.join(sorted(missing))}, which wasm has not")
    return module


def manifest_of(code: Intermediate, module: bytes) -> dict[str, Any]:
    """Return what a module was made from, and how it is called."""
    kernels = {kernel.__name__: kernel for kernel in KERNELS}
    return {
        "sha256": sha256(module).hexdigest(),
        "sources": source_digests(),
        "made_with": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("numba", "llvmlite", "numpy")},
        },
        # Address of the end of the stack; the caller's memory may begin there.
        "free_from": -(-data_end(module) // _STACK) * _STACK + _STACK,
        "kernels": {
            name: list(_arguments_of(kernel, code.compiled[name].signature))
            for name, kernel in kernels.items()
        },
    }


def _arguments_of(kernel: Any, signature: Any) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a kernel, with named tuples taken apart into their fields."""
    names = inspect.signature(kernel.py_func).parameters
    for name, kind in zip(names, signature.args, strict=True):
        yield from _arguments(name, kind)


def _arguments(name: str, kind: types.Type) -> Iterator[dict[str, Any]]:
    if isinstance(kind, types.BaseTuple):
        parts = getattr(kind, "fields", None) or range(len(kind))
        for part, inner in zip(parts, kind, strict=True):
            yield from _arguments(f"{name}.{part}", inner)
    elif isinstance(kind, types.Array):
        yield {"name": name, "dimensions": kind.ndim, "item": _item(kind.dtype)}
    elif isinstance(kind, types.Record):
        yield {"name": name, "dimensions": 0, "item": _item(kind)}
    else:
        yield {"name": name, "item": _item(kind)}


def _item(kind: types.Type) -> str | dict[str, Any]:
    """Return the type of a number, or the fields of a record."""
    if not isinstance(kind, types.Record):
        return _ITEMS[kind]
    fields = {}
    for name, field in kind.fields.items():
        inner = field.type
        shape = list(inner.shape) if isinstance(inner, types.NestedArray) else []
        item = _ITEMS[inner.dtype if shape else inner]
        fields[name] = {"offset": field.offset, "shape": shape, "item": item}
    return {"size": kind.size, "fields": fields}


if __name__ == "__main__":
    main()
