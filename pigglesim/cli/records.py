"""Records of a file: one chosen, all listed, or all written in the other form."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import typer

from pigglesim.cli.consoles import print_json, progress_bar, result_console
from pigglesim.errors import RecordError, one_line
from pigglesim.match.entries import Fault, MatchRecord
from pigglesim.match.record import LocatedRecord, scan, write_records
from pigglesim.match.replay import without_places

FAULTY = 2
"""Exit status where a record is broken."""


def tell_fault(fault: Fault, *, many: bool) -> None:
    """Tell what is wrong with a record on standard error, in one line, and where it stood."""
    print(f"pigglesim: {one_line(fault.sentence if many else str(fault.error))}", file=sys.stderr)
    if fault.error.position is not None:
        print(f"  position before it: {one_line(fault.error.position)}", file=sys.stderr)


def readable(found: LocatedRecord) -> MatchRecord:
    """Return a record as far as it can be read; leave with 2 where nothing can."""
    record = found.record or found.so_far
    if record is None:
        assert found.fault is not None
        tell_fault(found.fault, many=False)
        raise typer.Exit(FAULTY)
    return record


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
        raise typer.Exit(FAULTY)


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
        raise typer.Exit(FAULTY)
