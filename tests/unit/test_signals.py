"""Signals and limits on time wait until the work that they must not interrupt is done."""

import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from pigglesim import signals
from pigglesim.match.runner import OutOfTimeError, within
from pigglesim.signals import raise_deferred, raise_or_defer, signals_deferred


def test_an_error_waits_for_the_end_of_the_outermost():
    done = []
    with pytest.raises(KeyError, match="late"), signals_deferred():
        with signals_deferred():
            raise_or_defer(KeyError("late"))
            done.append("inner")
        done.append("outer")
    assert done == ["inner", "outer"]
    with signals_deferred():
        pass  # nothing is left over
    with pytest.raises(KeyError, match="at once"):
        raise_or_defer(KeyError("at once"))


def test_a_limit_on_time_lets_what_is_undisturbed_end():
    steps = []

    def call():
        while True:
            with signals_deferred():
                steps.append("begun")
                for _ in range(200_000):
                    pass
                steps.append("done")

    with pytest.raises(OutOfTimeError):
        within(0.05, call)
    assert steps[-1] == "done"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_the_end_and_its_handler_is_as_before(number):
    def usual(number, frame):
        raise KeyError(number)

    signal.signal(number, usual)
    done = []
    with pytest.raises(KeyError), signals_deferred():
        with signals_deferred():
            signal.raise_signal(number)
            done.append("inner")
        done.append("outer")
    assert done == ["inner", "outer"]
    assert signal.getsignal(number) is usual
    with signals_deferred():
        pass  # nothing is left over


def test_an_error_within_is_reported_though_a_signal_waits():
    with pytest.raises(KeyboardInterrupt) as error, signals_deferred():
        signal.raise_signal(signal.SIGINT)
        raise KeyError("within")
    assert isinstance(error.value.__context__, KeyError)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_waits_is_let_out_where_work_breathes():
    done = []
    with pytest.raises(KeyboardInterrupt), signals_deferred(), signals_deferred():
        signal.raise_signal(signal.SIGINT)
        done.append("put off")
        raise_deferred()
        done.append("never")
    assert done == ["put off"]


def test_of_several_signals_every_handler_is_called_and_the_first_error_is_raised():
    called = []

    def note(number, frame):
        called.append(number)
        raise KeyError(number)

    signal.signal(signal.SIGTERM, note)
    with pytest.raises(KeyboardInterrupt), signals_deferred():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert called == [signal.SIGTERM]


def test_signals_are_let_alone_on_another_thread():
    found = []

    def work():
        with signals_deferred():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


def interrupted_at(moment):
    """Defer signals, with a Ctrl-C at a call in `signals`; return whether there are as many.

    Handlers run where a function begins, and after each call.
    """
    left = [moment]

    def profile(frame, event, argument):
        if frame.f_code.co_filename == signals.__file__ and event != "c_call":
            left[0] -= 1
            if left[0] == 0:
                sys.setprofile(None)
                signal.raise_signal(signal.SIGINT)

    sys.setprofile(profile)
    try:
        with suppress(KeyboardInterrupt), signals_deferred():
            pass
    finally:
        sys.setprofile(None)
    return left[0] <= 0


def test_a_signal_at_any_moment_leaves_no_signal_unheard():
    def usual(number, frame):
        raise KeyError(number)

    for moment in range(1, 1000):
        signal.signal(signal.SIGTERM, usual)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if not interrupted_at(moment):
            break
        for number, error in ((signal.SIGTERM, KeyError), (signal.SIGINT, KeyboardInterrupt)):
            with pytest.raises(error):
                signal.raise_signal(number)
            with pytest.raises(error), signals_deferred():
                signal.raise_signal(number)
        with pytest.raises(LookupError):
            raise_or_defer(LookupError("at once"))
    assert 20 < moment < 999


DEAF = """
import signal, threading
from pigglesim.signals import EndingSignals

signal.signal(signal.SIGTERM, signal.default_int_handler)
with EndingSignals(lambda: print("tidied", flush=True)):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    print("waits", flush=True)
    threading.Event().wait()
"""


TWICE = """
import signal, threading
from pigglesim.signals import EndingSignals

def tidy():
    print("tidied", flush=True)
    other.start()
    other.join()

signals = EndingSignals(tidy)
other = threading.Thread(target=signals.hear, args=(signal.SIGTERM,))
signals.hear(signal.SIGINT)
signals.hear(signal.SIGINT)
"""


def test_two_threads_that_hear_the_second_signal_tidy_once():
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout) == (128 + signal.SIGINT, "tidied\n")


def test_the_second_signal_ends_a_process_whose_main_thread_hears_none():
    with subprocess.Popen(
        [sys.executable, "-c", DEAF], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "waits\n"
            # Two equal ones that wait count as one.
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            assert process.stdout.readline() == "tidied\n"
            assert process.wait(20) in {128 + signal.SIGINT, 128 + signal.SIGTERM}
        finally:
            process.kill()


LEAVING = """
import atexit, threading, time
from pigglesim.signals import leave

class Freed:
    def __del__(self):
        print("freed")

def late():
    time.sleep(0.1)
    print("thread")

freed = Freed()
atexit.register(print, "exit handler")
threading.Thread(target=late).start()
leave(3)
"""


def test_leaving_waits_for_threads_and_exit_handlers_and_frees_nothing():
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout == "thread\nexit handler\n"
