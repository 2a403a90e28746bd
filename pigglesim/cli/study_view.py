"""What a study shows: how far it is while it runs, and its shares when it has ended."""

import sys
import time
from itertools import islice
from typing import Any

from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table

from pigglesim.cli.progress import progress_bar

__all__ = ["Watch", "reached", "run_document", "show_answer", "show_run"]

_LOG_EVERY = 10.0
"""Seconds between two lines of progress where no terminal shows it."""
_MOST_ROWS = 100
_MOST_CELLS = 60


class Watch:
    """Tells on standard error how far a run has come: a bar, or a line now and then.

    Args:
        study: What is run.
        quiet: Whether to tell nothing.
    """

    def __init__(self, study: Any, *, quiet: bool) -> None:  # noqa: ANN401 (late imports)
        self._study = study
        self._quiet = quiet
        self._bar: Bar = progress_bar("throws")
        if quiet:
            self._bar.disable = True
        self._task = self._bar.add_task("starting", total=None)
        self._told = self._begun = time.monotonic()

    def __enter__(self) -> "Watch":
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def __call__(self, progress: Any) -> None:  # noqa: ANN401 (late imports)
        """Take in how far it is."""
        total = progress.wanted * self._study.cell_count
        if not self._bar.disable:
            # What was there before is no work of this run: neither its rate nor its time left.
            self._bar.update(
                self._task,
                total=total - progress.throws_kept,
                completed=progress.throws_made,
                description=_shares_text(self._study, progress),
            )
        elif not self._quiet and time.monotonic() - self._told >= _LOG_EVERY:
            self._told = time.monotonic()
            self._line(progress, total)

    def _line(self, progress: Any, total: int) -> None:  # noqa: ANN401 (late imports)
        rate = progress.throws_made / max(1e-9, time.monotonic() - self._begun)
        left = f", {(total - progress.throws) / rate:,.0f} s left" if rate else ""
        print(
            f"pigglesim: {progress.throws:,} of {total:,} throws, {rate:,.0f}/s{left}; "
            + _shares_text(self._study, progress),
            file=sys.stderr,
            flush=True,
        )


def _shares_text(study: Any, progress: Any) -> str:  # noqa: ANN401 (late imports)
    """Return the shares so far in short: of the only cell, or how wide the widest is."""
    if not progress.throws:
        return "throwing"
    names = _orientations(progress.cells)
    level = _level(study)
    if len(progress.cells) == 1 and len(names) <= 3:
        found = ((name, progress.cells[0].share(name, level=level)) for name in names)
        return ", ".join(f"{name} {share.value:.3f} ±{_half(share):.3f}" for name, share in found)
    shares = (counts.share(name, level=level) for counts in progress.cells for name in counts.hits)
    return f"{len(progress.cells)} cells, widest ±{max(map(_half, shares), default=1.0):.3f}"


def _level(study: Any) -> float:  # noqa: ANN401 (late imports)
    return float(study.precision.level) if study.precision else 0.95


def _half(share: Any) -> float:  # noqa: ANN401 (late imports)
    return float(share.high - share.low) / 2.0


def _orientations(cells: Any) -> list[str]:  # noqa: ANN401 (late imports)
    """Return every orientation seen, those of the rules first and in their order."""
    from pigglesim.rolls import Orientation

    rules = [orientation.label for orientation in Orientation]
    seen = {name for counts in cells for name in counts.hits}
    return [name for name in rules if name in seen] + sorted(seen - set(rules))


def reached(study: Any, progress: Any) -> bool:  # noqa: ANN401 (late imports)
    """Whether every share is known as well as was asked for."""
    from pigglesim.studies.run import widest_half

    widest = widest_half(progress.cells, level=study.precision.level)
    return bool(widest <= study.precision.half_width)


def run_document(study: Any, progress: Any) -> dict[str, Any]:  # noqa: ANN401 (late imports)
    """Return what a run came to as plain values."""
    level, names = _level(study), _orientations(progress.cells)
    cells = []
    for number, (levels, counts) in enumerate(zip(study.cells(), progress.cells, strict=True)):
        shares = {}
        for name in names:
            share = counts.share(name, level=level)
            value = share.value if share.trials else None
            shares[name] = {"value": value, "low": share.low, "high": share.high}
        cells.append(
            {
                "cell": number,
                "factors": levels,
                "throws": counts.throws,
                "dice": counts.shown,
                "shares": shares,
            }
        )
    precise = {"reached": reached(study, progress)} if study.precision else {}
    return {
        **precise,
        "throws": progress.throws,
        "shards_kept": progress.kept,
        "shards_made": progress.made,
        "failed": {str(number): fault for number, fault in progress.failed.items()},
        "level": level,
        "cells": cells,
    }


def show_run(study: Any, progress: Any) -> None:  # noqa: ANN401 (late imports)
    """Print the share of every orientation in every cell; in a pipe as wide as it wants to be."""
    from pigglesim.studies.factors import level_text

    console = _wide_console()
    level, names = _level(study), _orientations(progress.cells)
    digits = 4 if len(names) <= 3 else 3
    table = Table(box=None, pad_edge=False, header_style="bold")
    for found in study.varied():
        table.add_column(found.label, overflow="fold")
    for head in ("throws", *names):
        table.add_column(head, justify="right", no_wrap=True)
    rows = list(zip(study.cells(), progress.cells, strict=True))
    for levels, counts in rows[:_MOST_CELLS]:
        shares = (counts.share(name, level=level) for name in names)
        told = (
            f"{share.value:.{digits}f} ±{_half(share):.{digits}f}" if share.trials else "-"
            for share in shares
        )
        table.add_row(*map(level_text, levels.values()), f"{counts.throws:,}", *told)
    console.print(table)
    if len(rows) > _MOST_CELLS:
        console.print(f"and {len(rows) - _MOST_CELLS} cells more: --json tells all", style="dim")


def show_answer(answer: Any) -> None:  # noqa: ANN401 (late imports)
    """Print the first rows of an answer as a table; in a pipe as wide as it wants to be."""
    console = _wide_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in answer.columns:
        table.add_column(name, overflow="fold")
    for row in islice(answer.rows, _MOST_ROWS):
        table.add_row(*("" if value is None else _cell_text(value) for value in row))
    console.print(table)
    if next(answer.rows, None) is not None:
        console.print(f"the first {_MOST_ROWS} rows: add a LIMIT, or --json for all", style="dim")


def _wide_console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 1000, highlight=False)


def _cell_text(value: Any) -> str:  # noqa: ANN401 (JSON)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
