"""`pigglesim games` and `scenario`: the list of games, and tests of their rules."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli import options
from pigglesim.cli.consoles import note, print_json, result_console, word_table
from pigglesim.cli.flags import WORD
from pigglesim.errors import PigglesimError
from pigglesim.games.registry import find, game_names, make_game
from pigglesim.scenarios import ScenarioReport, read_scenarios, run_scenario


def games(as_json: options.Json = False) -> None:
    """List the games, their players and their sources of rolls.

    Examples:
        pigglesim games
        pigglesim games --json
    """
    names = game_names()
    if as_json:
        print_json(
            [
                {
                    "game": name,
                    "title": find(name).title,
                    "brief": find(name).brief,
                    "players": find(name).players,
                    "chances": list(find(name).chances),
                    "adviser": find(name).adviser,
                    "house_rules": dict(make_game(name).settings()),
                }
                for name in names
            ]
        )
        return
    table = word_table("game", "players", "chance", "what it is")
    for name in names:
        entry = find(name)
        table.add_row(name, entry.players, ", ".join(entry.chances), entry.brief)
    result_console().print(table)
    result_console().print(
        "play one: pigglesim play GAME; watch one: pigglesim match GAME; its house rules: "
        "pigglesim games --json",
        style="dim",
    )


def scenario(
    files: Annotated[list[Path], WORD, "Scenario files (JSON)."], as_json: options.Json = False
) -> None:
    """Check rule scenarios without physics.

    Each failed scenario is printed in one line; the counts come last. The exit status is 1 if any
    scenario failed, 2 if a file cannot be read.

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
            note(str(error))
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
