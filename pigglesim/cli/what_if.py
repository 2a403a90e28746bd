"""`pigglesim replay --what-if`: branches of a match played on, and their results by action."""

from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from pigglesim.api.result import plain
from pigglesim.api.what_if import ActionResult, Branches, WhatIfTally, branches_at
from pigglesim.cli.completions import AGENT, CHANCE
from pigglesim.cli.consoles import (
    PlainConsole,
    finish_undisturbed,
    print_json,
    progress_bar,
    result_console,
    word_table,
)
from pigglesim.cli.flags import Flag, refuse_loose
from pigglesim.cli.options import SeedOption, WorkersOption, chosen_seed, chosen_workers
from pigglesim.cli.records import readable
from pigglesim.match.entries import Decision, MatchRecord
from pigglesim.match.record import LocatedRecord, write_records
from pigglesim.match.replay import RecordPlayback, game_of
from pigglesim.studies.statistics import Interval, Share

_STOPPED = 130
_WIDE = 120
"""Columns of a table with every result: in a narrower window it wraps, and loses nothing."""
_MANY = 1000
"""Matches of which a third digit of a share is worth telling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfFlags:
    """The flags that tell where to branch off, and how to play on."""

    decision: Annotated[
        int | None,
        Flag("--what-if", metavar="DECISION", low=0),
        "Number of the decision to branch off at, from 0; --decisions lists them.",
    ] = None
    actions: Annotated[
        list[str] | None,
        Flag("--action", metavar="ACTION"),
        "With --what-if: action to try there; repeatable. Default: each legal one but "
        "concede, and in Classic one load for each number of Piggles.",
    ] = None
    times: Annotated[int, Flag(low=1, high=10**6), "With --what-if: matches per action."] = 100
    chance: Annotated[
        str | None,
        CHANCE,
        "With --what-if: source of rolls: tabular (measured odds), physical or fair. "
        "Default: the quickest of the game.",
    ] = None
    odds: Annotated[
        str | None, "With --what-if: odds of --chance tabular, a file written by `study odds`."
    ] = None
    a: Annotated[str | None, AGENT, "With --what-if: agent of A. Default: the record's."] = None
    b: Annotated[str | None, AGENT, "With --what-if: agent of B. Default: the record's."] = None
    workers: WorkersOption = None
    seed: SeedOption = None
    out: Annotated[Path | None, "With --what-if: file to write the matches to."] = None

    def refuse_loose(self) -> None:
        """Raise `SpecError` for flags that say nothing without --what-if."""
        given = {
            "--action": self.actions,
            "--odds": self.odds,
            "--chance": self.chance,
            "--a": self.a,
            "--b": self.b,
            "--workers": self.workers,
            "--out": self.out,
        }
        refuse_loose(self.decision is None, "--what-if", given)


def show_what_if(found: LocatedRecord, asked: WhatIfFlags, *, as_json: bool) -> None:
    """Play on from a decision with each action, and show what came of it.

    Ctrl-C shows, and writes, what is done.

    Raises:
        PigglesimError: If the decision, an action, an agent or the chance asked for is wrong.
    """
    record, decision = readable(found), asked.decision
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
    record = readable(found)
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
    table = word_table(">decision", ">round", "seat", ">legal actions", "decided")
    console = result_console()
    for row in rows:
        numbers = (str(row[name]) for name in ("decision", "round", "seat", "legal_actions"))
        table.add_row(*numbers, Text(str(row["action"])))
    console.print(table)
    if rows:
        chosen = "" if found.number == 1 else f" --record {found.number}"
        example = f"pigglesim replay {file}{chosen} --what-if {rows[-1]['decision']}"
        console.print(f"another decision: {example}", style="dim", soft_wrap=True, markup=False)


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
    table = word_table("action", *shown, *means)
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
