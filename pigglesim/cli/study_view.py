"""What a study shows while it runs, and what a question to it was answered."""

import sys
import time
from itertools import islice
from typing import Any

from rich.table import Table

from pigglesim.cli.consoles import PlainConsole
from pigglesim.cli.progress import progress_bar
from pigglesim.errors import cut

__all__ = ["Watch", "show_answer"]

_EVERY = 0.25
"""Seconds between two looks at the shares."""
_MOST_ROWS = 100
_MOST_LETTERS = 1000
"""Of a value in a table: --json tells all of it."""
_MOST_NAMES = 3
"""Shares that are shown while a study of one cell runs."""


class Watch:
    """Tells on standard error how far a run has come, and how well shares are known by then.

    Args:
        study: What is run.
        level: Of the intervals.
        quiet: Whether to tell nothing.
        compiling: Whether code is compiled before the first throws.
    """

    def __init__(
        self,
        study: Any,  # noqa: ANN401 (late imports)
        *,
        level: float,
        quiet: bool,
        compiling: bool = False,
    ) -> None:
        self._study = study
        self._level = level
        self._bar = progress_bar("throws", quiet=quiet)
        self._task = self._bar.add_task("compiling (once)" if compiling else "throwing", total=None)
        self._looked = 0.0

    def __enter__(self) -> "Watch":
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def __call__(self, progress: Any) -> None:  # noqa: ANN401 (late imports)
        """Take in how far it is."""
        # What was there before is no work of this run: neither its rate nor its time left.
        total = progress.wanted * self._study.cell_count - progress.throws_kept
        changes: dict[str, Any] = {"total": total, "completed": progress.throws_made}
        if progress.throws_made:
            kept = f", {progress.throws_kept:,} kept" if progress.throws_kept else ""
            changes["description"] = f"throwing{kept}"
        now = time.monotonic()
        if now - self._looked >= _EVERY or progress.throws_made >= total:
            self._looked = now
            changes["told"] = _shares_text(progress, self._level)
        self._bar.update(self._task, **changes)


def _shares_text(progress: Any, level: float) -> str:  # noqa: ANN401 (late imports)
    """Return the shares so far in short: of the only cell, or how wide the widest is."""
    from pigglesim.cli.study_table import rounded
    from pigglesim.rolls import Orientation

    cells = [counts for counts in progress.cells if counts.hits]
    if not cells:
        return ""
    if len(progress.cells) == 1 and len(cells[0].hits) <= _MOST_NAMES:
        rules = [orientation.label for orientation in Orientation]
        seen = sorted(cells[0].hits)
        names = [*(name for name in rules if name in seen), *(n for n in seen if n not in rules)]
        return ", ".join(f"{name} {rounded(cells[0].share(name, level=level))}" for name in names)
    shares = (counts.share(name, level=level) for counts in cells for name in counts.hits)
    widest = max((share.high - share.low) / 2.0 for share in shares)
    more = f" in {len(progress.cells)} cells" if len(progress.cells) > 1 else ""
    return f"shares{more} known to ±{widest:.2g} or better"


def show_answer(answer: Any) -> None:  # noqa: ANN401 (late imports)
    """Print the first rows of an answer as a table; in a pipe as wide as it wants to be."""
    console = PlainConsole(width=None if sys.stdout.isatty() else 1000)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in answer.columns:
        table.add_column(name, overflow="fold")
    for row in islice(answer.rows, _MOST_ROWS):
        table.add_row(*("" if value is None else _cell_text(value) for value in row))
    console.print(table)
    if next(answer.rows, None) is not None:
        console.print(f"the first {_MOST_ROWS} rows: add a LIMIT, or --json for all", style="dim")


def _cell_text(value: Any) -> str:  # noqa: ANN401 (JSON)
    return f"{value:.6g}" if isinstance(value, float) else cut(str(value), _MOST_LETTERS)
