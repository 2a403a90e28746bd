"""Files that are shared: checked before the work, written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from pigglesim.errors import SpecError

__all__ = ["check_target", "numbered", "write_target"]


def check_target(path: Path, suffix: str) -> None:
    """Raise `SpecError` unless a file of that name can be written, as far as one can know before.

    Args:
        path: Where to write.
        suffix: What the name must end in, such as `".glb"`.
    """
    if path.suffix.lower() != suffix:
        raise SpecError(
            f"a file name that ends in {suffix}",
            got=repr(str(path)),
            remedy=str(path.with_suffix(suffix)) if path.name else f"roll{suffix}",
        )
    folder = path.parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise _unwritable(path, "a folder" if path.is_dir() else f"no such folder as {folder}")


def write_target(path: Path, content: str | bytes) -> None:
    """Write a file; another of that name is replaced, whole or not at all.

    Raises:
        SpecError: If it cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as fault:
        raise _unwritable(path, str(fault.strerror)) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def numbered(path: Path, number: int, count: int) -> Path:
    """Return the file of one of many, such as `roll-03.svg`; of one alone the file as it is."""
    if count == 1:
        return path
    return path.with_name(f"{path.stem}-{number:0{max(2, len(str(count)))}}{path.suffix}")


def _unwritable(path: Path, got: str) -> SpecError:
    return SpecError(
        f"a place to write {str(path)!r}",
        got=got,
        remedy="give a file in a folder that exists and can be written",
    )
