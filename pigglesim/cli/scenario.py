"""`pigglesim scenario FILE...`: rule tests without physics."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.consoles import print_json
from pigglesim.cli.flags import WORD
from pigglesim.cli.options import JsonOption
from pigglesim.errors import PigglesimError
from pigglesim.scenarios.runner import ScenarioReport, read_scenarios, run_scenario


def scenario(
    files: Annotated[list[Path], WORD, "Scenario files (JSON)."], as_json: JsonOption = False
) -> None:
    """Check rule scenarios without physics.

    Each scenario that fails has a line; the counts come last. The exit status is 1 if any failed, 2
    if a file cannot be read.

    Examples:
            pigglesim scenario tests/scenarios/*.json
            pigglesim scenario my_ruling.json --json
    """
    reports: list[ScenarioReport] = []
    unreadable = 0
    for path in files:
        try:
            reports += map(run_scenario, read_scenarios(path))
        except PigglesimError as error:
            print(f"pigglesim: {error}", file=sys.stderr)
            unreadable += 1
    failed = sum(not report.passed for report in reports)
    passed = len(reports) - failed
    if as_json:
        shown = [report.to_json() for report in reports]
        print_json({"passed": passed, "failed": failed, "scenarios": shown})
    else:
        for report in reports:
            if not report.passed:
                print(report.line)
        print(f"{passed} passed, {failed} failed")
    raise typer.Exit(2 if unreadable else int(failed > 0))
