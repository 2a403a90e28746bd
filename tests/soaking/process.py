"""What a process holds, as the kernel counts it."""

import gc
import os
import threading
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a process holds at one moment."""

    memory: int
    """Resident set [bytes]."""
    descriptors: int
    """Open files, sockets and pipes."""
    threads: int
    objects: int
    """Python objects that the collector tracks, after a collection."""


def held_now() -> Held:
    """Return what this process holds, once what is garbage has been collected."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(
        memory=resident * _PAGE,
        # The folder itself is open while it is listed.
        descriptors=sum(1 for _ in Path("/proc/self/fd").iterdir()) - 1,
        threads=threading.active_count(),
        objects=len(gc.get_objects()),
    )
