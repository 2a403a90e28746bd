"""What a log shows of long work."""

from io import StringIO

from rich.console import Console

from pigglesim.cli import consoles as progress
from pigglesim.cli.consoles import progress_bar


def test_a_log_has_a_line_at_the_start_every_ten_seconds_and_at_the_end(monkeypatch, capsys):
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with progress_bar("drops") as bar:
        task = bar.add_task("a [die]", total=64)
        for _ in range(32):
            bar.advance(task)
            bar.update(task, advance=1, description="another")
            clock[0] += 1.0
    assert capsys.readouterr().err.splitlines() == [
        "a [die]: 1 of 64 drops",
        "another: 21 of 64 drops; 2.0/s; 0:00:22 left",
        "another: 41 of 64 drops; 2.0/s; 0:00:12 left",
        "another: 61 of 64 drops; 2.0/s; 0:00:02 left",
        "another: 64 of 64 drops; 2.0/s",
    ]


def test_time_before_the_first_throws_is_in_no_estimate(monkeypatch, capsys):
    """Compiling took 35 s, and the first line promised minutes for what took seconds."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with progress_bar("throws") as bar:
        task = bar.add_task("throwing", total=20_000)
        for clock[0], completed in ((35.0, 1000), (40.0, 6000), (45.0, 11_000), (54.0, 20_000)):
            bar.update(task, completed=completed)
    assert capsys.readouterr().err.splitlines() == [
        "throwing: 1,000 of 20,000 throws",
        "throwing: 11,000 of 20,000 throws; 1,000/s; 0:00:09 left",
        "throwing: 20,000 of 20,000 throws; 1,000/s",
    ]


def test_a_terminal_shows_how_long_it_has_taken_until_a_rate_is_known(monkeypatch):
    clock = [0.0]
    console = Console(
        file=StringIO(), force_terminal=True, width=90, record=True, get_time=lambda: clock[0]
    )
    monkeypatch.setattr(progress, "progress_console", lambda: console)
    with progress_bar("throws") as bar:
        task = bar.add_task("compiling (once)", total=20_000)
        for clock[0], completed in ((12.0, 0), (35.0, 1000), (40.0, 6000)):
            bar.update(task, completed=completed)
            bar.refresh()
    shown = console.export_text()
    assert "0/20000 12 s" in shown
    assert "6000/20000 1,000 throws/s 0:00:14 left" in shown


def test_what_is_stopped_tells_how_far_it_came_and_nothing_twice(capsys):
    for done in (0, 1, 3):
        with progress_bar("pours") as bar:
            task = bar.add_task("pouring", total=4)
            for _ in range(done):
                bar.advance(task)
    assert capsys.readouterr().err.splitlines() == [
        "pouring: 1 of 4 pours",
        "pouring: 1 of 4 pours",
        "pouring: 3 of 4 pours",
    ]


def test_a_total_may_be_unknown_and_more_be_told(capsys):
    with progress_bar("throws") as bar:
        task = bar.add_task("throwing", total=None)
        bar.update(task, completed=1200, told="1: 0.2 ±0.1")
    with progress_bar("throws", quiet=True) as bar:
        bar.update(bar.add_task("throwing", total=3), completed=3)
    assert capsys.readouterr().err == "throwing: 1,200 throws; 1: 0.2 ±0.1\n"


def test_what_is_told_stands_below_the_bar(monkeypatch):
    console = Console(file=StringIO(), force_terminal=True, width=60, record=True)
    monkeypatch.setattr(progress, "progress_console", lambda: console)
    with progress_bar("throws") as bar:
        bar.update(bar.add_task("throwing", total=None), completed=7, told="[x] " * 40)
    lines = console.export_text().splitlines()
    assert "7/?" in lines[-2]
    assert lines[-1].startswith("[x] [x]")
    assert lines[-1].endswith("…")
