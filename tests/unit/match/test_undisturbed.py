import threading

import pytest

from pigglesim.match.deadline import OutOfTimeError, within
from pigglesim.undisturbed import ring, undisturbed


def test_an_error_waits_for_the_end_of_the_outermost():
    done = []
    with pytest.raises(KeyError, match="late"), undisturbed():
        with undisturbed():
            ring(KeyError("late"))
            done.append("inner")
        done.append("outer")
    assert done == ["inner", "outer"]
    with undisturbed():
        pass  # nothing is left over
    with pytest.raises(KeyError, match="at once"):
        ring(KeyError("at once"))


def test_what_is_undisturbed_on_another_thread_puts_nothing_off_here():
    begun, ended = threading.Event(), threading.Event()

    def work():
        with undisturbed():
            begun.set()
            ended.wait(10.0)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(10.0)
    try:
        with pytest.raises(KeyError):
            ring(KeyError("here"))
    finally:
        ended.set()
        thread.join()


def test_a_limit_on_time_lets_what_is_undisturbed_end():
    steps = []

    def call():
        while True:
            with undisturbed():
                steps.append("begun")
                for _ in range(200_000):
                    pass
                steps.append("done")

    with pytest.raises(OutOfTimeError):
        within(0.05, call)
    assert steps[-1] == "done"
