"""What would have come of another decision: branches played on, and their results by action."""

from collections.abc import Iterator, Mapping
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from pigglesim.cli.options import chosen_seed, print_json, result_console
from pigglesim.cli.progress import finish_undisturbed, progress_bar
from pigglesim.cli.replay_choice import tell_fault
from pigglesim.cli.replay_flags import WhatIfFlags
from pigglesim.match.branch import BranchPoint
from pigglesim.match.entries import MatchRecord
from pigglesim.match.record import write_records
from pigglesim.match.scan import Found
from pigglesim.studies.estimate import Interval, Share
from pigglesim.verbs.plain import plain
from pigglesim.verbs.what_if import ActionResult, Tally, branches_at

__all__ = ["show_what_if"]

_FAULTY, _STOPPED = 2, 130
_WIDE = 120
"""Columns of a table with every result: in a narrower window it wraps, and loses nothing."""
_MANY = 1000
"""Matches of which a third digit of a share is worth telling."""


def show_what_if(found: Found, asked: WhatIfFlags, *, as_json: bool) -> None:
    """Play on from a decision with each action, and show what came of it.

    Ctrl-C shows, and writes, what is done.

    Raises:
        PigglesimError: If the decision, an action, an agent or the chance asked for is wrong.
    """
    record, decision = found.record or found.so_far, asked.decision
    assert decision is not None
    if record is None:
        assert found.fault is not None
        tell_fault(found.fault, many=False)
        raise typer.Exit(_FAULTY)
    asked_for = branches_at(
        record,
        decision,
        actions=asked.actions or (),
        chance=asked.chance,
        odds=asked.odds,
        agents={"A": asked.a, "B": asked.b},
        seed=chosen_seed(asked.seed),
    )
    tallies = asked_for.tallies()

    def branches() -> Iterator[MatchRecord]:
        with progress_bar("matches", quiet=as_json) as bar:
            task = bar.add_task("played on", total=asked.times * len(tallies))
            for action, played in asked_for.play(asked.times):
                yield played
                # Counted when it has been written: file and table tell of the same matches.
                tallies[action].add(played)
                bar.advance(task)

    try:
        if asked.out is not None:
            write_records(branches(), asked.out)
        else:
            for _ in branches():
                pass
    except KeyboardInterrupt:
        finish_undisturbed()
    _show(asked_for.point, tallies, seed=asked_for.seed, asked=asked, as_json=as_json)
    if min(tally.trials for tally in tallies.values()) < asked.times:
        raise typer.Exit(_STOPPED)


def _document(tallies: Mapping[str, Tally]) -> list[dict[str, Any]]:
    """Return what came of each action, with intervals, as plain values."""
    found = [ActionResult.of(action, tally) for action, tally in tallies.items() if tally.trials]
    return [
        {
            "action": each.action,
            "matches": each.matches,
            "shares": {name: _bounds(share) for name, share in each.shares.items()},
            "mean_scores": {seat: _bounds(mean) for seat, mean in each.mean_scores.items()},
        }
        for each in found
    ]


def _bounds(found: Share | Interval) -> Any:  # noqa: ANN401 (JSON)
    """Return a number with its interval, which has no bounds where there is one match alone."""
    return plain({"value": found.value, "low": found.low, "high": found.high})


def _show(
    point: BranchPoint,
    tallies: Mapping[str, Tally],
    *,
    seed: int,
    asked: WhatIfFlags,
    as_json: bool,
) -> None:
    rows = _document(tallies)
    decision = point.decision
    if as_json:
        document = {
            "decision": decision.index,
            "seat": str(decision.seat),
            "recorded": decision.action,
            "position": point.game.format_state(point.begun.state),
            "seed": seed,
            "level": 0.95,
            "actions": rows,
        }
        print_json(document)
        return
    console = result_console()
    title = f"decision {decision.index}, {decision.seat} to move; it was {decision.action}"
    console.print(Text(title, "bold"))
    if not rows:
        console.print("stopped before the first match was over")
        return
    console.print(_table(rows, str(decision.seat)), width=max(console.width, _WIDE), crop=False)
    counts = sorted({row["matches"] for row in rows})
    played = " or ".join(map(str, counts))
    matches = f"{played} matches of each action, trial by trial on the same seed"
    told = f"{matches}; [low, high] at 95 %: shares by Wilson, means by Student · seed {seed}"
    console.print(told, style="dim", soft_wrap=True, markup=False)
    if asked.out is not None:
        console.print(f"matches: pigglesim replay {asked.out}", style="dim", soft_wrap=True)


def _table(rows: list[dict[str, Any]], seat: str) -> Table:
    """Return what came of each action, what does best for `seat` first."""
    # Two digits tell a share of some hundred matches, whose interval is a tenth wide.
    digits = 2 if rows[0]["matches"] < _MANY else 3
    shown = [name for name in rows[0]["shares"] if any(_at(row, name) for row in rows)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("action", no_wrap=True)
    for name in (*shown, *(f"points of {seat}" for seat in rows[0]["mean_scores"])):
        table.add_column(name, no_wrap=True)
    for row in sorted(rows, key=lambda row: -_at(row, f"{seat} wins")):
        shares = (_told(row["shares"][name], digits).replace("0.", ".") for name in shown)
        means = (_told(mean, 1) for mean in row["mean_scores"].values())
        table.add_row(row["action"], *shares, *means)
    return table


def _at(row: Mapping[str, Any], name: str) -> float:
    return float(row["shares"][name]["value"])


def _told(number: Mapping[str, float | None], digits: int) -> str:
    value, low, high = (
        "-" if (at := number[name]) is None else f"{at:.{digits}f}"
        for name in ("value", "low", "high")
    )
    return f"{value} [{low}, {high}]"
