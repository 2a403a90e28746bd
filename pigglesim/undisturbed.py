"""Work that no alarm may interrupt: a limit on time waits until it is done.

Compiled code calls back into Python to unpack its arguments. An error that a signal handler raises
just there ends the process, not the call.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ring", "undisturbed"]


class _Here(threading.local):
    """What goes on in a thread; handlers of signals run in the main one."""

    depth = 0
    late: BaseException | None = None


_here = _Here()


def ring(error: BaseException) -> None:
    """Raise an error, or leave it to the end of what is undisturbed on this thread."""
    if not _here.depth:
        raise error
    _here.late = error


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off what `ring` raises until the end; it may stand within another."""
    _here.depth += 1
    try:
        yield
    finally:
        _here.depth -= 1
        if not _here.depth and _here.late is not None:
            late, _here.late = _here.late, None
            raise late
