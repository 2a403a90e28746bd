"""Scenario files: read, run by the rules of their game, and reported on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pigglesim.errors import PigglesimError, SpecError, one_line
from pigglesim.files import FileKind, read_json
from pigglesim.games.game import JSON
from pigglesim.games.registry import find
from pigglesim.scenarios import card_games, dice_games, own_game, piggles
from pigglesim.scenarios.reader import GameScenarios, Mismatch, parse_scenario

_GAMES: Mapping[str, GameScenarios[Any]] = {
    "piggles_classic": piggles.CLASSIC,
    "piggles_modern": piggles.MODERN,
    "lord_of_the_pigs": card_games.LORD,
    "pig_pile": card_games.PIG_PILE,
    "piggyback": dice_games.PIGGYBACK,
    "piggy_six": dice_games.PIGGY_SIX,
}
"""Readers of scenarios by game; others have scenarios in their own notation."""
_KIND = FileKind(name="scenario", max_bytes=1024**2, values=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioReport:
    """Result of one scenario."""

    id: str
    title: str
    mismatch: Mismatch | None = None
    error: str | None = None
    """Fault of the scenario itself, or an illegal event in it."""

    @property
    def passed(self) -> bool:
        """True if every value is as expected."""
        return self.mismatch is None and self.error is None

    @property
    def line(self) -> str:
        """Report in one line."""
        head = f"{self.id} {self.title}".strip()
        if self.error is not None:
            return one_line(f"{head}: {self.error}")
        if self.mismatch is None:
            return one_line(f"{head}: passed")
        expected, got = _plain(self.mismatch.expected), _plain(self.mismatch.got)
        return one_line(f"{head}: {self.mismatch.key}: expected {expected}, got {got}")

    def to_json(self) -> dict[str, JSON]:
        """Return the report as plain values."""
        plain: dict[str, JSON] = {"id": self.id, "title": self.title, "passed": self.passed}
        if self.error is not None:
            plain["error"] = self.error
        if self.mismatch is not None:
            plain["key"] = self.mismatch.key
            plain["expected"] = json.loads(_plain(self.mismatch.expected))
            plain["got"] = json.loads(_plain(self.mismatch.got))
        return plain


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def read_scenarios(path: Path) -> list[object]:
    """Return the unchecked scenarios of a file: a list, or a table with `scenarios`.

    Raises:
        SpecError: If the file is unreadable, is not JSON, exceeds the limits of scenario files, or
            has no scenarios.
    """
    content = read_json(path, _KIND)
    scenarios = content.get("scenarios") if isinstance(content, dict) else content
    if not isinstance(scenarios, list):
        raise SpecError(
            f"no scenarios in {str(path)!r}", fix='write {"scenarios": [...]} or a list'
        )
    return scenarios


def run_scenario(value: object) -> ScenarioReport:
    """Return the report of one scenario; a fault in it fails it and stands in the report."""
    table = value if isinstance(value, dict) else {}
    name, title = str(table.get("id", "?")), str(table.get("title", ""))
    try:
        scenario = parse_scenario(value)
        find(scenario.game)
        mismatch = _GAMES.get(scenario.game, own_game.OWN).play(scenario)
    except PigglesimError as error:
        return ScenarioReport(id=name, title=title, error=str(error))
    return ScenarioReport(id=name, title=title, mismatch=mismatch)
