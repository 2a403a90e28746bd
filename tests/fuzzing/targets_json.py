"""Saved rolls, scenarios, odds and measured shares: files in JSON."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pigglesim import data_files as catalog
from tests.fuzzing.target import Feed, Form, Target, scratch_file

FILES = "pigglesim.files"
SCENARIOS = Path(__file__).parents[1] / "scenarios"


def _rolls() -> Sequence[bytes]:
    def die(number: int, pose: str, zone: str, x: float) -> dict[str, object]:
        return {
            "id": f"A{number}", "model": "piggle", "rolled": True, "orientation": pose,
            "zone": zone, "on_line": zone.startswith("line"), "points": 1, "leaning": False,
            "position_m": [x, 0.01, 0.012], "rotation_xyzw": [0.0, 0.0, 0.6, 0.8],
            "stacked": False, "off_board": False,
        }  # fmt: skip

    dice = [die(1, "up", "field:N", 0.02), die(2, "head", "line:path/woods", -0.1)]
    dice.append({**die(3, "down", "off", 0.4), "off_board": True, "orientation": None})
    return [json.dumps({"seed": 5, "scene": "piggles_classic", "dice": dice}).encode()]


def _roll(folder: Path) -> Feed:
    from pigglesim.api.roll import read_layout
    from pigglesim.landing import RollRequest, Seat

    def read(path: Path) -> object:
        standing, models = read_layout(path)
        assert {name for name, _ in standing} == set(models)
        return RollRequest(thrower=Seat.B, piggles=("B1",), standing=standing)

    return scratch_file(folder, "it.json", read)


def _scenario_seeds() -> Sequence[bytes]:
    seeds = []
    for file in sorted(SCENARIOS.glob("*.json")):
        content = json.loads(file.read_text())
        rows = content["scenarios"] if isinstance(content, dict) else content
        kinds: dict[str, object] = {}
        for row in rows:
            # One of each sort of events: the rest differ in numbers.
            sort = " ".join(sorted({str(event.get("do")) for event in row.get("events", [])}))
            kinds.setdefault(sort, row)
        seeds += [json.dumps([row]).encode() for row in list(kinds.values())[:6]]
    return [seed for seed in seeds if len(seed) < 3_000]


def _scenario(folder: Path) -> Feed:
    from pigglesim.scenarios import read_scenarios, run_scenario

    def read(path: Path) -> object:
        reports = [run_scenario(row) for row in read_scenarios(path)[:3]]
        for report in reports:
            assert "\n" not in report.line
            json.dumps(report.to_json(), allow_nan=False)
        return reports

    return scratch_file(folder, "it.json", read)


def _odds_seeds() -> Sequence[bytes]:
    table = json.loads(catalog.odds_file("piggle").read_text())
    table["source"] = {"seed": 1, "throws": 60000}
    thrown = table["thrown"]
    few = {number: _few(thrown[number], "shares") for number in list(thrown)[:2]}
    stood = {place: _few(row, "after") for place, row in table["knocks"]["standing"].items()}
    knocks = {**table["knocks"], "rates": table["knocks"]["rates"][:2], "standing": stood}
    small = {
        **table, "thrown": few, "knocks": knocks, "departures": table["departures"][:1],
    }  # fmt: skip
    return [json.dumps(small).encode()]


def _few(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {**table, key: dict(list(table[key].items())[:4])}


def _odds(folder: Path) -> Feed:
    from pigglesim.chance.odds import load_odds, odds_text, parse_odds
    from pigglesim.chance.tabular import TabularChance
    from pigglesim.landing import RollRequest, Seat

    def read(path: Path) -> object:
        odds = load_odds(str(path))
        assert parse_odds(odds_text(odds)) == odds
        chance = TabularChance(seed=1, odds=odds)
        return chance.roll(RollRequest(thrower=Seat.A, piggles=("A1", "A2")), index=0)

    return scratch_file(folder, "it.json", read)


def _measured_seeds() -> Sequence[bytes]:
    return [(catalog.model_file("piggle").parent / "measured.json").read_bytes()]


def _measured(folder: Path) -> Feed:
    from pigglesim.bodies.measured import measured_text, read_measured
    from scripts.piggle import measured_lines

    def read(path: Path) -> object:
        rows = read_measured(path)
        path.write_text(measured_text(rows))
        assert read_measured(path) == rows
        return measured_lines(rows, dict.fromkeys(rows, ""))

    return scratch_file(folder, "measured.json", read)


TARGETS = (
    Target(
        name="layout", form=Form.JSON, prepare=_roll, seeds=_rolls,
        readers=(FILES, "pigglesim.api.roll", "pigglesim.json_codec", "pigglesim.landing"),
        words=("line:field/path", "woods", "path:inner", "down", "off"),
    ),
    Target(
        name="scenario", form=Form.JSON, prepare=_scenario, seeds=_scenario_seeds,
        readers=(FILES, "pigglesim.scenarios", "pigglesim.games"),
    ),
    Target(
        name="odds", form=Form.JSON, prepare=_odds, seeds=_odds_seeds, most_bytes=16_384,
        readers=(FILES, "pigglesim.chance.odds", "pigglesim.chance.tabular", "pigglesim.landing"),
    ),
    Target(
        name="measured", form=Form.JSON, prepare=_measured, seeds=_measured_seeds,
        readers=(FILES, "pigglesim.bodies.measured"),
    ),
)  # fmt: skip
