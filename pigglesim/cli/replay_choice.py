"""Which record of a file is meant; all of them listed or written in the other form."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.cli.completions import AGENT, CHANCE
from pigglesim.cli.consoles import print_json, result_console
from pigglesim.cli.flags import Flag
from pigglesim.cli.options import SeedOption, WorkersOption
from pigglesim.cli.progress import progress_bar
from pigglesim.errors import RecordError, SpecError, one_line
from pigglesim.match.entries import Fault, MatchRecord
from pigglesim.match.record import LocatedRecord, scan, write_records
from pigglesim.match.replay import without_places

_FAULTY = 2


def tell_fault(fault: Fault, *, many: bool) -> None:
    """Tell what is wrong with a record on standard error, in one line, and where it stood."""
    print(f"pigglesim: {one_line(fault.sentence if many else str(fault.error))}", file=sys.stderr)
    if fault.error.position is not None:
        print(f"  position before it: {one_line(fault.error.position)}", file=sys.stderr)


def chosen_record(file: Path, number: int | None) -> LocatedRecord | None:
    """Return the record asked for, or the only one; None if there are many and none is asked for.

    Raises:
        RecordError: If the file cannot be read, or has fewer records.
    """
    found = scan(file)
    if number is None:
        first = list(islice(found, 2))
        return first[0] if len(first) == 1 else None
    chosen = next(islice(found, number - 1, None), None)
    if chosen is None:
        raise RecordError(
            f"record {number} in {str(file)!r}",
            got=f"{sum(1 for _ in scan(file))} records",
            remedy=f"pigglesim replay {file}",
        )
    return chosen


def list_records(file: Path, *, as_json: bool) -> None:
    """Print a line for every record of a file; leave with 2 if some are broken."""
    rows: list[dict[str, Any]] = []
    faults: list[Fault] = []
    console = result_console()
    for found in scan(file):
        if found.fault is not None:
            faults.append(found.fault)
            if not as_json:
                tell_fault(found.fault, many=True)
        elif found.record is not None:
            row = _row(found, found.record)
            if as_json:
                rows.append(row)
            else:
                console.print(_line(row), soft_wrap=True, markup=False)
    if as_json:
        print_json({"records": rows, "faults": [fault.to_json() for fault in faults]})
    else:
        console.print(f"one of them: pigglesim replay {file} --record 1", style="dim")
    if faults:
        raise typer.Exit(_FAULTY)


def _row(found: LocatedRecord, record: MatchRecord) -> dict[str, Any]:
    header, ended = record.header, record.footer
    winner = ended.result.winner if ended.result else None
    return {
        "record": found.number,
        "line": found.line,
        "game": header.game,
        "agents": {str(seat): name for seat, name in header.agents.items()},
        "seed": header.seed,
        "winner": None if winner is None else str(winner),
        "reason": ended.result.reason if ended.result else str(ended.status),
        "scores": {str(seat): score for seat, score in ended.scores.items()},
        "decisions": len(record.decisions),
    }


def _line(row: dict[str, Any]) -> str:
    ended = f"{row['winner']} wins" if row["winner"] else "no winner"
    scores = ", ".join(f"{seat} {score}" for seat, score in row["scores"].items())
    agents = ", ".join(f"{seat} {name}" for seat, name in row["agents"].items())
    return (
        f"{row['record']:>6}  {ended} ({row['reason']}), {scores}; {agents}; "
        f"seed {row['seed']}, {row['decisions']} decisions, line {row['line']}"
    )


def convert(file: Path, number: int | None, target: Path, *, places: bool, as_json: bool) -> None:
    """Write the records of a file, or one of them, to another; leave with 2 if some are broken."""
    faults: list[Fault] = []

    def whole() -> Iterator[MatchRecord]:
        with progress_bar("records", quiet=as_json) as bar:
            task = bar.add_task("written", total=None)
            for found in scan(file):
                if number not in {None, found.number}:
                    continue
                if found.fault is not None:
                    faults.append(found.fault)
                    tell_fault(found.fault, many=True)
                elif found.record is not None:
                    yield found.record if places else without_places(found.record)
                    bar.advance(task)
                if number == found.number:
                    return

    count = write_records(whole(), target)
    if as_json:
        told = {"written": count, "file": str(target)}
        print_json(told | {"faults": [fault.to_json() for fault in faults]})
    else:
        result_console().print(f"{count} written to {target}", markup=False, soft_wrap=True)
    if faults or (number is not None and not count):
        raise typer.Exit(_FAULTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFlags:
    """The flags that tell which rounds are shown, and how."""

    from_round: Annotated[int, Flag(low=1), "First round shown."] = 1
    to_round: Annotated[int | None, Flag(low=1), "Last round shown. Default: the last."] = None
    round_: Annotated[int | None, Flag(low=1), "Only round shown. Default: all."] = None
    step: Annotated[bool, "Show one move at a time: Enter next, b back, q quit."] = False
    resimulate: Annotated[bool, "Simulate every roll again and compare every bit."] = False
    boards: Annotated[bool, "Show the board after each turn."] = True
    decisions: Annotated[bool, "List the decisions by number, for --what-if."] = False

    @property
    def rounds(self) -> tuple[int, int | None]:
        """The first and the last round shown; None for the last there is."""
        if self.round_ is not None:
            return self.round_, self.round_
        return self.from_round, self.to_round


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


def refuse_loose(loose: bool, flag: str, given: Mapping[str, object]) -> None:
    """Refuse flags that say nothing without another."""
    for name, value in given.items():
        if loose and value:
            raise SpecError(f"{flag} with {name}", got=f"{name} alone", remedy=f"add {flag}")


def refuse_both(drawing: Mapping[str, bool], others: Mapping[str, bool]) -> None:
    """Refuse to draw a record that is written or stepped through in the same breath."""
    for name, wanted in drawing.items():
        if clash := [flag for flag, given in others.items() if wanted and given]:
            raise SpecError(
                f"{name} without what shows or writes the record",
                got=clash[0],
                remedy="one at a time",
            )
