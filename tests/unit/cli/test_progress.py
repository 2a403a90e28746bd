"""What a log and a terminal show of long work."""

from io import StringIO

import pytest
from rich.console import Console

from pigglesim.cli import progress
from pigglesim.cli.progress import Work


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_log_has_a_line_at_the_start_every_ten_seconds_and_at_the_end(clock, capsys):
    with Work("drops", "a [die]", total=64) as work:
        for _ in range(32):
            work.advance()
            work.advance()
            clock[0] += 1.0
    assert capsys.readouterr().err.splitlines() == [
        "a [die]: 1 of 64 drops",
        "a [die]: 21 of 64 drops; 2.0/s; 0:00:22 left",
        "a [die]: 41 of 64 drops; 2.0/s; 0:00:12 left",
        "a [die]: 61 of 64 drops; 2.0/s; 0:00:02 left",
        "a [die]: 64 of 64 drops; 2.0/s",
    ]


def test_time_before_the_first_throws_and_existing_items_are_in_no_estimate(clock, capsys):
    """Compiling took 35 s, and the first line promised minutes for what took seconds."""
    with Work("throws", "throwing", existing=500) as work:
        for clock[0], done in ((35.0, 1500), (40.0, 6500), (45.0, 11_500), (54.0, 20_500)):
            work.update(done, total=20_500, results=lambda: "1: 0.2 ±0.1")
    assert capsys.readouterr().err.splitlines() == [
        "throwing, 500 saved: 1,000 of 20,000 throws; 1: 0.2 ±0.1",
        "throwing, 500 saved: 11,000 of 20,000 throws; 1,000/s; 0:00:09 left; 1: 0.2 ±0.1",
        "throwing, 500 saved: 20,000 of 20,000 throws; 1,000/s; 1: 0.2 ±0.1",
    ]


def test_resumed_work_begins_with_what_its_first_update_has(clock, capsys):
    with Work("drops", "designing", existing=None) as work:
        for clock[0], done in ((5.0, 500), (6.0, 700), (16.0, 1700), (17.0, 2000)):
            work.update(done, 2000)
    assert work.unfinished == ""
    assert capsys.readouterr().err.splitlines() == [
        "designing, 500 saved: 200 of 1,500 drops",
        "designing, 500 saved: 1,200 of 1,500 drops; 100/s; 0:00:03 left",
        "designing, 500 saved: 1,500 of 1,500 drops; 118/s",
    ]


def test_stopped_work_says_how_far_it_came(monkeypatch):
    monkeypatch.setattr(progress, "ignore_interrupts", lambda: None)
    with Work("throws", "throwing", existing=500, total=20_500, stoppable=True) as work:
        work.update(1500)
        raise KeyboardInterrupt
    assert work.unfinished == "unfinished: 1,500 of 20,500 throws"
    with Work("throws", "throwing", total=20, stoppable=True) as work:
        work.update(20)
    assert work.unfinished == ""


def test_a_terminal_shows_a_bar_and_the_results_below_it(clock, monkeypatch):
    console = Console(
        file=StringIO(), force_terminal=True, width=90, record=True, get_time=lambda: clock[0]
    )
    monkeypatch.setattr(progress, "progress_console", lambda: console)
    with Work("throws", "compiling (once)", total=20_000) as work:
        for clock[0], done in ((12.0, 0), (35.0, 1000), (40.0, 6000)):
            work.update(done, results=lambda: "[x] " * 40)
            work._bar.refresh()
    shown = console.export_text()
    assert "0/20000 12 s" in shown
    assert "6000/20000 1,000 throws/s 0:00:14" in shown
    last = shown.splitlines()[-1]
    assert last.startswith("[x] [x]")
    assert last.endswith("…")


def test_work_that_is_stopped_reports_how_far_it_came_and_nothing_twice(monkeypatch, capsys):
    monkeypatch.setattr(progress, "ignore_interrupts", lambda: None)
    for done in (0, 1, 3):
        with Work("pours", "pouring", stoppable=True) as work:
            for _ in range(done):
                work.advance()
            raise KeyboardInterrupt
        assert work.stopped
    with Work("pours", "pouring", total=3, quiet=True) as work:
        work.advance(3)
    assert capsys.readouterr().err.splitlines() == [
        "pouring: 1 pours",
        "pouring: 1 pours",
        "pouring: 3 pours",
    ]
    with pytest.raises(KeyboardInterrupt), Work("pours", "pouring"):
        raise KeyboardInterrupt
