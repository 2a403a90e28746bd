"""Deferral of signals: Ctrl-C, a kill and a time limit wait until protected work is done.

Compiled code calls back into Python to unpack its arguments, and so does the compiler from within
its library. An error that a signal handler raises there is lost, or ends the process instead of
the call.
"""

import atexit
import gc
import os
import signal
import sys
import threading
from _signal import getsignal as _get_handler  # type: ignore[import-not-found]
from _signal import signal as _set_handler
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn, Self

# The functions that `signal` wraps, without its enums: those cost more than many protected calls.

_STOPS = (signal.SIGINT, signal.SIGTERM)
"""Signals that are deferred; other handlers may call `raise_or_defer` to defer their errors."""


class _ThreadState(threading.local):
    """State of a thread; signal handlers run in the main thread."""

    def __init__(self) -> None:
        self.depth = 0
        self.deferred: list[Callable[[], object]] = []
        """Calls deferred to the end, where they may raise."""


_state = _ThreadState()


class _DeferringHandler:
    """Handler that defers the call of another during `signals_deferred`; else it calls it."""

    def __init__(self, usual: Callable[[int, FrameType | None], object]) -> None:
        self.usual = usual

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if _state.depth:
            _state.deferred.append(lambda: self.usual(number, frame))
        else:
            self.usual(number, frame)


class EndingSignals:
    """End of a long-running command: the first signal asks for it, the second forces it.

    The second ends the process at once, wherever it hangs and where signals are deferred. Python
    runs handlers in the main thread only, and does not wake it if another thread gets the signal or
    if it is just about to wait: a thread watches, too. A context manager, for the main thread.

    Args:
        tidy: Function called before the process is ended; it must be quick.
    """

    def __init__(self, tidy: Callable[[], object]) -> None:
        self._tidy, self.first = tidy, 0
        """Number of the first signal; 0 before it. Python may have lost the error that it raised,
        as in a finalizer."""
        self._ending = threading.Lock()

    def hear(self, number: int) -> None:
        """Note the first signal; end the process at the second."""
        if self.first:
            self._end(number)
        self.first = number

    def _end(self, number: int) -> None:
        # The main thread and the one that watches may both hear the second signal: one ends.
        if self._ending.acquire(blocking=False):
            self._tidy()
            os._exit(128 + number)

    def _watch(self, reader: int) -> None:
        heard = 0
        while number := os.read(reader, 1):
            heard += number[0] in _STOPS
            if heard > 1:
                self._end(number[0])
        os.close(reader)

    def __enter__(self) -> Self:
        reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()
        self._usual_writer = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in _STOPS:
            if callable(handler := _get_handler(number)):
                _set_handler(number, _EndingHandler(handler, self))
        return self

    def __exit__(self, *fault: object) -> None:
        for number in _STOPS:
            if isinstance(handler := _get_handler(number), _EndingHandler):
                _set_handler(number, handler.usual)
        signal.set_wakeup_fd(self._usual_writer)
        os.close(self._writer)


class _EndingHandler(_DeferringHandler):
    def __init__(
        self, usual: Callable[[int, FrameType | None], object], ending: EndingSignals
    ) -> None:
        super().__init__(usual)
        self._ending = ending

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self._ending.hear(number)
        super().__call__(number, frame)


def raise_or_defer(error: BaseException) -> None:
    """Raise an error, or defer it to the end of `signals_deferred` on this thread."""

    def raise_error() -> None:
        raise error

    if not _state.depth:
        raise_error()
    _state.deferred.append(raise_error)


def loses_errors(frame: FrameType | None) -> bool:
    """Return whether Python ignores errors raised here: in a finalizer or a callback of `gc`."""
    ignored = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in ignored or frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def raise_deferred() -> None:
    """Raise deferred errors; long work calls this where an error does no harm."""
    calls, _state.deferred = _state.deferred, []
    errors: list[BaseException] = []
    for call in calls:
        try:
            call()
        except BaseException as error:
            errors.append(error)
    if errors:
        raise errors[0]


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer signals and the errors of `raise_or_defer` until the end; it may be nested."""
    depth = _state.depth
    in_main = not depth and threading.current_thread() is threading.main_thread()
    try:
        _state.depth = depth + 1
        if in_main:
            _replace_handlers()
        yield
    finally:
        # A signal may raise at any moment in here.
        try:
            if in_main:
                _restore_handlers()
        finally:
            _state.depth = depth
            if not depth:
                raise_deferred()


def _replace_handlers() -> None:
    for number in _STOPS:
        handler = _get_handler(number)
        if callable(handler) and not isinstance(handler, _DeferringHandler):
            _set_handler(number, _DeferringHandler(handler))


def _restore_handlers() -> None:
    """Restore the usual handlers; a replaced one that an error leaves behind does the same."""
    for number in _STOPS:
        handler = _get_handler(number)
        if type(handler) is _DeferringHandler:
            _set_handler(number, handler.usual)


def leave(status: int) -> NoReturn:
    """End this process as Python does, but leave its memory to the system.

    Python frees every object first. After a study that takes half a second.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # waits for the other threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        # A reader that has gone needs nothing more.
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


_DUCKDB_INTERRUPTED = "Query interrupted"


@contextmanager
def interrupts_in_libraries() -> Iterator[None]:
    """Raise KeyboardInterrupt for an interrupt that a library turned into an error of its own."""
    try:
        yield
    except Exception as error:
        # pydantic, which makes models during imports, keeps the name of the interrupt alone.
        in_model = type(error).__name__ == "SchemaError" and "KeyboardInterrupt" in str(error)
        if in_model or (isinstance(error, RuntimeError) and str(error) == _DUCKDB_INTERRUPTED):
            raise KeyboardInterrupt from None
        raise
