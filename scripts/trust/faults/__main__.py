"""`scripts/faults`: disturb runs of the program, and judge what becomes of them."""

import json
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.statistics import binomial
from pigglesim.rng import generator
from scripts.measured_page import markdown_table, write_between
from scripts.trust.faults.bench import Bench, Fault, Trial
from scripts.trust.faults.every import FAULTS
from tests.support.doors import FrontDoor, QuickDoor

_FRONT = 50
"""Of so many random trials one goes through the front door."""
_HEADS = ("fault", "ran", "times", "moments hit", "lost", "twice", "torn", "other", "verdict")


@dataclass(slots=True, kw_only=True)
class Row:
    """All trials of one fault at one subject."""

    fault: Fault
    trials: list[Trial] = field(default_factory=list)
    untried: str = ""
    """Why there are no trials, where the machine allows none."""

    def cells(self):
        """Return the row of the table, as text."""
        seen = Counter(name for trial in self.trials for name in dict(trial.breaches))
        count, bad = len(self.trials), sum(bool(trial.breaches) for trial in self.trials)
        hit = Counter(trial.moment for trial in self.trials if trial.moment)
        verdict = f"kept: breaks below {binomial(bad, count).high:.1%}" if count >= 20 else "kept"
        if not self.trials:
            verdict = f"not tried here: {self.untried}"
        elif bad:
            verdict = f"BROKEN {bad} of {count}"
        cells = (
            *(self.fault.told, self.fault.subject, count, _listed(hit)),
            *(seen.pop("lost", 0), seen.pop("twice", 0)),
            *(sum(bool(trial.torn) for trial in self.trials), _listed(seen) or 0, verdict),
        )
        return [str(cell).replace("|", "/") for cell in cells]


def _listed(counts):
    return ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))


def main(
    faults: Annotated[list[str] | None, typer.Argument(help="Faults. Default: all.")] = None,
    times: Annotated[int, typer.Option(min=1, help="Trials per random fault.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the moments.")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="File of finished trials, to resume from.")
    ] = None,
    write: Annotated[Path | None, typer.Option(help="Page whose table is replaced.")] = None,
) -> None:
    """Disturb runs of the real command line in scratch folders, and judge what becomes of them.

    Ctrl-C shows what is done; with --keep the same command goes on, and with --times 1 it does
    what was never done and shows it all.

    Examples:

      scripts/faults kill --times 20

      scripts/faults --keep faults.jsonl --write docs/trust/faults.md
    """
    keys = {fault.key for fault in FAULTS}
    for word in faults or ():
        if word not in keys:
            raise unknown_name("fault", word, keys)
    rows = [
        Row(fault=fault, untried=fault.why_not())
        for fault in FAULTS
        if not faults or fault.key in faults
    ]
    recall(rows, keep)
    stopped = False
    try:
        run(rows, times=times, seed=seed, keep=keep)
    except KeyboardInterrupt:
        stopped = True
    done = [row for row in rows if row.trials or row.untried]
    print(table := table_of(done))
    breaches = [breach for row in done for trial in row.trials for breach in trial.breaches]
    for name, seen in breaches:
        print(f"{name}: {seen}")
    if write is not None:
        write_between(write, "scripts/faults", table)
    if stopped or breaches:
        raise typer.Exit(130 if stopped else 1)


def table_of(rows):
    """Return the table in Markdown."""
    return markdown_table(_HEADS, [row.cells() for row in rows], align="---")


def recall(rows, keep):
    """Take up the trials of a file; an incomplete last line is left out."""
    known = {(row.fault.key, row.fault.subject): row for row in rows}
    lines = keep.read_text().splitlines(keepends=True) if keep and keep.exists() else []
    for line in lines:
        if line.endswith("\n"):
            key, subject, trial = json.loads(line)
            if (key, subject) in known:
                known[key, subject].trials.append(Trial(**trial))


def run(rows, *, times, seed, keep=None):
    """Do every trial that is missing, a round of all faults after the other."""
    with tempfile.TemporaryDirectory(prefix="pigglesim-faults-") as root, QuickDoor() as door:
        quick, front = Bench(Path(root) / "quick", door), Bench(Path(root) / "front", FrontDoor())
        for number in range(times):
            for row in rows:
                fault = row.fault
                most = 0 if row.untried else 1 if fault.once else times
                if not len(row.trials) <= number < most:
                    continue
                at_front = not fault.planted and number % _FRONT == _FRONT - 1
                rng = generator(seed, "faults", fault.key, fault.subject, number)
                found = fault.disturb(front if at_front else quick, rng)
                trials = found if isinstance(found, list) else [found]
                row.trials += trials
                if keep is not None:
                    with keep.open("a") as file:
                        for trial in trials:
                            line = json.dumps([fault.key, fault.subject, asdict(trial)])
                            file.write(f"{line}\n")
                seen = [str(trial.breaches) for trial in trials if trial.breaches]
                said = "; ".join([trials[-1].moment, *seen])
                print(f"{fault.key} {fault.subject} {number + 1}: {said}", file=sys.stderr)


if __name__ == "__main__":
    try:
        typer.run(main)
    except SpecError as fault:
        print(f"faults: {fault}", file=sys.stderr)
        sys.exit(2)
