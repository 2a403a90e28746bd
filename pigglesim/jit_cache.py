"""Compiled code kept from run to run, by all that it was made from; without the compiler itself.

The compiler's own way of keeping looks only at the file that a function stands in, and would go on
with what it calls in others as it was. It also trusts whatever it finds, and of two processes that
write at once one may leave its code under the other's name. Here a folder's name is the digest of
all sources, a file's that of the types it was compiled for, and a file tells its own digest. That
is for accidents: whoever may write these folders may as well write Python's own compiled files.
"""

import os
import re
import shutil
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from sys import implementation
from threading import get_ident

_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(
    r"^\s*(?:from\s+(pigglesim[\w.]*)\s+import\s+(\([^)]*\)|.+)|import\s+(.+))$", re.MULTILINE
)
_COMPILING = "pigglesim.jit"
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
    digest.update(repr((implementation.cache_tag, *map(_version, _COMPILER))).encode())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    roots = [
        *([Path(chosen) / "pigglesim"] if chosen else []),
        _PACKAGE / "__pycache__" / "compiled",
        *([own / "compiled"] if (own := user_cache()) else []),
    ]
    return tuple(root / module / digest.hexdigest()[:24] for root in roots)


def user_cache() -> Path | None:
    """Return the user's own folder for what can be made again; None for a user without a home."""
    from platformdirs import user_cache_path  # noqa: PLC0415 (a cold start does without)

    try:
        return user_cache_path("pigglesim", appauthor=False)
    except RuntimeError:
        # Nor HOME nor an entry among users: a container run with a foreign user id.
        return None


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
            # How code is kept and interrupted, which that module imports, is not in the code.
            if name != _COMPILING:
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


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _file_name(function: str, key: str) -> str:
    return f"{function}-{sha256(key.encode()).hexdigest()[:24]}"


def _seal(key: str, code: bytes) -> bytes:
    """Return a digest of code and of what it is for: neither torn nor moved, it is the same."""
    return sha256(sha256(key.encode()).digest() + code).digest()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}")
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
