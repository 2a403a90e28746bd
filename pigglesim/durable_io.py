"""Files that survive a kill and a power failure: atomic writes, and locks between processes.

A file gets its name once all of it is on the disk, and then its folder is synced. A file that
grows line by line passes each line to the system at once, so a kill loses nothing. It is synced
once per second, so a power failure loses at most one second.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any

from pigglesim.errors import RecordError, SpecError

if sys.platform != "win32":  # no file locks there
    import fcntl


PRIVATE = 0o600
"""Mode of a file that its owner alone reads and writes."""
_SYNC_INTERVAL = 1.0
"""Longest time from a line to its sync while others follow [s]."""


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that new, changed and removed names survive a power failure."""
    if os.name != "posix":  # pragma: no cover (folders cannot be opened there)
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as fault:
        # Some network file systems do not support this.
        if fault.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, durably; it may exist."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def publish_file(part: Path, path: Path) -> None:
    """Rename a finished file to its final name, atomically replacing any other."""
    with part.open("r+b") as file:
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


@contextmanager
def replacing(path: Path, part: Path | None = None) -> Iterator[Path]:
    """Yield a temporary file that gets its final name on success and is removed on failure.

    Args:
        path: Final name; another file of that name is replaced.
        part: Temporary name in the same folder. Default: `path` with `.tmp` appended.

    Raises:
        OSError: If it cannot be written.
    """
    part = part or path.with_name(path.name + ".tmp")
    try:
        # An existing link would be followed.
        part.unlink(missing_ok=True)
        yield part
        publish_file(part, path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically; another of that name is replaced.

    Raises:
        OSError: If it cannot be written; no part of it remains.
    """
    with replacing(path) as part:
        part.write_bytes(data)


def try_lock(file: IO[Any] | FileIO) -> bool:
    """Try to lock a file for this process for as long as it is open.

    Args:
        file: Open file.

    Returns:
        True unless another process holds the lock; always True on systems without file locks.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class AppendFile:
    """A file to which whole pieces are appended.

    Args:
        path: File, created if missing.

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
        """Append a piece.

        Raises:
            OSError: If it cannot be written; no part of it remains.
        """
        size = os.fstat(self.file.fileno()).st_size
        try:
            if self.file.write(piece) != len(piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            with suppress(OSError):
                self.file.truncate(size)
            raise
        if time.monotonic() - self._synced >= _SYNC_INTERVAL:
            self.sync()

    def sync(self) -> None:
        """Sync the file to the disk."""
        os.fsync(self.file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync the file and close it; a second call does nothing.

        Raises:
            OSError: If the sync fails; the file is closed all the same.
        """
        if self.file.closed:
            return
        try:
            self.sync()
        finally:
            self.file.close()


def expect_new(file: Path, *, overwrite: bool) -> None:
    """Refuse to replace an existing result: a record, film, odds file or model.

    Pictures and pages are not results: they can be drawn again from results.

    Args:
        file: Target file of the result.
        overwrite: Whether it may replace another.

    Raises:
        SpecError: If it exists and may not be replaced.
    """
    if file.exists() and not overwrite:
        raise SpecError(
            f"{file} exists", fix="use another name, or --force (in Python overwrite=True)"
        )


PICTURES, VIDEOS = (".png",), (".mp4", ".webm", ".gif")
"""Suffixes of files that need OpenGL."""
DRAWN = (*PICTURES, *VIDEOS)
PAGES = (".html", ".glb", ".svg")
"""Suffixes of files that show a roll or a match without it."""
FIGURES = (".png", ".svg")
"""Suffixes of charts."""
RECORDS = (".jsonl", ".json", ".txt")
FILM = ".film"


def expect_suffix(file: Path, kinds: tuple[str, ...]) -> None:
    """Refuse a file whose suffix is not one of `kinds`.

    Raises:
        SpecError: If the suffix differs.
    """
    if file.suffix.lower() not in kinds:
        raise SpecError(
            f"invalid file name {file.name!r}",
            expected=f"a name that ends in {' or '.join(kinds)}",
            fix=f"use {file.stem or 'roll'}{kinds[0]}",
        )


def expect_writable(file: Path) -> None:
    """Refuse an unwritable file before the work that produces it.

    Raises:
        SpecError: If its folder is missing or not writable.
    """
    folder = file.parent
    if file.is_dir():
        raise _unwritable(file, "it is a folder")
    if not folder.is_dir():
        raise _unwritable(file, "its folder does not exist")
    if not os.access(folder, os.W_OK):
        raise _unwritable(file, "its folder is read-only")


def expect_no_links(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder in which one of these names is a link, which may point anywhere.

    Raises:
        RecordError: If one is.
    """
    for name in sorted(names):
        if (folder / name).is_symlink():
            raise RecordError(
                f"{folder / name} is a link", fix="replace it with its target, or remove it"
            )


@contextmanager
def atomic_file(file: Path) -> Iterator[Path]:
    """Yield a temporary file that gets its final name on success and is removed on failure.

    Raises:
        SpecError: If it cannot be written.
    """
    # Writers infer the format from the suffix.
    part = file.with_name(f".{file.stem}.{os.getpid()}.part{file.suffix}")
    try:
        with replacing(file, part):
            yield part
    except OSError as fault:
        raise _unwritable(file, fault.strerror or str(fault)) from None


def _unwritable(file: Path, reason: str) -> SpecError:
    return SpecError(
        f"cannot write {file}: {reason}", fix="use a file in a folder that can be written"
    )


def check_target(path: Path, *kinds: str) -> None:
    """Refuse a file with another suffix, or an unwritable one, before the work that produces it.

    Raises:
        SpecError: See `expect_suffix` and `expect_writable`.
    """
    expect_suffix(path, kinds)
    expect_writable(path)


def write_target(path: Path, content: str | bytes) -> None:
    """Write a file atomically; another of that name is replaced.

    Raises:
        SpecError: If it cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    with atomic_file(path) as part:
        part.write_bytes(data)


@contextmanager
def private_file(path: Path) -> Iterator[IO[str]]:
    """Yield a new text file that replaces another on success; only this user can ever read it.

    Raises:
        SpecError: If it cannot be written, or the disk cannot hide files.
    """
    with atomic_file(path) as part:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            if not is_private(os.fstat(handle)):
                raise SpecError(
                    f"the disk of {path.parent} cannot hide files from other users",
                    fix="use another folder",
                )
            yield file


def is_private(status: os.stat_result) -> bool:
    """Return whether a file belongs to this user, who alone can read and write it."""
    return status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == PRIVATE


def numbered(path: Path, number: int, count: int) -> Path:
    """Return the file for one of `count` results, such as `roll-03.svg`; `path` if it is alone."""
    if count == 1:
        return path
    return path.with_name(f"{path.stem}-{number:0{max(2, len(str(count)))}}{path.suffix}")
