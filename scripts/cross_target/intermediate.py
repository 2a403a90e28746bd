"""Numba's intermediate code of the kernels of throws, and LLVM's objects of it for other targets.

The code is taken before it is optimised for this machine: afterwards it has instructions of this
processor and sizes of its addresses.
"""

import re
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodeLibrary

from pigglesim import jit
from pigglesim.code_cache import code_folders
from pigglesim.physics.impulse.kernels import find_looks, run_drops, run_throw, throw_copies
from pigglesim.precompile import compile_ahead

# ruff: noqa: ANN401 (the compiler's objects have no types)

KERNELS = {run_drops: "drops", run_throw: "pours", find_looks: "copies", throw_copies: "copies"}
"""Compiled functions that other targets get, each with the kind of work that compiles it."""
WASM32, AARCH64 = "wasm32-unknown-unknown", "aarch64-unknown-linux-gnu"


def source_digests() -> dict[str, str]:
    """Return the digest of all sources of each kernel, and of the versions that compile them."""
    return {kernel.__name__: code_folders(kernel.__module__)[0].name for kernel in KERNELS}


class Intermediate:
    """Intermediate code of the kernels, and of all that they call.

    The kernels are compiled anew for this machine too, and cached.
    """

    def __init__(self) -> None:
        self._texts: dict[CPUCodeLibrary, list[str]] = {}
        self.compiled: dict[str, Any] = {}
        """What the compiler made of each kernel, by name."""
        add, load = CPUCodeLibrary.add_ir_module, jit._CompiledCode.load_overload
        try:
            CPUCodeLibrary.add_ir_module = self._keeping(add)
            jit._CompiledCode.load_overload = lambda *_: None
            for kind in dict.fromkeys(KERNELS.values()):
                compile_ahead([kind])
            for kernel in KERNELS:
                (self.compiled[kernel.__name__],) = kernel.overloads.values()
        finally:
            CPUCodeLibrary.add_ir_module = add
            jit._CompiledCode.load_overload = load

    def _keeping(self, add: Any) -> Any:
        def add_and_keep(library: CPUCodeLibrary, module: Any) -> None:
            self._texts.setdefault(library, []).append(str(module))
            add(library, module)

        return add_and_keep

    def object_for(self, triple: str) -> bytes:
        """Return an object file with one function for each kernel, of its name."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        machine = llvm.Target.from_triple(triple).create_target_machine(
            opt=3, reloc="static", codemodel="default"
        )
        module = self._linked(triple, str(machine.target_data))
        names = {each.fndesc.llvm_func_name: name for name, each in self.compiled.items()}
        for function in module.functions:
            if (name := names.get(function.name)) is not None:
                function.name, function.linkage = name, llvm.Linkage.external
            elif not function.is_declaration:
                function.linkage = llvm.Linkage.internal
        for variable in module.global_variables:
            if not variable.is_declaration:
                variable.linkage = llvm.Linkage.internal
        module.verify()
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        for _ in range(2):  # as numba does: what is inlined can be optimised again
            passes = llvm.create_pass_builder(machine, options)
            passes.getModulePassManager().run(module, passes)
        return machine.emit_object(module)

    def _linked(self, triple: str, layout: str) -> llvm.ModuleRef:
        whole = llvm.parse_assembly("")
        whole.triple, whole.data_layout = triple, layout
        for library in _needed([each.library for each in self.compiled.values()]):
            for text in self._texts.get(library, ()):
                # Without these two lines it has those of the module that it is linked into.
                text = re.sub(r"^target (triple|datalayout) = .*$", "", text, flags=re.MULTILINE)
                whole.link_in(llvm.parse_assembly(text))
        return whole


def _needed(libraries: Sequence[CPUCodeLibrary]) -> list[CPUCodeLibrary]:
    """Return libraries and all that they link to."""
    needed: dict[CPUCodeLibrary, None] = {}
    pending = list(libraries)
    while pending:
        library = pending.pop()
        if library not in needed:
            needed[library] = None
            pending += library._linking_libraries
    return list(needed)
