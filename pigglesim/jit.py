"""Compilation of hot loops by numba.

Code is compiled for any processor of the architecture: it is as fast as code for the one at hand,
has the same bits, and can be shipped. An integer constant that one compiled function passes to
another is an argument like any other; numba alone would compile a version for each of its values.

This is the one module that uses private names of numba, so its versions are pinned to tested ones.
Code is cached as `pigglesim.code_cache` tells.
"""

import pickle
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cache, cached_property
from inspect import isfunction
from io import BufferedWriter
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, ParamSpec, TypeVar

from llvmlite.ir import Constant
from numba import njit
from numba.core import config, event, types
from numba.core.caching import _Cache
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.extending import register_jitable
from numba.np import arrayobj

from pigglesim.code_cache import cached_code, is_cached, own_folders, store_code
from pigglesim.durable_io import try_lock
from pigglesim.signals import raise_deferred, signals_deferred

_POLL_INTERVAL = 0.05
"""Interval between two attempts to get the compile lock [s]."""
_LOCK_TIMEOUT = 300.0
"""Longest wait for the lock [s]: the process that holds it may have been suspended."""

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")
_PACKAGE = __name__.partition(".")[0]


def compiled(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile on the first call, and cache the result for later processes if possible."""
    return _compiled(function, error_model="python")


def compiled_as_numpy(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile likewise, but divide by zero like numpy, and check and raise nothing.

    The function may make no array. Then none needs a count of its references, which took a quarter
    of the time of a pour.
    """
    return _compiled(function, error_model="numpy")


def inlined(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile as `compiled_as_numpy`, into each caller: for the hottest functions of collisions."""
    return _compiled(function, error_model="numpy", forceinline=True)


def _compiled(
    function: Callable[_Args, _Result],
    *,
    error_model: Literal["python", "numpy"],
    forceinline: bool = False,
) -> Callable[_Args, _Result]:
    # `_nrt` switches the counting of references off; the stubs of numba leave it out.
    options: dict[str, Any] = {"error_model": error_model, "_nrt": error_model == "python"}
    options |= {"forceinline": True} if forceinline else {}
    dispatcher: Any = njit(**options)(function)
    if isinstance(dispatcher, Dispatcher):  # not where the compiler is switched off
        compiler: Any = dispatcher  # as Any, because its attributes are read-only
        compiler.targetctx = _GENERIC.target_context
        compiler._compiler.targetdescr = _GENERIC
        compiler._cache = _CompiledCode(function, error_model)
        compiler.compile = _with_signals_deferred(compiler.compile)
        compiler.get_call_template = _without_literals(compiler.get_call_template)
    typed: Callable[_Args, _Result] = dispatcher
    return typed


@cache
def usable_when_compiled(module: ModuleType) -> None:
    """Let compiled functions call those of an ordinary module, which are compiled into them."""
    for function in vars(module).values():
        if isfunction(function) and function.__module__ == module.__name__:
            register_jitable(error_model="numpy", _nrt=False)(function)


def _without_literals(template: Callable[..., object]) -> Callable[..., object]:
    """Let compiled functions call one another by types alone, not by the values of constants."""

    def plain_template(args: Sequence[Any], kws: Mapping[str, Any]) -> object:
        plain: Callable[[Any], Any] = types.unliteral
        return template(map(plain, args), {name: plain(arg) for name, arg in kws.items()})

    return plain_template


class _GenericCodegen(JITCPUCodegen):
    """Code for any processor of this architecture, unless numba's variables name another."""

    def _get_host_cpu_name(self) -> str:
        return config.CPU_NAME or "generic"  # type: ignore[attr-defined]

    def _get_host_cpu_features(self) -> str:
        return config.CPU_FEATURES or ""  # type: ignore[attr-defined]


class _GenericTarget:
    """The compiler's target without the processor at hand, which is the target of other code."""

    options = cpu_target.options
    typing_context = cpu_target.typing_context

    @cached_property
    def target_context(self) -> object:
        """Context that makes the code."""
        # Other code of this process must not get slower: it keeps its own context.
        codegen = _GenericCodegen("pigglesim")  # type: ignore[no-untyped-call]
        return cpu_target.target_context.subtarget(_internal_codegen=codegen)


_GENERIC = _GenericTarget()

_ENGINE = "9pigglesim7physics7impulse"
"""Part of the name, as LLVM has it, of each function of engine `impulse`."""
_fix_index = arrayobj.fix_integer_index


def _unchecked_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:  # noqa: ANN401
    """Return an index as it is in the engine, where none but a constant counts from the end.

    Without the test of its sign, drops are 5 % faster, and pours 3 %.
    """
    if _ENGINE in builder.function.name and not isinstance(index, Constant):
        return context.cast(builder, index, kind, types.intp)
    return _fix_index(context, builder, kind, index, size)


arrayobj.fix_integer_index = _unchecked_index


class _SignalCheck(event.Listener):
    """Listener that lets a deferred signal stop the compiler between its passes."""

    def on_start(self, event: object) -> None:
        """Raise deferred signals before a pass."""
        raise_deferred()

    def on_end(self, event: object) -> None:
        """Do nothing."""


event.register("numba:run_pass", _SignalCheck())  # type: ignore[no-untyped-call]


class _Watch(event.Listener):
    """Listener that reports which functions are compiled."""

    def __init__(self, seen: Callable[[str], None]) -> None:
        self._seen = seen

    def on_start(self, event: Any) -> None:  # noqa: ANN401 (the compiler's)
        """Report a function of this package."""
        dispatcher = event.data["dispatcher"]
        if dispatcher.__module__.split(".")[0] == _PACKAGE:
            self._seen(dispatcher.__name__)

    def on_end(self, event: object) -> None:
        """Do nothing."""


def compilation_watched(seen: Callable[[str], None]) -> AbstractContextManager[None]:
    """Call a function with the name of each function of this package that is compiled meanwhile."""
    watched: AbstractContextManager[None] = event.install_listener("numba:compile", _Watch(seen))
    return watched


def uncached(function: Callable[..., object]) -> set[str]:
    """Return the names of those functions that a compiled one calls, or is, and are not cached."""
    names: dict[object, str] = {}
    pending: list[Any] = [function]
    while pending:
        value = pending.pop()
        if isinstance(value, Dispatcher) and value not in names:
            names[value] = value.py_func.__name__
            used, known = value.py_func.__code__.co_names, value.py_func.__globals__
            pending += [known[name] for name in used if name in known]
    return {name for value, name in names.items() if not is_cached(value.__module__, name)}


class _CompileLock(threading.local):
    """The compile lock of a module: others that miss its code wait for it, and then find the code.

    The lock is released if its process dies. Within a process one thread compiles at a time, and
    holds only the lock of the function that was called: what that calls is compiled under it.
    """

    file: BufferedWriter | None = None
    """File that is locked while this thread compiles."""

    def wait(self, paths: Sequence[Path]) -> None:
        """Wait for the lock; go on without it if it cannot be written or is not released."""
        for path in paths:
            with suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                file = path.open("ab")
                break
        else:
            return
        deadline = time.monotonic() + _LOCK_TIMEOUT
        try:
            while not try_lock(file) and time.monotonic() < deadline:
                raise_deferred()
                time.sleep(_POLL_INTERVAL)
        except BaseException as fault:
            file.close()
            # Some network file systems do not support locks.
            if not isinstance(fault, OSError):
                raise
        else:
            self.file = file


_compile_lock = _CompileLock()


def _with_signals_deferred(compile_function: Callable[..., object]) -> Callable[..., object]:
    """Defer signals while a function is compiled, and then release the lock taken for it."""

    def compile_deferred(signature: object) -> object:
        file_before = _compile_lock.file
        with signals_deferred():
            try:
                return compile_function(signature)
            finally:
                if _compile_lock.file is not None and file_before is None:
                    _compile_lock.file.close()
                    _compile_lock.file = None

    return compile_deferred


class _CompiledCode(_Cache):
    """The cache that the compiler queries before it compiles.

    Args:
        function: Function to cache; it may use names of its module, but not of a closure.
        error_model: Error model for compilation.
    """

    def __init__(self, function: Callable[..., Any], error_model: str) -> None:
        self._names = function.__module__, function.__qualname__
        self._error_model = error_model
        self._folders = own_folders(function.__module__)

    @property
    def cache_path(self) -> str:
        """Folder that is written first."""
        return str(self._folders[0]) if self._folders else ""

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401 (the compiler's)
        """Return the code compiled for such types; None if there is none."""
        if self._error_model == "python":
            # It may count references, with functions that cached code does not bring. The other
            # registries of numba are for compiling, and take half a second to load.
            rtsys.initialize(target_context)
        key = self._key(sig, target_context.codegen())
        code = cached_code(*self._names, key)
        if code is None and _compile_lock.file is None:
            # The process that held the lock may have compiled the same function.
            locks = [each.parent.with_name(f"{each.parent.name}.lock") for each in self._folders]
            _compile_lock.wait(locks)
            code = cached_code(*self._names, key)
        if code is None:
            return None
        types, parts = pickle.loads(code)
        if types != sig:  # two types of one name, which should not happen
            return None
        return CompileResult._rebuild(target_context, *parts)  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Store the code compiled for such types, unless it has addresses of this process.

        The compiler's notes on types have such addresses, and nothing reads them.
        """
        if not data.library.has_dynamic_globals:
            parts = data._replace(type_annotation="")._reduce()
            code = dumps((sig, parts))  # type: ignore[no-untyped-call]
            store_code(*self._names, self._key(sig, data.codegen), code)

    def flush(self) -> None:
        """Do nothing: cached code always matches the sources, and the cache is always on."""

    enable = disable = flush

    def _key(self, sig: Any, codegen: Any) -> str:  # noqa: ANN401
        """Return the types, the target processor and the error model, as text."""
        return repr((sig, codegen.magic_tuple(), self._error_model))
