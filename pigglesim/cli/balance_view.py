"""How a balance study is shown: how far it is, and its findings as tables or JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pigglesim.cli.progress import progress_bar
from pigglesim.verbs.plain import plain

__all__ = ["Watch", "document", "show"]


class Watch:
    """Tells on standard error how far a study is.

    Args:
        study: What is played.
        kept: Trials that were there before.
        trials: Wanted.
        quiet: Whether to tell nothing.
    """

    def __init__(self, study: Any, *, kept: int, trials: int, quiet: bool) -> None:  # noqa: ANN401 (late imports)
        self._study = study
        self._before = study.matches_of(kept)
        self._bar = progress_bar("matches", quiet=quiet)
        # What was there before is no work of this run: neither its rate nor its time left.
        total = max(0, study.matches_of(trials) - self._before)
        name = f"playing, {self._before:,} kept" if kept else "playing"
        self._task = self._bar.add_task(name, total=total)

    def __enter__(self) -> "Watch":
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def __call__(self, folder: Any) -> None:  # noqa: ANN401 (late imports)
        """Take in how far it is."""
        done = self._study.matches_of(len(folder.items)) - self._before
        self._bar.update(self._task, completed=done)


def show(console: Console, study: Any, trials: Sequence[Any], *, level: float) -> None:  # noqa: ANN401 (late imports)
    """Print what a study has found, table by table."""
    from pigglesim.balance.findings import findings
    from pigglesim.pictures.balance_tables import tables_of

    found = findings(study, trials, level=level)
    for _, tables in tables_of(found):
        for each in tables:
            if each.rows:
                console.print(_table(each))
                console.print()
    console.print(
        f"{found.trials:,} trials, {found.matches:,} matches; {level:.0%} intervals, pairs of "
        "matches being one draw.",
        style="dim",
    )


def _table(told: Any) -> Table:  # noqa: ANN401 (a table of words)
    """Return a table of words; headings that are the same in all rows go to the title."""
    table = Table(
        box=None, pad_edge=False, header_style="bold", title_justify="left", title_style="bold"
    )
    same = [
        place
        for place in range(told.headings)
        if len(told.rows) > 1 and len({row[place] for row in told.rows}) == 1
    ]
    table.title = Text(", ".join([told.caption, *(told.rows[0][place] for place in same)]))
    for place, name in enumerate(told.columns):
        if place not in same:
            table.add_column(Text(name), justify="left" if place < told.headings else "right")
    for row in told.rows:
        table.add_row(*(Text(word) for place, word in enumerate(row) if place not in same))
    return table


def document(
    path: Path,
    study: Any,  # noqa: ANN401 (a BalanceStudy)
    trials: Sequence[Any],
    *,
    level: float,
    stopped: bool,
) -> dict[str, Any]:
    """Return all of it as plain values; what is not known is None."""
    from pigglesim.balance.findings import findings

    found = findings(study, trials, level=level) if trials else None
    return {
        "folder": str(path),
        "balance": study.definition(),
        "stopped": stopped,
        "trials": len(trials),
        "findings": plain(asdict(found)) if found else None,
    }
