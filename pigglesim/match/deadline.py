"""A time limit on a call that really stops it, where that is possible.

On the main thread of a system with SIGALRM an alarm interrupts pure Python wherever it is, even in
a loop without end, and rings again until the call has ended; long work inside a library is
interrupted when it comes back to Python, and what is `undisturbed` when it is done. On any other
thread nothing can be interrupted: there the limit is cooperative, the clock being read when the
call returns.
"""

import signal
import time
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType
from typing import TypeVar

import pigglesim.undisturbed as undisturbed

__all__ = ["OutOfTimeError", "within"]

T = TypeVar("T")

_AGAIN = 0.05
"""Seconds until the alarm rings again for a call that swallowed it."""


class OutOfTimeError(Exception):
    """A call took longer than it was given."""


class _Ring(BaseException):
    """What the alarm raises inside the call: no `except Exception` swallows it."""


def within(seconds: float | None, call: Callable[[], T]) -> T:
    """Return what a call returns, within a time limit.

    A call that catches `BaseException` in a loop without end cannot be stopped.

    Args:
        seconds: Longest that it may take [s of wall clock]; None for any.
        call: What to call.

    Raises:
        OutOfTimeError: If it takes longer.
    """
    if seconds is None:
        return call()
    started = time.monotonic()
    try:
        if current_thread() is main_thread() and hasattr(signal, "setitimer"):
            value = _under_alarm(seconds, call)
        else:
            value = call()
    except _Ring:
        raise OutOfTimeError from None
    except Exception:
        # The alarm may have come out of the call as an error of its own making.
        if time.monotonic() - started > seconds:
            raise OutOfTimeError from None
        raise
    if time.monotonic() - started > seconds:
        raise OutOfTimeError
    return value


def _under_alarm(seconds: float, call: Callable[[], T]) -> T:
    """Return what a call returns while an alarm may raise `_Ring`; leave others' alarms as set."""
    armed = True

    def ring(_number: int, _frame: FrameType | None) -> None:
        if armed:
            undisturbed.ring(_Ring())

    started = time.monotonic()
    remaining, interval = signal.getitimer(signal.ITIMER_REAL)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            return call()
        finally:
            armed = False
    finally:
        # Once more: the alarm may have rung before the line above could silence it.
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
        if remaining:
            left = remaining - (time.monotonic() - started)
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-6), interval)
