"""What would have come of another decision: branches played on, and their results by action."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.table import Table
from rich.text import Text

from pigglesim.chance.fair import FairChance
from pigglesim.chance.physical import PhysicalChance
from pigglesim.chance.tabular import TabularChance
from pigglesim.cli.options import chosen_seed, print_json, result_console
from pigglesim.cli.progress import finish_undisturbed, progress_bar
from pigglesim.cli.replay_choice import tell_fault
from pigglesim.cli.table import agents_of_record, make_source
from pigglesim.errors import RecordError, SpecError
from pigglesim.games.registry import find
from pigglesim.match.branch import BranchPoint, branch_at, branch_seed
from pigglesim.match.entries import Header, MatchRecord, Status
from pigglesim.match.record import write_records
from pigglesim.match.runner import ChanceSource
from pigglesim.match.scan import Found
from pigglesim.studies.estimate import binomial, mean_of

__all__ = ["WhatIf", "show_what_if"]

_FAULTY, _STOPPED = 2, 130
_WIDE = 120
"""Columns of a table with every result: in a narrower window it wraps, and loses nothing."""
_MANY = 1000
"""Matches of which a third digit of a share is worth telling."""
_KINDS = ("physical", "tabular")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """Where to branch off, and how to play on."""

    decision: int
    actions: tuple[str, ...]
    """In the notation of the game; none for each legal one."""
    times: int
    chance: str | None
    """`physical` or `tabular`; None for the record's own."""
    odds: str | None
    agents: Mapping[str, str | None]
    """By seat; None for the record's own."""
    seed: int | None
    out: Path | None


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What came of one action."""

    wins: dict[str, int]
    draws: int = 0
    scores: dict[str, list[int]] = field(default_factory=dict)

    def add(self, record: MatchRecord) -> None:
        """Count one match that was played to its end."""
        result = record.footer.result
        if result is None or result.winner is None:
            self.draws += 1
        else:
            self.wins[str(result.winner)] += 1
        for seat, score in record.footer.scores.items():
            self.scores[str(seat)].append(score)

    @property
    def trials(self) -> int:
        """How many matches have been counted."""
        return self.draws + sum(self.wins.values())


def show_what_if(found: Found, asked: WhatIf, *, as_json: bool) -> None:
    """Play on from a decision with each action, and show what came of it.

    Ctrl-C shows, and writes, what is done.

    Raises:
        PigglesimError: If the decision, an action, an agent or the chance asked for is wrong.
    """
    record = found.record or found.so_far
    if record is None:
        assert found.fault is not None
        tell_fault(found.fault, many=False)
        raise typer.Exit(_FAULTY)
    point = branch_at(record, asked.decision)
    actions = tuple(dict.fromkeys(map(point.canonical, asked.actions))) or point.actions
    seed = chosen_seed(asked.seed)
    source = _sources(record.header, asked)
    agents = agents_of_record(record.header, record.footer.scores, asked.agents)
    seats = [str(seat) for seat in record.footer.scores]
    tallies = {
        action: _Tally(wins=dict.fromkeys(seats, 0), scores={seat: [] for seat in seats})
        for action in actions
    }

    def branches() -> Iterator[MatchRecord]:
        with progress_bar("matches", quiet=as_json) as bar:
            task = bar.add_task("played on", total=asked.times * len(actions))
            for trial, action in product(range(asked.times), actions):
                own = branch_seed(seed, trial)
                played = point.play_on(action, agents=agents, chance=source(own), seed=own)
                if played.record.footer.status is Status.INTERRUPTED:
                    raise KeyboardInterrupt
                yield played.record
                # Counted when it has been written: file and table tell of the same matches.
                tallies[action].add(played.record)
                bar.advance(task)

    try:
        if asked.out is not None:
            write_records(branches(), asked.out)
        else:
            for _ in branches():
                pass
    except KeyboardInterrupt:
        finish_undisturbed()
    _show(point, tallies, seed=seed, asked=asked, as_json=as_json)
    if min(tally.trials for tally in tallies.values()) < asked.times:
        raise typer.Exit(_STOPPED)


def _sources(header: Header, asked: WhatIf) -> Callable[[int], ChanceSource]:
    """Return what makes a source of chance from a seed."""
    recorded = str(header.chance.get("source"))
    kind = asked.chance or ("tabular" if asked.odds else recorded)
    if kind == "fair" and "fair" in find(header.game).chances:
        return lambda seed: FairChance(seed=seed)
    if kind not in _KINDS and asked.chance is None:
        raise RecordError(
            "a record rolled on physics or by odds",
            got=f"one whose chance was {recorded}",
            remedy="--chance tabular",
        )
    same = kind == recorded
    first = make_source(
        kind,
        str(header.chance["scene"]) if same and "scene" in header.chance else "piggles_classic",
        models=dict(header.teams),
        engine=str(header.chance["engine"]) if same and "engine" in header.chance else None,
        seed=0,
        odds=asked.odds or (_odds_of(header) if kind == "tabular" else None),
    )
    if isinstance(first, TabularChance):
        return lambda seed: TabularChance(seed=seed, odds=first.odds)
    if isinstance(first, PhysicalChance):
        return lambda seed: replace(first, seed=seed)
    raise SpecError("chance with a seed", got=kind, remedy="--chance tabular")


def _odds_of(header: Header) -> str | None:
    model = header.chance.get("model")
    return model if isinstance(model, str) else None


def _document(tallies: Mapping[str, _Tally]) -> list[dict[str, Any]]:
    """Return what came of each action, with intervals, as plain values."""
    rows = []
    for action, tally in tallies.items():
        if not tally.trials:
            continue
        shares = {f"{seat} wins": count for seat, count in tally.wins.items()}
        shares["draw"] = tally.draws
        rows.append(
            {
                "action": action,
                "matches": tally.trials,
                "shares": {name: _share(count, tally.trials) for name, count in shares.items()},
                "mean_scores": {seat: _mean(scores) for seat, scores in tally.scores.items()},
            }
        )
    return rows


def _share(hits: int, trials: int) -> dict[str, float | None]:
    share = binomial(hits, trials)
    return {"value": share.value, "low": share.low, "high": share.high}


def _mean(scores: list[int]) -> dict[str, float | None]:
    """Return a mean with its interval, which has no bounds where there is one score alone."""
    mean = mean_of(np.array(scores, float))
    low, high = (bound if isfinite(bound) else None for bound in (mean.low, mean.high))
    return {"value": mean.value, "low": low, "high": high}


def _show(
    point: BranchPoint,
    tallies: Mapping[str, _Tally],
    *,
    seed: int,
    asked: WhatIf,
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
