"""`scripts/faults`: disturb runs of the program, and judge what becomes of them."""

import json
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.errors import SpecError, unknown_name
from pigglesim.rng import generator
from tests.doors import FrontDoor, QuickDoor
from tests.faults.bench import Bench
from tests.faults.every import FAULTS
from tests.faults.page import show, write_page
from tests.faults.trial import Row, Trial

_FRONT = 50
"""Of so many random trials one goes through the front door."""


def main(
    faults: Annotated[list[str] | None, typer.Argument(help="Some of them; all if absent.")] = None,
    times: Annotated[int, typer.Option(min=1, help="Trials of each that is random.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the moments.")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="A file of trials that are done: it goes on from there.")
    ] = None,
    write: Annotated[Path | None, typer.Option(help="A page whose table is made anew.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Disturb runs of the real command line in scratch folders, and judge what becomes of them.

    Killed, starved of disk, stopped, given broken workers or a closed pipe: whatever was reported
    as finished must be there, once and whole, and the next start must say what it found. Ctrl-C
    shows what is done; with --keep the same command goes on, and with --times 1 it does what was
    never done and shows it all.

    Examples:

      scripts/faults kill --times 20

      scripts/faults --keep faults.jsonl --write docs/trust/faults.md
    """
    keys = {fault.key for fault in FAULTS}
    for word in faults or ():
        if word not in keys:
            raise unknown_name("fault", word, keys)
    rows = [Row(fault=fault) for fault in FAULTS if not faults or fault.key in faults]
    recall(rows, keep)
    set_aside(rows)
    stopped = False
    try:
        run(rows, times=times, seed=seed, keep=keep)
    except KeyboardInterrupt:
        stopped = True
    done = [row for row in rows if row.trials or row.untried]
    if as_json:
        print(json.dumps([row.document() for row in done], indent=1))
    else:
        show(done)
    if write is not None:
        write_page(done, write)
    if stopped or any(row.broken for row in done):
        raise typer.Exit(130 if stopped else 1)


def recall(rows, keep):
    """Take up the trials of a file."""
    if keep is None or not keep.exists():
        return
    known = {(row.fault.key, row.fault.subject): row for row in rows}
    for line in keep.read_text().splitlines(keepends=True):
        if line.endswith("\n"):
            key, subject, trial = json.loads(line)
            if (key, subject) in known:
                known[key, subject].trials.append(Trial(**trial))


def set_aside(rows):
    """Tell what cannot be tried on this machine; its rows say so too."""
    for row in rows:
        row.untried = row.fault.why_not()
        if row.untried:
            print(f"{row.fault.key} {row.fault.subject}: not tried: {row.untried}", file=sys.stderr)


def run(rows, *, times, seed, keep=None):
    """Do every trial that is missing, a round of all faults after the other."""
    root = Path(tempfile.mkdtemp(prefix="pigglesim-faults-"))
    try:
        with QuickDoor() as door:
            for number in range(times):
                for row in rows:
                    most = 0 if row.untried else 1 if row.fault.once else times
                    if len(row.trials) <= number < most:
                        _add(row, number, root, door, seed, keep)
    finally:
        shutil.rmtree(root, ignore_errors=True)


_benches = {}


def _add(row, number, root, door, seed, keep):
    front = FrontDoor()
    at_front = not row.fault.once and not row.fault.planted
    through_front = at_front and number % _FRONT == _FRONT - 1
    if through_front not in _benches:
        _benches[through_front] = Bench(root, front if through_front else door, front)
    rng = generator(seed, "faults", row.fault.key, row.fault.subject, number)
    found = row.fault.disturb(_benches[through_front], rng)
    trials = found if isinstance(found, list) else [found]
    row.trials += trials
    if keep is not None:
        lines = [[row.fault.key, row.fault.subject, asdict(trial)] for trial in trials]
        with keep.open("a") as file:
            file.write("".join(f"{json.dumps(line)}\n" for line in lines))
    breaches = [breach for trial in trials for breach in trial.breaches]
    told = trials[-1].moment + (f"; {breaches[:3]}" if breaches else "")
    print(f"{row.fault.key} {row.fault.subject} {number + 1}: {told}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        typer.run(main)
    except SpecError as fault:
        print(f"faults: {fault}", file=sys.stderr)
        sys.exit(2)
