"""How a tournament is shown: the standings while it runs, and as tables or JSON at the end."""

import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pigglesim.cli.progress import progress_bar
from pigglesim.cli.study_table import rounded
from pigglesim.verbs.plain import plain

__all__ = ["Watch", "document", "draw", "show"]

_EVERY = 1.0
"""Seconds between two looks at the standings."""
_SHOWN = 4
"""Agents that are shown below the bar."""


class Watch:
    """Tells on standard error how far a tournament is, and how agents stand by then.

    Args:
        folder: Of the tournament.
        pairs: Wanted of every two agents.
        level: Of the intervals.
        quiet: Whether to tell nothing.
    """

    def __init__(self, folder: Any, *, pairs: int, level: float, quiet: bool) -> None:  # noqa: ANN401 (late imports)
        self._kept = len(folder.pairs)
        self._level = level
        self._quiet = quiet
        self._bar = progress_bar("pairs", quiet=quiet)
        # What was there before is no work of this run: neither its rate nor its time left.
        total = max(0, pairs * len(folder.tournament.matchups) - self._kept)
        name = f"playing, {self._kept:,} kept" if self._kept else "playing"
        self._task = self._bar.add_task(name, total=total)
        self._looked = -math.inf

    def __enter__(self) -> "Watch":
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def __call__(self, folder: Any) -> None:  # noqa: ANN401 (late imports)
        """Take in how far it is."""
        changes: dict[str, Any] = {"completed": len(folder.pairs) - self._kept}
        now = time.monotonic()
        if not self._quiet and now - self._looked >= _EVERY:
            changes["told"] = self._told(folder)
            self._looked = time.monotonic()
        self._bar.update(self._task, **changes)

    def _told(self, folder: Any) -> str:  # noqa: ANN401 (late imports)
        from pigglesim.tournaments.standings import standings

        found = standings(folder.tournament, folder.pairs, level=self._level)
        words = [f"{each.name} {rounded(each.elo, signed=True)}" for each in found.agents]
        more = f", and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
        return f"Elo: {', '.join(words[:_SHOWN])}{more}"


def show(console: Console, folder: Any, *, level: float) -> None:  # noqa: ANN401 (late imports)
    """Print how agents stand, how every two met, and why matches ended."""
    from pigglesim.tournaments.standings import standings

    found = standings(folder.tournament, folder.pairs, level=level)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("agent", "Elo", "points", "won", "drawn", "lost", "score"):
        table.add_column(name, justify="left" if name == "agent" else "right", no_wrap=True)
    for each in found.agents:
        table.add_row(
            each.name,
            rounded(each.elo, signed=True),
            _share(each.share),
            *_counts(each.outcomes),
            rounded(each.score_difference, signed=True),
        )
    console.print(table)
    if len(found.agents) > 2:
        console.print()
        console.print(_meetings(found))
    matches = 2 * found.pairs
    ends = ", ".join(f"{name} {count / matches:.1%}" for name, count in found.reasons.items())
    console.print(
        f"{found.pairs:,} pairs, {matches:,} matches; {level:.0%} intervals. Seat A made "
        f"{_share(found.seat_a)} of the points. Ended by {ends}.",
        style="dim",
    )
    for lost in found.forfeits:
        console.print(
            f"{lost.name} forfeited {lost.matches:,} of them: {lost.rule}, {lost.cause}",
            style="dim",
        )


def draw(folder: Any, file: Path, *, level: float) -> None:  # noqa: ANN401 (late imports)
    """Draw ratings and shares into a PNG or SVG file."""
    from pigglesim.tournaments.standings import standings
    from pigglesim.verbs.tournaments import save_chart

    found = standings(folder.tournament, folder.pairs, level=level)
    save_chart(folder.tournament, found, file, level=level)


def _meetings(found: Any) -> Table:  # noqa: ANN401 (Standings)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("against each other", "points", "won", "drawn", "lost", "Elo apart", "score"):
        left = name == "against each other"
        table.add_column(name, justify="left" if left else "right", no_wrap=True)
    for each in found.matchups:
        table.add_row(
            f"{each.first} - {each.second}",
            _share(each.share),
            *_counts(each.outcomes),
            rounded(each.elo_difference, signed=True),
            rounded(each.score_difference, signed=True),
        )
    return table


def _counts(outcomes: Any) -> tuple[str, str, str]:  # noqa: ANN401 (Outcomes)
    return f"{outcomes.wins:,}", f"{outcomes.draws:,}", f"{outcomes.losses:,}"


def _share(share: Any) -> str:  # noqa: ANN401 (Share)
    if not math.isfinite(share.value):
        return "-"
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def document(folder: Any, *, level: float, kept: int, stopped: bool) -> dict[str, Any]:  # noqa: ANN401 (late imports)
    """Return all of it as plain values; what is not known is None."""
    from pigglesim.tournaments.standings import standings

    found = standings(folder.tournament, folder.pairs, level=level) if folder.pairs else None
    return {
        "folder": str(folder.path),
        "digest": folder.digest,
        "tournament": folder.tournament.definition(),
        "stopped": stopped,
        "pairs": len(folder.pairs),
        "pairs_kept": kept,
        "pairs_made": len(folder.pairs) - kept,
        "standings": plain(asdict(found)) if found else None,
    }
