"""Measure by line and branch how much of the rules the tests run: `scripts/coverage`."""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tests.mutation.page import put, table
from tests.mutation.subjects import ROOT

TESTS = (
    "tests/unit/games",
    "tests/unit/reading",
    "tests/unit/studies",
    "tests/contracts/test_game_conformance.py",
    "tests/playthroughs",
    "tests/unit/scenarios/test_scenarios.py",
    "tests/unit/render/test_notebook.py",
    "tests/unit/cli/test_study.py",
    "tests/unit/cli/test_study_table.py",
)
"""The tests that count: those named for what is measured, and those of its front doors."""
_SETTINGS = Path(__file__).with_name("coverage.toml")
_HEAD = ("package", "lines", "run", "branches", "taken", "covered")


def rows_of(report: dict[str, Any]) -> list[list[str]]:
    """Return a row for each package of a report of coverage.py in JSON, and one for their sum."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for path, found in report["files"].items():
        summary = found["summary"]
        counts = (
            summary["num_statements"],
            summary["covered_lines"],
            summary["num_branches"],
            summary["covered_branches"],
        )
        for package in (_package(path), "**all**"):
            sums[package] = [a + b for a, b in zip(sums[package], counts, strict=True)]
    last = sums.pop("**all**")
    return [_row(name, sums[name]) for name in sorted(sums)] + [_row("**all**", last)]


def _package(path: str) -> str:
    folders = Path(path).parts[1:-1]
    return "/".join(folders) if folders else Path(path).stem


def _row(name: str, counts: list[int]) -> list[str]:
    lines, run, branches, taken = counts
    share = (run + taken) / (lines + branches) if lines else 1.0
    # Rounded down: only what is whole reads as 100 %.
    return [name, *(f"{count:,}" for count in counts), f"{int(1000 * share) / 10:.1f} %"]


def main(
    tests: Annotated[
        list[str] | None, typer.Argument(help="Tests to run; those that count if none.")
    ] = None,
    *,
    write: Annotated[
        Path | None, typer.Option(help="Page whose table of coverage shall be replaced.")
    ] = None,
) -> None:
    """Run the tests of the rules, the reading and the studies, and tell what they never reach.

    Examples:

      scripts/coverage

      scripts/coverage tests/unit/games --write docs/trust/mutation.md
    """
    with tempfile.TemporaryDirectory(prefix="coverage-") as folder:
        settings = {"COVERAGE_FILE": f"{folder}/data"}

        def run(*words: str) -> int:
            command = [sys.executable, "-m", "coverage", *words]
            return subprocess.run(
                command, cwd=ROOT, env={**os.environ, **settings}, stdout=sys.stderr, check=False
            ).returncode

        rc = f"--rcfile={_SETTINGS}"
        failed = run("run", rc, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(tests or TESTS))
        run("combine", rc, "-q")
        run("report", rc, "--show-missing", "--skip-covered")
        out = Path(folder) / "report.json"
        run("json", rc, "-q", "-o", str(out))
        text = table(_HEAD, rows_of(json.loads(out.read_text())))
    print(text)
    if failed:
        raise SystemExit("expected tests that pass, got failures; try: scripts/test")
    if write:
        put(write, "scripts/coverage", text)


if __name__ == "__main__":
    typer.run(main)
