"""Files that outlive a kill and a loss of power: whole or not at all, and in one process's hands.

A file gets its name when all of it is on the disk, and its folder is told to keep the name. What
grows line by line is handed to the system at once, so that a kill loses nothing of it, and to the
disk once a second, so that a loss of power costs no more than that.
"""

import errno
import os
import sys
import time
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any

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


def name_for_good(part: Path, path: Path) -> None:
    """Give a file that has been written its name; another of that name is replaced at once."""
    with part.open("r+b") as file:
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; another of that name is replaced.

    Raises:
        OSError: If it cannot be written; nothing of it stays.
    """
    beside = path.with_name(path.name + ".tmp")
    try:
        # A link that stands there would be written through.
        beside.unlink(missing_ok=True)
        beside.write_bytes(data)
        name_for_good(beside, path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def take(file: IO[Any] | FileIO) -> bool:
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


class Growing:
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
