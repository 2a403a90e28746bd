"""What another decision would have led to: branches played on, and their results by action."""

from collections.abc import Generator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from pigglesim.api.plain import plain
from pigglesim.api.what_if import ActionResult, Branches, WhatIfTally, branches_at
from pigglesim.cli.consoles import PlainConsole, print_json, result_console, word_table
from pigglesim.cli.options import chosen_seed, chosen_workers
from pigglesim.cli.progress import finish_undisturbed, progress_bar
from pigglesim.cli.replay_choice import WhatIfFlags, tell_fault
from pigglesim.match.entries import Decision, MatchRecord
from pigglesim.match.record import LocatedRecord, write_records
from pigglesim.match.replay import RecordPlayback, game_of
from pigglesim.studies.estimate import Interval, Share

_FAULTY, _STOPPED = 2, 130
_WIDE = 120
"""Columns of a table with every result: in a narrower window it wraps, and loses nothing."""
_MANY = 1000
"""Matches of which a third digit of a share is worth telling."""


def show_what_if(found: LocatedRecord, asked: WhatIfFlags, *, as_json: bool) -> None:
    """Play on from a decision with each action, and show what came of it.

    Ctrl-C shows, and writes, what is done.

    Raises:
        PigglesimError: If the decision, an action, an agent or the chance asked for is wrong.
    """
    record, decision = _whole(found), asked.decision
    assert decision is not None
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

    def branches() -> Generator[MatchRecord, None, None]:
        matches = asked_for.play(asked.times, workers=chosen_workers(asked.workers))
        with progress_bar("matches", quiet=as_json) as bar, closing(matches):
            task = bar.add_task("played on", total=asked.times * len(tallies))
            for action, played in matches:
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
    _show(asked_for, tallies, asked=asked, as_json=as_json)
    if min(tally.trials for tally in tallies.values()) < asked.times:
        raise typer.Exit(_STOPPED)


def show_decisions(
    found: LocatedRecord, rounds: tuple[int, int | None], *, file: Path, as_json: bool
) -> None:
    """List the decisions of a match by number, each with what could have been decided.

    Args:
        found: The match.
        rounds: The first and the last round listed; None for the last there is.
        file: Where it was read.
        as_json: Whether to print JSON.
    """
    record = _whole(found)
    playback, rows = RecordPlayback(game_of(record)), []
    for entry in record.entries:
        if isinstance(entry, Decision):
            state = playback.state
            number = playback.game.round_of(state)
            if rounds[0] <= number <= (rounds[1] or number):
                row = {"decision": entry.index, "round": number, "seat": str(entry.seat)}
                legal = len(playback.game.legal_actions(state))
                rows.append(row | {"action": entry.action, "legal_actions": legal})
        playback.take(entry)
    if as_json:
        print_json({"decisions": rows})
        return
    table = word_table(">decision", ">round", "seat", ">legal actions", "decided", gap=2)
    console = result_console()
    for row in rows:
        numbers = (str(row[name]) for name in ("decision", "round", "seat", "legal_actions"))
        table.add_row(*numbers, Text(str(row["action"])))
    console.print(table)
    if rows:
        chosen = "" if found.number == 1 else f" --record {found.number}"
        example = f"pigglesim replay {file}{chosen} --what-if {rows[-1]['decision']}"
        console.print(f"another decision: {example}", style="dim", soft_wrap=True, markup=False)


def _whole(found: LocatedRecord) -> MatchRecord:
    """Return a record as far as it can be read; leave with 2 where nothing can."""
    record = found.record or found.so_far
    if record is None:
        assert found.fault is not None
        tell_fault(found.fault, many=False)
        raise typer.Exit(_FAULTY)
    return record


def _document(tallies: Mapping[str, WhatIfTally]) -> list[dict[str, Any]]:
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
    branches: Branches,
    tallies: Mapping[str, WhatIfTally],
    *,
    asked: WhatIfFlags,
    as_json: bool,
) -> None:
    rows = _document(tallies)
    point, decision = branches.point, branches.point.decision
    if as_json:
        document = {
            "decision": decision.index,
            "seat": str(decision.seat),
            "recorded": decision.action,
            "position": point.game.format_state(point.begun.state),
            "chance": branches.chance,
            "seed": branches.seed,
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
    wide = console if console.width >= _WIDE else PlainConsole(width=_WIDE)
    wide.print(_table(rows, str(decision.seat)))
    counts = sorted({row["matches"] for row in rows})
    played = " or ".join(map(str, counts))
    matches = f"{played} matches of each action, trial by trial on the same seed"
    rolled = "by odds" if branches.chance == "tabular" else branches.chance
    told = f"{matches}, rolls {rolled}; [low, high] at 95 %: shares by Wilson, means by Student"
    told = f"{told} · seed {branches.seed}"
    console.print(told, style="dim", soft_wrap=True, markup=False)
    if asked.out is not None:
        console.print(f"matches: pigglesim replay {asked.out}", style="dim", soft_wrap=True)


def _table(rows: list[dict[str, Any]], seat: str) -> Table:
    """Return what came of each action, what does best for `seat` first."""
    # Two digits tell a share of some hundred matches, whose interval is a tenth wide.
    digits = 2 if rows[0]["matches"] < _MANY else 3
    shown = [name for name in rows[0]["shares"] if any(_at(row, name) for row in rows)]
    means = (f"points of {seat}" for seat in rows[0]["mean_scores"])
    table = word_table("action", *shown, *means, gap=2)
    for row in sorted(rows, key=lambda row: -_at(row, f"{seat} wins")):
        shares = (_told(row["shares"][name], digits).replace("0.", ".") for name in shown)
        scores = (_told(mean, 1) for mean in row["mean_scores"].values())
        table.add_row(row["action"], *shares, *scores)
    return table


def _at(row: Mapping[str, Any], name: str) -> float:
    return float(row["shares"][name]["value"])


def _told(number: Mapping[str, float | None], digits: int) -> str:
    value, low, high = (
        "-" if (at := number[name]) is None else f"{at:.{digits}f}"
        for name in ("value", "low", "high")
    )
    return f"{value} [{low}, {high}]"
