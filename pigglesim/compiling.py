"""How hot loops are compiled, once for all runs."""

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, ParamSpec, TypeVar

from numba import njit
from numba.core import event
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from pigglesim.kept_code import code_folders, keep, kept
from pigglesim.undisturbed import breathe, undisturbed

__all__ = ["compiled", "compiled_as_numpy"]

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
    dispatcher.compile = undisturbed()(dispatcher.compile)


class _Breath(event.Listener):
    """Lets a signal that was put off stop the compiler where its own steps meet."""

    def on_start(self, event: object) -> None:
        """Let it out before a step."""
        breathe()

    def on_end(self, event: object) -> None:
        """Do nothing."""


event.register("numba:run_pass", _Breath())  # type: ignore[no-untyped-call]


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
        code = self._kept(self._key(sig, target_context.codegen()))
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
