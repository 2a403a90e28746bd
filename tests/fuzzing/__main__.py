"""The command behind `scripts/fuzz`: libFuzzer on one reader after another, and a table of it."""

import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from threading import Event
from typing import Annotated

import typer

from pigglesim.errors import PigglesimError
from tests.fuzzing.target import (
    CORPUS,
    FOUND,
    Target,
    find,
    inputs_of,
    scratch_folder,
    store,
    targets,
)
from tests.measured_page import write_between

_HEADINGS = (
    "target",
    "inputs",
    "per second",
    "branches",
    "features",
    "corpus",
    "findings",
    "memory [MB]",
)
_MOST_KEPT = 40
"""Inputs of a corpus that the tests replay."""


def fuzz(target: Target, *, inputs: int, seconds: int, seed: int, keep: bool) -> tuple[str, ...]:
    """Fuzz one target in a process of its own and return its row of the table.

    Args:
        target: The reader.
        inputs: Inputs to feed at most.
        seconds: Time at most [s].
        seed: Seed of libFuzzer.
        keep: Whether to write a small corpus of the same coverage, and findings, to the tests.
    """
    with scratch_folder() as place:
        corpus, found, small, scratch = (
            Path(place) / name for name in ("corpus", "found", "small", "scratch")
        )
        for folder in (found, small, scratch):
            folder.mkdir()
        command = [sys.executable, "-m", "tests.fuzzing.fuzz_one", target.name, str(scratch)]
        store(corpus, inputs_of(target))
        limits = [f"-runs={inputs}", f"-max_total_time={seconds}", f"-seed={seed}"]
        artifacts = f"-artifact_prefix={found}/"
        log = subprocess.run(
            [*command, *limits, artifacts, str(corpus)],
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ).stderr
        findings = sorted(found.iterdir())
        for finding in findings:
            shortest = f"-exact_artifact_path={finding}"
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(
                    [*command, "-minimize_crash=1", "-max_total_time=30", shortest, str(finding)],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=90,
                )
            print(
                f"{target.name}: {_reason(log)}\n  {finding.read_bytes()[:2000]!r}", file=sys.stderr
            )
        if keep:
            subprocess.run(
                [*command, "-merge=1", str(small), str(corpus)],
                stderr=subprocess.DEVNULL,
                check=False,
            )
            smallest = sorted((path.read_bytes() for path in small.iterdir()), key=len)[:_MOST_KEPT]
            rmtree(CORPUS / target.name, ignore_errors=True)
            store(CORPUS / target.name, smallest)
            store(FOUND / target.name, [path.read_bytes() for path in findings])
    counts = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", log) or [("0", "0", "0")]
    stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", log))
    fed, rate = (
        int(stats.get("number_of_executed_units", 0)),
        int(stats.get("average_exec_per_sec", 0)),
    )
    numbers = (fed, rate, *map(int, counts[-1]), len(findings), int(stats.get("peak_rss_mb", 0)))
    return target.name, *(f"{number:,}" for number in numbers)


def _reason(log: str) -> str:
    """Return the line of libFuzzer's output that says why it stopped."""
    lines = [line for line in log.splitlines() if re.search(r"Error: |ERROR: libFuzzer", line)]
    return lines[0].strip() if lines else "no reason given"


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Readers. Default: all.")] = None,
    inputs: Annotated[
        int | None,
        typer.Option(min=1, help="Inputs per reader. Default: 1,000,000; 100,000 if slow."),
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, help="Time limit per reader [s].")] = 86_400,
    seed: Annotated[int, typer.Option(min=1, help="Seed of libFuzzer.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Readers fuzzed at the same time.")] = 1,
    keep: Annotated[
        bool, typer.Option("--keep", help="Write corpus and findings to tests/.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option(help="Markdown page whose table is replaced.")
    ] = None,
) -> None:
    """Feed readers of files with hostile inputs, and report those that break them.

    A finding is any exception but a one-line error with a remedy, two seconds for one input, two
    gigabytes of memory, or a crash. The exit status is 1 if there is one.

    Examples:

      scripts/fuzz scene study --seconds 600

      scripts/fuzz --workers 2 --keep --write docs/trust/fuzzing.md
    """
    chosen = [find(name) for name in names or targets()]
    stopped = Event()
    # libFuzzer's processes get Ctrl-C too, and end with their figures.
    signal.signal(signal.SIGINT, lambda _signal, _frame: stopped.set())
    table = [f"| {' | '.join(_HEADINGS)} |", f"|---|{'---:|' * (len(_HEADINGS) - 1)}"]
    print(*table, sep="\n")

    def row(target: Target) -> str:
        if stopped.is_set():
            return ""
        limit = inputs or target.inputs
        cells = fuzz(target, inputs=limit, seconds=seconds, seed=seed, keep=keep)
        return f"| {' | '.join(cells)} |"

    with ThreadPoolExecutor(workers) as pool:
        for line in filter(None, pool.map(row, chosen)):
            table.append(line)
            print(line, flush=True)
    if write is not None:
        write_between(write, "scripts/fuzz", "\n".join(table))
    raise typer.Exit(any(line.split("|")[-3].strip() != "0" for line in table[2:]))


if __name__ == "__main__":
    try:
        typer.run(main)
    except PigglesimError as fault:
        sys.exit(f"fuzz: {fault}")
