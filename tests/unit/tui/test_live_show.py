"""Work that is watched while it goes on: never far ahead, never lost, never left behind."""

import time

import pytest

from pigglesim.tui.table_show import LiveShow


def until(true):
    end = time.monotonic() + 20.0
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


class Work:
    """Shows numbers in place of rolls."""

    def __init__(self, count, fault=None):
        self.count, self.fault = count, fault
        self.shown, self.ended, self.stopped = 0, False, False

    def __call__(self, show):
        try:
            for number in range(self.count):
                self.shown += 1
                show(number)
        except KeyboardInterrupt:
            self.stopped = True
        if self.fault is not None:
            raise self.fault
        self.ended = True


def test_work_waits_for_whoever_watches():
    work = Work(50)
    live = LiveShow(work, words="on it")
    for wanted in (1, 5, 20):
        until(lambda: len(live.takes(wanted)) > wanted)  # noqa: B023
        time.sleep(0.02)
        assert work.shown <= wanted + 2
        assert live.busy() == "on it"
    live.finish()
    assert list(live.takes(0)) == list(range(50))
    assert live.busy() == ""


def test_stopped_work_hears_of_it_at_its_next_roll():
    work = Work(50)
    live = LiveShow(work, words="on it")
    until(lambda: live.takes(1))
    live.stop()
    live.finish()
    assert work.stopped
    assert work.shown < 50


def test_a_fault_of_the_work_is_told_to_who_waits_for_more():
    live = LiveShow(Work(3, fault=ValueError("no more")), words="on it")
    with pytest.raises(ValueError, match="no more"):
        until(lambda: len(live.takes(9)) > 3)
    live.finish()
