"""How hot loops are compiled, once for all runs."""

import pickle
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedWriter
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from numba import njit
from numba.core import event
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from pigglesim.durable_io import try_lock
from pigglesim.jit_cache import code_folders, keep, kept
from pigglesim.signals import raise_deferred, signals_deferred

_LOCK = "compiling.lock"
_LOOKED = 0.05
"""How often somebody who waits looks whether it is its turn to compile [s]."""
_PATIENCE = 300.0
"""Longest that it waits [s]: whoever has its turn may have been stopped for good."""

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


def compiled(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile when first called, and keep the result for the next process where one can."""
    return _compiled(function, error_model="python")


def compiled_as_numpy(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile likewise, but divide by zero as numpy does: nothing is checked, nothing raised."""
    return _compiled(function, error_model="numpy")


def _compiled(
    function: Callable[_Args, _Result], *, error_model: Literal["python", "numpy"]
) -> Callable[_Args, _Result]:
    made: Any = njit(error_model=error_model)(function)
    if isinstance(made, Dispatcher):  # not where the compiler is switched off
        _prepare(made, _Kept(function, error_model))
    typed: Callable[_Args, _Result] = made
    return typed


def _prepare(dispatcher: Any, code: "_Kept") -> None:  # noqa: ANN401 (its parts are read-only else)
    """Have a function look for its code there, and put off signals while it is compiled."""
    dispatcher._cache = code
    dispatcher.compile = signals_deferred()(_turn_given_back()(dispatcher.compile))


class _Breath(event.Listener):
    """Lets a signal that was put off stop the compiler where its own steps meet."""

    def on_start(self, event: object) -> None:
        """Let it out before a step."""
        raise_deferred()

    def on_end(self, event: object) -> None:
        """Do nothing."""


event.register("numba:run_pass", _Breath())  # type: ignore[no-untyped-call]


class _Turn(threading.local):
    """The turn to compile: other processes that miss code wait for it, and then find the code.

    One that dies gives its turn back. Within a process the compiler has one thread at a time.
    """

    def __init__(self) -> None:
        self._file: BufferedWriter | None = None

    @property
    def is_ours(self) -> bool:
        """Whether this thread has it."""
        return self._file is not None

    def wait(self, folders: Sequence[Path]) -> None:
        """Wait for it; where no lock can be written, or none comes free, do without.

        Args:
            folders: Where code is kept; the first in which a file can be written has the lock.
        """
        for folder in folders:
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                file = (folder / _LOCK).open("ab")
                break
        else:
            return
        until = time.monotonic() + _PATIENCE
        try:
            while not try_lock(file) and time.monotonic() < until:
                raise_deferred()
                time.sleep(_LOOKED)
        except OSError:
            # Some file systems of networks lock nothing.
            file.close()
        except BaseException:
            file.close()
            raise
        else:
            self._file = file

    def give_back(self) -> None:
        """Let the next one have it."""
        if self._file is not None:
            self._file.close()
            self._file = None


_turn = _Turn()


@contextmanager
def _turn_given_back() -> Iterator[None]:
    """Give back the turn that is taken within, however that ends."""
    had = _turn.is_ours
    try:
        yield
    finally:
        if not had:
            _turn.give_back()


class _Kept(_Cache):
    """What the compiler asks for code before it makes some.

    Args:
        function: Whose code it is; it may refer to what its module knows, but to no closure's.
        error_model: How it is compiled.
    """

    def __init__(self, function: Callable[..., Any], error_model: str) -> None:
        names = function.__module__, function.__qualname__
        self._model = error_model
        self._folders = code_folders(names[0])
        self._kept, self._keep = partial(kept, *names), partial(keep, *names)

    @property
    def cache_path(self) -> str:
        """The folder that is tried first."""
        return str(self._folders[0]) if self._folders else ""

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401 (the compiler's)
        """Return what was compiled for such types; None if nothing was."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        code = self._kept(key)
        if code is None and not _turn.is_ours:
            # Whoever had its turn until now may have made just this.
            _turn.wait([folder.parents[1] for folder in self._folders])
            code = self._kept(key)
        if code is None:
            return None
        types, parts = pickle.loads(code)
        if types != sig:  # two types with one name, which there should not be
            return None
        return CompileResult._rebuild(target_context, *parts)  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Keep what was compiled for such types, unless it holds addresses of this process."""
        if not data.library.has_dynamic_globals:
            code = dumps((sig, data._reduce()))  # type: ignore[no-untyped-call]
            self._keep(self._key(sig, data.codegen), code)

    def enable(self) -> None:
        """Do nothing: it is always on."""

    def disable(self) -> None:
        """Do nothing: it is always on."""

    def flush(self) -> None:
        """Do nothing: what lies there is made of the sources as they are."""

    def _key(self, sig: Any, codegen: Any) -> str:  # noqa: ANN401
        """Return types, the processor that code is made for, and how, as text."""
        return repr((sig, codegen.magic_tuple(), self._model))
