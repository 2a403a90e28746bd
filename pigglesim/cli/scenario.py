"""`pigglesim scenario FILE...`: rule tests without physics."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

_HELP = """Check rule scenarios without physics.

Each scenario that fails has a line; the counts come last. The exit status is 1 if any failed, 2 if
a file cannot be read.

Examples:

  pigglesim scenario tests/scenarios/*.json

  pigglesim scenario my_ruling.json --json
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""

    @app.command(help=_HELP)
    def scenario(
        files: Annotated[list[Path], typer.Argument(help="Scenario files (JSON).")],
        *,
        as_json: Annotated[
            bool, typer.Option("--json", help="Print one JSON document and nothing else.")
        ] = False,
    ) -> None:
        """Check scenarios."""
        from pigglesim.errors import PigglesimError
        from pigglesim.scenarios.runner import read_scenarios, run_scenario

        reports = []
        unreadable = 0
        for path in files:
            try:
                scenarios = read_scenarios(path)
            except PigglesimError as error:
                print(f"pigglesim: {error}", file=sys.stderr)
                unreadable += 1
                continue
            reports += [run_scenario(value) for value in scenarios]
        failed = sum(not report.passed for report in reports)
        passed = len(reports) - failed
        if as_json:
            shown = [report.to_json() for report in reports]
            print(json.dumps({"passed": passed, "failed": failed, "scenarios": shown}))
        else:
            for report in reports:
                if not report.passed:
                    print(report.line)
            print(f"{passed} passed, {failed} failed")
        raise typer.Exit(2 if unreadable else int(failed > 0))
