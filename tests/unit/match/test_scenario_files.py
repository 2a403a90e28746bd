"""Scenario files: the rules of Piggles Classic one by one, and faults in the files."""

import copy
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from pigglesim.cli.app import app
from pigglesim.errors import SpecError
from pigglesim.match.scenario import read_scenarios, run_scenario
from tests.junk import with_junk

FOLDER = Path(__file__).parents[2] / "scenarios"
FILE = FOLDER / "piggles_classic.json"
SCENARIOS = read_scenarios(FILE)
MODERN = read_scenarios(FOLDER / "piggles_modern.json")
SIMPLE = {
    "id": "S1",
    "game": "piggles_classic",
    "title": "simple",
    "setup": {"board": {"A1": ["woods", "up"]}},
    "events": [{"do": "tally", "player": "A"}],
    "expected": {"scores": {"A": 1}},
}


def changed(**parts: object) -> dict[str, object]:
    return {**copy.deepcopy(SIMPLE), **parts}


@pytest.mark.parametrize("scenario", SCENARIOS + MODERN, ids=lambda s: f"{s['id']} {s['title']}")
def test_the_rules_of_piggles(scenario):
    report = run_scenario(scenario)
    assert report.passed, report.line


@pytest.mark.parametrize(
    "classic", [s for s in SCENARIOS if "mode" not in str(s["events"])], ids=lambda s: s["id"]
)
def test_the_rules_of_classic_hold_in_modern_too(classic):
    events = [e for e in classic["events"] if e["do"] != "expect_phases"]
    report = run_scenario({**classic, "game": "piggles_modern", "events": events})
    assert report.passed, report.line


def test_every_ruling_and_rule_of_modern_has_a_scenario():
    titles = " ".join(scenario["title"] for scenario in MODERN)
    for rule in ("R19", "R20", "R21", "R22", "R23", "R24", *(f"M{n}" for n in range(1, 14)), "M16"):
        assert rule in titles
    assert "M17" in titles
    assert "M18" in titles


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        ([{"do": "action", "piece": "A1", "target": "B2"}], "to act on B1 .M7., got B2"),
        ([{"do": "action", "piece": "B1", "target": "A1"}], "B1 not to act .M7."),
        ([{"do": "action", "piece": 7, "target": "A1"}], "the id of a Piggle"),
        ([{"do": "action", "target": "A1"}], "piece in the event action"),
        ([{"do": "action", "piece": "A1", "target": "B1", "by": "A"}], "'by'"),
        ([{"do": "act", "piece": "A1", "target": "B1"}], "a known event"),
        ([{"do": "expect_targets", "piece": "A1", "targets": []}], r'expected \[\], got \["B1"\]'),
    ],
)
def test_faults_in_scenarios_of_modern_are_told(events, fault):
    setup = {
        "board": {"A1": ["field:N", "up"], "B1": ["field:N", "up"], "B2": ["field:S", "up"]},
        "pieces": {"A1": {"color": "red", "rune": "adjacent"}},
    }
    report = run_scenario({"id": "X", "game": "piggles_modern", "setup": setup, "events": events})
    assert not report.passed
    assert re.search(fault, report.line), report.line


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        ({"color": "pink"}, "colour of a Piggle, got 'pink'"),
        ({"color": "red", "rune": "lefft"}, "try: left"),
        ({"colour": "red"}, "try: color"),
    ],
)
def test_faults_in_pieces_are_told(piece, fault):
    setup = {"pieces": {"A1": piece}}
    report = run_scenario({"id": "X", "game": "piggles_modern", "setup": setup})
    assert fault in report.line


def test_a_reroll_that_is_not_told_is_asked_for():
    setup = {
        "board": {"A1": ["field:N", "up"], "B1": ["field:N", "up"]},
        "pieces": {"A1": {"color": "blue", "rune": "adjacent"}},
    }
    events = [{"do": "action", "piece": "A1", "target": "B1"}]
    report = run_scenario({"id": "X", "game": "piggles_modern", "setup": setup, "events": events})
    assert "reroll in the event action" in report.line


def test_every_ruling_and_rule_of_classic_has_a_scenario():
    titles = " ".join(scenario["title"] for scenario in SCENARIOS)
    for rule in ("R3", "R5", "R6", "R7", "R8", "R11", "R12", "R13", "R15", "R16", "R17", "R18"):
        assert f"{rule}:" in titles
    for ruling in ("P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P11", "P15"):
        assert ruling in titles


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ({"scores": {"A": 2}}, "S1 simple: scores.A: expected 2, got 1"),
        ({"board": {}}, 'S1 simple: board.A1: expected null, got ["woods", "up"]'),
        (
            {"board": {"A1": ["woods", "down"]}},
            'S1 simple: board.A1: expected ["woods", "down"], got ["woods", "up"]',
        ),
        ({"pen": {"A": ["A2"]}}, 'S1 simple: pen.A: expected ["A2"], got []'),
        (
            {"result": {"next": "reroll"}},
            'S1 simple: result: expected {"next": "reroll"}, got null',
        ),
    ],
)
def test_the_first_difference_is_told(expected, line):
    assert run_scenario(changed(expected=expected)).line == line


def test_lists_of_ids_compare_as_sets_and_only_what_is_given_counts():
    pen = {"pen": {"A": ["A1", "A2"], "B": ["B1"]}, "scores": {"B": 3}}
    assert run_scenario(changed(setup=pen, events=[], expected={"pen": {"A": ["A2", "A1"]}})).passed


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ({"game": "pigles"}, "expected a known game, got 'pigles'"),
        ({"config": {"mud_dely": "none"}}, "got 'mud_dely'; try: mud_delay"),
        ({"config": {"mud_delay": "never"}}, "one_full_turn or owner_turn or none"),
        ({"setup": {"bord": {}}}, "got 'bord'; try: board"),
        ({"setup": {"board": {"A1": ["wood", "up"]}}}, "got 'wood'; try: woods"),
        ({"setup": {"board": {"A1": ["woods", "upp"]}}}, "got 'upp'; try: up"),
        ({"setup": {"board": {"C1": ["woods", "up"]}}}, "'C1'"),
        ({"setup": {"board": {"A1": ["woods", "up"]}, "pen": {"A": ["A1"]}}}, "A1 in one place"),
        ({"setup": {"round": 7}}, "a round from 1 to 6"),
        ({"setup": {"scores": {"A": -1}}}, "a score of 0 or more"),
        ({"setup": {"pen": {"C": []}}}, "'C'"),
        ({"events": [{"do": "taly", "player": "A"}]}, "got 'taly'; try: tally"),
        ({"events": [{"do": "tally", "plyer": "A"}]}, "got 'plyer'; try: player"),
        ({"events": [{"do": "load", "player": "A", "pieces": ["A1"]}]}, "(R8)"),
        ({"events": [{"do": "load", "player": "A"}]}, "pieces in the event load"),
        ({"events": [{"do": "roll", "player": "A", "outcome": {"A2": ["woods", "up"]}}]}, "(R8)"),
        ({"expected": {"score": {"A": 1}}}, "got 'score'; try: scores"),
        ({"expectd": {}}, "got 'expectd'; try: expected"),
        ({"events": {}}, "a list for events"),
        ({"id": 3}, "text for id"),
    ],
)
def test_a_fault_in_a_scenario_fails_it_and_is_named(parts, fault):
    report = run_scenario(changed(**parts))
    assert not report.passed
    assert fault in report.line


def test_a_failing_expect_names_its_event():
    events = [{"do": "expect", "state": {"scores": {"A": 1}}}]
    line = run_scenario(changed(events=events)).line
    assert line == "S1 simple: event 1 (expect) scores.A: expected 1, got 0"
    cases = [{"do": "expect_loadable", "player": "A", "cases": [[["A1"], True]]}]
    line = run_scenario(changed(events=cases)).line
    assert line == "S1 simple: event 1 (expect_loadable) [A1]: expected true, got false"
    phases = [{"do": "expect_phases", "round": 3, "phases": ["load"]}]
    assert "round 3 classic" in run_scenario(changed(events=phases)).line


def test_notes_are_ignored():
    notes = {"ruling": "x", "source": "y", "_mine": 1, "unambiguous": True}
    events = [{"do": "tally", "player": "A", "_why": "because"}]
    assert run_scenario(changed(**notes, events=events)).passed


def test_knocks_not_listed_are_those_that_changed():
    setup = {"pen": {"A": ["A1"]}, "board": {"B1": ["woods", "up"]}}
    roll = {"do": "roll", "player": "A", "outcome": {"A1": ["woods", "down"], "B1": ["off", None]}}
    tally = {"do": "tally", "player": "A"}
    told = changed(setup=setup, events=[roll, tally], expected={"scores": {"A": 1}})
    assert run_scenario(told).passed
    denied = changed(setup=setup, events=[{**roll, "knocked": []}, tally], expected={})
    denied["expected"] = {"scores": {"A": 0}}
    assert run_scenario(denied).passed


JUNK = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "A1", "A9", "B", [], [[]], [1], ["A1"], {}, {"A": 1}, {"A9": 1}]
)


@settings(max_examples=400, deadline=None)
@given(with_junk(SCENARIOS, JUNK))
def test_junk_anywhere_in_a_scenario_is_told_and_never_crashes(broken):
    report = run_scenario(broken)
    assert report.error is None or "; try: " in report.error
    assert "\n" not in report.line


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["scenario", *arguments])
    return done.exit_code, done.output


def test_the_verb_counts_and_tells_by_its_exit_status(tmp_path):
    assert run(str(FILE)) == (0, f"{len(SCENARIOS)} passed, 0 failed\n")
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps([SIMPLE, changed(expected={"scores": {"A": 5}})]))
    line = "S1 simple: scores.A: expected 5, got 1\n"
    assert run(str(bad)) == (1, f"{line}1 passed, 1 failed\n")
    code, output = run(str(FILE), str(tmp_path / "none.json"))
    assert code == 2
    assert "try: check the path" in output


def test_the_verb_speaks_json(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({"scenarios": [changed(expected={"scores": {"A": 5}})]}))
    code, output = run("--json", str(bad))
    told = json.loads(output)
    assert (code, told["passed"], told["failed"]) == (1, 0, 1)
    assert told["scenarios"][0] == {
        "id": "S1",
        "title": "simple",
        "passed": False,
        "key": "scores.A",
        "expected": 5,
        "got": 1,
    }


@pytest.mark.parametrize("content", ["{", "3", '{"scenario": []}'])
def test_a_file_of_no_scenarios_is_refused(tmp_path, content):
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(SpecError, match="try: "):
        read_scenarios(path)
