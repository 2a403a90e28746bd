"""What a log shows of long work."""

from io import StringIO

from rich.console import Console

from pigglesim.cli import progress
from pigglesim.cli.progress import progress_bar


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
        "another: 21 of 64 drops; 2.1/s; 0:00:20 left",
        "another: 41 of 64 drops; 2.0/s; 0:00:11 left",
        "another: 61 of 64 drops; 2.0/s; 0:00:01 left",
        "another: 64 of 64 drops; 2.0/s",
    ]


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
