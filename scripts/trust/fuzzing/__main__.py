"""The command behind `scripts/fuzz`: libFuzzer on one reader after another, and a table of it."""

import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree
from threading import Event
from typing import Annotated

import typer

from pigglesim.errors import PigglesimError
from scripts.measured_page import markdown_table, write_between
from scripts.trust.fuzzing.target import CORPUS, FOUND, Target, find, scratch_folder, store, targets

_HEADINGS = (
    *("target", "inputs", "per second", "branches", "features", "corpus", "findings"),
    "memory [MB]",
)
_MOST_KEPT = 40
"""Maximum inputs of a corpus that the tests replay."""


def fuzz(target: Target, *, inputs: int, seconds: int, seed: int, keep: bool) -> tuple[str, ...]:
    """Fuzz one target in a process of its own and return its row of the table.

    Args:
        target: The reader.
        inputs: Maximum number of inputs.
        seconds: Time limit [s].
        seed: Seed of libFuzzer.
        keep: Whether to write a small corpus of the same coverage, and findings, to the tests.
    """
    with scratch_folder() as place:
        corpus, found, small, scratch = (
            Path(place) / name for name in ("corpus", "found", "small", "scratch")
        )
        for folder in (found, small, scratch):
            folder.mkdir()
        command = [
            sys.executable,
            "-m",
            "scripts.trust.fuzzing.fuzz_one",
            target.name,
            str(scratch),
        ]
        store(corpus, target.known_inputs())
        limits = [f"-runs={inputs}", f"-max_total_time={seconds}", f"-seed={seed}"]
        log = _said([*command, *limits, f"-artifact_prefix={found}/", str(corpus)])
        findings = sorted(found.iterdir())
        for path in findings:
            shortest = ["-minimize_crash=1", "-max_total_time=30", f"-exact_artifact_path={path}"]
            _said([*command, *shortest, str(path)])
            print(f"{target.name}: {_reason(log)}\n  {path.read_bytes()[:2000]!r}", file=sys.stderr)
        if keep:
            _said([*command, "-merge=1", str(small), str(corpus)])
            smallest = sorted((path.read_bytes() for path in small.iterdir()), key=len)[:_MOST_KEPT]
            rmtree(CORPUS / target.name, ignore_errors=True)
            store(CORPUS / target.name, smallest)
            store(FOUND / target.name, [path.read_bytes() for path in findings])
    counts = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", log) or [("0", "0", "0")]
    stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", log))
    fed, rate, memory = (
        int(stats.get(key, 0))
        for key in ("number_of_executed_units", "average_exec_per_sec", "peak_rss_mb")
    )
    numbers = (fed, rate, *map(int, counts[-1]), len(findings), memory)
    return target.name, *(f"{number:,}" for number in numbers)


def _said(command: list[str]) -> str:
    """Run libFuzzer to its end and return its report."""
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace").stderr


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
    rows = []

    def row(target: Target) -> tuple[str, ...]:
        if stopped.is_set():
            return ()
        limit = inputs or target.inputs
        return fuzz(target, inputs=limit, seconds=seconds, seed=seed, keep=keep)

    with ThreadPoolExecutor(workers) as pool:
        for cells in filter(None, pool.map(row, chosen)):
            rows.append(cells)
            print(*cells, sep=" | ", file=sys.stderr, flush=True)
    print(table := markdown_table(_HEADINGS, rows))
    if write is not None:
        write_between(write, "scripts/fuzz", table)
    raise typer.Exit(any(cells[-2] != "0" for cells in rows))


if __name__ == "__main__":
    try:
        typer.run(main)
    except PigglesimError as fault:
        sys.exit(f"fuzz: {fault}")
