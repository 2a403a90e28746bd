"""A cache of compiled code: which sources it was made from, and where its files are.

Numba's own cache checks only the file that defines a function: after an edit of a module that it
calls, it would run the old code. It also trusts every file it finds, and of two processes that
write at once one may store its code under the other's name. Here a folder's name is the digest of
all sources, a file's that of its types, and a file contains its own digest. That is against
accidents only: a user who can write these folders can also write Python's own compiled files.

It imports no compiler, so that a process which only asks what is compiled starts at once.
"""

import os
import re
import shutil
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from sys import implementation

from pigglesim.data_files import user_cache

SHIPPED = "compiled"
"""Folder of the package with the code shipped with it, if there is any."""

_PACKAGE = Path(__file__).parent
_DECORATORS = f"{_PACKAGE.name}.jit"
"""Module that compiles. Its own imports, for caching and signals, are not in compiled code."""
_IMPORT = re.compile(
    r"^\s*(?:from\s+(pigglesim[\w.]*)\s+import\s+(\([^)]*\)|.+)|import\s+(.+))$", re.MULTILINE
)
_NAME = re.compile(r"(?<!as )\b(?!as\b)\w+")
"""Names in a list of imports, without those that they are given here."""
_STATES = 3
"""Number of states of a module's sources whose code is cached, so alternating edits keep both."""
_COMPILER = "numba"
"""Package whose version decides how code is stored, how it is loaded and how arrays are passed to
it: machine code needs neither numpy nor llvmlite."""


def is_cached(module: str, function: str) -> bool:
    """Return whether there is cached code of a function, for any types."""
    return any(any(folder.glob(f"{function}-*")) for folder in code_folders(module))


def cached_code(module: str, function: str, key: str) -> bytes | None:
    """Return cached code, or None if there is none or its file is damaged."""
    for folder in code_folders(module):
        with suppress(OSError):
            data = (folder / _file_name(function, key)).read_bytes()
            digest, code = data[:32], data[32:]
            if digest == _seal(f"{module}.{function} {folder.name} {key}", code):
                return code
    return None


def store_code(module: str, function: str, key: str, code: bytes) -> None:
    """Store code atomically in the first writable folder, if there is one."""
    for folder in own_folders(module):
        with suppress(OSError):
            seal = _seal(f"{module}.{function} {folder.name} {key}", code)
            _write(folder / _file_name(function, key), seal + code)
            with suppress(OSError):  # another process may sweep too
                _sweep(folder)
            return


@cache
def code_folders(module: str) -> tuple[Path, ...]:
    """Return the cache folders of a module, in order of preference.

    The first is part of the package, has the code shipped with it, and is only read. The others
    are in `NUMBA_CACHE_DIR` if it is set, next to the sources, and in the user's cache folder.
    Code without readable sources, or of other packages' modules, is not cached.
    """
    if module.split(".")[0] != _PACKAGE.name:
        return ()
    try:
        digest = sha256(b"".join(_source(name).digest for name in _modules(module)))
    except OSError:
        return ()
    digest.update(repr((implementation.cache_tag, version(_COMPILER))).encode())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    roots = [
        _PACKAGE / SHIPPED,
        *([Path(chosen) / "pigglesim"] if chosen else []),
        _PACKAGE / "__pycache__" / "compiled",
        *([user_folder / "compiled"] if (user_folder := user_cache()) else []),
    ]
    return tuple(root / module / digest.hexdigest()[:24] for root in roots)


def own_folders(module: str) -> tuple[Path, ...]:
    """Return the folders of a module that may be written."""
    return code_folders(module)[1:]


def sources(module: str) -> tuple[Path, ...]:
    """Return the files of a module and of all its imports from this package, transitively.

    Compiled code includes the functions it calls and the constants it names, from any module.

    Raises:
        OSError: If one of the files cannot be read.
    """
    return tuple(_source(name).file for name in _modules(module))


def _modules(module: str) -> list[str]:
    names, pending = set[str](), [module]
    while pending:
        name = pending.pop()
        if name not in names:
            names.add(name)
            if name != _DECORATORS:
                pending += _source(name).imports
    return sorted(names)


@dataclass(frozen=True, slots=True)
class _Source:
    """Files on which the code of one module depends."""

    file: Path
    digest: bytes
    imports: tuple[str, ...]
    """Modules of this package that it imports."""


@cache  # many modules of compiled code share most of their imports
def _source(module: str) -> _Source:
    file = _file(module)
    data = file.read_bytes()
    names = set[str]()
    for package, imported, modules in _IMPORT.findall(data.decode()):
        if package:
            inner = {f"{package}.{name}" for name in _NAME.findall(imported)}
            inside = {name for name in inner if _is_module(name)}
            # `from pigglesim import trig` depends on that module alone, not on all that the
            # package names.
            names |= inside if inside == inner else {package, *inside}
        names |= {name for name in re.findall(r"[\w.]+", modules) if _is_module(name)}
    return _Source(file, sha256(data).digest(), tuple(names))


@cache
def _is_module(name: str) -> bool:
    return name.split(".")[0] == _PACKAGE.name and _file(name).exists()


def _file(module: str) -> Path:
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    package = path / "__init__.py"
    # A folder without it is what an older checkout has left behind.
    return package if package.exists() else path.with_suffix(".py")


def _file_name(function: str, key: str) -> str:
    return f"{function}-{sha256(key.encode()).hexdigest()[:24]}"


def _seal(what: str, code: bytes) -> bytes:
    """Return a digest of code and its identity, which detects truncated and moved files."""
    return sha256(sha256(what.encode()).digest() + code).digest()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        part.write_bytes(data)
        # A concurrent reader gets the whole old file or the whole new one.
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove code of older states."""
    states = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    older = [state for state in states if state != folder]
    for state in older[_STATES - 1 :]:
        # A process that still uses it has it in memory, and compiles missing code again.
        shutil.rmtree(state, ignore_errors=True)
