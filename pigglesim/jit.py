"""Compilation of hot loops by numba, and compiled code kept from run to run.

This is the one module that uses private names of numba, so its versions are pinned to tested ones.
Numba's own cache looks only at the file that a function stands in: after an edit of a module that
it calls, it would run the old code. It also trusts every file it finds, and of two processes that
write at once one may leave its code under the other's name. Here a folder's name is the digest of
all sources, a file's that of the types it was compiled for, and a file holds its own digest. That
is for accidents: whoever may write these folders may as well write Python's own compiled files.
"""

import os
import pickle
import re
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from io import BufferedWriter
from pathlib import Path
from sys import implementation
from typing import Any, Literal, ParamSpec, TypeVar

from numba import njit
from numba.core import event
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from pigglesim.data_files import user_cache
from pigglesim.durable_io import try_lock
from pigglesim.signals import raise_deferred, signals_deferred

_LOCK = "compiling.lock"
_LOOKED = 0.05
"""How often somebody who waits looks whether it is its turn to compile [s]."""
_PATIENCE = 300.0
"""Longest that it waits [s]: whoever has its turn may have been stopped for good."""

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")
_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(
    r"^\s*(?:from\s+(pigglesim[\w.]*)\s+import\s+(\([^)]*\)|.+)|import\s+(.+))$", re.MULTILINE
)
_STATES = 3
"""States of a module's sources whose code is kept, so that two worked on in turns both last."""
_COMPILER = ("numba", "llvmlite", "numpy")
"""Whose versions decide what code is made, or what it may find in memory."""


def is_kept(module: str, function: str) -> bool:
    """Return whether there is code of a function, for whatever types, so that none is waited for.

    Args:
        module: Its full name, such as `"pigglesim.solvers.kernel"`.
        function: Its name there.
    """
    return any(any(folder.glob(f"{function}-*")) for folder in code_folders(module))


def kept(module: str, function: str, key: str) -> bytes | None:
    """Return code that was kept, or None: a file that is damaged counts as none.

    Args:
        module: The module of the function.
        function: Its name there.
        key: The types and the processor that it was compiled for.
    """
    for folder in code_folders(module):
        with suppress(OSError):
            data = (folder / _file_name(function, key)).read_bytes()
            digest, code = data[:32], data[32:]
            if digest == _seal(key, code):
                return code
    return None


def keep(module: str, function: str, key: str, code: bytes) -> None:
    """Keep code in the first folder that can be written, whole or not at all; or nowhere.

    Args:
        module: The module of the function.
        function: Its name there.
        key: The types and the processor that it was compiled for.
        code: What `kept` shall return.
    """
    for folder in code_folders(module):
        with suppress(OSError):
            _write(folder / _file_name(function, key), _seal(key, code) + code)
            with suppress(OSError):  # of another process that sweeps too
                _sweep(folder)
            return


@cache
def code_folders(module: str) -> tuple[Path, ...]:
    """Return where code of a module is looked for, and kept where it can be, in this order.

    That is beside the sources, or in the user's own folder for such things where those cannot be
    written; or where `NUMBA_CACHE_DIR` says. Without sources to look at, code is not kept, and
    nor is that of others' modules.
    """
    if module.split(".")[0] != _PACKAGE.name:
        return ()
    try:
        files = sources(module)
        digest = sha256(b"".join(sha256(file.read_bytes()).digest() for file in files))
    except OSError:
        return ()
    digest.update(repr((implementation.cache_tag, *map(version, _COMPILER))).encode())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    roots = [
        *([Path(chosen) / "pigglesim"] if chosen else []),
        _PACKAGE / "__pycache__" / "compiled",
        *([own / "compiled"] if (own := user_cache()) else []),
    ]
    return tuple(root / module / digest.hexdigest()[:24] for root in roots)


def sources(module: str) -> tuple[Path, ...]:
    """Return the files of a module and of all that it imports from this package, however far.

    Compiled code holds what it calls and every number that it names, wherever they come from.

    Raises:
        OSError: If a file of them cannot be read.
    """
    found: dict[str, Path] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = _file(name)
            # How code is kept and interrupted, which this module imports, is not in the code.
            if name != __name__:
                todo += _imported(found[name].read_text(encoding="utf-8"))
    return tuple(found[name] for name in sorted(found))


def _imported(text: str) -> list[str]:
    """Return the modules of this package that a source imports."""
    names = set()
    for package, things, modules in _IMPORT.findall(text):
        if package:
            inner = {f"{package}.{thing}" for thing in re.findall(r"\w+", things)}
            names |= {package, *(name for name in inner if _is_module(name))}
        names |= {name for name in re.findall(r"[\w.]+", modules) if _is_module(name)}
    return sorted(names)


def _is_module(name: str) -> bool:
    return name.split(".")[0] == _PACKAGE.name and _file(name).exists()


def _file(module: str) -> Path:
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _file_name(function: str, key: str) -> str:
    return f"{function}-{sha256(key.encode()).hexdigest()[:24]}"


def _seal(key: str, code: bytes) -> bytes:
    """Return a digest of code and of what it is for: neither torn nor moved, it is the same."""
    return sha256(sha256(key.encode()).digest() + code).digest()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        part.write_bytes(data)
        # Whoever reads meanwhile has the old file or the new one, whole.
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove code of states that lie longer behind."""
    states = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    others = [state for state in states if state != folder]
    for state in others[_STATES - 1 :]:
        # Whoever still works with it has it in memory, and makes anew what it misses.
        shutil.rmtree(state, ignore_errors=True)


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
        compiler: Any = made  # its parts are read-only else
        compiler._cache = _CompiledCode(function, error_model)
        compiler.compile = _undisturbed(compiler.compile)
    typed: Callable[_Args, _Result] = made
    return typed


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

    file: BufferedWriter | None = None
    """The file that is locked while this thread has its turn."""

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
        except BaseException as fault:
            file.close()
            # Some file systems of networks lock nothing.
            if not isinstance(fault, OSError):
                raise
        else:
            self.file = file


_turn = _Turn()


def _undisturbed(compiling: Callable[..., object]) -> Callable[..., object]:
    """Put off signals while a function is compiled, and then give back the turn taken for it."""

    def compile_undisturbed(signature: object) -> object:
        had = _turn.file
        with signals_deferred():
            try:
                return compiling(signature)
            finally:
                if _turn.file is not None and had is None:
                    _turn.file.close()
                    _turn.file = None

    return compile_undisturbed


class _CompiledCode(_Cache):
    """The cache that the compiler asks for code before it makes some.

    Args:
        function: Whose code it is; it may refer to what its module knows, but to no closure's.
        error_model: How it is compiled.
    """

    def __init__(self, function: Callable[..., Any], error_model: str) -> None:
        self._names = function.__module__, function.__qualname__
        self._model = error_model
        self._folders = code_folders(function.__module__)

    @property
    def cache_path(self) -> str:
        """The folder that is tried first."""
        return str(self._folders[0]) if self._folders else ""

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401 (the compiler's)
        """Return what was compiled for such types; None if nothing was."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        code = kept(*self._names, key)
        if code is None and _turn.file is None:
            # Whoever had its turn until now may have made just this.
            _turn.wait([folder.parents[1] for folder in self._folders])
            code = kept(*self._names, key)
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
            keep(*self._names, self._key(sig, data.codegen), code)

    def enable(self) -> None:
        """Do nothing: it is always on."""

    def disable(self) -> None:
        """Do nothing: it is always on."""

    def flush(self) -> None:
        """Do nothing: what lies there is made of the sources as they are."""

    def _key(self, sig: Any, codegen: Any) -> str:  # noqa: ANN401
        """Return types, the processor that code is made for, and how, as text."""
        return repr((sig, codegen.magic_tuple(), self._model))
