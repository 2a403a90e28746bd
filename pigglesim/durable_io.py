"""Files that outlive a kill and a loss of power: whole or not at all, and locked by one process.

A file gets its name when all of it is on the disk, and its folder is told to keep the name. What
grows line by line is handed to the system at once, so that a kill loses nothing of it, and to the
disk once a second, so that a loss of power costs no more than that.
"""

import errno
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any

from pigglesim.errors import RecordError, SpecError

if sys.platform != "win32":  # nothing keeps two processes apart there
    import fcntl


_SYNCED_EVERY = 1.0
"""Longest that a line waits for the disk while others follow [s]."""


def sync_folder(folder: Path) -> None:
    """Have the names in a folder, new, changed or gone, survive a loss of power."""
    if os.name != "posix":  # pragma: no cover (folders cannot be opened there)
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as fault:
        # Some file systems of networks know no such thing.
        if fault.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, for good; it may be there."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def publish_file(part: Path, path: Path) -> None:
    """Give a file that has been written its name; another of that name is replaced at once."""
    with part.open("r+b") as file:
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; another of that name is replaced.

    Raises:
        OSError: If it cannot be written; nothing of it stays.
    """
    beside = path.with_name(path.name + ".tmp")
    try:
        # A link that stands there would be written through.
        beside.unlink(missing_ok=True)
        beside.write_bytes(data)
        publish_file(beside, path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def try_lock(file: IO[Any] | FileIO) -> bool:
    """Take a file into this process's hands for as long as it is open.

    Args:
        file: An open file.

    Returns:
        Whether no other process has it; always where systems know no such thing.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class AppendFile:
    """A file that grows by whole pieces.

    Args:
        path: Made if there is none.

    Raises:
        OSError: If it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        new = not path.exists()
        self.file = path.open("ab", buffering=0)
        self._synced = time.monotonic()
        if new:
            sync_folder(path.parent)

    def add(self, piece: bytes) -> None:
        """Write a piece at the end.

        Raises:
            OSError: If it cannot be written; nothing of it stays.
        """
        size = os.fstat(self.file.fileno()).st_size
        try:
            if self.file.write(piece) != len(piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            with suppress(OSError):
                self.file.truncate(size)
            raise
        if time.monotonic() - self._synced >= _SYNCED_EVERY:
            self.sync()

    def sync(self) -> None:
        """Have all of it be on the disk."""
        os.fsync(self.file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Have all of it be on the disk, and let go of it; again, it does nothing.

        Raises:
            OSError: If the disk does not take it; it is let go of all the same.
        """
        if self.file.closed:
            return
        try:
            self.sync()
        finally:
            self.file.close()


def expect_new(file: Path, *, overwrite: bool) -> None:
    """Refuse to replace a result that is there: records, films, odds and models are results.

    Pictures and pages are none: they are drawn of results, and are drawn again.

    Args:
        file: Where the result is to be.
        overwrite: Whether it may replace another.

    Raises:
        SpecError: If it is there and may not be replaced.
    """
    if file.exists() and not overwrite:
        raise SpecError(
            "a new file",
            got=f"{file}, which exists",
            remedy="another name, or --force to replace it (in Python overwrite=True)",
        )


def expect_suffix(file: Path, kinds: tuple[str, ...]) -> None:
    """Refuse a file whose name does not end as one of `kinds`.

    Raises:
        SpecError: If it ends otherwise.
    """
    if file.suffix.lower() not in kinds:
        raise SpecError(
            f"a file that ends in {' or '.join(kinds)}",
            got=repr(file.name),
            remedy=f"{file.stem or 'roll'}{kinds[0]}",
        )


def expect_writable(file: Path) -> None:
    """Refuse a file that cannot be written, before the work is done that it is for.

    Raises:
        SpecError: If its folder is not there or does not take it.
    """
    folder = file.parent
    if file.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        reason = (
            "a folder"
            if file.is_dir()
            else "no such folder"
            if not folder.is_dir()
            else "a folder that cannot be written to"
        )
        raise _unwritable(file, reason)


def expect_no_links(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder in which one of these names is a link: it may lead anywhere.

    Raises:
        RecordError: If one is.
    """
    for name in sorted(names):
        if (folder / name).is_symlink():
            raise RecordError(
                f"files and folders of its own in {folder}",
                got=f"{name}, which is a link",
                remedy="put in its place what it leads to, or remove it",
            )


@contextmanager
def atomic_file(file: Path) -> Iterator[Path]:
    """Give a file to write to that takes its name when all has gone well, and else is gone.

    Raises:
        SpecError: If it cannot be written.
    """
    # The name's end tells those who write what kind it is.
    part = file.with_name(f".{file.stem}.{os.getpid()}.part{file.suffix}")
    try:
        yield part
        publish_file(part, file)
    except OSError as fault:
        raise _unwritable(file, fault.strerror or str(fault)) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _unwritable(file: Path, reason: str) -> SpecError:
    return SpecError(
        "a file that can be written",
        got=f"{file}: {reason}",
        remedy="give a file in a folder that exists",
    )


def check_target(path: Path, *kinds: str) -> None:
    """Refuse a file, before the work for it, whose name ends otherwise or that cannot be written.

    Raises:
        SpecError: As of `expect_suffix` and `expect_writable`.
    """
    expect_suffix(path, kinds)
    expect_writable(path)


def write_target(path: Path, content: str | bytes) -> None:
    """Write a file; another of that name is replaced, whole or not at all.

    Raises:
        SpecError: If it cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    with atomic_file(path) as part:
        part.write_bytes(data)


def numbered(path: Path, number: int, count: int) -> Path:
    """Return the file of one of many, such as `roll-03.svg`; of one alone the file as it is."""
    if count == 1:
        return path
    return path.with_name(f"{path.stem}-{number:0{max(2, len(str(count)))}}{path.suffix}")
