"""What a log shows of long work."""

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
        "another: 21 of 64 drops",
        "another: 41 of 64 drops",
        "another: 61 of 64 drops",
        "another: 64 of 64 drops",
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
