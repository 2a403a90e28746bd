"""Deferral of signals: Ctrl-C, a kill and a time limit wait until protected work is done.

Compiled code calls back into Python to unpack its arguments, and so does the compiler from within
its library. An error that a signal handler raises there is lost, or ends the process instead of
the call.
"""

import signal
import threading
from _signal import getsignal as _handler_of  # type: ignore[import-not-found]
from _signal import signal as _handle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# The functions that `signal` wraps, without its enums: those cost more than many protected calls.

_STOPS = (signal.SIGINT, signal.SIGTERM)
"""Signals that are deferred; other handlers may call `raise_or_defer` to defer their errors."""


class _Here(threading.local):
    """State of a thread; signal handlers run in the main thread."""

    def __init__(self) -> None:
        self.depth = 0
        self.late: list[Callable[[], object]] = []
        """Calls deferred to the end, where they may raise."""


_here = _Here()
_usual: dict[int, Callable[[int, FrameType | None], object]] = {}
"""Usual handlers of the signals deferred now, by signal."""


def raise_or_defer(error: BaseException) -> None:
    """Raise an error, or defer it to the end of `signals_deferred` on this thread."""

    def ringing() -> None:
        raise error

    if not _here.depth:
        ringing()
    _here.late.append(ringing)


def raise_deferred() -> None:
    """Raise deferred errors; long work calls this where an error does no harm."""
    late, _here.late = _here.late, []
    errors: list[BaseException] = []
    for call in late:
        try:
            call()
        except BaseException as error:
            errors.append(error)
    if errors:
        raise errors[0]


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer signals and the errors of `raise_or_defer` until the end; it may be nested."""
    _here.depth += 1
    try:
        if _here.depth == 1 and threading.current_thread() is threading.main_thread():
            _take_over()
        yield
    finally:
        try:
            if _here.depth == 1:
                _give_back()
        finally:
            _here.depth -= 1
            if not _here.depth:
                raise_deferred()


def _take_over() -> None:
    _usual.clear()
    for number in _STOPS:
        handler = _handler_of(number)
        if callable(handler):
            _usual[number] = handler
            _handle(number, _put_off)


def _give_back() -> None:
    """Restore all usual handlers, even if a signal raises meanwhile; in the main thread only."""
    if _usual and threading.current_thread() is threading.main_thread():
        number, handler = next(iter(_usual.items()))
        try:
            _handle(number, handler)
        finally:
            del _usual[number]
            _give_back()


def _put_off(number: int, frame: FrameType | None) -> None:
    """Defer a call of the usual handler of a signal."""
    handler = _usual[number]
    _here.late.append(lambda: handler(number, frame))


_DUCKDB_SAYS = "Query interrupted"


@contextmanager
def interrupts_in_queries() -> Iterator[None]:
    """Raise KeyboardInterrupt for an interrupted query, as anywhere else."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == _DUCKDB_SAYS:
            raise KeyboardInterrupt from None
        raise
