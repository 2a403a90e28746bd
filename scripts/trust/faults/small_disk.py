"""A disk of a few pages that really fills: a tmpfs over a folder, where other processes see it not.

It is mounted in namespaces of users and of mounts of its own, so that nobody need be root. A shell
holds them until the disk is done with; a program enters them by a plant, and what is on the disk is
seen from outside through `/proc`.
"""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

PAGE = 4096
"""What a tmpfs is full by [bytes]."""
_HOLD = """
mount -t tmpfs -o "$1" tmpfs "$2" && echo ready || exit 1
while read -r options; do mount -o "remount,$options" "$2" && echo ready; done
"""


class SmallDisk:
    """A disk over a folder, with what is in that at first; a context manager.

    Args:
        folder: What it lies over; outside it stays as it is.
        pages: What it holds of bytes [PAGE].
        files: How many files and folders it holds, its own root among them.

    Raises:
        OSError: If such a thing is not allowed here.
    """

    def __init__(self, folder, *, pages, files=1_000):
        self.folder, self.pages = folder, pages
        self._options = f"size={pages * PAGE},nr_inodes={files}"

    def __enter__(self):
        words = ["sh", "-c", _HOLD, "sh", self._options, str(self.folder)]
        self._holder = subprocess.Popen(
            ["unshare", "--map-root-user", "--mount", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if self._holder.stdout.readline() != "ready\n":
            _, said = self._holder.communicate()
            raise OSError(said.strip().rpartition("\n")[2] or "unshare says nothing")
        shutil.copytree(self.folder, self.seen, dirs_exist_ok=True)
        return self

    def __exit__(self, *fault):
        self._holder.communicate()

    @property
    def seen(self):
        """What is on it, seen from outside."""
        return Path(f"/proc/{self._holder.pid}/root{self.folder}")

    @property
    def pid(self):
        """Process that sees it."""
        return self._holder.pid

    def used(self):
        """Return how many pages, and how many files and folders, are on it."""
        now = os.statvfs(self.seen)
        return now.f_blocks - now.f_bfree, now.f_files - now.f_ffree

    def make_room(self):
        """Let it hold as much as anybody wants."""
        print("size=64m,nr_inodes=10000", file=self._holder.stdin, flush=True)
        assert self._holder.stdout.readline() == "ready\n"


@cache
def why_not():
    """Return why there is no such disk here, in a line; nothing if there is."""
    with tempfile.TemporaryDirectory(prefix="pigglesim-faults-") as folder:
        try:
            with SmallDisk(Path(folder), pages=1) as disk:
                disk.used()
        except OSError as fault:
            return str(fault)
    return ""
